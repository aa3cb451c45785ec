// What CUDA 13's runtime has that CUDA 12's has in another form.
#include <cuda_runtime_api.h>

#include "emulator/runtime/device_properties.hpp"
#include "emulator/runtime/errors.hpp"
#include "emulator/runtime/managed.hpp"

using namespace emulator::runtime;

cudaError_t cudaRuntimeGetVersion(int* version) {
    return call([&] {
        require(version != nullptr);
        *version = CUDART_VERSION;
    });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    return get_properties(properties, device);
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream) {
    return prefetch(pointer, bytes, location, flags, stream);
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
    return advise(pointer, bytes, advice, location);
}

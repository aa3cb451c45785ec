// What CUDA 13's runtime has that CUDA 12's has in another form.
#include <cuda_runtime_api.h>

#include "emulator/runtime/errors.hpp"

using namespace emulator::runtime;

cudaError_t cudaRuntimeGetVersion(int* version) {
    return call([&] {
        require(version != nullptr);
        *version = CUDART_VERSION;
    });
}

// Batches of copies and of hints: one after another.
#include <cuda_runtime_api.h>

#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/memory/copy_calls.hpp"
#include "emulator/runtime/memory/managed.hpp"

using namespace emulator::runtime;

cudaError_t emulator::runtime::copy_batch(void* const* to, const void* const* from,
                                          const std::size_t* bytes, std::size_t count,
                                          cudaStream_t stream) {
    return call([&] {
        require(to != nullptr && from != nullptr && bytes != nullptr && count != 0);
        for (std::size_t i = 0; i < count; ++i) {
            const Copy copy{.to = to[i], .from = from[i], .bytes = bytes[i]};
            const cudaError_t error = copy_in_stream(copy, stream);
            if (error != cudaSuccess) return error;
        }
        return cudaSuccess;
    });
}

extern "C" cudaError_t cudaMemPrefetchBatchAsync(void** pointers, std::size_t* bytes,
                                                 std::size_t count, cudaMemLocation* locations,
                                                 std::size_t* first_of_location,
                                                 std::size_t location_count,
                                                 unsigned long long flags, cudaStream_t stream) {
    return call([&] {
        require(pointers != nullptr && bytes != nullptr && locations != nullptr &&
                first_of_location != nullptr && count != 0 && location_count != 0 && flags == 0);
        std::size_t location = 0;
        for (std::size_t i = 0; i < count; ++i) {
            while (location + 1 < location_count && first_of_location[location + 1] <= i)
                ++location;
            const cudaError_t error =
                prefetch(pointers[i], bytes[i], locations[location], 0, stream);
            if (error != cudaSuccess) return error;
        }
        return cudaSuccess;
    });
}

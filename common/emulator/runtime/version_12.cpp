// What CUDA 12's runtime has that CUDA 13's has in another form.
#include "emulator/runtime/errors.hpp"

using namespace emulator::runtime;

cudaError_t cudaRuntimeGetVersion(int* version) {
    return call([&] {
        require(version != nullptr);
        *version = 12090;
    });
}

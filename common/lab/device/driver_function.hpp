// Functions of the driver that a program asks for at run time, so that nothing links libcuda.
#pragma once

#include <cuda_runtime_api.h>

namespace lab {

// The function `name` as CUDA 12.0 has it; null where *found is not cudaDriverEntryPointSuccess.
inline cudaError_t find_driver_function(const char* name, void** function,
                                        cudaDriverEntryPointQueryResult* found) {
#if CUDART_VERSION >= 12050
    return cudaGetDriverEntryPointByVersion(name, function, 12000, cudaEnableDefault, found);
#else  // Deprecated since.
    return cudaGetDriverEntryPoint(name, function, cudaEnableDefault, found);
#endif
}

}  // namespace lab

#include "lab/device/cuda_check.hpp"

#include <string>

#include "lab/device/emulated_gpu.hpp"
#include "lab/program/errors.hpp"

namespace lab {

namespace {

// The remedy for an error that is the GPU's or the driver's, not the program's; "" for others.
const char* remedy(cudaError_t error) {
    switch (error) {
        case cudaErrorMemoryAllocation:
            return "; nvidia-smi shows what else holds the GPU's memory";
        case cudaErrorDevicesUnavailable:
            return "; another program has the GPU, or its mode forbids computing: nvidia-smi -q -d "
                   "COMPUTE,PIDS";
        case cudaErrorSystemNotReady:
            return "; the GPUs are not up yet: systemctl status nvidia-fabricmanager";
        case cudaErrorSystemDriverMismatch:
            return "; the driver was updated while it ran: restart the machine";
        case cudaErrorECCUncorrectable:
        case cudaErrorNvlinkUncorrectable:
        case cudaErrorHardwareStackError:
        case cudaErrorUnknown:
            return "; the GPU may be lost: nvidia-smi, and Xid in dmesg, say more";
        default:
            return "";
    }
}

// Not what a test's faulty GPU in front of the emulated runtime returns: that is the hardware's.
bool is_of_emulated_gpu(cudaError_t error) {
    return emulated_gpu::is_loaded() && cudaPeekAtLastError() == error;
}

// The same for the emulated GPU, whose runtime has printed what failed.
const char* remedy_emulated(cudaError_t error) {
    switch (error) {
        case cudaErrorMemoryAllocation:
            return "; the emulated GPU's memory is this machine's: free -h, ulimit -v";
        case cudaErrorUnknown:
            return "; the emulated GPU says why above";
        default:
            return "";
    }
}

}  // namespace

void throw_cuda_error(cudaError_t error, const char* expression, const char* file, int line) {
    throw CudaError(std::string(file) + ":" + std::to_string(line) + ": " + expression + ": " +
                    cudaGetErrorName(error) + " (" + cudaGetErrorString(error) + ")" +
                    (is_of_emulated_gpu(error) ? remedy_emulated(error) : remedy(error)));
}

}  // namespace lab

// nvcc's code calls these before main and for each launch <<<...>>>. Their declarations are in
// crt/host_runtime.h, which cannot be included; in C linkage the names alone matter.
#include <cuda_runtime_api.h>

#include <vector>

#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/launches.hpp"
#include "emulator/runtime/api/programs.hpp"

using namespace emulator::runtime;

namespace {

struct CallConfiguration {
    dim3 grid, block;
    std::size_t shared_bytes;
    cudaStream_t stream;
};
thread_local std::vector<CallConfiguration> call_configurations;

Program& program_of(void** handle) {
    return require_program(reinterpret_cast<const Program*>(handle));
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
    const std::lock_guard lock(api_mutex());
    return reinterpret_cast<void**>(register_program(wrapper));
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
    call_always([&] { unregister_program(&program_of(handle)); });
}

// Called before the host's first access to a __managed__ variable.
char __cudaInitModule(void** handle) {
    return call([&] { program_of(handle).initialise_managed(); }) == cudaSuccess;
}

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* device_name, int,
                            uint3*, uint3*, dim3*, dim3*, int*) {
    call_always([&] { program_of(handle).add_function(host, device_name); });
}

void __cudaRegisterVar(void** handle, char* host, char*, const char* device_name, int,
                       std::size_t bytes, int, int) {
    call_always([&] { program_of(handle).add_variable(host, device_name, bytes); });
}

void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* device_name, int,
                              std::size_t bytes, int, int) {
    call_always([&] { program_of(handle).add_managed_variable(host, device_name, bytes); });
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                     cudaStream_t stream) {
    call_configurations.push_back({grid, block, shared_bytes, stream});
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes,
                                       void* stream) {
    return call_always([&] {
        require(!call_configurations.empty(), cudaErrorMissingConfiguration);
        const CallConfiguration& last = call_configurations.back();
        required(grid) = last.grid;
        required(block) = last.block;
        required(shared_bytes) = last.shared_bytes;
        required(static_cast<cudaStream_t*>(stream)) = last.stream;
        call_configurations.pop_back();
    });
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
    return cudaGetKernel(kernel, host);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream) {
    return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

}  // extern "C"

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* host) {
    return call([&] {
        require(kernel != nullptr);
        *kernel = reinterpret_cast<cudaKernel_t>(&find_function(host));
    });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
    return call([&] {
        require(function != nullptr);
        *function = reinterpret_cast<cudaFunction_t>(&find_function(symbol));
    });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
    return call([&] {
        require(name != nullptr);
        *name = find_function(function).name.c_str();
    });
}

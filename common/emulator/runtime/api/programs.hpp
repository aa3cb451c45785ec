// Programs register fat binaries with their kernels and variables. A fat binary's PTX is parsed at
// the first use of anything in it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/ptx/code/resource_usage.hpp"
#include "emulator/runtime/api/ptx_image.hpp"
#include "emulator/simt/state/gpu.hpp"

namespace emulator::runtime {

class Program;

// A kernel; cudaKernel_t and cudaFunction_t point to it.
struct Function {
    Program* program = nullptr;
    std::string name;            // mangled, as in the PTX
    const void* host = nullptr;  // the host function that stands for it

    // Set with cudaFuncSetAttribute.
    int max_dynamic_shared_bytes = -1;  // -1: not opted in
    int preferred_carveout_percent = -1;
    bool non_portable_clusters = false;
    cudaSharedMemConfig shared_config = cudaSharedMemBankSizeDefault;  // default: the device's

    // Throws ApiError (cudaErrorInvalidDeviceFunction, cudaErrorNoKernelImageForDevice, ...).
    const simt::Kernel& kernel();
    const simt::KernelAttributes& attributes() { return simt::attributes(kernel()); }
    std::string demangled() const;
    // The resources that ptxas reports for the emulated GPU; null where that is not known.
    const ptx::KernelResources* resources();

  private:
    friend class Program;
    const simt::Kernel* kernel_ = nullptr;
};

struct Launch {
    Function* function = nullptr;
    dim3 grid, block;
    std::size_t dynamic_shared_bytes = 0;
    bool cooperative = false;
    std::vector<std::byte> parameters;
    dim3 cluster{1, 1, 1};                       // blocks
    std::optional<unsigned long long> stream{};  // its number; nothing in a graph
};

// One fat binary.
class Program {
  public:
    explicit Program(const void* wrapper) : wrapper_(wrapper) {}

    // Loads the PTX where that has not been done. Throws ApiError.
    const std::shared_ptr<simt::Module>& module();
    // Which PTX of the fat binary was taken: "compute_75".
    unsigned ptx_compute_capability();

    const ptx::KernelResources* resources_of(const std::string& kernel);
    // The compiler of the resources: "ptxas 12.9 for sm_70".
    const std::string& compiler() const { return compiler_; }
    // The feature that an older ptxas lacks for it; empty: there is no ptxas for this GPU, or nothing is lacking.
    const std::string& why_not_compiled() const { return why_not_compiled_; }

    void add_function(const void* host, const std::string& name);
    void add_variable(const void* host, const std::string& name, std::size_t bytes);
    // `pointer`: the host's variable, which gets the address at initialise_managed.
    void add_managed_variable(void** pointer, const std::string& name, std::size_t bytes);
    void initialise_managed();

    // Forgets what was loaded: variables get their initial values with the next use.
    void unload();

  private:
    // Asks ptxas.
    void compile(ptx::Module& parsed);

    struct Variable {
        const void* host;
        std::string name;
        std::size_t bytes;
    };
    struct ManagedVariable {
        void** pointer;
        std::string name;
        std::size_t bytes;
    };

    const void* wrapper_;
    std::shared_ptr<simt::Module> module_;
    LoadedPtx ptx_;
    std::vector<ptx::KernelResources> resources_;
    std::string compiler_, why_not_compiled_;
    std::vector<std::unique_ptr<Function>> functions_;
    std::vector<ManagedVariable> managed_;
    cudaError_t refusal_ = cudaSuccess;  // why the PTX could not be loaded; said once
};

Program* register_program(const void* wrapper);
void unregister_program(Program* program);
// Throws ApiError for anything but a program that is registered.
Program& require_program(const Program* handle);

// By the host function's address, or a cudaKernel_t or cudaFunction_t. Throws ApiError.
Function& find_function(const void* handle);

// A __device__, __constant__ or __managed__ variable by its host shadow. Throws ApiError.
simt::Symbol find_variable(const void* host);

void unload_programs();

}  // namespace emulator::runtime

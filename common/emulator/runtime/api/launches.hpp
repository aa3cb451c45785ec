// Kernel launches: checked against the limits of the architecture, executed at the call.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "emulator/runtime/api/programs.hpp"

namespace emulator::runtime {

// Copies the arguments, so that the launch can happen later (graphs).
std::vector<std::byte> copy_arguments(Function& function, void** arguments);

// The size of its clusters: the kernel's own (__cluster_dims__), or what the launch asks for.
dim3 cluster_of(Function& function, std::optional<dim3> asked);
std::optional<dim3> asked_cluster(const cudaLaunchConfig_t& config);
// 8, as CUDA promises for every GPU that has clusters, or what such a GPU can do where the kernel allows it; 1: it has none.
unsigned max_cluster_blocks(const Function& function);

// Throws ApiError as a launch on the real GPU fails: nothing was started then.
void check_launch(const Launch& launch);

// Checks and executes. A fault of the kernel becomes the sticky error, which later calls report.
void execute(const Launch& launch);

// Shared memory that a block may take, static and dynamic together, and as cudaFuncSetAttribute opted in.
std::size_t max_shared_bytes(const Function& function);
unsigned max_threads_per_block(Function& function);
// As ptxas compiles the kernel for the architecture; nothing where that is not known.
std::optional<unsigned> registers_per_thread(Function& function);

// Fails as a launch on the real GPU does; the report says what was asked for and what the limit is.
[[noreturn]] void refuse_launch(const Launch& launch, cudaError_t code, const std::string& why);

}  // namespace emulator::runtime

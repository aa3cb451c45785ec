// The results of ptxas for a module and an architecture: registers, stack and shared memory of its kernels, and
// the memory instructions of their machine code.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/ptx/code/compilation.hpp"

namespace emulator::ptx {

// Runs `ptxas -v` on the text; results are cached in $XDG_CACHE_HOME or ~/.cache. `architecture`: "sm_75"; the text's
// target may be a later one. `options`: what the fat binary notes for ptxas, such as "-dlcm=cg -maxrregcount=32"; those
// that do not change the code are left out. What the usual ptxas does not compile (that of CUDA 13 knows sm_75 and later)
// is tried with older ones where they are installed. Nothing where none compiles this text for this architecture;
// `refusal` then has what an older one says of the text, "ptxas 12.9: Feature 'redux.sync' requires ...", if it knows the
// architecture.
std::optional<Compilation> compile(std::string_view text, const std::string& architecture,
                                   std::string_view options, CodeParts parts = CodeParts::accesses,
                                   std::string* refusal = nullptr);

// $EMULATED_GPU_PTXAS, else ptxas in PATH, in the Python environment of this project
// (.venv/lib/python3.*/site-packages/nvidia/cu*/bin), in /usr/local/cuda/bin; empty: none.
std::filesystem::path find_ptxas();

// Reads the report of `ptxas -v`.
std::vector<KernelResources> parse_ptxas_report(std::string_view report);

}  // namespace emulator::ptx

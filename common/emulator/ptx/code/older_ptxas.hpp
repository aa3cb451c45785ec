// ptxas of earlier CUDA releases, for GPUs that the newest one no longer knows, and PTX as they take it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace emulator::ptx {

struct OlderPtxas {
    std::filesystem::path program;
    std::string_view release;      // of CUDA
    std::string_view ptx_version;  // the newest that it reads
};

// Newest first. In $EMULATED_GPU_OLDER_PTXAS (empty: none), else where `scripts/lab setup --all-ptxas` puts
// them: .venv/ptxas in a folder above this library.
std::vector<OlderPtxas> find_older_ptxas();

// The text for `architecture` ("sm_60"), where its target is a later one: instructions that the architecture
// lacks are refused by ptxas.
std::string with_target(std::string_view text, std::string_view architecture);
// The text in no later version of PTX than this one; what the version lacks is refused by ptxas.
std::string with_version(std::string_view text, std::string_view at_most);

}  // namespace emulator::ptx

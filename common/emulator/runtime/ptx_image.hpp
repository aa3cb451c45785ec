// Which PTX of a registered fat binary is executed.
#pragma once

#include <string>
#include <string_view>

#include "emulator/models/load_policy.hpp"
#include "emulator/ptx/module.hpp"

namespace emulator::runtime {

struct PtxImage {
    std::string text;
    L1Mode l1_mode{};  // ptxas' -dlcm
};

// The PTX of the highest target that a GPU of `compute_capability` (75 for 7.5) can run; where there is
// none, of the lowest. `wrapper`: what __cudaRegisterFatBinary gets. Throws ApiError.
PtxImage choose_ptx(const void* wrapper, unsigned compute_capability);

// Throws ApiError (cudaErrorInvalidPtx).
ptx::Module parse(const PtxImage& image);

}  // namespace emulator::runtime

// The PTX of a registered fat binary that is executed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/models/memory/load_policy.hpp"
#include "emulator/ptx/image/fatbin.hpp"

namespace emulator::runtime {

// Chooses among `images` for a GPU of `compute_capability` (75 for 7.5): the PTX of the highest target that
// it can run; where there is none, of the lowest. Null where there is no PTX.
const ptx::Image* choose_ptx(std::span<const ptx::Image> images, unsigned compute_capability);

// -dlcm of ptxas' options.
L1Mode l1_mode(std::string_view options);

struct LoadedPtx {
    std::vector<std::string> texts;  // several with -rdc=true: they are to be linked
    std::string options;             // of ptxas
};

// Reads what __cudaRegisterFatBinary gets. Throws ApiError.
LoadedPtx load_ptx(const void* wrapper, unsigned compute_capability);

}  // namespace emulator::runtime

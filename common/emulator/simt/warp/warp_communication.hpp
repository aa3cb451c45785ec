// Shuffles, votes, matches and reductions across the lanes of a warp.
//
// Sources: the values that lanes read from each other come first, the member mask (if any) is the last.
// Lanes whose registers may be read are those in WarpContext::participants.
#pragma once

#include <span>
#include <string>

#include "emulator/simt/state/operation.hpp"

namespace emulator::simt {

struct WarpWideForm {
    Handler execute = nullptr;
    bool has_members = false;    // its last source is a member mask
    unsigned value_sources = 0;  // sources that lanes read from each other: the first ones
};

// Null for what is none, or has a form that is not known.
WarpWideForm find_warp_wide(const std::string& opcode, std::span<const std::string> modifiers);

}  // namespace emulator::simt

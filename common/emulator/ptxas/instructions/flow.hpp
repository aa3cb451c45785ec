// The basic blocks of a function and where each goes on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "timing/machine/trace.hpp"

namespace timing {

struct FlowBlock {
    std::span<const Instruction> instructions;
    std::vector<bool>
        varies;  // by instruction: from thread to thread, whatever it reads of registers
    const Instruction* control = nullptr;   // what ends it, if anything
    std::vector<std::uint32_t> successors;  // none: the function ends
    bool is_predicated = false;             // its branch is none: what it skips is predicated
};

}  // namespace timing

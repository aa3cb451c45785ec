// The blocks of the PTX that show how often a block of the machine code is executed. Instructions keep the line of the PTX,
// but ptxas moves those without an effect, guards short branches, and copies the bodies of loops.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/ptx/code/machine_flow.hpp"

namespace emulator::ptx {

// The blocks as they are executed: with the copies that unroll_loops and unroll_whole_loops make.
struct PtxLines {
    std::vector<std::vector<std::uint32_t>> blocks;  // the line of each instruction
    std::vector<std::uint32_t> branches;             // lines of branches and tests, ascending
    // Some parts have counts of their own, as a block has: tries of atomic operations that are loops of the machine code, and
    // instructions that call a subroutine for rare operands.
    struct Counted {
        std::uint32_t line = 0, block = 0;
    };
    std::vector<Counted> loops, rare_calls;
};

struct MachineEvidence {
    std::vector<std::uint32_t> equal;   // it is executed as often as the most frequent of these
    std::vector<std::uint32_t> bounds;  // where that is not known: no more often than any of these
    // A body of a loop that ptxas unrolls although the PTX here has it once: the PTX's block, and how many of its rounds
    // are in this one. All such bodies together make its rounds.
    std::uint32_t loop = no_machine_block, rounds = 0;
    bool is_never_executed = false;
    std::uint32_t branch = no_machine_block;  // the PTX's block whose branch diverges
};

// The evidence of each block.
std::vector<MachineEvidence> evidence_of(const std::vector<MachineBlock>& code,
                                         const PtxLines& ptx);

}  // namespace emulator::ptx

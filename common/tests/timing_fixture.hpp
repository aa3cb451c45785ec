// A machine that costs little, and instructions for it.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "timing/machine.hpp"
#include "timing/trace.hpp"

namespace timing {

// One scheduler, one instruction a cycle; a second is a cycle, and nothing costs time but what a test says.
inline Machine plain_machine() {
    Machine machine;
    machine.clock_hz = 1;
    machine.blocks_per_second = 1e30;
    machine.schedulers = 1;
    machine.fp32_lanes = 32;
    machine.alu_cycles = 4;
    machine.shared_cycles = 23;
    return machine;
}

inline Instruction arithmetic(std::vector<Register> sources, Register destination) {
    Instruction result;
    result.unit = Unit::fp32;
    result.sources = std::move(sources);
    result.destinations = {destination};
    return result;
}

inline Instruction memory(Space space, std::uint32_t access, std::vector<Register> sources,
                          std::vector<Register> destinations) {
    Instruction result;
    result.unit = Unit::memory;
    result.space = space;
    result.access = access;
    result.sources = std::move(sources);
    result.destinations = std::move(destinations);
    return result;
}

// A block of warps that all execute the program's first basic block, without accesses.
inline LaunchTrace trace_of(std::vector<Instruction> instructions, std::size_t warps) {
    LaunchTrace trace;
    trace.program.blocks = {{std::move(instructions)}};
    trace.program.registers = 8;
    WarpTrace warp;
    warp.steps = {{0, 0}};
    warp.recorded = warp.executed = trace.program.blocks[0].instructions.size();
    trace.blocks = {BlockTrace(warps, warp)};
    return trace;
}

}  // namespace timing

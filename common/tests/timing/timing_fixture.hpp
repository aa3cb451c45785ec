// A machine that costs little, and instructions for it.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "emulator/models/memory/coalescing.hpp"
#include "timing/machine/machine.hpp"
#include "timing/machine/trace.hpp"

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

// An L2 that costs latency alone, and DRAM that takes a cycle for a line.
inline Machine machine_with_dram() {
    Machine machine = plain_machine();
    machine.l2_bytes_per_cycle = machine.l2_bytes_per_cycle_per_sm = 1e9;
    machine.l2_cycles = 100;
    machine.dram_cycles = 500;
    machine.dram_bytes_per_cycle = 128;
    return machine;
}

// One load of a line, by the first wave or a later one.
struct LineLoad {
    std::vector<emulator::LineSectors> line{{0, 0xf}};
    Access access;
    LineLoad() {
        access.kind = Access::Kind::load;
        access.space = Space::global;
        access.bytes = 128;
        access.line_count = 1;
        access.wavefronts = 1;
    }
};

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

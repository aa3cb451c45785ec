// The decoded functions of a kernel as the time model executes them.
#pragma once

#include <optional>
#include <vector>

#include "emulator/ptx/parse/module.hpp"
#include "emulator/simt/state/program.hpp"
#include "timing/machine/trace.hpp"

namespace emulator::simt {

struct TimedProgram {
    timing::Program program;                 // what the warps of the trace went through
    std::vector<ptx::SourceLocation> lines;  // by timing::Instruction::line
};
// Its steps, which count blocks as Image::counters, then count those of the program.
// `registers_per_thread`: as ptxas reports it; nothing when it is not known. `compute_number`: of the GPU, 75 for 7.5.
TimedProgram timed_program(const Image& image, std::optional<unsigned> registers_per_thread,
                           unsigned compute_number, const timing::PtxasRules& rules,
                           timing::LaunchTrace& trace);

// The memory access of an operation, guarded or not; null where it has none.
const MemoryDetail* access_of(const Image& image, const Operation& operation);

}  // namespace emulator::simt

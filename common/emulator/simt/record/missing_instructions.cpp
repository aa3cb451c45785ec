#include "emulator/simt/record/missing_instructions.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace emulator::simt {
namespace {

constexpr double tolerated = 0.1;

bool is_arithmetic(const timing::Instruction& instruction) {
    return instruction.slots > 0 && instruction.unit != timing::Unit::memory &&
           instruction.wait == timing::Wait::none && !instruction.branches;
}
bool is_several(const timing::Instruction& instruction) {
    return is_arithmetic(instruction) && instruction.slots > 1;
}

// Instructions issued by the recorded warps.
template <class Select>
double issued(const timing::Program& program, const std::vector<double>& executions,
              const Select& select) {
    double sum = 0;
    for (std::size_t i = 0; i < program.blocks.size(); ++i) {
        for (const timing::Instruction& each : program.blocks[i].instructions)
            sum += select(each) ? executions[i] * each.slots : 0;
    }
    return sum;
}

}  // namespace

void add_missing_instructions(double expected, timing::LaunchTrace& trace) {
    timing::Program& program = trace.program;
    std::vector<double> executions(program.blocks.size());
    for (const timing::BlockTrace& block : trace.blocks) {
        for (const timing::WarpTrace& warp : block) {
            for (const timing::Step& step : warp.steps) ++executions[step.block];
        }
    }
    const double all = issued(program, executions, [](const timing::Instruction&) { return true; });
    if (expected <= (1 + tolerated) * all) return;
    const bool has_several = issued(program, executions, is_several) > 0;
    const auto select = has_several ? is_several : is_arithmetic;
    const double some = issued(program, executions, select);
    if (some == 0) return;
    const double factor = 1 + (expected - all) / some;
    double carried = 0;  // what rounding has left out
    for (timing::BasicBlock& block : program.blocks) {
        for (timing::Instruction& each : block.instructions) {
            if (!select(each)) continue;
            const double exact = each.slots * factor + carried;
            const double most = std::numeric_limits<std::uint8_t>::max();
            each.slots = static_cast<std::uint8_t>(std::clamp(exact, 1.0, most));
            carried = std::clamp(exact - each.slots, -1.0, 1.0);
        }
    }
}

}  // namespace emulator::simt

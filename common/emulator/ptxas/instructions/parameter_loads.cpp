#include "emulator/ptxas/instructions/parameter_loads.hpp"

#include <algorithm>
#include <cstdint>

#include "emulator/ptxas/instructions/control_flow.hpp"

namespace timing {
namespace {

using Set = std::vector<bool>;
using Block = std::uint32_t;

// Whether a round of the innermost loop around a block may go without it.
bool may_skip(const Loops& loops, Block block) {
    const Loops::Loop* const loop = loops.around(block);
    return loop != nullptr && std::ranges::any_of(loop->latches, [&](Block latch) {
               return !loops.dominates(block, latch);
           });
}

Set parameters_read(const FlowBlock& block, Register first, const std::vector<bool>& parameters) {
    Set read(parameters.size());
    const auto is_parameter = [&](Register each) { return parameters[each - first]; };
    const auto note = [&](const Instruction& instruction) {
        if (std::ranges::any_of(instruction.destinations, is_parameter)) return;  // a second name
        for (const Register each : instruction.sources) {
            if (is_parameter(each)) read[each - first] = true;
        }
    };
    for (const Instruction& each : block.instructions) note(each);
    if (block.control != nullptr) note(*block.control);
    return read;
}

}  // namespace

std::vector<std::vector<Register>> parameter_loads(std::span<const FlowBlock> blocks,
                                                   Register first,
                                                   const std::vector<bool>& parameters) {
    const Loops loops(blocks);
    std::vector<Set> read(blocks.size(), Set(parameters.size()));
    for (Block i = 0; i < blocks.size(); ++i) {
        const bool is_predicated = i > 0 && blocks[i - 1].is_predicated;
        if (may_skip(loops, is_predicated ? i - 1 : i))
            read[i] = parameters_read(blocks[i], first, parameters);
    }
    std::vector<std::vector<Register>> loads(blocks.size());
    for (Block i = 0; i < blocks.size(); ++i) {
        for (Register each = 0; each < parameters.size(); ++each) {
            if (!read[i][each]) continue;
            bool is_there = false;
            for (Block other = 0; other < blocks.size(); ++other)
                is_there |= other != i && read[other][each] && loops.dominates(other, i);
            if (!is_there) loads[i].push_back(first + each);
        }
    }
    return loads;
}

}  // namespace timing

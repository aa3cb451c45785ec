// A data-flow analysis: what may have happened since the last barrier, forwards to a fixed point.
#include "emulator/ptxas/accesses/stores_behind_loads.hpp"

#include <algorithm>
#include <cstdint>

namespace emulator::ptx {
namespace {

// Events that may have happened since the last barrier, or the function's begin; a set of them.
enum Since : std::uint8_t { nothing = 1, load = 2, store_behind_load = 4 };

bool is_named(const Instruction& instruction, const char* modifier) {
    return std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
}

bool is_barrier(const Instruction& instruction) {
    return (instruction.opcode == "bar" || instruction.opcode == "barrier") &&
           !is_named(instruction, "warp");
}

bool accesses_shared(const Instruction& instruction) {
    return is_named(instruction, "shared") || is_named(instruction, "shared::cta");
}

bool loads(const Instruction& instruction) {
    return (instruction.opcode == "ld" || instruction.opcode == "atom") &&
           accesses_shared(instruction);
}

bool stores(const Instruction& instruction) {
    return (instruction.opcode == "st" || instruction.opcode == "atom" ||
            instruction.opcode == "red") &&
           accesses_shared(instruction);
}

std::uint8_t after(const Instruction& instruction, std::uint8_t since) {
    if (is_barrier(instruction)) return nothing;
    if (stores(instruction) && (since & load) != 0)
        since = static_cast<std::uint8_t>((since & ~load) | store_behind_load);
    if (loads(instruction) && (since & nothing) != 0)
        since = static_cast<std::uint8_t>((since & ~nothing) | load);
    return since;
}

}  // namespace

std::vector<bool> stores_behind_loads(const Function& function, const ControlFlow& flow) {
    std::vector<std::uint8_t> at_begin(flow.blocks.size());
    std::vector<bool> result(function.instructions.size());
    if (flow.blocks.empty()) return result;
    at_begin[0] = nothing;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < flow.blocks.size(); ++i) {
            const BasicBlock& block = flow.blocks[i];
            std::uint8_t since = at_begin[i];
            for (std::uint32_t at = block.first; at < block.end; ++at) {
                const Instruction& instruction = function.instructions[at];
                result[at] = stores(instruction) && (since & load) != 0;
                since = after(instruction, since);
            }
            for (const std::uint32_t next : block.successors) {
                const auto joined = static_cast<std::uint8_t>(at_begin[next] | since);
                changed |= joined != at_begin[next];
                at_begin[next] = joined;
            }
        }
    }
    return result;
}

}  // namespace emulator::ptx

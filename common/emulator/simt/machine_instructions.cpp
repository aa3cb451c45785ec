#include "emulator/simt/machine_instructions.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace emulator::simt {
namespace {

bool decides_way(const ptx::Instruction& instruction) {
    static constexpr std::array<std::string_view, 6> opcodes = {"bra",  "brx",  "ret",
                                                                "exit", "trap", "setp"};
    return std::ranges::find(opcodes, instruction.opcode) != opcodes.end();
}

ptx::PtxLines lines_of(const Image& image) {
    ptx::PtxLines lines;
    for (const auto& [function, block] : image.counters) {
        std::vector<std::uint32_t>& here = lines.blocks.emplace_back();
        for (const std::uint32_t index : function->block_instructions[block]) {
            const ptx::Instruction& instruction = function->source->instructions[index];
            here.push_back(instruction.text_line);
            if (decides_way(instruction)) lines.branches.push_back(instruction.text_line);
        }
    }
    std::ranges::sort(lines.branches);
    return lines;
}

}  // namespace

std::vector<ptx::MachineCounts> machine_counts_of(const Image& image) {
    const ptx::MachineFlow& flow = image.source->machine_flow;
    if (!flow.contains(image.kernel->source->name)) return {};
    const ptx::PtxLines lines = lines_of(image);
    std::vector<ptx::MachineCounts> counts;
    for (const auto& function : image.functions) {
        const auto code = flow.find(function->source->name);
        if (code == flow.end() || function->blocks.empty()) continue;
        counts.emplace_back(code->second, lines, function->blocks[0].counter);
    }
    return counts;
}

std::optional<std::uint64_t> machine_instructions(const Image& image, const Counts& counts) {
    if (image.machine.empty()) return std::nullopt;
    std::vector<ptx::PtxBlockCount> blocks;
    for (const Execution::BlockCount& block : counts.blocks)
        blocks.push_back({block.executions, block.divergences});
    std::uint64_t sum = 0;
    for (const ptx::MachineCounts& function : image.machine) sum += function.instructions(blocks);
    return sum;
}

}  // namespace emulator::simt

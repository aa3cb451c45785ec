#include "emulator/simt/record/machine_instructions.hpp"

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

bool is_loop(const Image::Site& site) {
    return site.site.kind == AccessKind::atomic && site.cost.bank_atomic == BankAtomic::spin;
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
    for (const Image::Site& site : image.sites) {
        if (!is_loop(site)) continue;
        const ptx::Instruction& instruction =
            site.function->source->instructions[site.site.instruction];
        const auto block = static_cast<std::uint32_t>(lines.blocks.size());
        lines.loops.push_back({instruction.text_line, block});
        lines.blocks.emplace_back();
    }
    for (const auto& [function, instruction] : image.rare_operands) {
        const auto block = static_cast<std::uint32_t>(lines.blocks.size());
        lines.rare_calls.push_back({function->source->instructions[instruction].text_line, block});
        lines.blocks.emplace_back();
    }
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
    blocks.reserve(counts.blocks.size());
    for (const Execution::BlockCount& block : counts.blocks)
        blocks.push_back({block.executions, block.divergences});
    for (std::size_t i = 0; i < image.sites.size(); ++i) {
        if (is_loop(image.sites[i]))
            blocks.push_back({counts.sites[i].requests.requests, counts.sites[i].parted_tries});
    }
    for (const RareOperandsCount& count : counts.rare_operands)
        blocks.push_back({count.warps, count.parted_warps});
    std::uint64_t sum = 0;
    for (const ptx::MachineCounts& function : image.machine) sum += function.instructions(blocks);
    return sum;
}

}  // namespace emulator::simt

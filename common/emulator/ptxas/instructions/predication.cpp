#include "emulator/ptxas/instructions/predication.hpp"

#include <map>

namespace timing {

std::vector<Path> join_steps(std::vector<BlockTrace>& blocks,
                             std::span<const std::uint32_t> regions) {
    std::map<Path, std::uint32_t> numbers;
    std::vector<Path> paths;
    const auto join = [&](const std::vector<Step>& steps) {
        std::vector<Step> joined;
        for (std::size_t i = 0; i < steps.size();) {
            Path path{steps[i].block};
            const std::uint32_t first_access = steps[i].first_access;
            const std::uint32_t region = regions[path[0]];
            for (++i; i < steps.size() && region != no_region; ++i) {
                const std::uint32_t next = steps[i].block;
                if (regions[next] != region || next <= path.back()) break;
                path.push_back(next);
            }
            const auto number = static_cast<std::uint32_t>(paths.size());
            const auto [found, is_new] = numbers.try_emplace(path, number);
            if (is_new) paths.push_back(std::move(path));
            joined.push_back({found->second, first_access});
        }
        return joined;
    };
    for (BlockTrace& block : blocks) {
        for (WarpTrace& warp : block) warp.steps = join(warp.steps);
    }
    return paths;
}

std::vector<Instruction> in_line(std::span<const Part> parts) {
    std::vector<Instruction> line;
    std::vector<Register> predicate;  // of the body that follows
    std::uint32_t accesses = 0;
    for (const Part& part : parts) {
        for (const Instruction& each : part.instructions) {
            Instruction& instruction = line.emplace_back(each);
            if (instruction.access != no_access) instruction.access += accesses;
            instruction.sources.insert(instruction.sources.end(), predicate.begin(),
                                       predicate.end());
        }
        accesses += part.accesses;
        predicate = part.control != nullptr && predicate.empty() ? part.control->sources
                                                                 : std::vector<Register>{};
    }
    return line;
}

}  // namespace timing

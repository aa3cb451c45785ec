// Short bodies of branches as ptxas issues them: predicated, in line with what stands before and behind, so
// that the loads of several go out together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "timing/machine/trace.hpp"

namespace timing {

// A body of more instructions is branched around.
constexpr std::size_t max_predicated = 14;
constexpr std::uint32_t no_region = 0xffffffffu;

// Basic blocks that a warp executed one behind the other, and that are issued as one.
using Path = std::vector<std::uint32_t>;

// Joins steps whose blocks belong to one region, as far as they go forward; each step then names its path.
// `regions`: of each block, no_region where it stands alone.
std::vector<Path> join_steps(std::vector<BlockTrace>& blocks,
                             std::span<const std::uint32_t> regions);

// The instructions of a path's blocks, each of them with the branch that ended it, in one line. Those of a
// body wait for the predicate of the branch before it.
struct Part {
    std::span<const Instruction> instructions;
    const Instruction* control = nullptr;  // null where it goes on with the next one
    std::uint32_t accesses = 0;            // that a step of it records
};
std::vector<Instruction> in_line(std::span<const Part> parts);

}  // namespace timing

// How the basic blocks of a function follow each other: loops, and what lies in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/ptx/flow/dominators.hpp"
#include "emulator/ptxas/instructions/flow.hpp"

namespace timing {

class Loops {
  public:
    struct Loop {
        std::uint32_t header = 0;
        std::vector<std::uint32_t> latches;  // which go back to the header
        std::vector<bool> body;
        std::size_t size = 0;  // blocks of the body
    };

    explicit Loops(std::span<const FlowBlock> blocks);

    // Whether all paths to the second one lead through the first, or it is that. Nothing dominates an unreachable block.
    bool dominates(std::uint32_t first, std::uint32_t second) const {
        return dominators_.dominates(first, second);
    }
    // The innermost one around a block; null outside loops.
    const Loop* around(std::uint32_t block) const {
        return around_[block] == no_loop ? nullptr : &loops_[around_[block]];
    }

  private:
    static constexpr std::size_t no_loop = ~std::size_t{0};

    void add(std::uint32_t header, std::uint32_t latch);
    std::size_t innermost(std::uint32_t block) const;

    emulator::ptx::Dominators dominators_;
    emulator::ptx::Graph sources_;
    std::vector<Loop> loops_;
    std::vector<std::size_t> around_;  // by block: its innermost loop
};

}  // namespace timing

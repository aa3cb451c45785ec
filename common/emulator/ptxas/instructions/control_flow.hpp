// How the basic blocks of a function follow each other: where ways meet again, loops, and what lies in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emulator/ptx/flow/dominators.hpp"
#include "emulator/ptxas/instructions/flow.hpp"

namespace timing {

// Behind which block all ways from another one lead: its nearest postdominator.
class PostDominators {
  public:
    explicit PostDominators(std::span<const FlowBlock> blocks);

    // Nothing: some way ends before.
    std::optional<std::uint32_t> of(std::uint32_t block) const;

  private:
    std::vector<std::uint32_t> immediate_;  // by block; the number of blocks: the function's end
};

// Blocks on the ways from a branch to where they meet; the branch only if it is a loop's.
std::vector<bool> between(std::span<const FlowBlock> blocks, std::uint32_t branch,
                          std::uint32_t meeting);

// Whether threads that come there have nothing left to do.
inline bool has_nothing_left(const FlowBlock& block) {
    return block.ends_threads && block.successors.empty() && block.instructions.empty();
}

class Loops {
  public:
    struct Loop {
        std::uint32_t header = 0;
        std::vector<std::uint32_t> latches;  // which go back to the header
        std::vector<bool> body;
        std::size_t size = 0;  // blocks of the body
    };

    explicit Loops(std::span<const FlowBlock> blocks);

    // Whether all ways to the second one lead through the first, or it is that. Nothing dominates what no way leads to.
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

// Where a block lies: in how many conditionals of its innermost loop, or of the function outside loops. Ends of some
// threads are none.
struct Nesting {
    unsigned conditionals = 0;
    bool is_in_loop = false;

    // In a conditional of a loop, or in two conditionals.
    bool is_deep() const { return conditionals >= (is_in_loop ? 1U : 2U); }
};
std::vector<Nesting> nesting_of(std::span<const FlowBlock> blocks);

}  // namespace timing

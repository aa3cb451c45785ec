// Rounds of a loop in which a warp only waits for others: on a GPU as many as the wait is long, here as many as fit into
// a turn. The time model gets the last one alone.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "emulator/simt/state/execution.hpp"
#include "emulator/simt/state/program.hpp"
#include "timing/machine/trace.hpp"

namespace emulator::simt {

class Polls {
  public:
    explicit Polls(const Image& image) : image_(image) {}

    // Before a basic block is recorded: forgets what the warp has done since it was there before, if all registers of
    // its threads are unchanged since then.
    void begin(const WarpContext& context, const BasicBlock& block, timing::WarpTrace& warp);

  private:
    struct Place {
        std::uint32_t block = no_block;
        std::uint64_t registers = 0;
        std::size_t steps = 0, accesses = 0;
        std::uint64_t recorded = 0, executed = 0;
    };
    bool may_wait(const BasicBlock& block);

    const Image& image_;
    std::unordered_map<const timing::WarpTrace*, Place> last_;
    std::unordered_map<std::uint32_t, bool> may_wait_;  // by BasicBlock::counter
};

}  // namespace emulator::simt

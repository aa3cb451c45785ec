#include "emulator/simt/record/polls.hpp"

#include <algorithm>

#include "emulator/simt/record/timed_program.hpp"
#include "emulator/simt/state/memory.hpp"
#include "emulator/simt/state/register_hash.hpp"

namespace emulator::simt {

void Polls::begin(const WarpContext& context, const BasicBlock& block, timing::WarpTrace& warp) {
    if (!image_.traits.may_wait_for_blocks || image_.traits.reads_clock || !may_wait(block)) return;
    Place& last = last_[&warp];
    const std::uint64_t registers = hash_registers(*context.frame);
    if (last.block == block.counter && last.registers == registers) {
        warp.steps.resize(last.steps);
        warp.accesses.resize(last.accesses);
        warp.recorded = last.recorded;
        warp.executed = last.executed;
        return;
    }
    last = {.block = block.counter,
            .registers = registers,
            .steps = warp.steps.size(),
            .accesses = warp.accesses.size(),
            .recorded = warp.recorded,
            .executed = warp.executed};
}

// Whether it reads what others may change.
bool Polls::may_wait(const BasicBlock& block) {
    const auto [known, is_new] = may_wait_.try_emplace(block.counter, false);
    if (is_new) {
        known->second = std::any_of(block.begin, block.end, [&](const Operation& each) {
            const MemoryDetail* const detail = access_of(image_, each);
            return detail != nullptr && (detail->is_poll || detail->kind == AccessKind::atomic);
        });
    }
    return known->second;
}

}  // namespace emulator::simt

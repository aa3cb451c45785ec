// Memory instructions of an SM: they are issued, wait, and are served.
#include <algorithm>

#include "timing/sm/sm_simulation.hpp"

namespace timing {
namespace {

// What those wait for that need the result of an entry of the memory queue.
Stall stall_of(const MemoryQueue::Entry& entry) {
    if (entry.access == nullptr)
        return entry.instruction->reads_special ? Stall::special : Stall::shuffle;
    switch (entry.access->space) {
        case Space::shared:
            return Stall::shared;
        case Space::constant:
            return Stall::constant;
        case Space::texture:
            return Stall::texture;
        case Space::local:
            return Stall::local;
        case Space::global:
        case Space::none:
            return Stall::memory;
    }
    return Stall::memory;
}

}  // namespace

void SmSimulation::enqueue(std::uint32_t number, const Instruction& instruction, double now) {
    Warp& warp = warps_[number];
    note_results(warp, instruction, never, Stall::memory);
    const bool has_access = instruction.access != no_access;
    const Access* const access = has_access ? &access_of(warp, instruction) : nullptr;
    ++warp.in_line;
    if (instruction.copies != Instruction::Copies::none) ++warp.queued_copies;
    queue_.push(
        {now, number, warp.scheduler, warp.age, &instruction, access, warp.is_in_first_wave});
    note_gone_on();
}

// Of a warp that has nothing else to do the last one may be among them.
void SmSimulation::note_gone_on() {
    for (const std::uint32_t each : queue_.last_dequeue_time()) {
        Warp& warp = warps_[each];
        --warp.in_line;
        warp.last_dequeue_time = now_;
        if (warp.awaits_service && warp.in_line == 0) await_next(each);
    }
}

double SmSimulation::accepts(const MemoryQueue::Entry& entry) const {
    if (entry.access == nullptr || entry.access->space == Space::constant) return 0;
    return memory_.accepts(entry.passes() ? Space::shared : entry.access->space);
}

double SmSimulation::next_service() const {
    return std::max(queue_.next([&](const MemoryQueue::Entry& each) { return accepts(each); }),
                    memory_unit_free_);
}

void SmSimulation::serve_memory(double now) {
    // Schedulers without room have it from now on, if the one that is taken makes some.
    for (std::uint32_t i = 0; i < schedulers_.size(); ++i) {
        if (!queue_.has_room(i))
            schedulers_[i].unit_free[static_cast<std::size_t>(Unit::memory)] = now;
    }
    const MemoryQueue::Entry entry = queue_.take(
        now, [&](const MemoryQueue::Entry& each) { return accepts(each); },
        [&](const MemoryQueue::Entry& next) {
            return next.access != nullptr &&
                   memory_.merges(*next.access, trace_.lines_of(*next.access), now);
        });
    Warp& warp = warps_[entry.warp];
    const double done = access_memory(entry, now);
    last_ = std::max(last_, now);
    note_gone_on();
    if (entry.age != warp.age) return;  // its warp has ended
    note_results(warp, *entry.instruction, done, stall_of(entry));
    if (entry.instruction->copies != Instruction::Copies::none) --warp.queued_copies;
    if (warp.awaits_service) await_next(entry.warp);
}

// When the results can be used.
double SmSimulation::access_memory(const MemoryQueue::Entry& entry, double now) {
    const Instruction& instruction = *entry.instruction;
    Warp& warp = warps_[entry.warp];
    const double busy = machine_.unit_cycles(Unit::memory) * instruction.slots;
    result_.busy.units[static_cast<std::size_t>(Unit::memory)] += busy;
    memory_unit_free_ = now + busy;
    if (entry.access == nullptr) return now + machine_.shared_cycles;
    const Access& access = *entry.access;
    const auto lines = trace_.lines_of(access);
    if (access.kind == Access::Kind::bulk_load || access.kind == Access::Kind::bulk_store) {
        note_copy(warp, instruction, access, memory_.copy(access, lines, now));
        return now;
    }
    const double done = memory_.serve(access, lines, now, entry.is_in_first_wave);
    if (instruction.copies != Instruction::Copies::none) note_copy(warp, instruction, access, done);
    return done;
}

}  // namespace timing

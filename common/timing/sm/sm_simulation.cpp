#include "timing/sm/sm_simulation.hpp"

#include <algorithm>
#include <utility>

namespace timing {
namespace {

constexpr std::uint64_t instructions_a_time = 64;

std::size_t index(Unit unit) { return static_cast<std::size_t>(unit); }

// What those wait for that need the result of an instruction which accesses no memory.
Stall stall_of(const Instruction& instruction) {
    if (instruction.loads_parameter) return Stall::constant;
    return instruction.reads_special ? Stall::special : Stall::arithmetic;
}

}  // namespace

std::string_view text(Stall stall) {
    constexpr std::array<std::string_view, stall_count> names{
        "none",    "memory",  "local",      "texture", "constant",  "shared",
        "shuffle", "special", "arithmetic", "barrier", "unit_busy", "not_selected"};
    return names[static_cast<std::size_t>(stall)];
}

SmSimulation::SmSimulation(const Machine& machine, const LaunchTrace& trace,
                           const LaunchFacts& facts, std::uint64_t draw)
    : machine_(machine),
      trace_(trace),
      facts_(facts),
      active_sms_(std::min<double>(machine.sms, static_cast<double>(facts.blocks))),
      memory_(machine, trace, facts, active_sms_, draw),
      schedulers_(machine.schedulers),
      queue_(machine) {
    represents_steady_state_ =
        trace.blocks.size() <= facts.resident_blocks && facts.sm_blocks >= 2 * trace.blocks.size();
    const std::size_t residents =
        std::min<std::size_t>(std::max(1u, facts.resident_blocks), trace.blocks.size());
    std::size_t warps = 0;
    for (const BlockTrace& block : trace.blocks) warps = std::max(warps, block.size());
    residents_.resize(residents);
    warps_.resize(residents * warps);
    for (std::size_t i = 0; i < warps_.size(); ++i) {
        warps_[i].block = static_cast<std::uint32_t>(i / warps);
        warps_[i].scheduler = static_cast<std::uint32_t>(i % machine.schedulers);
        warps_[i].registers = i * trace.program.registers;
        residents_[i / warps].warps.push_back(static_cast<std::uint32_t>(i));
    }
    ready_.resize(warps_.size() * trace.program.registers);
    source_.resize(ready_.size());
    result_.stalls.resize(trace.program.lines);
    for (const BlockTrace& block : trace.blocks) {
        result_.clocks.emplace_back(block.size());
        for (const WarpTrace& warp : block) longest_ = std::max(longest_, warp.executed);
    }
}

// Where the first wave alone was recorded, the SM fills up before and runs empty after what goes on: the rest is issued
// as fast as what lies between half of the instructions up to the end of the first long warp and this end.
void SmSimulation::extrapolate() {
    const auto blocks = static_cast<double>(std::max<std::size_t>(1, trace_.blocks.size()));
    double recorded = 0, executed = 0;
    for (const BlockTrace& block : trace_.blocks) {
        for (const WarpTrace& warp : block) {
            recorded += static_cast<double>(warp.recorded);
            executed += static_cast<double>(warp.executed);
        }
    }
    const double more = recorded == 0 ? 1 : executed / recorded;
    result_.whole_cycles = result_.cycles * more;
    result_.cycles_per_block = result_.whole_cycles / blocks;
    const bool is_whole = more == 1 && facts_.sm_blocks <= trace_.blocks.size();
    const bool has_later_waves = trace_.blocks.size() > residents_.size();  // these are whole
    const std::size_t last = first_end_ / instructions_a_time, middle = last / 2;
    const bool shows_rate = last >= 2 && last < issue_times_.size();
    if (is_whole || has_later_waves || !shows_rate) return;
    const double whole = static_cast<double>(result_.instructions) * more;
    const double begin = issue_times_[middle], end = issue_times_[last];
    const double each = (end - begin) / static_cast<double>((last - middle) * instructions_a_time);
    result_.whole_cycles = end + each * (whole - static_cast<double>(last * instructions_a_time));
    result_.cycles_per_block = each * whole / blocks;
}

SmResult SmSimulation::run() {
    for (std::uint32_t i = 0; i < residents_.size(); ++i) start_block(i, 0);
    is_first_wave_ = false;
    for (;;) {
        Scheduler* next = nullptr;
        double when = next_service();
        for (Scheduler& scheduler : schedulers_) {
            if (std::max(scheduler.free, now_) >= when) continue;  // nor is its next event earlier
            const double event = next_event(scheduler);
            if (event >= when) continue;
            when = event;
            next = &scheduler;
        }
        if (when < never) now_ = when;
        if (next != nullptr) {
            advance(*next, when);
        } else if (when < never) {
            serve_memory(when);
        } else if (!release_stuck()) {
            break;
        }
    }
    result_.cycles = std::max(last_, memory_.last_write_ack());
    extrapolate();
    result_.end_cycles = memory_.launch_tail_cycles();
    result_.busy.data = memory_.data().busy();
    result_.busy.shared = memory_.shared_busy();
    result_.busy.l2 = memory_.l2().busy();
    result_.busy.requests = memory_.requests().busy();
    result_.busy.atomics = memory_.atomics().busy();
    result_.busy.dram = memory_.dram().busy();
    return std::move(result_);
}

// The warp's next instruction that has to be issued. Those before it that are free take no time. None at its end, and where
// one of these needs what an instruction will load that waits.
const Instruction* SmSimulation::next_of(Warp& warp) {
    for (; warp.step < warp.trace->steps.size(); ++warp.step, warp.instruction = 0) {
        const auto& block = trace_.program.blocks[warp.trace->steps[warp.step].block];
        for (; warp.instruction < block.instructions.size(); ++warp.instruction) {
            const Instruction& instruction = block.instructions[warp.instruction];
            if (instruction.slots > 0) return &instruction;
            double ready = 0;
            std::uint8_t source = 0;
            for (const Register each : instruction.sources) {
                const std::size_t at = warp.registers + each;
                if (ready_[at] <= ready) continue;
                ready = ready_[at];
                source = source_[at];
            }
            const auto is_awaited = [&](Register each) {
                return ready_[warp.registers + each] == never;
            };
            if (ready == never || std::ranges::any_of(instruction.destinations, is_awaited))
                return nullptr;
            for (const Register each : instruction.destinations) {
                ready_[warp.registers + each] = ready;
                source_[warp.registers + each] = source;
            }
        }
    }
    return nullptr;
}

// False where it is not known yet.
bool SmSimulation::finds_ready(Warp& warp, const Instruction& instruction) {
    warp.ready = warp.issued;
    warp.waits_for = Stall::none;
    const auto wait_for = [&](Register each) {
        const std::size_t at = warp.registers + each;
        if (ready_[at] <= warp.ready) return;
        warp.ready = ready_[at];
        warp.waits_for = static_cast<Stall>(source_[at]);
    };
    for (const Register each : instruction.sources) wait_for(each);
    for (const Register each : instruction.destinations) wait_for(each);
    return warp.ready < never;
}

void SmSimulation::await_next(std::uint32_t number) {
    Warp& warp = warps_[number];
    const Instruction* const instruction = next_of(warp);
    if (instruction == nullptr && warp.step == warp.trace->steps.size() && warp.in_line == 0 &&
        warp.queued_copies == 0)
        return finish_warp(number, std::max(warp.issued, warp.last_dequeue_time));
    // A group can end only when its copies have been served.
    warp.awaits_service = instruction == nullptr ||
                          (instruction->ends_group && warp.queued_copies > 0) ||
                          !finds_ready(warp, *instruction);
    if (!warp.awaits_service)
        schedulers_[warp.scheduler].waiting.push({warp.ready, warp.age, number});
}

// When the unit can take another instruction.
double SmSimulation::unit_free(const Scheduler& scheduler, std::size_t unit) const {
    if (unit != index(Unit::memory)) return scheduler.unit_free[unit];
    const auto number = static_cast<std::uint32_t>(&scheduler - schedulers_.data());
    return queue_.has_room(number) ? scheduler.unit_free[unit] : next_service();
}

double SmSimulation::next_event(const Scheduler& scheduler) const {
    double event = scheduler.waiting.empty() ? never : scheduler.waiting.top().time;
    for (std::size_t unit = 0; unit < unit_count; ++unit) {
        if (!scheduler.eligible[unit].empty()) event = std::min(event, unit_free(scheduler, unit));
    }
    return std::max({event, scheduler.free, now_});
}

// Of a scheduler's instructions for one unit the oldest warp's comes first; of memory instructions the one that has been
// ready longest (data/timing/turns.csv).
void SmSimulation::await_unit(const Waiter& waiter) {
    const Warp& warp = warps_[waiter.warp];
    const auto& block = trace_.program.blocks[warp.trace->steps[warp.step].block];
    const Unit unit = block.instructions[warp.instruction].unit;
    const double time = unit == Unit::memory ? waiter.time : 0;
    schedulers_[warp.scheduler].eligible[index(unit)].push({time, waiter.age, waiter.warp});
}

// The unit whose first instruction a scheduler issues: that of the oldest warp.
SmSimulation::Heap* SmSimulation::first_eligible(Scheduler& scheduler, double now) const {
    Heap* first = nullptr;
    for (std::size_t unit = 0; unit < unit_count; ++unit) {
        Heap& each = scheduler.eligible[unit];
        if (each.empty() || unit_free(scheduler, unit) > now) continue;
        if (first == nullptr || first->top().age > each.top().age) first = &each;
    }
    return first;
}

void SmSimulation::advance(Scheduler& scheduler, double now) {
    while (!scheduler.waiting.empty() && scheduler.waiting.top().time <= now) {
        const Waiter next = scheduler.waiting.top();
        scheduler.waiting.pop();
        await_unit(next);
    }
    Heap* const first = first_eligible(scheduler, now);
    if (first == nullptr) return;
    const std::uint32_t warp = first->top().warp;
    first->pop();
    issue(scheduler, warp, now);
}

void SmSimulation::issue(Scheduler& scheduler, std::uint32_t number, double now) {
    Warp& warp = warps_[number];
    const auto& block = trace_.program.blocks[warp.trace->steps[warp.step].block];
    const Instruction& instruction = block.instructions[warp.instruction];
    note_stalls(warp, instruction, now);
    const double cycles = instruction.slots / machine_.issue_per_scheduler;
    scheduler.free = now + cycles;
    result_.busy.issue += cycles;
    result_.instructions += instruction.slots;
    while (result_.instructions / instructions_a_time >= issue_times_.size())
        issue_times_.push_back(now);
    if (instruction.reads_clock) warp.clock->cycles.push_back(now);
    if (instruction.unit == Unit::memory) {
        enqueue(number, instruction, now);
    } else {
        const double done = execute(warp, instruction, now);
        note_results(warp, instruction, done, stall_of(instruction));
    }
    warp.issued = now + std::max(1.0, cycles) + (instruction.branches ? machine_.branch_cycles : 0);
    last_ = std::max(last_, warp.issued);
    ++warp.instruction;
    if (instruction.ends_group) groups_of(warp, instruction).push_back(0);
    switch (instruction.wait) {
        case Wait::barrier:
            return arrive(number, warp.issued);
        case Wait::copies:
            return await_copies(number);
        case Wait::groups:
            return await_groups(number, instruction);
        case Wait::none:
            return await_next(number);
    }
}

const Access& SmSimulation::access_of(const Warp& warp, const Instruction& instruction) const {
    const Step& step = warp.trace->steps[warp.step];
    return warp.trace->accesses[step.first_access + instruction.access];
}

void SmSimulation::note_results(const Warp& warp, const Instruction& instruction, double done,
                                Stall kind) {
    for (const Register each : instruction.destinations) {
        ready_[warp.registers + each] = done;
        source_[warp.registers + each] = static_cast<std::uint8_t>(kind);
    }
}

// When the results can be used.
double SmSimulation::execute(Warp& warp, const Instruction& instruction, double now) {
    const std::size_t unit = index(instruction.unit);
    if (instruction.loads_parameter) return now + machine_.constant_cycles;
    if (instruction.unit == Unit::none) return now + machine_.alu_cycles;
    if (instruction.unit == Unit::tensor) {
        const double of_scheduler = instruction.tensor_cycles * machine_.schedulers;
        result_.busy.units[unit] += instruction.tensor_cycles;
        schedulers_[warp.scheduler].unit_free[unit] = now + of_scheduler;
        return now + std::max(instruction.tensor_latency, of_scheduler);
    }
    const double per_instruction = machine_.unit_cycles(instruction.unit);
    const double reading = instruction.has_no_operand_reuse
                               ? machine_.fma_bank_conflict_cycles / machine_.schedulers
                               : 0;
    const double busy = std::max(reading, per_instruction * instruction.slots);
    result_.busy.units[unit] += busy;
    schedulers_[warp.scheduler].unit_free[unit] = now + busy * machine_.schedulers;
    return now + machine_.latency_of(instruction.unit) +
           (busy - per_instruction) * machine_.schedulers;
}

void SmSimulation::note_stalls(const Warp& warp, const Instruction& instruction, double now) {
    auto& stalls = result_.stalls[instruction.line];
    const auto add = [&](Stall reason, double cycles) {
        if (cycles > 0) stalls[static_cast<std::size_t>(reason)] += cycles;
    };
    if (warp.waits_for != Stall::none) add(warp.waits_for, warp.ready - warp.issued);
    const double free = unit_free(schedulers_[warp.scheduler], index(instruction.unit));
    add(free >= now && now > warp.ready ? Stall::unit_busy : Stall::not_selected, now - warp.ready);
}

}  // namespace timing

#include "emulator/simt/warp/block_runner.hpp"

#include <bit>
#include <utility>

#include "emulator/models/memory/memory_model.hpp"
#include "emulator/simt/record/hazard_checks.hpp"
#include "emulator/simt/record/trace_recorder.hpp"
#include "emulator/simt/state/memory.hpp"
#include "emulator/simt/warp/launch_watch.hpp"

namespace emulator::simt {
namespace {

// Basic blocks of one turn. Where caches are modelled, requests count too, and the turns are short: the
// caches see the warps of a block side by side.
constexpr std::int64_t long_turn = 4096;
constexpr std::int64_t short_turn = 256;
// A block only waits for others: on a GPU a poll takes a load's latency.
constexpr std::int64_t polling_turn = 4;
constexpr std::uint64_t rounds_between_notes = 256;

// Barriers of cooperative groups check themselves what the launch lacks.
std::string trap_text(const WarpContext& context, std::uint32_t instruction) {
    const Launch& launch = context.execution->launch;
    const std::string place =
        text(launch.module, context.frame->function->source->instructions[instruction].location);
    const bool is_of_groups = place.find("cooperative_groups") != std::string::npos;
    return is_of_groups && !launch.shape.cooperative
               ? "trap: grid.sync() needs a cooperative launch (cudaLaunchCooperativeKernel)"
               : "trap";
}

// Unrolled, so that the CPU predicts by the place of a call, too, which handler it calls next.
void execute_plainly(WarpContext& context, std::uint32_t lanes, const Operation* begin,
                     const Operation* end) {
    context.mask = lanes;
#pragma GCC unroll 4
    for (const Operation* operation = begin; operation != end; ++operation) {
        operation->execute(context, *operation);
    }
}

}  // namespace

BlockRunner::BlockRunner(Execution& execution)
    : execution_(execution),
      independent_threads_(execution.launch.architecture.independent_thread_scheduling),
      turn_(execution.memory != nullptr ? short_turn : long_turn) {}

void BlockRunner::begin(BlockState& block, std::uint64_t number) {
    const LaunchShape& shape = execution_.launch.shape;
    block.number = number;
    block.index = {static_cast<std::uint32_t>(number % shape.grid.x),
                   static_cast<std::uint32_t>(number / shape.grid.x % shape.grid.y),
                   static_cast<std::uint32_t>(number / shape.grid.x / shape.grid.y)};
    block.barriers.fill({});
    block.alive_threads = execution_.launch.threads();
    block.fresh_warps = block.paused_warps = 0;
    block.only_polls = block.is_stuck = false;
    begin_checks(block);
    for (WarpState& warp : block.warps) begin_warp(warp);
}

void BlockRunner::begin_checks(BlockState& block) {
    const Launch& launch = execution_.launch;
    const bool is_checked =
        launch.options.check_hazards ||
        (launch.checks_order && (block.number == 0 || block.number == launch.blocks() - 1));
    if (!is_checked) {
        block.hazards = nullptr;
        return;
    }
    if (!block.hazards) block.hazards = std::make_unique<SharedMemoryHazards>();
    block.hazards->begin_block(launch.shared_bytes, launch.races != nullptr);
    block.order = {.block = block.number};
}

void BlockRunner::prepare(WarpState& warp, BlockState& block) {
    WarpContext& context = warp.context;
    context.execution = &execution_;
    context.block = &block;
    context.warp = &warp;
    context.frame = warp.kernel_frame;
    context.registers = warp.kernel_frame->registers;
    context.shared = block.shared;
    context.shared_bytes = execution_.launch.shared_bytes;
    context.sites = execution_.sites.data();
    context.guarded_out = execution_.guarded_out.data();
}

void BlockRunner::begin_warp(WarpState& warp) {
    warp.context.memory = execution_.memory;
    warp.context.hazards = warp.context.block->hazards.get();
    warp.alive = warp.lanes;
    warp.kernel_frame->live_lanes = warp.lanes;
    warp.spin = {};
    warp.clock_reads = 0;
    warp.cluster_phase = no_cluster_phase;
    warp.group_products = warp.awaited_products = 0;
    warp.product_groups.clear();
    warp.out_of_order = warp.is_fresh = warp.is_paused = false;
    warp.fragments.clear();
    warp.fragments.push_back({.block = 0, .lanes = warp.lanes, .frame = warp.kernel_frame});
}

bool BlockRunner::run(BlockState& block, std::uint64_t rounds) {
    TraceRecorder* const recorder = execution_.launch.recorder;
    execution_.recorder = recorder != nullptr && recorder->wants(block.number) ? recorder : nullptr;
    if (execution_.memory != nullptr)
        execution_.memory->at_block(block.number, execution_.launch.blocks());
    const bool others_go_on = rounds != no_limit;
    for (; rounds > 0 && block.alive_threads > 0; --rounds) {
        const std::uint64_t polls = execution_.polls + execution_.fruitless_atomics;
        const std::uint64_t changes = execution_.memory_changes;
        const std::int64_t turn = block.only_polls ? polling_turn : turn_;
        bool some_warp_ran = false;
        for (WarpState& warp : block.warps) {
            if (warp.is_done()) continue;
            warp.context.budget = turn;
            if (!warp.is_paused) some_warp_ran |= run_warp(warp);
        }
        if (block.paused_warps != 0) some_warp_ran |= resume_paused(block);
        if (execution_.memory != nullptr) execution_.memory->drain();
        block.is_stuck = !some_warp_ran;
        if (block.is_stuck && waits_for_cluster(block)) return false;
        if (block.is_stuck) report_stuck(block);
        check_time();
        if (++rounds_ % rounds_between_notes == 0) [[unlikely]]
            note_progress(block);
        block.only_polls = execution_.polls + execution_.fruitless_atomics != polls &&
                           execution_.memory_changes == changes;
        if (block.only_polls && others_go_on) break;
    }
    if (block.alive_threads == 0) block.loops.count(block);
    execution_.finished_blocks += block.alive_threads == 0;
    return block.alive_threads == 0;
}

void BlockRunner::note_progress(BlockState& block) {
    if (execution_.launch.watch == nullptr) return;
    const auto place = [&] {
        for (WarpState& warp : block.warps) {
            if (warp.fragments.empty()) continue;
            const Fragment& fragment = warp.fragments.back();
            enter(warp, fragment);
            const BasicBlock& at = fragment.frame->function->blocks[fragment.block];
            return place_of(warp.context, at.control_instruction, std::countr_zero(fragment.lanes));
        }
        return "kernel " + execution_.launch.kernel_name;
    };
    execution_.launch.watch->note(
        execution_.finished_blocks - std::exchange(noted_blocks_, execution_.finished_blocks),
        execution_.memory_changes - std::exchange(noted_changes_, execution_.memory_changes),
        place);
}

void BlockRunner::check_time() {
    const double limit = execution_.launch.options.time_limit_seconds;
    if (limit <= 0) return;
    const std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - execution_.launch.started;
    if (elapsed.count() <= limit) return;
    std::string seconds = std::to_string(limit);
    seconds.erase(seconds.find_last_not_of('0') + 1);
    if (seconds.back() == '.') seconds.pop_back();
    throw Fault(FaultKind::time_limit, "kernel " + execution_.launch.kernel_name +
                                           ": stopped after the time limit of " + seconds + " s");
}

// One turn. False where all fragments wait.
bool BlockRunner::run_warp(WarpState& warp) {
    bool ran = false;
    ++warp.turns;
    while (!warp.is_done() && choose_fragment(warp)) {
        ran = true;
        Fragment fragment = warp.fragments.back();
        warp.fragments.pop_back();
        if (!warp.fragments.empty() && !warp.out_of_order) keep_order(warp, fragment);
        if (run_fragment(warp, fragment) == Next::yield) break;
    }
    if (warp.is_fresh && warp.released_at != warp.turns) {
        warp.is_fresh = false;
        --warp.context.block->fresh_warps;
    }
    return ran;
}

// They go on with the turns in which they paused: caches see the same requests of a round.
bool BlockRunner::resume_paused(BlockState& block) {
    bool ran = false;
    for (WarpState& warp : block.warps) {
        if (!warp.is_paused) continue;
        warp.is_paused = false;
        --block.paused_warps;
        ran |= run_warp(warp);
    }
    return ran;
}

// Moves a fragment that can run to the list's end. Lanes that wait for others at a reconvergence point
// may have to go ahead of them.
bool BlockRunner::choose_fragment(WarpState& warp) {
    finish_warpgroup_wait(warp);
    for (;;) {
        auto& fragments = warp.fragments;
        for (std::size_t i = fragments.size(); i-- > 0;) {
            if (fragments[i].state != FragmentState::ready) continue;
            if (i + 1 != fragments.size()) std::swap(fragments[i], fragments.back());
            return true;
        }
        if (!join_warp_operation(warp) && !release_waiting_lanes(warp)) return false;
    }
}

void BlockRunner::enter(WarpState& warp, const Fragment& fragment) {
    warp.context.frame = fragment.frame;
    warp.context.registers = fragment.frame->registers;
}

void BlockRunner::count(const Fragment& fragment, const BasicBlock& block) {
    Execution::BlockCount& count = execution_.counts[block.counter];
    ++count.executions;
    count.lanes += static_cast<unsigned>(std::popcount(fragment.lanes));
    ++execution_.steps;
}

void BlockRunner::execute(WarpContext& context, const Fragment& fragment, const Operation* begin,
                          const Operation* end) {
    if (execution_.recorder != nullptr)
        execution_.recorder->execute(context, fragment.lanes, begin, end);
    else
        execute_plainly(context, fragment.lanes, begin, end);
}

// Executes a basic block where accesses are recorded or warps pause. True: the fragment pauses within, before a store, until all
// warps that left a barrier with its own have had a turn.
bool BlockRunner::pauses_within(WarpState& warp, Fragment& fragment, const BasicBlock& block) {
    WarpContext& context = warp.context;
    const bool goes_on = std::exchange(fragment.is_paused, false);
    if (!goes_on) {
        count(fragment, block);
        if (execution_.recorder != nullptr) execution_.recorder->begin(context, block);
    }
    const bool pauses =
        !goes_on && block.pause != nullptr && warp.is_fresh && context.block->fresh_warps > 1;
    execute(context, fragment, goes_on ? block.pause : block.begin,
            pauses ? block.pause : block.end);
    if (!pauses) return false;
    warp.is_paused = fragment.is_paused = true;
    ++context.block->paused_warps;
    warp.fragments.push_back(fragment);
    return true;
}

BlockRunner::Next BlockRunner::run_fragment(WarpState& warp, Fragment& fragment) {
    WarpContext& context = warp.context;
    enter(warp, fragment);
    const bool is_watched = execution_.recorder != nullptr || execution_.launch.warps_pause;
    for (;;) {
        const BasicBlock& block = fragment.frame->function->blocks[fragment.block];
        if (is_watched) [[unlikely]] {
            if (pauses_within(warp, fragment, block)) return Next::yield;
        } else {
            count(fragment, block);
            execute_plainly(context, fragment.lanes, block.begin, block.end);
        }
        if (block.control == Control::next) {
            fragment.block = block.next;
        } else if (const Next next = end_block(warp, fragment, block); next != Next::go_on) {
            return next;
        }
        if (fragment.reconvergence != nullptr) break_out(warp, fragment);
        const Reconvergence* const point = fragment.reconvergence;
        if (point != nullptr && point->block == fragment.block && point->frame == fragment.frame) {
            if (arrive(warp, fragment) != Next::go_on) return Next::other_fragment;
        }
        if (!warp.fragments.empty() && !warp.out_of_order) keep_order(warp, fragment);
        if (--context.budget < 0 && yield(warp, fragment) == Next::yield) {
            return Next::yield;
        }
    }
}

BlockRunner::Next BlockRunner::end_block(WarpState& warp, Fragment& fragment,
                                         const BasicBlock& block) {
    switch (block.control) {
        case Control::branch:
            return branch(warp, fragment, block);
        case Control::branch_indexed:
            return branch_indexed(warp, fragment, block);
        case Control::call:
            return call(warp, fragment, block);
        case Control::ret:
        case Control::exit:
            return return_or_exit(warp, fragment, block);
        case Control::warp_wide:
            return warp_wide(warp, fragment, block);
        case Control::barrier:
            // The last warp to arrive does not go on alone: the caches see all of them side by side.
            if (execution_.memory != nullptr) warp.context.budget = 0;
            return barrier(warp, fragment, block);
        case Control::warpgroup_wait:
            return wait_for_warpgroup(warp, fragment, block);
        case Control::cluster_wait:
            return wait_for_cluster(warp, fragment, block);
        case Control::trap:
            throw fault_at(warp.context, FaultKind::trap, block.control_instruction,
                           std::countr_zero(fragment.lanes),
                           trap_text(warp.context, block.control_instruction));
        case Control::yield:
            warp.context.budget = 0;
            break;
        case Control::poll:
            if (warp.context.wants_yield) warp.context.budget = 0;
            warp.context.wants_yield = false;
            break;
        case Control::next:
            break;
    }
    fragment.block = block.next;
    return Next::go_on;
}

// The turn is over; the fragment goes on in the next one, unless others have to change memory first.
BlockRunner::Next BlockRunner::yield(WarpState& warp, Fragment& fragment) {
    const bool had_its_turn = std::exchange(warp.out_of_order, false);
    if (!independent_threads_) {
        if (is_spinning(warp, fragment)) check_deadlock(warp, fragment);
        warp.fragments.push_back(fragment);
    } else if (had_its_turn || is_spinning(warp, fragment)) {
        give_way(warp, fragment);
    } else {
        warp.fragments.push_back(fragment);
    }
    return Next::yield;
}

}  // namespace emulator::simt

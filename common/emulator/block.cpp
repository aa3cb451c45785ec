#include "emulator/block.hpp"

#include <algorithm>

#include "emulator/fault.hpp"
#include "emulator/thread_state.hpp"

namespace emulator {
namespace {

std::string text(uint3 index) {
    return std::string("(")
        .append(std::to_string(index.x))
        .append(",")
        .append(std::to_string(index.y))
        .append(",")
        .append(std::to_string(index.z))
        .append(")");
}

}  // namespace

constinit thread_local ThreadState thread_state;

Block::Block(const Architecture& architecture)
    : fibers_([this](LaneFiber& fiber) { run_lanes(fiber); }, [this] { go_on(); }),
      tracer_(*this, architecture) {}

void Block::begin_launch(const Kernel& kernel, const LaunchShape& shape, std::size_t l1_bytes,
                         const TraceOptions& options) {
    kernel_ = kernel;
    model_caches_ = options.model_caches;
    shape_ = shape;
    const std::size_t threads = std::size_t{shape.block.x} * shape.block.y * shape.block.z;
    lanes_.assign(threads, Lane{});
    states_.resize(threads);
    thread_indices_.resize(threads);
    std::size_t lane = 0;
    for (unsigned z = 0; z < shape.block.z; ++z) {
        for (unsigned y = 0; y < shape.block.y; ++y) {
            for (unsigned x = 0; x < shape.block.x; ++x) thread_indices_[lane++] = {x, y, z};
        }
    }
    warp_epochs_.assign((lanes_.size() + warp_size - 1) / warp_size, 0);
    tracer_.begin_launch(shape.dynamic_shared_bytes, l1_bytes, options);
}

void Block::run(uint3 index) {
    block_index_ = index;
    unfinished_ = lanes_.size();
    std::fill(states_.begin(), states_.end(), State::unstarted);
    thread_state.block = this;
    thread_state.block_index = index;
    thread_state.block_dimensions = shape_.block;
    thread_state.grid_dimensions = shape_.grid;
    ++barrier_epoch_;
    if (tracer_.hazards() != nullptr) tracer_.hazards()->begin_block();
    while (unfinished_ > 0) {
        bool some_warp_goes_on = true;
        while (some_warp_goes_on) {
            some_warp_goes_on = false;
            for (std::size_t first = 0; first < lanes_.size(); first += warp_size) {
                some_warp_goes_on |= run_warp(first, std::min(first + warp_size, lanes_.size()));
            }
            tracer_.close_turn();
        }
        if (tracer_.hazards() != nullptr) tracer_.hazards()->end_epoch();
        if (unfinished_ > 0) release_barrier();
    }
}

bool Block::run_warp(std::size_t first, std::size_t end) {
    warp_end_ = end;
    tracer_.begin_warp(first / warp_size);
    for (;;) {
        some_lane_waits_ = false;
        next_lane_ = first;
        go_on();
        thread_state.tracer = nullptr;
        check_for_fault();
        const Together together = bring_warp_together(first, end);
        if (together == Together::stopped) break;
        // Caches see the warps of a block side by side: after a window it is the next warp's turn.
        if (together == Together::window_closed && model_caches_ && tracer_.nothing_is_open()) {
            return true;
        }
    }
    tracer_.close_warp();
    return false;
}

// Switches to the next lane of the warp that can run, or else to the scheduler.
void Block::go_on() {
    while (next_lane_ < warp_end_ && states_[next_lane_] != State::unstarted &&
           states_[next_lane_] != State::runnable) {
        ++next_lane_;
    }
    if (next_lane_ == warp_end_) return fibers_.switch_to_scheduler();
    const std::size_t lane = next_lane_++;
    if (states_[lane] == State::unstarted) {
        running_ = lane;
        fibers_.switch_to(fibers_.take());
    } else {
        LaneFiber& fiber = *lanes_[lane].fiber;
        enter(lane, fiber);
        fibers_.switch_to(fiber);
    }
}

void Block::enter(std::size_t lane, LaneFiber& fiber) {
    running_fiber_ = &fiber;
    tracer_.set_stack(fiber.stack_begin(), fiber.stack_bytes());
    thread_state.tracer = &tracer_;
    become(lane);
}

void Block::become(std::size_t lane) {
    running_ = lane;
    states_[lane] = State::runnable;
    thread_state.thread_index = thread_indices_[lane];
    thread_state.lane = static_cast<std::uint32_t>(lane % warp_size);
}

// The body of every fiber: the lane that was chosen for it, then those behind it that have not
// begun.
void Block::run_lanes(LaneFiber& fiber) {
    enter(running_, fiber);
    for (;;) {
        kernel_.body(kernel_.context);
        states_[running_] = State::finished;
        --unfinished_;
        if (next_lane_ == warp_end_ || states_[next_lane_] != State::unstarted) break;
        become(next_lane_++);
    }
    thread_state.tracer = nullptr;
    fibers_.give_back(fiber);
}

void Block::wait(State state) {
    states_[running_] = state;
    lanes_[running_].fiber = running_fiber_;
    some_lane_waits_ = true;
    go_on();
}

int Block::wait_at_barrier(int predicate, const void* return_address) {
    lanes_[running_].predicate = predicate;
    lanes_[running_].barrier = return_address;
    wait(State::at_barrier);
    return barrier_sum_;
}

Position Block::position() const {
    return {block_index_, thread_indices_[running_], static_cast<std::uint16_t>(running_),
            barrier_epoch_, warp_epochs_[running_ / warp_size]};
}

void Block::wait_at_window() {
    wait(State::at_window);
}

std::uint64_t Block::wait_for_warp(WarpOperation operation, std::uint32_t mask, std::uint64_t value,
                                   int source_lane) {
    Lane& lane = lanes_[running_];
    lane.operation = operation;
    lane.mask = mask;
    lane.value = value;
    lane.source_lane = source_lane;
    wait(State::at_warp_operation);
    return lane.result;
}

// Lets go on whatever waits for its warp alone. False when nothing of the warp can go on before the
// block's barrier.
Block::Together Block::bring_warp_together(std::size_t first, std::size_t end) {
    if (!some_lane_waits_) return Together::stopped;
    std::uint32_t at_window = 0;
    std::uint32_t at_operation = 0;
    std::uint32_t at_barrier = 0;
    for (std::size_t lane = first; lane < end; ++lane) {
        const std::uint32_t bit = 1u << (lane - first);
        const State state = states_[lane];
        at_window |= state == State::at_window ? bit : 0;
        at_operation |= state == State::at_warp_operation ? bit : 0;
        at_barrier |= state == State::at_barrier ? bit : 0;
    }
    const std::uint32_t will_go_on = at_window | at_operation;
    if (will_go_on == 0) return Together::stopped;

    Together together = Together::stopped;
    if (at_window != 0) {
        tracer_.close_window(will_go_on);
        for (std::size_t lane = first; lane < end; ++lane) {
            if ((at_window >> (lane - first) & 1) != 0) states_[lane] = State::runnable;
        }
        together = Together::window_closed;
    }
    for (std::size_t i = first; i < end; ++i) {
        Lane& lane = lanes_[i];
        if ((at_operation >> (i - first) & 1) == 0 || states_[i] != State::at_warp_operation)
            continue;
        // Lanes of the mask that have finished, or that the last warp lacks, bring nothing.
        const std::uint32_t expected = lane.mask & (will_go_on | at_barrier);
        const auto same_operation = [&](std::size_t other) {
            return (at_operation >> (other - first) & 1) != 0 &&
                   lanes_[other].operation == lane.operation && lanes_[other].mask == lane.mask;
        };
        bool complete = true;
        for (std::size_t other = first; other < end; ++other) {
            if ((expected >> (other - first) & 1) != 0 && !same_operation(other)) complete = false;
        }
        if (!complete) continue;
        std::uint64_t ballot = 0;
        for (std::size_t other = first; other < end; ++other) {
            if ((expected >> (other - first) & 1) != 0 && lanes_[other].value != 0) {
                ballot |= std::uint64_t{1} << (other - first);
            }
        }
        for (std::size_t other = first; other < end; ++other) {
            if ((expected >> (other - first) & 1) == 0) continue;
            Lane& partner = lanes_[other];
            const bool from_another = (expected >> partner.source_lane & 1) != 0;
            partner.result = partner.operation == WarpOperation::ballot ? ballot
                             : from_another ? lanes_[first + partner.source_lane].value
                                            : partner.value;
        }
        for (std::size_t other = first; other < end; ++other) {
            if ((expected >> (other - first) & 1) != 0) states_[other] = State::runnable;
        }
        ++warp_epochs_[first / warp_size];
        together = Together::goes_on;
    }
    if (together == Together::stopped) {
        running_ = first + std::countr_zero(at_operation);
        fault_ = "a warp operation waits for ever: lanes of its mask stand elsewhere";
        check_for_fault();
    }
    return together;
}

// A barrier for part of the block: legal only by accident of the hardware.
void Block::check_barrier() {
    HazardChecker* const hazards = tracer_.hazards();
    if (hazards == nullptr) return;
    const auto place = [&](std::size_t lane) {
        return states_[lane] == State::at_barrier ? lanes_[lane].barrier : nullptr;
    };
    running_ = 0;
    while (place(running_) == nullptr)
        ++running_;  // some lane waits, or the block would have ended
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        if (place(lane) == place(running_)) continue;
        hazards->divergent_barrier(position(), place(running_), thread_indices_[lane], place(lane));
    }
}

void Block::release_barrier() {
    check_barrier();
    ++barrier_epoch_;
    barrier_sum_ = 0;
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        if (states_[lane] != State::at_barrier) continue;
        barrier_sum_ += lanes_[lane].predicate != 0;
        states_[lane] = State::runnable;
    }
}

void Block::fault(const void* return_address, const std::string& what) {
    fault_address_ = return_address;
    fault_ = what;
    thread_state.tracer = nullptr;
    fibers_.switch_to_scheduler();
    __builtin_unreachable();  // the scheduler never resumes a faulted lane
}

void Block::check_for_fault() {
    if (fault_.empty()) return;
    // Looked up here and not on the lane: reading line tables takes more than a lane's stack.
    const std::string line = fault_address_ == nullptr ? "" : source_line(fault_address_) + " ";
    fault_address_ = nullptr;
    const std::string what = "kernel " + function_name(kernel_.code) + ", block " +
                             text(block_index_) + ", thread " + text(thread_indices_[running_]) +
                             ": " + line + fault_;
    fault_.clear();
    fibers_.leave_behind();
    tracer_.abandon();
    throw Fault(what);
}

}  // namespace emulator

// Runs the threads of one block on the CPU, and everything by which they wait for each other.
//
// A fiber runs lane after lane to the end; only when a lane has to wait is another fiber taken. The
// lanes of a warp run together, so that their accesses can be joined to requests (tracer.hpp); then
// the next warp, until every unfinished lane stands at the block's barrier.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/models/architecture.hpp"
#include "emulator/cuda_on_cpu.h"
#include "emulator/fiber_pool.hpp"
#include "emulator/tracer.hpp"

namespace emulator {

struct LaunchShape {
    dim3 grid;
    dim3 block;
    std::size_t dynamic_shared_bytes = 0;
};

// One thread's run of the kernel; `context` holds the kernel's arguments.
using LaneBody = void (*)(const void* context);

struct Kernel {
    const void* code = nullptr;  // the kernel's address, for its name
    LaneBody body = nullptr;
    const void* context = nullptr;
    L1Mode l1_mode = L1Mode::standard;  // how its source was compiled
};

class Block {
  public:
    explicit Block(const Architecture& architecture);

    void begin_launch(const Kernel& kernel, const LaunchShape& shape, std::size_t l1_bytes,
                      const TraceOptions& options);
    // Runs one block to its end. Throws Fault.
    void run(uint3 index);
    void end_launch() { tracer_.end_launch(); }

    const Tracer& tracer() const { return tracer_; }

    // ---- called on lanes, through the functions of cuda_on_cpu.h ----
    // The waits are flat: after a switch the CPU mispredicts one return for each call on the way.
    Tracer& tracer() { return tracer_; }
    // The sum of `predicate` over the block's threads that reach this barrier.
    [[gnu::flatten]] int wait_at_barrier(int predicate, const void* return_address);
    [[gnu::flatten]] void wait_at_window();
    enum class WarpOperation : std::uint8_t { synchronise, ballot, exchange };
    [[gnu::flatten]] std::uint64_t wait_for_warp(WarpOperation operation, std::uint32_t mask, std::uint64_t value,
                                int source_lane);
    Position position() const;
    const dim3& dimensions() const { return shape_.block; }
    int lane_index() const { return static_cast<int>(running_ % warp_size); }
    // Ends the launch: run() throws a Fault that tells who did `what` in which source line.
    [[noreturn]] void fault(const void* return_address, const std::string& what);

  private:
    enum class State : std::uint8_t { unstarted, runnable, at_window, at_warp_operation, at_barrier, finished };
    // What a lane needs while it waits.
    struct Lane {
        LaneFiber* fiber = nullptr;
        int predicate = 0;
        const void* barrier = nullptr;  // the place it waits at
        WarpOperation operation{};
        std::uint32_t mask = 0;
        std::uint64_t value = 0;
        int source_lane = 0;
        std::uint64_t result = 0;
    };

    void run_lanes(LaneFiber& fiber);
    // Whether the warp could go on before the block's barrier.
    bool run_warp(std::size_t first, std::size_t end);
    void go_on();
    void enter(std::size_t lane, LaneFiber& fiber);
    void become(std::size_t lane);
    void wait(State state);
    enum class Together : std::uint8_t { stopped, goes_on, window_closed };
    Together bring_warp_together(std::size_t first, std::size_t end);
    void release_barrier();
    void check_barrier();
    void check_for_fault();

    FiberPool fibers_;
    Tracer tracer_;
    Kernel kernel_;
    LaunchShape shape_;
    // By thread of the block; apart, so that kernels that never wait touch little memory.
    std::vector<State> states_;
    std::vector<uint3> thread_indices_;
    std::vector<Lane> lanes_;
    bool some_lane_waits_ = false;  // of the warp at hand
    uint3 block_index_{};
    std::size_t running_ = 0;
    LaneFiber* running_fiber_ = nullptr;
    std::size_t next_lane_ = 0;  // of the warp at hand: those before it have had their turn
    std::size_t warp_end_ = 0;
    std::size_t unfinished_ = 0;
    int barrier_sum_ = 0;
    bool model_caches_ = false;
    std::uint32_t barrier_epoch_ = 0;
    std::vector<std::uint32_t> warp_epochs_;
    const void* fault_address_ = nullptr;
    std::string fault_;
};

}  // namespace emulator

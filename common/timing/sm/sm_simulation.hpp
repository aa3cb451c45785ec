// The schedule of an SM: its schedulers issue the recorded instructions of its resident warps, each as soon
// as its operands are there, its unit is free and no older warp is first.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "timing/machine/machine.hpp"
#include "timing/machine/trace.hpp"
#include "timing/memory/memory_path.hpp"
#include "timing/memory/memory_queue.hpp"
#include "timing/sm/clock_reads.hpp"

namespace timing {

// Why a warp could not issue.
enum class Stall : std::uint8_t {
    none,
    memory,  // global
    local,
    texture,
    constant,  // and parameters of the kernel
    shared,
    shuffle,
    special,  // a special register: the index of the thread or the block
    arithmetic,
    barrier,
    unit_busy,
    not_selected
};
constexpr std::size_t stall_count = 12;
std::string_view text(Stall stall);  // "memory"

// Cycles that each resource of the SM was busy.
struct Busy {
    double issue = 0;  // of all schedulers
    std::array<double, unit_count> units{};
    double data = 0, shared = 0, l2 = 0, requests = 0, atomics = 0, dram = 0;
};

struct SmResult {
    double cycles = 0;      // until the last warp has finished and its stores have arrived
    double end_cycles = 0;  // that the launch takes longer then, however many blocks it has
    // Until everything of its warps would be issued at the rate of the middle, without the SM's running empty, where
    // that is more than was recorded; and that each block more takes, where one wave was.
    double whole_cycles = 0, cycles_per_block = 0;
    std::vector<double> block_ends;  // ascending
    Busy busy;
    std::uint64_t instructions = 0;
    std::vector<std::array<double, stall_count>> stalls;  // warp cycles, by Program::lines
    std::vector<std::vector<WarpClock>> clocks;           // by recorded block and warp
};

class SmSimulation {
  public:
    SmSimulation(const Machine& machine, const LaunchTrace& trace, const LaunchFacts& facts,
                 std::uint64_t draw = 0);
    SmResult run();

  private:
    static constexpr double never = std::numeric_limits<double>::infinity();

    struct Warp {
        const WarpTrace* trace = nullptr;
        WarpClock* clock = nullptr;
        std::size_t step = 0, instruction = 0;  // the next one
        std::size_t registers = 0;              // its first one, in `ready_`
        std::uint32_t block = 0;                // of resident ones
        std::uint32_t scheduler = 0;
        std::uint64_t age = 0;
        double issued = 0;  // when its last instruction was
        double ready = 0;   // when its next one may be
        Stall waits_for = Stall::none;
        // Of its memory instructions, those in its scheduler's line, and the copies that have not been served.
        std::uint32_t in_line = 0, queued_copies = 0;
        double last_dequeue_time = 0;  // when the last one did that has
        // Waits for one that has not been served, of which it is not known when its result will be there.
        bool awaits_service = false;
        bool at_barrier = false, is_done = false, is_in_first_wave = true;
        // Of its copies, by Instruction::Copies: when each group is complete, the last one not ended.
        std::array<std::vector<double>, 3> groups;
    };
    struct Resident {
        std::vector<std::uint32_t> warps;
        std::size_t number = 0;  // of the SM's blocks
        std::uint32_t alive = 0, arrived = 0;
        double noted = 0;  // when the last one of them was
        // By mbarrier: when so many bulk loads are complete; and warps that wait for more than there are.
        std::unordered_map<std::uint32_t, std::vector<double>> copies;
        std::vector<std::uint32_t> waiting_for_copies;
    };
    // A warp that waits for its turn; the least one comes first.
    struct Waiter {
        double time;
        std::uint64_t age;
        std::uint32_t warp;
        auto operator<=>(const Waiter&) const = default;
    };
    using Heap = std::priority_queue<Waiter, std::vector<Waiter>, std::greater<>>;
    struct Scheduler {
        double free = 0;
        Heap waiting;                           // by the cycle at which they are ready
        std::array<Heap, unit_count> eligible;  // by unit
        std::array<double, unit_count> unit_free{};
    };

    void start_block(std::uint32_t resident, double now);
    void start_warp(std::uint32_t warp, const WarpTrace& trace, double now);
    void await_next(std::uint32_t warp);
    const Instruction* next_of(Warp& warp);
    bool finds_ready(Warp& warp, const Instruction& instruction);
    double unit_free(const Scheduler& scheduler, std::size_t unit) const;
    double next_event(const Scheduler& scheduler) const;
    void await_unit(const Waiter& waiter);
    Heap* first_eligible(Scheduler& scheduler, double now) const;
    void advance(Scheduler& scheduler, double now);
    void issue(Scheduler& scheduler, std::uint32_t warp, double now);
    double execute(Warp& warp, const Instruction& instruction, double now);
    void note_results(const Warp& warp, const Instruction& instruction, double done, Stall kind);
    void enqueue(std::uint32_t warp, const Instruction& instruction, double now);
    void note_gone_on();
    double accepts(const MemoryQueue::Entry& entry) const;
    double next_service() const;
    void serve_memory(double now);
    double access_memory(const MemoryQueue::Entry& entry, double now);
    void note_stalls(const Warp& warp, const Instruction& instruction, double now);
    void note_copy(Warp& warp, const Instruction& instruction, const Access& access, double done);
    static std::vector<double>& groups_of(Warp& warp, const Instruction& instruction) {
        return warp.groups[static_cast<std::size_t>(instruction.copies)];
    }
    void await_copies(std::uint32_t warp);
    void await_groups(std::uint32_t warp, const Instruction& instruction);
    void wait_until(std::uint32_t warp, double until, Stall reason);
    const Access& access_of(const Warp& warp, const Instruction& instruction) const;
    void arrive(std::uint32_t warp, double now);
    void release(Resident& block, double now);
    void finish_warp(std::uint32_t warp, double now);
    bool release_stuck();
    void extrapolate();

    const Machine& machine_;
    const LaunchTrace& trace_;
    const LaunchFacts& facts_;
    double active_sms_;
    MemoryPath memory_;
    std::vector<Scheduler> schedulers_;
    std::vector<Warp> warps_;
    std::vector<Resident> residents_;
    std::vector<double> ready_;         // by warp and register: when it can be read
    std::vector<std::uint8_t> source_;  // what it comes from: a Stall
    MemoryQueue queue_;
    double now_ = 0;
    double memory_unit_free_ = 0;
    Server block_ends_;  // as the GPU notes them, of all SMs
    Server arrivals_;    // at all barriers
    bool is_first_wave_ = true;
    // The first wave alone was recorded, and most blocks come later.
    bool represents_steady_state_ = false;
    std::uint64_t next_age_ = 0;
    std::size_t next_block_ = 0;
    double last_ = 0;
    std::vector<double> issue_times_;  // of every so many instructions
    std::uint64_t longest_ = 0;        // instructions that the warp which executes most does
    // Instructions issued when the first warp of at least half as many had issued its last one.
    std::uint64_t first_end_ = 0;
    SmResult result_;
};

}  // namespace timing

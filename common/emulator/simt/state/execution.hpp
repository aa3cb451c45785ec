// The state of a running launch: warps and their fragments, blocks, and what handlers of operations that
// reach beyond their lanes can get at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/models/hazards/global_races.hpp"
#include "emulator/models/hazards/shared_hazards.hpp"
#include "emulator/simt/state/launch_record.hpp"
#include "emulator/simt/state/local_memory.hpp"
#include "emulator/simt/state/operation.hpp"
#include "emulator/simt/state/program.hpp"
#include "emulator/simt/state/shared_loops.hpp"

namespace emulator {
class MemoryModel;
namespace simt {
class TraceRecorder;
}
}  // namespace emulator

namespace emulator::simt {

class Execution;
struct BlockState;
struct ClusterState;
struct WarpState;
struct SiteState;

// An activation of a function by lanes of one warp.
struct Frame {
    const Function* function = nullptr;
    Frame* caller = nullptr;
    const CallDetail* call = nullptr;  // by which it was entered
    std::uint32_t return_block = no_block;
    std::uint32_t live_lanes = 0;
    std::uint32_t local_base = 0;  // of its .local variables, in the threads' local memory
    std::byte* registers = nullptr;
    std::byte* parameters = nullptr;  // interleaved, as local memory
    std::unique_ptr<std::byte[]> storage;
};

// Lanes that diverged and come together again where `block` begins.
struct Reconvergence {
    std::uint32_t block = no_block;
    Frame* frame = nullptr;
    std::uint32_t expected = 0, arrived = 0;
    Reconvergence* outer = nullptr;
};

enum class FragmentState : std::uint8_t {
    ready,
    at_barrier,
    at_warp_operation,
    at_warpgroup_wait,
    at_cluster_barrier
};

// Lanes of a warp that execute together.
struct Fragment {
    std::uint32_t block = 0;
    std::uint32_t lanes = 0;
    Frame* frame = nullptr;
    Reconvergence* reconvergence = nullptr;
    FragmentState state = FragmentState::ready;
    std::uint32_t members = 0;             // at a warp operation: lanes that it waits for
    const BasicBlock* waits_at = nullptr;  // the block whose end holds it up
    std::uint8_t barrier = 0;
    bool is_paused = false;  // within its block, which it has begun
};

// A warp as handlers see it.
struct WarpContext : Warp {
    Execution* execution = nullptr;
    BlockState* block = nullptr;
    WarpState* warp = nullptr;
    Frame* frame = nullptr;
    std::byte* shared = nullptr;
    std::uint32_t shared_bytes = 0;
    SiteState* sites = nullptr;              // of the module, by number
    std::uint64_t* guarded_out = nullptr;    // lanes that guards left out, by number
    MemoryModel* memory = nullptr;           // null: caches are not modelled
    SharedMemoryHazards* hazards = nullptr;  // of the block; null: nothing is checked
    std::uint32_t participants = 0;          // lanes that take part in a warp operation
    std::uint32_t absent =
        0;  // lanes that a shuffle's mask names and that it reads, but which take no part
    std::int64_t budget = 0;   // until another warp has its turn
    bool wants_yield = false;  // asked by a handler
};
inline WarpContext& context_of(Warp& warp) { return static_cast<WarpContext&>(warp); }

// A fragment that uses up turn after turn while other lanes of its warp wait for it: does it wait for them?
struct SpinWatch {
    unsigned turns = 0;
    std::uint32_t block = no_block;
    std::uint32_t lanes = 0;
    std::uint64_t registers = 0;  // a hash
};
// How often a fragment was found spinning on atomics while memory did not change at all.
struct Standstill {
    std::uint64_t memory_changes = 0, fruitless_atomics = 0;
    unsigned repetitions = 0;
};

constexpr std::uint32_t no_cluster_phase = 0xffffffffu;

struct WarpState {
    WarpContext context;
    std::uint32_t number = 0;  // in the block
    std::uint32_t lanes = 0;   // that exist
    std::uint32_t alive = 0;
    std::uint32_t epoch = 0;          // how often its lanes have synchronised
    std::vector<Fragment> fragments;  // the last one runs
    std::vector<std::unique_ptr<Reconvergence>> reconvergences;  // owned; free ones in `spare`
    std::vector<Reconvergence*> spare;
    Frame* kernel_frame = nullptr;
    LocalMemory local;
    SpinWatch spin;
    Standstill standstill;
    // It has left a barrier, and has not had a turn since; other warps pause for it.
    bool is_fresh = false;
    bool is_paused = false;         // before a store: fresh warps come first
    std::uint32_t turns = 0;        // so far
    std::uint32_t released_at = 0;  // the turn at which it left the barrier
    bool out_of_order = false;  // for this turn: a fragment runs although others stand before it
    // wgmma: products that it has issued, and how many they were at the end of each group that it has not waited for.
    std::uint32_t group_products = 0;
    std::vector<std::uint32_t> product_groups;
    std::uint32_t awaited_products = 0;  // by wgmma.wait_group
    // barrier.cluster: the phase in which its lanes have last arrived.
    std::uint32_t cluster_phase = no_cluster_phase;
    std::uint32_t cluster_arrived = 0;
    std::uint32_t call_depth = 0;
    std::size_t clock_reads = 0;  // so far
    bool is_done() const { return alive == 0; }
};

struct BarrierState {
    bool is_open = false;                // a thread has arrived
    std::uint32_t expected_threads = 0;  // 0: all of the block
    std::uint32_t arrived_threads = 0;   // that exist and have not finished
    std::uint32_t missing_lanes = 0;     // of warps that have arrived: those that do not count
    std::uint32_t true_predicates = 0, predicates = 0;
};

constexpr unsigned barriers_per_block = 16;
constexpr std::uint32_t max_call_depth = 20000;  // activations of a warp at a time

struct BlockState {
    std::array<std::uint32_t, 3> index{};
    std::uint64_t number = 0;
    std::vector<WarpState> warps;
    std::uint32_t alive_threads = 0;
    unsigned fresh_warps = 0, paused_warps = 0;
    ClusterState* cluster = nullptr;  // of this block alone, where the launch has none
    std::uint32_t cluster_rank = 0;
    bool is_stuck = false;    // nothing of it can go on before other blocks of its cluster
    bool only_polls = false;  // in its last round: it waits for other blocks
    std::byte* shared = nullptr;
    std::unique_ptr<std::byte[]> shared_storage;
    std::array<BarrierState, barriers_per_block> barriers;
    std::string printed;
    std::unique_ptr<SharedMemoryHazards> hazards;  // null: nothing is checked
    BlockOrder order;
    SharedLoops loops;
};

}  // namespace emulator::simt

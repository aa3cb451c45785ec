// The parts of a launch, and the counts of one worker.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/memory/device_memory.hpp"
#include "emulator/models/hazards/hazards.hpp"
#include "emulator/models/memory/memory_model.hpp"
#include "emulator/simt/state/counting.hpp"
#include "emulator/simt/state/execution.hpp"
#include "emulator/simt/state/launch_record.hpp"
#include "emulator/simt/state/program.hpp"
#include "timing/sm/clock_reads.hpp"

namespace emulator::simt {

class LaunchWatch;
class Module;

struct Launch {
    const Architecture& architecture;
    const Options& options;
    const Module& module;
    const Image& image;
    std::string kernel_name;  // demangled
    LaunchShape shape;
    std::span<const std::byte> parameters;
    std::vector<TextureDescriptor>* textures = nullptr;
    std::uint32_t shared_bytes = 0;    // of a block, static and dynamic
    std::uint64_t grid_workspace = 0;  // of a cooperative launch
    std::uint64_t grid_number = 0;
    std::chrono::steady_clock::time_point started;
    std::size_t l1_bytes = 0;
    TraceRecorder* recorder = nullptr;  // null: no time is asked for
    LaunchWatch* watch = nullptr;
    GlobalRaces* races = nullptr;  // null: hazards are not checked
    bool warps_pause = false;      // for each other, before stores that may overtake loads
    bool checks_order = false;     // of warps, in the first and the last block
    const timing::ClockReads* clocks = nullptr;  // null: 16 a basic block and reading
    unsigned resident_blocks = 1;                // that may be resident at a time, on all SMs
    unsigned threads() const { return shape.block.x * shape.block.y * shape.block.z; }
    unsigned warps() const { return (threads() + warp_size - 1) / warp_size; }
    std::uint64_t blocks() const {
        return std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
    }
    std::uint32_t cluster_blocks() const {
        return shape.cluster.x * shape.cluster.y * shape.cluster.z;
    }
    std::uint64_t clusters() const { return blocks() / cluster_blocks(); }
    // The number of a cluster's block.
    std::uint64_t block_of(std::uint64_t cluster, std::uint32_t rank) const;
};

// The work of one CPU thread on a launch.
class Execution {
  public:
    explicit Execution(const Launch& launch);

    const Launch& launch;
    std::vector<SiteState> sites;
    struct BlockCount {
        std::uint64_t executions = 0, lanes = 0;
        std::uint64_t divergences = 0;
        bool operator==(const BlockCount&) const = default;
    };
    std::vector<BlockCount> counts;          // by BasicBlock::counter
    std::vector<std::uint64_t> guarded_out;  // lanes
    std::vector<RareOperandsCount> rare_operands;
    std::uint64_t barriers = 0;
    std::uint64_t steps = 0;              // basic blocks executed: what clocks show
    std::uint64_t memory_changes = 0;     // stores, and atomics that found another value
    std::uint64_t fruitless_atomics = 0;  // those that changed nothing
    std::uint64_t polls = 0;              // volatile and relaxed loads
    std::uint64_t finished_blocks = 0;
    MemoryModel* memory = nullptr;      // null: caches are not modelled
    GlobalRaces* races = nullptr;       // null: hazards are not checked
    std::string order_note;             // that results depend on the order of warps; "": not known
    bool heap_is_full = false;          // malloc() has returned null
    TraceRecorder* recorder = nullptr;  // null: the block at hand is not recorded
    std::map<HazardIdentity, std::pair<std::uint64_t, std::string>> hazard_texts;
    // The memory that an access beyond its allocation finds, where the launch goes on.
    alignas(64) std::array<std::byte, 64> elsewhere{};
    std::map<std::uint64_t, std::string> printed;  // by block

    // The allocation that holds `address`; null where there is none.
    const Allocation* find_allocation(Address address);
    bool is_constant(Address address) const;
    void forget_allocations() { allocations_.clear(); }

    Frame* take_frame(const Function& function);
    void give_back(Frame* frame);

  private:
    std::vector<Allocation> allocations_;  // seen so far, ascending
    std::unordered_map<const Function*, std::vector<Frame*>> spare_frames_;
    std::vector<std::unique_ptr<Frame>> frames_;
};

// The fault of `lane` at an instruction of the function that the warp is in.
Fault fault_at(const WarpContext& context, FaultKind kind, std::uint32_t instruction, int lane,
               const std::string& what);
std::string index_text(std::uint32_t x, std::uint32_t y, std::uint32_t z);  // "(1,0,0)"
std::string thread_text(const Launch& launch, std::uint32_t thread);
std::string plain_name(const std::string& symbol);  // of a variable, without its scopes
// "kernel add, block (1,0,0), thread (3,0,0): kernels.cuh:17"
std::string place_of(const WarpContext& context, std::uint32_t instruction, int lane);

}  // namespace emulator::simt

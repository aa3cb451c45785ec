// Runs the blocks of a launch: which ones are resident, in which order, on how many CPU threads.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "emulator/simt/state/cluster.hpp"
#include "emulator/simt/state/launch.hpp"
#include "emulator/simt/warp/block_runner.hpp"

namespace emulator::simt {

// One CPU thread that runs blocks.
class Worker {
  public:
    explicit Worker(const Launch& launch);

    // Clusters (of one block, where the launch has none) `first`, `first + step`, ... one after another, each to its end.
    void run_sm(std::uint64_t first, std::uint64_t step, const std::atomic<std::uint64_t>& end);
    void run_block(std::uint64_t number) { run_to_end(*new_cluster(number)); }  // without clusters
    // All clusters in their order. One that waits for others is set aside, as many as can be resident.
    void run_in_order();

    Execution execution;
    std::vector<std::unique_ptr<MemoryModel>> memories;  // one, or one for each SM
    std::uint64_t running = 0;                           // the block at hand

  private:
    // Blocks that run side by side.
    struct Cluster {
        ClusterState state;
        std::vector<std::unique_ptr<BlockState>> blocks;
    };

    std::unique_ptr<Cluster> new_cluster(std::uint64_t number);
    std::unique_ptr<BlockState> new_block();
    void run_invariants(WarpState& warp, BlockState& block);
    void finish(Cluster& cluster);
    bool run_slice(Cluster& cluster, std::uint64_t rounds, bool& is_finished);
    void run_to_end(Cluster& cluster);
    MemoryModel* memory_of(const BlockState& block);
    MemoryModel* memory_at(std::size_t sm);

    const Launch& launch_;
    std::unique_ptr<BlockRunner> runner_;
    std::vector<std::unique_ptr<BlockState>> spare_blocks_;
};

// Runs the whole grid; the workers hold what was counted.
std::vector<std::unique_ptr<Worker>> run_grid(const Launch& launch);
// Runs the first clusters (blocks, where the launch has none). None may wait for another one, or depend on their order.
std::vector<std::unique_ptr<Worker>> run_clusters(const Launch& launch, std::uint64_t clusters);

}  // namespace emulator::simt

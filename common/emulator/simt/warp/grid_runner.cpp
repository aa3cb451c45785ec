#include "emulator/simt/warp/grid_runner.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>

#include "emulator/models/memory/memory_model.hpp"
#include "emulator/simt/record/hazard_checks.hpp"

namespace emulator::simt {
namespace {

// Rounds of a block before another one has its turn, where blocks may wait for each other.
constexpr std::uint64_t rounds_of_cooperative = 4;
constexpr std::uint64_t rounds_of_ordinary = 64;
constexpr unsigned max_slices_in_a_row = 64;
// Below this many threads in a grid, starting CPU threads takes longer than the work.
constexpr std::uint64_t min_threads_to_share = 8192;

}  // namespace

Worker::Worker(const Launch& launch) : execution(launch), launch_(launch) {
    execution.races = launch.races;
    execution.memory = memory_at(0);
    runner_ = std::make_unique<BlockRunner>(execution);
}

// One cache model for each rank of a cluster serves SM after SM, where blocks run in that order; else each SM has its own.
MemoryModel* Worker::memory_of(const BlockState& block) {
    const bool by_sm = launch_.image.traits.has_order_dependence || launch_.shape.cooperative;
    return memory_at(by_sm ? block.number % launch_.architecture.sm_count : block.cluster_rank);
}

MemoryModel* Worker::memory_at(std::size_t sm) {
    if (!launch_.options.model_caches) return nullptr;
    if (memories.size() <= sm) memories.resize(sm + 1);
    if (!memories[sm]) {
        const bool for_time = launch_.recorder != nullptr;
        memories[sm] = std::make_unique<MemoryModel>(launch_.architecture, launch_.l1_bytes,
                                                     for_time ? launch_.options.l2_slices : 1,
                                                     for_time ? launch_.resident_blocks : 0);
    }
    return memories[sm].get();
}

void Worker::run_invariants(WarpState& warp, BlockState& block) {
    runner_->prepare(warp, block);
    WarpContext& context = warp.context;
    context.mask = 0xffffffffu;
    for (const Operation& operation : launch_.image.kernel->launch_invariants) {
        operation.execute(context, operation);
    }
}

std::unique_ptr<BlockState> Worker::new_block() {
    if (!spare_blocks_.empty()) {
        auto block = std::move(spare_blocks_.back());
        spare_blocks_.pop_back();
        return block;
    }
    auto block = std::make_unique<BlockState>();
    block->shared_storage = std::make_unique<std::byte[]>(launch_.shared_bytes + 256);
    block->shared = reinterpret_cast<std::byte*>(
        (reinterpret_cast<std::uintptr_t>(block->shared_storage.get()) + 127) &
        ~std::uintptr_t{127});
    block->warps.resize(launch_.warps());
    for (std::uint32_t i = 0; i < launch_.warps(); ++i) {
        WarpState& warp = block->warps[i];
        const std::uint32_t threads =
            std::min<std::uint32_t>(launch_.threads() - i * warp_size, warp_size);
        warp.number = i;
        warp.lanes = ~0u >> (warp_size - threads);
        warp.kernel_frame = execution.take_frame(*launch_.image.kernel);
        warp.local.reserve(launch_.image.kernel->local_bytes);
        run_invariants(warp, *block);
    }
    return block;
}

std::unique_ptr<Worker::Cluster> Worker::new_cluster(std::uint64_t number) {
    auto cluster = std::make_unique<Cluster>();
    for (std::uint32_t rank = 0; rank < launch_.cluster_blocks(); ++rank) {
        BlockState& block = *cluster->blocks.emplace_back(new_block());
        cluster->state.blocks.push_back(&block);
        block.cluster = &cluster->state;
        block.cluster_rank = rank;
        const std::uint64_t block_number = launch_.block_of(number, rank);
        block.number = block_number;
        execution.memory = memory_of(block);
        runner_->begin(block, block_number);
    }
    return cluster;
}

void Worker::finish(Cluster& cluster) {
    for (auto& block : cluster.blocks) {
        if (block->hazards) collect_hazards(execution, *block);
        if (!block->printed.empty())
            execution.printed[block->number] = std::exchange(block->printed, {});
        spare_blocks_.push_back(std::move(block));
    }
}

void Worker::run_to_end(Cluster& cluster) {
    const bool is_alone = cluster.blocks.size() == 1;
    bool is_finished = false;
    while (!is_finished)
        (void)run_slice(cluster, is_alone ? BlockRunner::no_limit : rounds_of_ordinary,
                        is_finished);
    finish(cluster);
}

void Worker::run_sm(std::uint64_t first, std::uint64_t step,
                    const std::atomic<std::uint64_t>& end) {
    for (std::uint32_t rank = 0; rank < launch_.cluster_blocks(); ++rank) {
        if (MemoryModel* const memory = memory_at(rank)) memory->begin_sm();
    }
    for (std::uint64_t i = first; i < end; i += step) run_to_end(*new_cluster(i));
}

// One slice of each block. Whether they seem to wait for others: they poll, and change nothing.
bool Worker::run_slice(Cluster& cluster, std::uint64_t rounds, bool& is_finished) {
    const std::uint64_t polls = execution.polls + execution.fruitless_atomics;
    const std::uint64_t changes = execution.memory_changes;
    is_finished = true;
    bool is_stuck = true;
    for (const auto& block : cluster.blocks) {
        if (block->alive_threads == 0) continue;
        running = block->number;
        execution.memory = memory_of(*block);
        is_finished &= runner_->run(*block, rounds);
    }
    for (const auto& block : cluster.blocks)
        is_stuck &= block->alive_threads == 0 || block->is_stuck;
    if (!is_finished && is_stuck) {
        for (const auto& block : cluster.blocks) runner_->report_stuck(*block);
    }
    return execution.polls + execution.fruitless_atomics != polls &&
           execution.memory_changes == changes;
}

void Worker::run_in_order() {
    const std::uint64_t rounds =
        launch_.shape.cooperative ? rounds_of_cooperative : rounds_of_ordinary;
    const std::uint64_t max_resident =
        std::max<std::uint64_t>(1, launch_.resident_blocks / launch_.cluster_blocks());
    std::deque<std::unique_ptr<Cluster>> resident;
    std::uint64_t next = 0;
    bool starts_another = true;
    for (unsigned slices = 0; next < launch_.clusters() || !resident.empty();) {
        if (starts_another && next < launch_.clusters() && resident.size() < max_resident)
            resident.push_front(new_cluster(next++));
        auto cluster = std::move(resident.front());
        resident.pop_front();
        bool is_finished = false;
        const bool waits = run_slice(*cluster, rounds, is_finished);
        // One that does not wait has further slices; not without end, in case it waits in a way of its own.
        starts_another = is_finished || waits || ++slices >= max_slices_in_a_row;
        if (starts_another) slices = 0;
        if (is_finished) {
            finish(*cluster);
        } else if (starts_another) {
            resident.push_back(std::move(cluster));
        } else {
            resident.push_front(std::move(cluster));
        }
    }
}

namespace {

// The failure in the lowest block, whichever worker met it.
struct Failure {
    std::mutex mutex;
    std::exception_ptr first;
    std::uint64_t block = 0;
    void note(std::uint64_t in_block) {
        const std::lock_guard lock(mutex);
        if (first && block <= in_block) return;
        first = std::current_exception();
        block = in_block;
    }
};

void run_share(const Launch& launch, Worker& worker, unsigned number, unsigned workers,
               std::atomic<std::uint64_t>& end, Failure& failure) {
    try {
        const std::uint64_t places =
            std::max(1u, launch.architecture.sm_count / launch.cluster_blocks());
        for (std::uint64_t place = number; place < places && place < end; place += workers)
            worker.run_sm(place, places, end);
    } catch (...) {
        end = 0;
        failure.note(worker.running);
    }
}

unsigned workers_for(const Launch& launch, std::uint64_t clusters) {
    if (launch.races != nullptr) return 1;
    if (launch.image.traits.reads_clock) return 1;  // a clock shows how much a worker has executed
    if (clusters * launch.cluster_blocks() * launch.threads() < min_threads_to_share) return 1;
    const unsigned wanted = launch.options.workers != 0
                                ? launch.options.workers
                                : std::max(1u, std::thread::hardware_concurrency());
    return static_cast<unsigned>(
        std::min<std::uint64_t>({wanted, clusters, launch.architecture.sm_count}));
}

}  // namespace

std::vector<std::unique_ptr<Worker>> run_grid(const Launch& launch) {
    if (!launch.image.traits.has_order_dependence && !launch.shape.cooperative)
        return run_clusters(launch, launch.clusters());
    std::vector<std::unique_ptr<Worker>> workers;
    workers.push_back(std::make_unique<Worker>(launch));
    workers[0]->run_in_order();
    return workers;
}

std::vector<std::unique_ptr<Worker>> run_clusters(const Launch& launch, std::uint64_t clusters) {
    const unsigned count = workers_for(launch, clusters);
    std::vector<std::unique_ptr<Worker>> workers;
    workers.reserve(count);
    for (unsigned i = 0; i < count; ++i) workers.push_back(std::make_unique<Worker>(launch));
    std::atomic<std::uint64_t> end = clusters;
    Failure failure;
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < count; ++i) {
        threads.emplace_back([&, i] { run_share(launch, *workers[i], i, count, end, failure); });
    }
    run_share(launch, *workers[0], 0, count, end, failure);
    for (std::thread& thread : threads) thread.join();
    if (failure.first) std::rethrow_exception(failure.first);
    return workers;
}

}  // namespace emulator::simt

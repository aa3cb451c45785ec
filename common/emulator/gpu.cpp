#include "emulator/gpu.hpp"

#include "emulator/emulated_launch.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

#include "emulator/fault.hpp"
#include "emulator/program_image.hpp"

namespace emulator {
namespace {

LaunchCounters counters_of(const Tracer& tracer) {
    LaunchCounters result;
    for (const auto& site : tracer.sites()) {
        LaunchCounters one;
        AccessCounters* const sums[2][3] = {
            {&one.loads, &one.stores, &one.atomics},
            {&one.shared_loads, &one.shared_stores, &one.shared_atomics}};
        *sums[site->space == Space::shared][static_cast<int>(site->kind)] = site->counters;
        one.sites = {{site->return_address, site->space, site->kind, site->bytes, site->counters}};
        result.add(one);
    }
    return result;
}

void check_shape(const Architecture& architecture, const Kernel& kernel, const LaunchShape& shape) {
    const auto refuse = [&](const std::string& why) {
        throw InvalidLaunch("kernel " + function_name(kernel.code) + ": " + why);
    };
    const std::size_t threads = std::size_t{shape.block.x} * shape.block.y * shape.block.z;
    if (threads == 0 || shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0) {
        refuse("the grid and the block need at least one thread in each dimension");
    }
    if (threads > architecture.max_threads_per_block) {
        refuse("a block of " + std::to_string(threads) + " threads, at most " +
               std::to_string(architecture.max_threads_per_block) + " fit");
    }
    if (shape.grid.y > 65535 || shape.grid.z > 65535) {
        refuse("the grid is at most 65535 blocks wide in y and z");
    }
    const std::size_t shared = static_shared_bytes(kernel.code) + shape.dynamic_shared_bytes;
    if (shared > architecture.max_shared_bytes_per_block) {
        refuse(std::to_string(shared) + " bytes of shared memory a block, " + std::string(architecture.name) +
               " has " + std::to_string(architecture.max_shared_bytes_per_block));
    }
}

}  // namespace

void LaunchCounters::add(const LaunchCounters& other) {
    loads.add(other.loads);
    stores.add(other.stores);
    atomics.add(other.atomics);
    memory.add(other.memory);
    l2_read_sectors_least += other.l2_read_sectors_least;
    l2_write_sectors_least += other.l2_write_sectors_least;
    dram_read_bytes += other.dram_read_bytes;
    if (other.occupancy.blocks != 0) occupancy = other.occupancy;
    hazards.insert(hazards.end(), other.hazards.begin(), other.hazards.end());
    shared_loads.add(other.shared_loads);
    shared_stores.add(other.shared_stores);
    shared_atomics.add(other.shared_atomics);
    for (const SiteReport& site : other.sites) {
        const auto same = std::find_if(sites.begin(), sites.end(), [&](const SiteReport& mine) {
            return mine.return_address == site.return_address && mine.space == site.space;
        });
        if (same == sites.end()) {
            sites.push_back(site);
        } else {
            same->counters.add(site.counters);
        }
    }
    // Workers meet the sites in any order; reports must not depend on it.
    std::sort(sites.begin(), sites.end(), [](const SiteReport& a, const SiteReport& b) {
        return std::tie(a.return_address, a.space) < std::tie(b.return_address, b.space);
    });
}

// CPU threads that live as long as the GPU. Each runs whole blocks: a fiber never changes its thread.
class Gpu::Workers {
  public:
    Workers(const Architecture& architecture, unsigned count) : architecture_(architecture) {
        for (unsigned i = 0; i < count; ++i) {
            threads_.emplace_back([this, i] { work(i); });
        }
    }

    ~Workers() {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        start_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

    LaunchCounters run(const Kernel& kernel, const LaunchShape& shape, const TraceOptions& options) {
        std::unique_lock lock(mutex_);
        kernel_ = kernel;
        shape_ = shape;
        options_ = options;
        blocks_ = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
        next_block_ = 0;
        counters_ = {};
        read_sectors_.clear();
        written_sectors_.clear();
        hazards_.clear();
        first_failure_ = nullptr;
        busy_ = threads_.size();
        ++launch_;
        start_.notify_all();
        done_.wait(lock, [this] { return busy_ == 0; });
        if (first_failure_) std::rethrow_exception(first_failure_);
        counters_.l2_read_sectors_least = read_sectors_.sectors();
        counters_.l2_write_sectors_least = written_sectors_.sectors();
        counters_.dram_read_bytes = 64 * read_sectors_.granules();
        for (const auto& [identity, hazard] : hazards_) {
            counters_.hazards.push_back(text(hazard, function_name(kernel.code)));
        }
        return std::move(counters_);
    }

  private:
    void work(unsigned worker) {
        Block block(architecture_);
        std::uint64_t seen = 0;
        for (;;) {
            {
                std::unique_lock lock(mutex_);
                start_.wait(lock, [&] { return stopping_ || launch_ != seen; });
                if (stopping_) return;
                seen = launch_;
            }
            const unsigned threads = shape_.block.x * shape_.block.y * shape_.block.z;
            const std::size_t shared = static_shared_bytes(kernel_.code) + shape_.dynamic_shared_bytes;
            block.begin_launch(kernel_, shape_, l1_bytes(architecture_, threads, shared), options_);
            if (options_.model_caches) {
                run_multiprocessors(block, worker);
            } else {
                run_any_blocks(block);
            }
            block.end_launch();
            collect(block.tracer());
        }
    }

    // Whichever block is next: counts do not depend on who runs it.
    void run_any_blocks(Block& block) {
        for (std::uint64_t i; (i = next_block_.fetch_add(1)) < blocks_;) run_block(block, i);
    }

    // Blocks go to the SMs in turn; an SM belongs to one worker, so that its L1 sees its blocks in the
    // same order however many workers there are.
    void run_multiprocessors(Block& block, unsigned worker) {
        for (std::uint64_t sm = worker; sm < architecture_.sm_count; sm += threads_.size()) {
            block.tracer().memory()->begin_sm();
            for (std::uint64_t i = sm; i < blocks_ && next_block_ < blocks_; i += architecture_.sm_count) {
                run_block(block, i);
                if (block.tracer().memory() == nullptr) return;  // it has faulted
            }
        }
    }

    void run_block(Block& block, std::uint64_t i) {
        try {
            block.run({static_cast<unsigned>(i % shape_.grid.x),
                       static_cast<unsigned>(i / shape_.grid.x % shape_.grid.y),
                       static_cast<unsigned>(i / shape_.grid.x / shape_.grid.y)});
        } catch (...) {
            next_block_ = blocks_;  // nobody starts another one
            const std::lock_guard lock(mutex_);
            // Of several faults the one in the lowest block is reported, whoever came first.
            if (!first_failure_ || i < failed_block_) {
                first_failure_ = std::current_exception();
                failed_block_ = i;
            }
        }
    }

    void collect(const Tracer& tracer) {
        const std::lock_guard lock(mutex_);
        counters_.add(counters_of(tracer));
        if (tracer.memory() != nullptr) {
            counters_.memory.add(tracer.memory()->counters());
            read_sectors_.merge(tracer.memory()->read_sectors());
            written_sectors_.merge(tracer.memory()->written_sectors());
        }
        if (tracer.hazards() != nullptr) {
            for (const Hazard& hazard : tracer.hazards()->hazards()) {
                const auto [mine, is_new] = hazards_.try_emplace(identity(hazard), hazard);
                if (!is_new && order(hazard) < order(mine->second)) mine->second = hazard;
            }
        }
        if (--busy_ == 0) done_.notify_one();
    }

    // Workers find the same hazard in different blocks; the first block's is reported.
    static std::tuple<unsigned, unsigned, unsigned> order(const Hazard& hazard) {
        return {hazard.block.z, hazard.block.y, hazard.block.x};
    }

    const Architecture& architecture_;
    std::mutex mutex_;
    std::condition_variable start_, done_;
    std::vector<std::thread> threads_;
    Kernel kernel_;
    LaunchShape shape_;
    TraceOptions options_;
    std::uint64_t blocks_ = 0;
    std::atomic<std::uint64_t> next_block_ = 0;
    std::uint64_t launch_ = 0;
    std::size_t busy_ = 0;
    bool stopping_ = false;
    LaunchCounters counters_;
    SectorSet read_sectors_, written_sectors_;
    std::map<HazardIdentity, Hazard> hazards_;
    std::exception_ptr first_failure_;
    std::uint64_t failed_block_ = 0;
};

Gpu::Gpu(const Architecture& architecture, unsigned workers)
    : architecture_(architecture),
      workers_(std::make_unique<Workers>(
          architecture, workers != 0 ? workers : std::max(1u, std::thread::hardware_concurrency()))) {}

Gpu::~Gpu() = default;

LaunchCounters Gpu::launch(const Kernel& kernel, const LaunchShape& shape) {
    check_shape(architecture_, kernel, shape);
    TraceOptions options = options_;
    options.l1_mode = kernel.l1_mode;
    LaunchCounters counters = workers_->run(kernel, shape, options);
    counters.occupancy =
        emulator::occupancy(architecture_, shape.block.x * shape.block.y * shape.block.z,
                            static_shared_bytes(kernel.code) + shape.dynamic_shared_bytes);
    return counters;
}

namespace {
std::unique_ptr<Gpu>& current() {
    static std::unique_ptr<Gpu> gpu;
    return gpu;
}
}  // namespace

Gpu& current_gpu() {
    if (!current()) current() = std::make_unique<Gpu>(*find_architecture("hopper"));
    return *current();
}

void set_current_gpu(std::unique_ptr<Gpu> gpu) { current() = std::move(gpu); }

namespace {
LaunchCounters collected;
}

void launch_and_collect(const Kernel& kernel, const LaunchShape& shape) {
    collected.add(current_gpu().launch(kernel, shape));
}

LaunchCounters take_counters() { return std::exchange(collected, {}); }

}  // namespace emulator

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
    Workers(unsigned count, BankLayout banks) {
        for (unsigned i = 0; i < count; ++i) {
            threads_.emplace_back([this, banks] { work(banks); });
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

    LaunchCounters run(const Kernel& kernel, const LaunchShape& shape) {
        std::unique_lock lock(mutex_);
        kernel_ = kernel;
        shape_ = shape;
        blocks_ = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
        next_block_ = 0;
        counters_ = {};
        first_failure_ = nullptr;
        busy_ = threads_.size();
        ++launch_;
        start_.notify_all();
        done_.wait(lock, [this] { return busy_ == 0; });
        if (first_failure_) std::rethrow_exception(first_failure_);
        return std::move(counters_);
    }

  private:
    void work(BankLayout banks) {
        Block block(banks);
        std::uint64_t seen = 0;
        for (;;) {
            {
                std::unique_lock lock(mutex_);
                start_.wait(lock, [&] { return stopping_ || launch_ != seen; });
                if (stopping_) return;
                seen = launch_;
            }
            std::exception_ptr failure;
            std::uint64_t failed_block = 0;
            block.begin_launch(kernel_, shape_);
            for (std::uint64_t i; !failure && (i = next_block_.fetch_add(1)) < blocks_;) {
                try {
                    block.run({static_cast<unsigned>(i % shape_.grid.x),
                               static_cast<unsigned>(i / shape_.grid.x % shape_.grid.y),
                               static_cast<unsigned>(i / shape_.grid.x / shape_.grid.y)});
                } catch (...) {
                    failure = std::current_exception();
                    failed_block = i;
                    next_block_ = blocks_;  // nobody starts another one
                }
            }
            block.end_launch();
            const std::lock_guard lock(mutex_);
            counters_.add(counters_of(block.tracer()));
            // Of several faults the one in the lowest block is reported, whoever came first.
            if (failure && (!first_failure_ || failed_block < failed_block_)) {
                first_failure_ = failure;
                failed_block_ = failed_block;
            }
            if (--busy_ == 0) done_.notify_one();
        }
    }

    std::mutex mutex_;
    std::condition_variable start_, done_;
    std::vector<std::thread> threads_;
    Kernel kernel_;
    LaunchShape shape_;
    std::uint64_t blocks_ = 0;
    std::atomic<std::uint64_t> next_block_ = 0;
    std::uint64_t launch_ = 0;
    std::size_t busy_ = 0;
    bool stopping_ = false;
    LaunchCounters counters_;
    std::exception_ptr first_failure_;
    std::uint64_t failed_block_ = 0;
};

Gpu::Gpu(const Architecture& architecture, unsigned workers)
    : architecture_(architecture),
      workers_(std::make_unique<Workers>(
          workers != 0 ? workers : std::max(1u, std::thread::hardware_concurrency()),
          architecture.banks)) {}

Gpu::~Gpu() = default;

LaunchCounters Gpu::launch(const Kernel& kernel, const LaunchShape& shape) {
    check_shape(architecture_, kernel, shape);
    return workers_->run(kernel, shape);
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

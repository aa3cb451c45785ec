// The emulated GPU: an architecture, and launches on it that are executed and counted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/access.hpp"
#include "emulator/models/architecture.hpp"
#include "emulator/block.hpp"
#include "emulator/models/occupancy.hpp"

namespace emulator {

// One access in the kernel's source and what it cost over a launch.
struct SiteReport {
    const void* return_address = nullptr;
    Space space{};
    AccessKind kind{};
    std::uint32_t bytes = 0;
    AccessCounters counters;
};

// Sums over one launch, or over several.
struct LaunchCounters {
    AccessCounters loads, stores, atomics;                       // global memory
    AccessCounters shared_loads, shared_stores, shared_atomics;
    std::vector<SiteReport> sites;

    // With the caches modelled. Of L2 traffic only bounds are certain: each sector once at least, and
    // what `memory` says at most.
    MemoryCounters memory;
    std::uint64_t l2_read_sectors_least = 0;
    std::uint64_t l2_write_sectors_least = 0;
    std::uint64_t dram_read_bytes = 0;  // from a cold L2 that holds everything: 64-byte granules
    Occupancy occupancy;                // of the last launch
    std::vector<std::string> hazards;   // (with the checks on) one line each

    void add(const LaunchCounters& other);
};

class Gpu {
  public:
    // `workers` CPU threads run blocks side by side; 0 takes one for each core. Counts do not depend
    // on their number.
    explicit Gpu(const Architecture& architecture, unsigned workers = 0);
    ~Gpu();
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    const Architecture& architecture() const { return architecture_; }

    // Runs the whole grid. Throws InvalidLaunch before it starts, Fault when a thread faults (the
    // memory then holds whatever was written so far).
    LaunchCounters launch(const Kernel& kernel, const LaunchShape& shape);

    // For the launches that follow.
    void model_caches(bool on) { options_.model_caches = on; }
    void check_hazards(bool on) { options_.check_hazards = on; }

  private:
    class Workers;
    const Architecture& architecture_;
    TraceOptions options_;
    std::unique_ptr<Workers> workers_;
};

// The GPU that `launch` (lab/launch.hpp) runs on. current_gpu() makes the default one (hopper) when
// none has been set.
Gpu& current_gpu();
void set_current_gpu(std::unique_ptr<Gpu> gpu);

}  // namespace emulator

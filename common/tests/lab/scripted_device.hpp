// A GPU whose clocks and times a test writes down, behind the interface of lab/device/backend.hpp: what the
// harness does on a GPU is tested without one. Linked in place of lab/device/backend.cu; its memory is the
// host's.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "lab/device/backend.hpp"

namespace scripted {

// How a batch goes.
struct Play {
    double seconds_per_launch = 1e-6;
    double sm_clock_mhz = 1000;
    std::optional<bool> throttled = false;
    std::string error = {};  // thrown after the launches were made
};

struct Device {
    lab::DeviceDescription description = {
        .slug = "scripted-gpu",
        .gpu_name = "scripted GPU",
        .generation = "Hopper",
        .sm_count = 1,
        .compute_capability = 9,
        .max_grid = {0x7fffffff, 65535, 65535},
        .max_threads_per_block = 1024,
        .max_shared_bytes_per_block = 48 << 10,
        .l2_bytes = 1 << 20,
        .dram_bytes_per_second = 1e15,
        .provenance = {{"year", "2022"}, {"fetch_unit_bytes", "32"}}};
    std::deque<Play> plays = {};  // of the batches to come; after the last one, the default
    struct Batch {
        int launches, held;
        std::size_t l2_set_aside_bytes;
    };
    std::vector<Batch> batches = {};  // that were timed
    std::size_t l2_set_aside_bytes = 0;
    std::size_t written_bytes = 0;  // of its memory, by copies and poison
    // Where it is an emulated one: what is predicted of a launch, which adds its own time to it; of kernels, and of copies
    // and fills as well.
    double kernel_seconds = 0, busy_seconds = 0;
    int executed = 0, sampled = 0;  // launches whose counts, or whose time alone, was asked for
    bool is_predicting = false;
    std::size_t free_bytes = std::size_t{1} << 40;
    int compiled_for = 9;  // the compute capability of its kernels' code
    bool has_managed_memory = false;
};

Device& device();  // of this process; a test assigns a new one

}  // namespace scripted

// A result's description of the device and of the build that made it.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace lab {

struct DeviceDescription {
    std::string slug;  // "nvidia-h200", "emulated-fermi": the folder of its results
    bool emulated = false;
    // Opened with --count-migrations: to count what moves of managed memory, and not to time.
    bool counts_migrations = false;
    std::string gpu_name;
    std::string generation;
    int sm_count = 0;
    int compute_capability = 0;                // major
    std::array<std::size_t, 3> max_grid = {};  // blocks in x, y and z
    std::size_t max_threads_per_block = 0;
    std::size_t max_shared_bytes_per_block = 0;  // where a kernel asks for it
    // Whether loads that were compiled with -dlcm=cg pass the L1 (l1:off).
    bool has_l1_off = true;
    std::size_t l2_bytes = 0;
    std::size_t max_l2_set_aside_bytes = 0;  // 0 where none can be, or nothing is timed
    double dram_bytes_per_second = 0;        // theoretical peak; 0 when unknown
    // Everything else that a result must be read with, for the JSON context.
    std::vector<std::pair<std::string, std::string>> provenance;
};

// Describes CUDA's device 0, a GPU or an emulated one. Throws CudaError.
DeviceDescription describe_device();

}  // namespace lab

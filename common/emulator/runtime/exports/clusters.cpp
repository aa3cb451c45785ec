// How many blocks a cluster can have, and how many clusters fit. Which SMs form a GPC, and so how many clusters a GPU really holds, is
// not published: these are upper bounds.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/launches.hpp"

using namespace emulator::runtime;

namespace {

Launch launch_of(const void* function, const cudaLaunchConfig_t* config) {
    require(config != nullptr && (config->attrs != nullptr || config->numAttrs == 0));
    Launch launch{.function = &find_function(function),
                  .grid = config->gridDim,
                  .block = config->blockDim,
                  .dynamic_shared_bytes = config->dynamicSmemBytes,
                  .cooperative = false,
                  .parameters = {}};
    launch.cluster = cluster_of(*launch.function, asked_cluster(*config));
    return launch;
}

std::size_t resident_blocks(const Launch& launch) {
    const std::size_t shared_bytes =
        launch.function->attributes().static_shared_bytes + launch.dynamic_shared_bytes;
    const unsigned threads = launch.block.x * launch.block.y * launch.block.z;
    const emulator::Occupancy fits = emulator::occupancy(architecture(), threads, shared_bytes,
                                                         registers_per_thread(*launch.function));
    return std::size_t{fits.blocks} * architecture().sm_count;
}

}  // namespace

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
    return call([&] {
        require(clusters != nullptr);
        const Launch launch = launch_of(function, config);
        check_launch(launch);
        const dim3 size = launch.cluster;
        *clusters = static_cast<int>(resident_blocks(launch) / (size.x * size.y * size.z));
    });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* function,
                                                 const cudaLaunchConfig_t* config) {
    return call([&] {
        require(blocks != nullptr);
        const Launch launch = launch_of(function, config);
        const std::size_t most = max_cluster_blocks(*launch.function);
        *blocks = static_cast<int>(std::min(most, resident_blocks(launch)));
    });
}

// The functions of the API that launch kernels.
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/launches.hpp"
#include "emulator/runtime/api/streams.hpp"
#include "emulator/runtime/graphs/graph_capture.hpp"

using namespace emulator::runtime;

namespace {

cudaError_t launch(const void* function, dim3 grid, dim3 block, void** arguments,
                   std::size_t shared_bytes, cudaStream_t stream, bool cooperative,
                   std::optional<dim3> cluster = std::nullopt) {
    return call([&] {
        Launch launch{.function = &find_function(function),
                      .grid = grid,
                      .block = block,
                      .dynamic_shared_bytes = shared_bytes,
                      .cooperative = cooperative,
                      .parameters = {}};
        launch.cluster = cluster_of(*launch.function, cluster);
        if (!is_stream(stream))
            refuse_launch(launch, cudaErrorInvalidResourceHandle,
                          "in a stream that does not exist");
        check_launch(launch);
        launch.parameters = copy_arguments(*launch.function, arguments);
        launch.stream = stream_state(stream).id;
        perform(stream, launch);
    });
}

}  // namespace

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
    return launch(function, grid, block, arguments, shared_bytes, stream, false);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, std::size_t shared_bytes,
                                        cudaStream_t stream) {
    return launch(function, grid, block, arguments, shared_bytes, stream, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
    bool cooperative = false;
    std::optional<dim3> size;
    const cudaError_t error = call([&] {
        require(config != nullptr && (config->attrs != nullptr || config->numAttrs == 0));
        for (unsigned i = 0; i < config->numAttrs; ++i) {
            if (config->attrs[i].id == cudaLaunchAttributeCooperative)
                cooperative = config->attrs[i].val.cooperative != 0;
        }
        size = asked_cluster(*config);
    });
    if (error != cudaSuccess) return error;
    return launch(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                  config->stream, cooperative, size);
}

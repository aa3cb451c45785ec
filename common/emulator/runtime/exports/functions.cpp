// Attributes of kernels, and their occupancy.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/launches.hpp"
#include "emulator/runtime/api/programs.hpp"

using namespace emulator::runtime;

namespace {

emulator::Occupancy occupancy_of(Function& function, unsigned threads, std::size_t dynamic_bytes) {
    const std::size_t shared_bytes = function.attributes().static_shared_bytes + dynamic_bytes;
    return emulator::occupancy(architecture(), threads, shared_bytes,
                               registers_per_thread(function));
}

cudaFuncAttributes attributes_of(Function& function) {
    const emulator::simt::KernelAttributes& kernel = function.attributes();
    const emulator::ptx::KernelResources* const resources = function.resources();
    cudaFuncAttributes result{};
    result.sharedSizeBytes = kernel.static_shared_bytes;
    result.constSizeBytes = kernel.constant_bytes;
    result.localSizeBytes = resources != nullptr ? resources->stack_bytes : kernel.local_bytes;
    result.maxThreadsPerBlock = static_cast<int>(max_threads_per_block(function));
    result.numRegs = resources != nullptr ? static_cast<int>(resources->registers) : 0;
    result.ptxVersion = static_cast<int>(function.program->ptx_compute_capability());
    result.binaryVersion = static_cast<int>(architecture().compute_number());
    result.maxDynamicSharedSizeBytes =
        function.max_dynamic_shared_bytes >= 0
            ? function.max_dynamic_shared_bytes
            : static_cast<int>(max_shared_bytes(function) -
                               std::min(max_shared_bytes(function), kernel.static_shared_bytes));
    result.preferredShmemCarveout = function.preferred_carveout_percent;
    result.nonPortableClusterSizeAllowed = function.non_portable_clusters;
    return result;
}

void set_max_dynamic_shared_bytes(Function& function, int bytes) {
    const std::size_t most = device_limits().shared_bytes_per_block_opt_in;
    const std::size_t fixed = function.attributes().static_shared_bytes;
    if (bytes < 0 || fixed + static_cast<unsigned>(bytes) > most)
        refuse(cudaErrorInvalidValue, std::to_string(bytes) +
                                          " bytes of dynamic shared memory beside " +
                                          std::to_string(fixed) + " static, at most " +
                                          std::to_string(most) + " together");
    function.max_dynamic_shared_bytes = bytes;
}

void set_attribute(Function& function, cudaFuncAttribute attribute, int value) {
    switch (attribute) {
        case cudaFuncAttributeMaxDynamicSharedMemorySize:
            set_max_dynamic_shared_bytes(function, value);
            return;
        case cudaFuncAttributePreferredSharedMemoryCarveout:
            require(value >= cudaSharedmemCarveoutDefault &&
                    value <= cudaSharedmemCarveoutMaxShared);
            function.preferred_carveout_percent = value;
            return;
        case cudaFuncAttributeNonPortableClusterSizeAllowed:
            function.non_portable_clusters = value != 0;
            return;
        case cudaFuncAttributeRequiredClusterWidth:
        case cudaFuncAttributeRequiredClusterHeight:
        case cudaFuncAttributeRequiredClusterDepth:
            if (value <= 1) return;
            throw ApiError(cudaErrorNotSupported,
                           "kernel " + function.demangled() +
                               ": its clusters are those of __cluster_dims__ "
                               "or cudaLaunchAttributeClusterDimension");
        case cudaFuncAttributeClusterSchedulingPolicyPreference:
            return;  // a hint
        default:
            throw ApiError(cudaErrorInvalidValue);
    }
}

}  // namespace

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
    return call([&] {
        require(attributes != nullptr);
        *attributes = attributes_of(find_function(function));
    });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
    return call([&] { set_attribute(find_function(function), attribute, value); });
}

// extern "C" as the headers of CUDA 12.4 do not declare it.
extern "C" cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
                                                       cudaFuncAttribute attribute, int value,
                                                       int device) {
    return call([&] {
        require_device(device);
        set_attribute(find_function(kernel), attribute, value);
    });
}

// A preference that the model of the L1 does not use: it takes the smallest carve-out that fits.
cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
    return call([&] { find_function(function); });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig config) {
    return call([&] {
        require_valid(config);
        find_function(function).shared_config = config;
    });
}

cudaError_t cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                                 std::size_t* bytes) {
    return call([&] {
        const auto& parameters = find_function(function).attributes().parameters;
        require(offset != nullptr && index < parameters.size());
        *offset = parameters[index].first;
        if (bytes != nullptr) *bytes = parameters[index].second;
    });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int block_size,
                                                          std::size_t dynamic_bytes) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, function, block_size, dynamic_bytes, cudaOccupancyDefault);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int block_size, std::size_t dynamic_bytes, unsigned flags) {
    return call([&] {
        require(blocks != nullptr && block_size > 0);
        require((flags & ~unsigned{cudaOccupancyDisableCachingOverride}) == 0);
        Function& asked = find_function(function);
        const auto threads = static_cast<unsigned>(block_size);
        const std::size_t shared_bytes = asked.attributes().static_shared_bytes + dynamic_bytes;
        const bool can_launch = threads <= max_threads_per_block(asked) &&
                                shared_bytes <= device_limits().shared_bytes_per_block_opt_in;
        *blocks =
            can_launch ? static_cast<int>(occupancy_of(asked, threads, dynamic_bytes).blocks) : 0;
    });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* dynamic_bytes,
                                                      const void* function, int blocks,
                                                      int block_size) {
    return call([&] {
        require(dynamic_bytes != nullptr && blocks > 0 && block_size > 0);
        Function& asked = find_function(function);
        const auto threads = static_cast<unsigned>(block_size);
        require(occupancy_of(asked, threads, 0).blocks >= static_cast<unsigned>(blocks));
        const emulator::Architecture& gpu = architecture();
        const std::size_t unit = std::max(gpu.shared_allocation_unit_bytes, 1u);
        const std::size_t share =
            gpu.max_shared_bytes_per_sm / static_cast<unsigned>(blocks) / unit * unit;
        const std::size_t taken =
            asked.attributes().static_shared_bytes + gpu.shared_system_bytes_per_block;
        const std::size_t most =
            max_shared_bytes(asked) -
            std::min(max_shared_bytes(asked), asked.attributes().static_shared_bytes);
        *dynamic_bytes = std::min(share - std::min(share, taken), most);
    });
}

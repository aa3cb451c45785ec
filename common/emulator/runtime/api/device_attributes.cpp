// cudaDeviceGetAttribute: facts of the emulated GPU from the table of architectures. The maxima of
// textures and surfaces are those of the CUDA C++ Programming Guide, "Technical Specifications per
// Compute Capability".
#include <cuda_runtime_api.h>

#include <algorithm>
#include <climits>
#include <optional>

#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/device_properties.hpp"
#include "emulator/runtime/api/errors.hpp"

namespace emulator::runtime {
namespace {

// Only a device with another device beside it, a display or a network has these.
constexpr int none = 0;

int kilohertz(double hertz) { return static_cast<int>(hertz / 1e3); }

// The value for the generation: before 3.0, before 6.0, from 6.0 on.
int by_generation(int fermi, int kepler_and_maxwell, int later) {
    const unsigned capability = architecture().compute_number();
    return capability < 30 ? fermi : capability < 60 ? kepler_and_maxwell : later;
}

// Throughput of single over that of double precision (CUDA C++ Programming Guide, "Arithmetic
// Instructions"); 0: not known.
int single_to_double_ratio() {
    switch (architecture().compute_number()) {
        case 20:
        case 60:
        case 70:
        case 80:
        case 90:
        case 100:
            return 2;
        case 35:
            return 3;
        case 52:
        case 75:
            return 32;
        case 89:
            return 64;
        default:
            return 0;
    }
}

std::optional<int> size_attribute(cudaDeviceAttr attribute) {
    switch (attribute) {
        case cudaDevAttrMaxTexture1DWidth:
        case cudaDevAttrMaxTexture2DLinearWidth:
            return by_generation(65536, 65536, 131072);
        case cudaDevAttrMaxTexture2DWidth:
            return by_generation(65536, 65536, 131072);
        case cudaDevAttrMaxTexture2DHeight:
            return by_generation(65535, 65536, 65536);
        case cudaDevAttrMaxTexture2DLinearHeight:
            return 65000;
        case cudaDevAttrMaxTexture2DLinearPitch:
            return by_generation(1048544, 1048544, 2097120);
        case cudaDevAttrMaxTexture3DWidth:
        case cudaDevAttrMaxTexture3DHeight:
        case cudaDevAttrMaxTexture3DDepth:
            return by_generation(2048, 4096, 16384);
        case cudaDevAttrMaxTexture3DWidthAlt:
        case cudaDevAttrMaxTexture3DHeightAlt:
            return by_generation(2048, 2048, 8192);
        case cudaDevAttrMaxTexture3DDepthAlt:
            return by_generation(2048, 16384, 32768);
        case cudaDevAttrMaxTexture1DLinearWidth:
            return by_generation(1 << 27, 1 << 27, 1 << 28);
        case cudaDevAttrMaxTexture1DMipmappedWidth:
            return by_generation(16384, 16384, 32768);
        case cudaDevAttrMaxTexture2DMipmappedWidth:
        case cudaDevAttrMaxTexture2DMipmappedHeight:
        case cudaDevAttrMaxTexture2DGatherWidth:
        case cudaDevAttrMaxTexture2DGatherHeight:
        case cudaDevAttrMaxTexture1DLayeredWidth:
        case cudaDevAttrMaxTexture2DLayeredWidth:
        case cudaDevAttrMaxTexture2DLayeredHeight:
        case cudaDevAttrMaxTextureCubemapWidth:
        case cudaDevAttrMaxTextureCubemapLayeredWidth:
        case cudaDevAttrMaxSurface1DWidth:
        case cudaDevAttrMaxSurface1DLayeredWidth:
        case cudaDevAttrMaxSurface2DLayeredWidth:
        case cudaDevAttrMaxSurface2DLayeredHeight:
        case cudaDevAttrMaxSurfaceCubemapWidth:
        case cudaDevAttrMaxSurfaceCubemapLayeredWidth:
            return by_generation(16384, 16384, 32768);
        case cudaDevAttrMaxTexture1DLayeredLayers:
        case cudaDevAttrMaxTexture2DLayeredLayers:
        case cudaDevAttrMaxSurface1DLayeredLayers:
        case cudaDevAttrMaxSurface2DLayeredLayers:
            return 2048;
        case cudaDevAttrMaxTextureCubemapLayeredLayers:
        case cudaDevAttrMaxSurfaceCubemapLayeredLayers:
            return 2046;
        case cudaDevAttrMaxSurface2DWidth:
            return by_generation(65536, 65536, 131072);
        case cudaDevAttrMaxSurface2DHeight:
            return by_generation(32768, 65536, 65536);
        case cudaDevAttrMaxSurface3DWidth:
        case cudaDevAttrMaxSurface3DHeight:
        case cudaDevAttrMaxSurface3DDepth:
            return by_generation(2048, 4096, 16384);
        default:
            return std::nullopt;
    }
}

std::optional<int> launch_attribute(cudaDeviceAttr attribute) {
    const Architecture& gpu = architecture();
    const DeviceLimits& limit = device_limits();
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock:
            return int(gpu.max_threads_per_block);
        case cudaDevAttrMaxBlockDimX:
            return int(limit.max_block_x);
        case cudaDevAttrMaxBlockDimY:
            return int(limit.max_block_y);
        case cudaDevAttrMaxBlockDimZ:
            return int(limit.max_block_z);
        case cudaDevAttrMaxGridDimX:
            return int(gpu.max_grid_x);
        case cudaDevAttrMaxGridDimY:
            return int(limit.max_grid_y);
        case cudaDevAttrMaxGridDimZ:
            return int(limit.max_grid_z);
        case cudaDevAttrMaxSharedMemoryPerBlock:
            return int(limit.shared_bytes_per_block);
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            return int(limit.shared_bytes_per_block_opt_in);
        case cudaDevAttrReservedSharedMemoryPerBlock:
            return int(gpu.shared_system_bytes_per_block);
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            return int(gpu.max_shared_bytes_per_sm);
        case cudaDevAttrTotalConstantMemory:
            return int(limit.constant_bytes);
        case cudaDevAttrWarpSize:
            return warp_size;
        case cudaDevAttrMaxRegistersPerBlock:
            return int(limit.registers_per_block);
        case cudaDevAttrMaxRegistersPerMultiprocessor:
            return int(gpu.registers_per_sm);
        case cudaDevAttrMaxThreadsPerMultiProcessor:
            return int(gpu.max_threads_per_sm);
        case cudaDevAttrMaxBlocksPerMultiprocessor:
            return int(gpu.max_blocks_per_sm);
        case cudaDevAttrMultiProcessorCount:
            return int(gpu.sm_count);
        case cudaDevAttrComputeCapabilityMajor:
            return int(gpu.compute_number() / 10);
        case cudaDevAttrComputeCapabilityMinor:
            return int(gpu.compute_number() % 10);
        case cudaDevAttrClockRate:
            return kilohertz(gpu.sm_clock_hz);
        case cudaDevAttrMemoryClockRate:
            return kilohertz(gpu.dram_clock_hz);
        case cudaDevAttrGlobalMemoryBusWidth:
            return int(gpu.dram_bus_bits);
        case cudaDevAttrL2CacheSize:
            return int(gpu.l2_bytes);
        case cudaDevAttrGlobalL1CacheSupported:
            return gpu.l1_caches_global_loads;
        case cudaDevAttrLocalL1CacheSupported:
            return 1;
        case cudaDevAttrCooperativeLaunch:
            return limit.can_launch_cooperatively;
        case cudaDevAttrClusterLaunch:
            return limit.has_clusters;
        default:
            return std::nullopt;
    }
}

std::optional<int> other_attribute(cudaDeviceAttr attribute) {
    switch (attribute) {
        case cudaDevAttrMaxPitch:
            return INT_MAX;
        case cudaDevAttrTextureAlignment:
            return 512;
        case cudaDevAttrTexturePitchAlignment:
            return 32;
        case cudaDevAttrSurfaceAlignment:
            return 512;
        case cudaDevAttrComputeMode:
            return cudaComputeModeDefault;
        case cudaDevAttrAsyncEngineCount:
        case cudaDevAttrGpuOverlap:
            return 1;
        case cudaDevAttrCanMapHostMemory:
        case cudaDevAttrConcurrentKernels:
        case cudaDevAttrUnifiedAddressing:
        case cudaDevAttrStreamPrioritiesSupported:
        case cudaDevAttrManagedMemory:
        case cudaDevAttrCanUseHostPointerForRegisteredMem:
        case cudaDevAttrHostRegisterSupported:
        case cudaDevAttrHostRegisterReadOnlySupported:
        case cudaDevAttrMemoryPoolsSupported:
            return 1;
        // Managed memory moves on demand from Pascal on.
        case cudaDevAttrConcurrentManagedAccess:
        case cudaDevAttrComputePreemptionSupported:
            return by_generation(0, 0, 1);
        case cudaDevAttrSingleToDoublePrecisionPerfRatio:
            return single_to_double_ratio();
        case cudaDevAttrHostNumaId:
        case cudaDevAttrNumaId:
            return -1;
        case cudaDevAttrMemSyncDomainCount:
            return 1;
        default:
            return std::nullopt;
    }
}

}  // namespace

int device_attribute(cudaDeviceAttr attribute) {
    require(attribute >= cudaDevAttrMaxThreadsPerBlock && attribute < cudaDevAttrMax);
    for (const auto& find : {launch_attribute, size_attribute, other_attribute}) {
        if (const auto value = find(attribute)) return *value;
    }
    return none;
}

}  // namespace emulator::runtime

using namespace emulator::runtime;

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    return call([&] {
        require(value != nullptr);
        require_device(device);
        *value = device_attribute(attribute);
    });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int from, int to) {
    return call([&] {
        require(value != nullptr);
        require_device(from);
        require_device(to);
        throw ApiError(cudaErrorInvalidDevice);  // there is one device
    });
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* elements,
                                                 const cudaChannelFormatDesc* format, int device) {
    return call([&] {
        require(elements != nullptr && format != nullptr);
        require_device(device);
        const int bits = format->x + format->y + format->z + format->w;
        require(bits > 0);
        *elements = static_cast<std::size_t>(device_attribute(cudaDevAttrMaxTexture1DLinearWidth));
    });
}

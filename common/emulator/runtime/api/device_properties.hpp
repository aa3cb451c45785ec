// cudaDeviceProp, whose layout CUDA 12 and 13 have in two forms with the same names.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string>

#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/memory/allocations.hpp"

namespace emulator::runtime {

// Throws ApiError for what is no attribute. An attribute that the emulated GPU lacks is 0.
int device_attribute(cudaDeviceAttr attribute);

// An attribute for each element of a property.
template <std::size_t count, std::same_as<cudaDeviceAttr>... Attributes>
    requires(sizeof...(Attributes) == count)
void set(int (&property)[count], Attributes... attributes) {
    int* next = property;
    ((*next++ = device_attribute(attributes)), ...);
}

template <class Properties>
void fill_sizes(Properties& p) {
    p.maxTexture1D = device_attribute(cudaDevAttrMaxTexture1DWidth);
    p.maxTexture1DMipmap = device_attribute(cudaDevAttrMaxTexture1DMipmappedWidth);
    p.maxTextureCubemap = device_attribute(cudaDevAttrMaxTextureCubemapWidth);
    p.maxSurface1D = device_attribute(cudaDevAttrMaxSurface1DWidth);
    p.maxSurfaceCubemap = device_attribute(cudaDevAttrMaxSurfaceCubemapWidth);
    set(p.maxTexture2D, cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight);
    set(p.maxTexture2DMipmap, cudaDevAttrMaxTexture2DMipmappedWidth,
        cudaDevAttrMaxTexture2DMipmappedHeight);
    set(p.maxTexture2DLinear, cudaDevAttrMaxTexture2DLinearWidth,
        cudaDevAttrMaxTexture2DLinearHeight, cudaDevAttrMaxTexture2DLinearPitch);
    set(p.maxTexture2DGather, cudaDevAttrMaxTexture2DGatherWidth,
        cudaDevAttrMaxTexture2DGatherHeight);
    set(p.maxTexture3D, cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight,
        cudaDevAttrMaxTexture3DDepth);
    set(p.maxTexture3DAlt, cudaDevAttrMaxTexture3DWidthAlt, cudaDevAttrMaxTexture3DHeightAlt,
        cudaDevAttrMaxTexture3DDepthAlt);
    set(p.maxTexture1DLayered, cudaDevAttrMaxTexture1DLayeredWidth,
        cudaDevAttrMaxTexture1DLayeredLayers);
    set(p.maxTexture2DLayered, cudaDevAttrMaxTexture2DLayeredWidth,
        cudaDevAttrMaxTexture2DLayeredHeight, cudaDevAttrMaxTexture2DLayeredLayers);
    set(p.maxTextureCubemapLayered, cudaDevAttrMaxTextureCubemapLayeredWidth,
        cudaDevAttrMaxTextureCubemapLayeredLayers);
    set(p.maxSurface2D, cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight);
    set(p.maxSurface3D, cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight,
        cudaDevAttrMaxSurface3DDepth);
    set(p.maxSurface1DLayered, cudaDevAttrMaxSurface1DLayeredWidth,
        cudaDevAttrMaxSurface1DLayeredLayers);
    set(p.maxSurface2DLayered, cudaDevAttrMaxSurface2DLayeredWidth,
        cudaDevAttrMaxSurface2DLayeredHeight, cudaDevAttrMaxSurface2DLayeredLayers);
    set(p.maxSurfaceCubemapLayered, cudaDevAttrMaxSurfaceCubemapLayeredWidth,
        cudaDevAttrMaxSurfaceCubemapLayeredLayers);
}

template <class Properties>
void fill_limits(Properties& p) {
    const auto get = [](cudaDeviceAttr attribute) { return device_attribute(attribute); };
    p.totalGlobalMem = total_device_bytes();
    p.sharedMemPerBlock = device_limits().shared_bytes_per_block;
    p.sharedMemPerBlockOptin = device_limits().shared_bytes_per_block_opt_in;
    p.reservedSharedMemPerBlock = architecture().shared_system_bytes_per_block;
    p.sharedMemPerMultiprocessor = architecture().max_shared_bytes_per_sm;
    p.totalConstMem = device_limits().constant_bytes;
    p.regsPerBlock = get(cudaDevAttrMaxRegistersPerBlock);
    p.regsPerMultiprocessor = get(cudaDevAttrMaxRegistersPerMultiprocessor);
    p.warpSize = get(cudaDevAttrWarpSize);
    p.maxThreadsPerBlock = get(cudaDevAttrMaxThreadsPerBlock);
    set(p.maxThreadsDim, cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ);
    set(p.maxGridSize, cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ);
    p.maxThreadsPerMultiProcessor = get(cudaDevAttrMaxThreadsPerMultiProcessor);
    p.maxBlocksPerMultiProcessor = get(cudaDevAttrMaxBlocksPerMultiprocessor);
    p.multiProcessorCount = get(cudaDevAttrMultiProcessorCount);
    p.major = get(cudaDevAttrComputeCapabilityMajor);
    p.minor = get(cudaDevAttrComputeCapabilityMinor);
    p.l2CacheSize = get(cudaDevAttrL2CacheSize);
    p.memoryBusWidth = get(cudaDevAttrGlobalMemoryBusWidth);
    p.memPitch = static_cast<std::size_t>(get(cudaDevAttrMaxPitch));
    p.textureAlignment = static_cast<std::size_t>(get(cudaDevAttrTextureAlignment));
    p.texturePitchAlignment = static_cast<std::size_t>(get(cudaDevAttrTexturePitchAlignment));
    p.surfaceAlignment = static_cast<std::size_t>(get(cudaDevAttrSurfaceAlignment));
}

// The emulated GPU does not have what is not set here.
template <class Properties>
Properties device_properties() {
    const auto get = [](cudaDeviceAttr attribute) { return device_attribute(attribute); };
    Properties p{};
    const std::string name = device_name();
    std::copy_n(name.begin(), std::min(name.size(), sizeof p.name - 1), p.name);
    fill_limits(p);
    fill_sizes(p);
    p.canMapHostMemory = get(cudaDevAttrCanMapHostMemory);
    p.concurrentKernels = get(cudaDevAttrConcurrentKernels);
    p.asyncEngineCount = get(cudaDevAttrAsyncEngineCount);
    p.unifiedAddressing = get(cudaDevAttrUnifiedAddressing);
    p.streamPrioritiesSupported = get(cudaDevAttrStreamPrioritiesSupported);
    p.globalL1CacheSupported = get(cudaDevAttrGlobalL1CacheSupported);
    p.localL1CacheSupported = get(cudaDevAttrLocalL1CacheSupported);
    p.managedMemory = get(cudaDevAttrManagedMemory);
    p.concurrentManagedAccess = get(cudaDevAttrConcurrentManagedAccess);
    p.computePreemptionSupported = get(cudaDevAttrComputePreemptionSupported);
    p.canUseHostPointerForRegisteredMem = get(cudaDevAttrCanUseHostPointerForRegisteredMem);
    p.cooperativeLaunch = get(cudaDevAttrCooperativeLaunch);
    p.hostRegisterSupported = get(cudaDevAttrHostRegisterSupported);
    p.hostRegisterReadOnlySupported = get(cudaDevAttrHostRegisterReadOnlySupported);
    p.clusterLaunch = get(cudaDevAttrClusterLaunch);
    p.memoryPoolsSupported = get(cudaDevAttrMemoryPoolsSupported);
    return p;
}

template <class Properties>
cudaError_t get_properties(Properties* properties, int device) {
    return call([&] {
        require(properties != nullptr);
        require_device(device);
        *properties = device_properties<Properties>();
    });
}

}  // namespace emulator::runtime

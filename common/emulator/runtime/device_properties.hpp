// cudaDeviceProp, whose layout CUDA 12 and 13 have in two forms with the same names.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>

#include "emulator/runtime/allocations.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/errors.hpp"

namespace emulator::runtime {

// Throws ApiError for what is no attribute. An attribute that the emulated GPU lacks is 0.
int device_attribute(cudaDeviceAttr attribute);

template <class Properties>
void fill_sizes(Properties& p) {
    const auto get = [](cudaDeviceAttr attribute) { return device_attribute(attribute); };
    p.maxTexture1D = get(cudaDevAttrMaxTexture1DWidth);
    p.maxTexture1DMipmap = get(cudaDevAttrMaxTexture1DMipmappedWidth);
    p.maxTexture2D[0] = get(cudaDevAttrMaxTexture2DWidth);
    p.maxTexture2D[1] = get(cudaDevAttrMaxTexture2DHeight);
    p.maxTexture2DMipmap[0] = get(cudaDevAttrMaxTexture2DMipmappedWidth);
    p.maxTexture2DMipmap[1] = get(cudaDevAttrMaxTexture2DMipmappedHeight);
    p.maxTexture2DLinear[0] = get(cudaDevAttrMaxTexture2DLinearWidth);
    p.maxTexture2DLinear[1] = get(cudaDevAttrMaxTexture2DLinearHeight);
    p.maxTexture2DLinear[2] = get(cudaDevAttrMaxTexture2DLinearPitch);
    p.maxTexture2DGather[0] = get(cudaDevAttrMaxTexture2DGatherWidth);
    p.maxTexture2DGather[1] = get(cudaDevAttrMaxTexture2DGatherHeight);
    p.maxTexture3D[0] = get(cudaDevAttrMaxTexture3DWidth);
    p.maxTexture3D[1] = get(cudaDevAttrMaxTexture3DHeight);
    p.maxTexture3D[2] = get(cudaDevAttrMaxTexture3DDepth);
    p.maxTexture3DAlt[0] = get(cudaDevAttrMaxTexture3DWidthAlt);
    p.maxTexture3DAlt[1] = get(cudaDevAttrMaxTexture3DHeightAlt);
    p.maxTexture3DAlt[2] = get(cudaDevAttrMaxTexture3DDepthAlt);
    p.maxTextureCubemap = get(cudaDevAttrMaxTextureCubemapWidth);
    p.maxTexture1DLayered[0] = get(cudaDevAttrMaxTexture1DLayeredWidth);
    p.maxTexture1DLayered[1] = get(cudaDevAttrMaxTexture1DLayeredLayers);
    p.maxTexture2DLayered[0] = get(cudaDevAttrMaxTexture2DLayeredWidth);
    p.maxTexture2DLayered[1] = get(cudaDevAttrMaxTexture2DLayeredHeight);
    p.maxTexture2DLayered[2] = get(cudaDevAttrMaxTexture2DLayeredLayers);
    p.maxTextureCubemapLayered[0] = get(cudaDevAttrMaxTextureCubemapLayeredWidth);
    p.maxTextureCubemapLayered[1] = get(cudaDevAttrMaxTextureCubemapLayeredLayers);
    p.maxSurface1D = get(cudaDevAttrMaxSurface1DWidth);
    p.maxSurface2D[0] = get(cudaDevAttrMaxSurface2DWidth);
    p.maxSurface2D[1] = get(cudaDevAttrMaxSurface2DHeight);
    p.maxSurface3D[0] = get(cudaDevAttrMaxSurface3DWidth);
    p.maxSurface3D[1] = get(cudaDevAttrMaxSurface3DHeight);
    p.maxSurface3D[2] = get(cudaDevAttrMaxSurface3DDepth);
    p.maxSurface1DLayered[0] = get(cudaDevAttrMaxSurface1DLayeredWidth);
    p.maxSurface1DLayered[1] = get(cudaDevAttrMaxSurface1DLayeredLayers);
    p.maxSurface2DLayered[0] = get(cudaDevAttrMaxSurface2DLayeredWidth);
    p.maxSurface2DLayered[1] = get(cudaDevAttrMaxSurface2DLayeredHeight);
    p.maxSurface2DLayered[2] = get(cudaDevAttrMaxSurface2DLayeredLayers);
    p.maxSurfaceCubemap = get(cudaDevAttrMaxSurfaceCubemapWidth);
    p.maxSurfaceCubemapLayered[0] = get(cudaDevAttrMaxSurfaceCubemapLayeredWidth);
    p.maxSurfaceCubemapLayered[1] = get(cudaDevAttrMaxSurfaceCubemapLayeredLayers);
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
    p.maxThreadsDim[0] = get(cudaDevAttrMaxBlockDimX);
    p.maxThreadsDim[1] = get(cudaDevAttrMaxBlockDimY);
    p.maxThreadsDim[2] = get(cudaDevAttrMaxBlockDimZ);
    p.maxGridSize[0] = get(cudaDevAttrMaxGridDimX);
    p.maxGridSize[1] = get(cudaDevAttrMaxGridDimY);
    p.maxGridSize[2] = get(cudaDevAttrMaxGridDimZ);
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

// What is not set here, the emulated GPU does not have.
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

// Functions that CUDA 12's runtime has and CUDA 13's does not, or has in another form. Where both a function and
// its _v2 exist, the _v2 is CUDA 13's.
#include "emulator/runtime/api/device_properties.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/memory/copy_calls.hpp"
#include "emulator/runtime/memory/managed.hpp"

using namespace emulator::runtime;

namespace {

// cudaDeviceProp of CUDA 12, its fields in order.
struct Properties12 {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    std::size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    std::size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    std::size_t totalConstMem;
    int major, minor;
    std::size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory,
        computeMode;
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2],
        maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3],
        maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3],
        maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2],
        maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    std::size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver,
        asyncEngineCount, unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize,
        persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported,
        globalL1CacheSupported, localL1CacheSupported;
    std::size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID,
        hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio, pageableMemoryAccess,
        concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem,
        cooperativeLaunch, cooperativeMultiDeviceLaunch;
    std::size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost,
        maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
    std::size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported,
        timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch,
        unifiedFunctionPointers, reserved[63];
};
static_assert(sizeof(Properties12) == 1032);  // of CUDA 12.9

Properties12 properties12() {
    auto p = device_properties<Properties12>();
    p.clockRate = device_attribute(cudaDevAttrClockRate);
    p.memoryClockRate = device_attribute(cudaDevAttrMemoryClockRate);
    p.deviceOverlap = device_attribute(cudaDevAttrGpuOverlap);
    p.maxTexture1DLinear = device_attribute(cudaDevAttrMaxTexture1DLinearWidth);
    p.singleToDoublePrecisionPerfRatio =
        device_attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio);
    return p;
}

}  // namespace

cudaError_t cudaRuntimeGetVersion(int* version) {
    return call([&] {
        require(version != nullptr);
        *version = 12090;
    });
}

extern "C" {

// CUDA's headers declare these names with other parameters, or types, so the linker's names are given.
cudaError_t properties_of_12(Properties12*, int) asm("cudaGetDeviceProperties_v2");
cudaError_t copy_batch_12(void**, void**, std::size_t*, std::size_t, void*, std::size_t*,
                          std::size_t, std::size_t*, cudaStream_t) asm("cudaMemcpyBatchAsync");
cudaError_t prefetch_12(const void*, std::size_t, int, cudaStream_t) asm("cudaMemPrefetchAsync");
cudaError_t advise_12(const void*, std::size_t, cudaMemoryAdvise, int) asm("cudaMemAdvise");

cudaError_t prefetch_12(const void* pointer, std::size_t bytes, int device, cudaStream_t stream) {
    return prefetch(pointer, bytes, location_of(device), 0, stream);
}

cudaError_t advise_12(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice, int device) {
    return advise(pointer, bytes, advice, location_of(device));
}

cudaError_t properties_of_12(Properties12* properties, int device) {
    return call([&] {
        require(properties != nullptr);
        require_device(device);
        *properties = properties12();
    });
}

cudaError_t copy_batch_12(void** to, void** from, std::size_t* bytes, std::size_t count, void*,
                          std::size_t*, std::size_t, std::size_t*, cudaStream_t stream) {
    return copy_batch(to, from, bytes, count, stream);
}

cudaError_t cudaMemPrefetchAsync_v2(const void* pointer, std::size_t bytes,
                                    cudaMemLocation location, unsigned flags, cudaStream_t stream) {
    return prefetch(pointer, bytes, location, flags, stream);
}

cudaError_t cudaMemAdvise_v2(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                             cudaMemLocation location) {
    return advise(pointer, bytes, advice, location);
}

cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return cudaEventElapsedTime(milliseconds, start, end);
}

cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadExit() { return cudaDeviceReset(); }

}  // extern "C"

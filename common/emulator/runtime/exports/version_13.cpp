// Functions of CUDA 13's runtime that CUDA 12's has in another form. The headers of one declare these names with
// other parameters than those of the other, so the linker's names are given.
#include <cuda_runtime_api.h>

#include "emulator/runtime/api/device_properties.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/graphs/graph_capture.hpp"
#include "emulator/runtime/graphs/graph_edges.hpp"
#include "emulator/runtime/memory/copy_calls.hpp"
#include "emulator/runtime/memory/managed.hpp"

using namespace emulator::runtime;

using Node = cudaGraphNode_t;
using Edges = cudaGraphEdgeData;

namespace {

// cudaDeviceProp of CUDA 13, its fields in order.
struct Properties13 {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    std::size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    std::size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    std::size_t totalConstMem;
    int major, minor;
    std::size_t textureAlignment, texturePitchAlignment;
    int multiProcessorCount, integrated, canMapHostMemory, maxTexture1D, maxTexture1DMipmap,
        maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2],
        maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2],
        maxTexture2DLayered[3], maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2],
        maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap,
        maxSurfaceCubemapLayered[2];
    std::size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver,
        asyncEngineCount, unifiedAddressing, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize,
        maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported,
        localL1CacheSupported;
    std::size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID,
        hostNativeAtomicSupported, pageableMemoryAccess, concurrentManagedAccess,
        computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch;
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
        unifiedFunctionPointers, deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
    unsigned gpuPciDeviceID, gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported, reserved[56];
};
static_assert(sizeof(Properties13) == 1008);  // of CUDA 13.0

}  // namespace

cudaError_t cudaRuntimeGetVersion(int* version) {
    return call([&] {
        require(version != nullptr);
        *version = 13000;
    });
}

extern "C" {

cudaError_t properties_of_13(Properties13*, int) asm("cudaGetDeviceProperties");
cudaError_t copy_batch_13(void* const*, const void* const*, const std::size_t*, std::size_t, void*,
                          std::size_t*, std::size_t, cudaStream_t) asm("cudaMemcpyBatchAsync");
cudaError_t prefetch_13(const void*, std::size_t, cudaMemLocation, unsigned,
                        cudaStream_t) asm("cudaMemPrefetchAsync");
cudaError_t advise_13(const void*, std::size_t, cudaMemoryAdvise,
                      cudaMemLocation) asm("cudaMemAdvise");
cudaError_t get_edges_13(cudaGraph_t, Node*, Node*, Edges*, std::size_t*) asm("cudaGraphGetEdges");
cudaError_t get_dependencies_13(Node, Node*, Edges*,
                                std::size_t*) asm("cudaGraphNodeGetDependencies");
cudaError_t get_dependents_13(Node, Node*, Edges*,
                              std::size_t*) asm("cudaGraphNodeGetDependentNodes");
cudaError_t add_dependencies_13(cudaGraph_t, const Node*, const Node*, const Edges*,
                                std::size_t) asm("cudaGraphAddDependencies");
cudaError_t remove_dependencies_13(cudaGraph_t, const Node*, const Node*, const Edges*,
                                   std::size_t) asm("cudaGraphRemoveDependencies");
cudaError_t add_node_13(Node*, cudaGraph_t, const Node*, const Edges*, std::size_t,
                        cudaGraphNodeParams*) asm("cudaGraphAddNode");
cudaError_t capture_info_13(cudaStream_t, cudaStreamCaptureStatus*, unsigned long long*,
                            cudaGraph_t*, const Node**, const Edges**,
                            std::size_t*) asm("cudaStreamGetCaptureInfo");
cudaError_t update_capture_13(cudaStream_t, Node*, const Edges*, std::size_t,
                              unsigned) asm("cudaStreamUpdateCaptureDependencies");

cudaError_t properties_of_13(Properties13* properties, int device) {
    return get_properties(properties, device);
}

cudaError_t copy_batch_13(void* const* to, const void* const* from, const std::size_t* bytes,
                          std::size_t count, void*, std::size_t*, std::size_t,
                          cudaStream_t stream) {
    return copy_batch(to, from, bytes, count, stream);
}

cudaError_t prefetch_13(const void* pointer, std::size_t bytes, cudaMemLocation location,
                        unsigned flags, cudaStream_t stream) {
    return prefetch(pointer, bytes, location, flags, stream);
}

cudaError_t advise_13(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                      cudaMemLocation location) {
    return advise(pointer, bytes, advice, location);
}

cudaError_t get_edges_13(cudaGraph_t graph, Node* from, Node* to, Edges*, std::size_t* count) {
    return give_edges(graph, from, to, count);
}

cudaError_t get_dependencies_13(Node node, Node* nodes, Edges*, std::size_t* count) {
    return give_dependencies(node, nodes, count);
}

cudaError_t get_dependents_13(Node node, Node* nodes, Edges*, std::size_t* count) {
    return give_dependent_nodes(node, nodes, count);
}

cudaError_t add_dependencies_13(cudaGraph_t graph, const Node* from, const Node* to, const Edges*,
                                std::size_t count) {
    return add_edges(graph, from, to, count);
}

cudaError_t remove_dependencies_13(cudaGraph_t graph, const Node* from, const Node* to,
                                   const Edges*, std::size_t count) {
    return remove_edges(graph, from, to, count);
}

cudaError_t add_node_13(Node* node, cudaGraph_t graph, const Node* dependencies, const Edges*,
                        std::size_t count, cudaGraphNodeParams* parameters) {
    return add_any_node(node, graph, dependencies, count, parameters);
}

cudaError_t capture_info_13(cudaStream_t stream, cudaStreamCaptureStatus* status,
                            unsigned long long* id, cudaGraph_t* graph, const Node** dependencies,
                            const Edges**, std::size_t* count) {
    return capture_info(stream, {status, id, graph, dependencies, count});
}

cudaError_t update_capture_13(cudaStream_t stream, Node* dependencies, const Edges*,
                              std::size_t count, unsigned flags) {
    return update_capture(stream, dependencies, count, flags);
}

}  // extern "C"

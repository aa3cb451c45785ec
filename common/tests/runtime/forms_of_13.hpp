// CUDA 13's forms of functions that CUDA 12 has under other names, so that tests are written once.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#if CUDART_VERSION < 13000

inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                     cudaGraphEdgeData* data, std::size_t* count) {
    return cudaGraphGetEdges_v2(graph, from, to, data, count);
}

inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to,
                                            const cudaGraphEdgeData* data, std::size_t count) {
    return cudaGraphAddDependencies_v2(graph, from, to, data, count);
}

inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                               const cudaGraphNode_t* to,
                                               const cudaGraphEdgeData* data, std::size_t count) {
    return cudaGraphRemoveDependencies_v2(graph, from, to, data, count);
}

inline cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes,
                                        cudaMemLocation location, unsigned flags,
                                        cudaStream_t stream) {
    return cudaMemPrefetchAsync_v2(pointer, bytes, location, flags, stream);
}

inline cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                                 cudaMemLocation location) {
    return cudaMemAdvise_v2(pointer, bytes, advice, location);
}

#endif

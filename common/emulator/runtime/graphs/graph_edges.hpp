// Functions whose CUDA 12 and 13 forms differ in the edges' data, which means nothing here. Whole API
// functions.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace emulator::runtime {

cudaError_t give_edges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                       std::size_t* count);
cudaError_t give_dependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* count);
cudaError_t give_dependent_nodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* count);
cudaError_t add_edges(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                      std::size_t count);
cudaError_t remove_edges(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                         std::size_t count);
cudaError_t add_any_node(cudaGraphNode_t* node, cudaGraph_t graph,
                         const cudaGraphNode_t* dependencies, std::size_t count,
                         cudaGraphNodeParams* parameters);

}  // namespace emulator::runtime

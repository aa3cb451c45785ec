// Graph functions of CUDA 12: the _v2 forms are CUDA 13's, the older ones have no data of edges. Their
// names stand in CUDA 13's headers with other parameters, so the linker's names are given.
#include "emulator/runtime/graphs/graph_capture.hpp"
#include "emulator/runtime/graphs/graph_edges.hpp"

using namespace emulator::runtime;

using Node = cudaGraphNode_t;
using Edges = cudaGraphEdgeData;

extern "C" {

cudaError_t get_edges(cudaGraph_t, Node*, Node*, std::size_t*) asm("cudaGraphGetEdges");
cudaError_t get_dependencies(Node, Node*, std::size_t*) asm("cudaGraphNodeGetDependencies");
cudaError_t get_dependents(Node, Node*, std::size_t*) asm("cudaGraphNodeGetDependentNodes");
cudaError_t add_dependencies(cudaGraph_t, const Node*, const Node*,
                             std::size_t) asm("cudaGraphAddDependencies");
cudaError_t remove_dependencies(cudaGraph_t, const Node*, const Node*,
                                std::size_t) asm("cudaGraphRemoveDependencies");
cudaError_t add_node_12(Node*, cudaGraph_t, const Node*, std::size_t,
                        cudaGraphNodeParams*) asm("cudaGraphAddNode");
cudaError_t get_capture_info(cudaStream_t, cudaStreamCaptureStatus*,
                             unsigned long long*) asm("cudaStreamGetCaptureInfo");
cudaError_t update_dependencies(cudaStream_t, Node*, std::size_t,
                                unsigned) asm("cudaStreamUpdateCaptureDependencies");

cudaError_t get_edges(cudaGraph_t graph, Node* from, Node* to, std::size_t* count) {
    return give_edges(graph, from, to, count);
}
cudaError_t get_dependencies(Node node, Node* nodes, std::size_t* count) {
    return give_dependencies(node, nodes, count);
}
cudaError_t get_dependents(Node node, Node* nodes, std::size_t* count) {
    return give_dependent_nodes(node, nodes, count);
}
cudaError_t add_dependencies(cudaGraph_t graph, const Node* from, const Node* to,
                             std::size_t count) {
    return add_edges(graph, from, to, count);
}
cudaError_t remove_dependencies(cudaGraph_t graph, const Node* from, const Node* to,
                                std::size_t count) {
    return remove_edges(graph, from, to, count);
}
cudaError_t add_node_12(Node* node, cudaGraph_t graph, const Node* dependencies, std::size_t count,
                        cudaGraphNodeParams* parameters) {
    return add_any_node(node, graph, dependencies, count, parameters);
}
cudaError_t get_capture_info(cudaStream_t stream, cudaStreamCaptureStatus* status,
                             unsigned long long* id) {
    return capture_info(stream, {.status = status, .id = id});
}
cudaError_t update_dependencies(cudaStream_t stream, Node* dependencies, std::size_t count,
                                unsigned flags) {
    return update_capture(stream, dependencies, count, flags);
}

cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, Node* from, Node* to, Edges*,
                                 std::size_t* count) {
    return give_edges(graph, from, to, count);
}
cudaError_t cudaGraphNodeGetDependencies_v2(Node node, Node* nodes, Edges*, std::size_t* count) {
    return give_dependencies(node, nodes, count);
}
cudaError_t cudaGraphNodeGetDependentNodes_v2(Node node, Node* nodes, Edges*, std::size_t* count) {
    return give_dependent_nodes(node, nodes, count);
}
cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const Node* from, const Node* to,
                                        const Edges*, std::size_t count) {
    return add_edges(graph, from, to, count);
}
cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const Node* from, const Node* to,
                                           const Edges*, std::size_t count) {
    return remove_edges(graph, from, to, count);
}
cudaError_t cudaGraphAddNode_v2(Node* node, cudaGraph_t graph, const Node* dependencies,
                                const Edges*, std::size_t count, cudaGraphNodeParams* parameters) {
    return add_any_node(node, graph, dependencies, count, parameters);
}
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        const Node** dependencies, std::size_t* count) {
    return capture_info(stream, {status, id, graph, dependencies, count});
}
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        const Node** dependencies, const Edges**,
                                        std::size_t* count) {
    return capture_info(stream, {status, id, graph, dependencies, count});
}
cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, Node* dependencies,
                                                   const Edges*, std::size_t count,
                                                   unsigned flags) {
    return update_capture(stream, dependencies, count, flags);
}

}  // extern "C"

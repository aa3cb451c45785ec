// Graphs that the program builds node by node.
#include <cuda_runtime_api.h>

#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/graphs/graph_capture.hpp"
#include "emulator/runtime/graphs/graphs.hpp"
#include "emulator/runtime/memory/allocations.hpp"

using namespace emulator::runtime;

namespace {

// Adds what `make_work` returns. Throws nothing: a whole API function.
template <class MakeWork>
cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                std::size_t count, const MakeWork& make_work) {
    return call([&] {
        require(node != nullptr);
        *node = add_node(require_graph(graph), make_work(), dependencies, count);
    });
}

template <class Work>
Work event_work(cudaEvent_t event) {
    require_event(event);
    return {event};
}

AllocateWork allocate_work(cudaMemAllocNodeParams& parameters) {
    parameters.dptr = allocate(parameters.bytesize, MemoryKind::device, graph_memory);
    return {parameters};
}

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
    return call([&] {
        require(graph != nullptr && flags == 0);
        *graph = create_graph();
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    return call([&] {
        require(!require_graph(graph).is_child);
        destroy_graph(graph);
    });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
    return call([&] {
        require(clone != nullptr);
        *clone = clone_graph(require_graph(graph));
    });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaKernelNodeParams* parameters) {
    return add(node, graph, dependencies, count, [&] { return kernel_work(required(parameters)); });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemcpy3DParms* parameters) {
    return add(node, graph, dependencies, count, [&] { return copy_work(required(parameters)); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
    return add(node, graph, dependencies, count, [&] { return copy_work(to, from, bytes, kind); });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies, std::size_t count,
                                           const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind) {
    return add(node, graph, dependencies, count,
               [&] { return copy_to_symbol(symbol, from, bytes, offset); });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* dependencies, std::size_t count,
                                             void* to, const void* symbol, std::size_t bytes,
                                             std::size_t offset, cudaMemcpyKind) {
    return add(node, graph, dependencies, count,
               [&] { return copy_from_symbol(to, symbol, bytes, offset); });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemsetParams* parameters) {
    return add(node, graph, dependencies, count, [&] { return fill_work(required(parameters)); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, std::size_t count,
                                 const cudaHostNodeParams* parameters) {
    return add(node, graph, dependencies, count, [&] {
        require(parameters != nullptr && parameters->fn != nullptr);
        return HostCall{parameters->fn, parameters->userData};
    });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, std::size_t count,
                                       cudaGraph_t child) {
    return add(node, graph, dependencies, count, [&] {
        const cudaGraph_t own = clone_graph(require_graph(child));
        own->is_child = true;
        return ChildWork{own};
    });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, std::size_t count) {
    return add(node, graph, dependencies, count, [] { return EmptyWork(); });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies, std::size_t count,
                                        cudaEvent_t event) {
    return add(node, graph, dependencies, count,
               [&] { return event_work<EventRecordWork>(event); });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies, std::size_t count,
                                      cudaEvent_t event) {
    return add(node, graph, dependencies, count, [&] { return event_work<EventWaitWork>(event); });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     cudaMemAllocNodeParams* parameters) {
    return add(node, graph, dependencies, count, [&] {
        require(parameters != nullptr && parameters->bytesize != 0);
        return allocate_work(*parameters);
    });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies, std::size_t count,
                                    void* pointer) {
    return add(node, graph, dependencies, count, [&] {
        require(memory_at(pointer).has_value());
        return FreeWork{pointer};
    });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
    return call([&] { require_device(device); });
}

namespace emulator::runtime {

cudaError_t add_any_node(cudaGraphNode_t* node, cudaGraph_t graph,
                         const cudaGraphNode_t* dependencies, std::size_t count,
                         cudaGraphNodeParams* parameters) {
    return add(node, graph, dependencies, count, [&] {
        require(parameters != nullptr);
        return work_of(*parameters);
    });
}

}  // namespace emulator::runtime

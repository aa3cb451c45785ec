// The work of a graph's nodes, read and changed by the program.
#include <cuda_runtime_api.h>

#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/graphs/graph_capture.hpp"
#include "emulator/runtime/graphs/graphs.hpp"

using namespace emulator::runtime;

namespace {

template <class Kind>
Kind& work_of(cudaGraphNode_t node) {
    Kind* const work = std::get_if<Kind>(&require_node(node).work);
    require(work != nullptr);
    return *work;
}

}  // namespace

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
    return call([&] {
        require(parameters != nullptr);
        KernelWork& work = work_of<KernelWork>(node);
        *parameters = {const_cast<void*>(work.launch.function->host),
                       work.launch.grid,
                       work.launch.block,
                       static_cast<unsigned>(work.launch.dynamic_shared_bytes),
                       work.arguments.data(),
                       nullptr};
    });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* parameters) {
    return call([&] {
        KernelWork& work = work_of<KernelWork>(node);
        work = kernel_work(required(parameters));
        work.arguments = pointers_into(work.launch);
    });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters) {
    return call([&] {
        require(parameters != nullptr);
        *parameters = work_of<CopyWork>(node).parameters;
    });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemcpy3DParms* parameters) {
    return call([&] { work_of<CopyWork>(node) = copy_work(required(parameters)); });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           std::size_t bytes, cudaMemcpyKind kind) {
    return call([&] { work_of<CopyWork>(node) = copy_work(to, from, bytes, kind); });
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol,
                                                 const void* from, std::size_t bytes,
                                                 std::size_t offset, cudaMemcpyKind) {
    return call([&] { work_of<CopyWork>(node) = copy_to_symbol(symbol, from, bytes, offset); });
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to,
                                                   const void* symbol, std::size_t bytes,
                                                   std::size_t offset, cudaMemcpyKind) {
    return call([&] { work_of<CopyWork>(node) = copy_from_symbol(to, symbol, bytes, offset); });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
    return call([&] {
        require(parameters != nullptr);
        const Fill& fill = work_of<FillWork>(node).fill;
        *parameters = {fill.to, fill.pitch, fill.value, fill.element_bytes, fill.width, fill.rows};
    });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
    return call([&] { work_of<FillWork>(node) = fill_work(required(parameters)); });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
    return call([&] {
        require(parameters != nullptr);
        const HostCall& host_call = work_of<HostCall>(node);
        *parameters = {host_call.function, host_call.data};
    });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
    return call([&] {
        require(parameters != nullptr && parameters->fn != nullptr);
        work_of<HostCall>(node) = {parameters->fn, parameters->userData};
    });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
    return call([&] {
        require(graph != nullptr);
        *graph = work_of<ChildWork>(node).graph;
    });
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
    return call([&] {
        require(event != nullptr);
        *event = work_of<EventRecordWork>(node).event;
    });
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    return call([&] {
        require_event(event);
        work_of<EventRecordWork>(node).event = event;
    });
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
    return call([&] {
        require(event != nullptr);
        *event = work_of<EventWaitWork>(node).event;
    });
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    return call([&] {
        require_event(event);
        work_of<EventWaitWork>(node).event = event;
    });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           cudaMemAllocNodeParams* parameters) {
    return call([&] {
        require(parameters != nullptr);
        *parameters = work_of<AllocateWork>(node).parameters;
    });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
    return call([&] {
        require(pointer != nullptr);
        *static_cast<void**>(pointer) = work_of<FreeWork>(node).pointer;
    });
}

// The memory of graphs is not pooled: nothing is reserved, nothing to be given back.
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* parameters) {
    return call([&] {
        require(parameters != nullptr);
        CUgraphNode_st& own = require_node(node);
        Work work = work_of(*parameters);
        require(work.index() == own.work.index());
        own.work = std::move(work);
        if (auto* const kernel = std::get_if<KernelWork>(&own.work)) {
            kernel->arguments = pointers_into(kernel->launch);
        }
    });
}

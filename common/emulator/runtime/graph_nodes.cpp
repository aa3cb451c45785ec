// Graphs that the program builds node by node.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "emulator/runtime/allocations.hpp"
#include "emulator/runtime/errors.hpp"
#include "emulator/runtime/graph_capture.hpp"
#include "emulator/runtime/graphs.hpp"
#include "emulator/runtime/programs.hpp"

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

template <class Kind>
Kind& work_of(cudaGraphNode_t node) {
    Kind* const work = std::get_if<Kind>(&require_node(node).work);
    require(work != nullptr);
    return *work;
}

CopyWork to_symbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset) {
    const emulator::simt::Symbol variable = find_variable(symbol);
    require(offset <= variable.bytes && bytes <= variable.bytes - offset);
    return copy_work(static_cast<char*>(variable.address) + offset, from, bytes, cudaMemcpyDefault);
}

CopyWork from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset) {
    const emulator::simt::Symbol variable = find_variable(symbol);
    require(offset <= variable.bytes && bytes <= variable.bytes - offset);
    return copy_work(to, static_cast<const char*>(variable.address) + offset, bytes, cudaMemcpyDefault);
}

AllocateWork allocate_work(cudaMemAllocNodeParams& parameters) {
    // The memory is there for as long as the graph's creator keeps it; launches find it in place.
    parameters.dptr = allocate(parameters.bytesize, MemoryKind::device);
    return {parameters};
}

Work work_of(cudaGraphNodeParams& parameters) {
    switch (parameters.type) {
        case cudaGraphNodeTypeKernel: {
            const auto& p = parameters.kernel;
            return kernel_work(
                {p.func, p.gridDim, p.blockDim, p.sharedMemBytes, p.kernelParams, p.extra});
        }
        case cudaGraphNodeTypeMemcpy: return copy_work(parameters.memcpy.copyParams);
        case cudaGraphNodeTypeMemset: {
            const auto& p = parameters.memset;
            return fill_work({p.dst, p.pitch, p.value, p.elementSize, p.width, p.height});
        }
        case cudaGraphNodeTypeHost: return HostCall{parameters.host.fn, parameters.host.userData};
        case cudaGraphNodeTypeEmpty: return EmptyWork();
        case cudaGraphNodeTypeWaitEvent: return EventWaitWork{parameters.eventWait.event};
        case cudaGraphNodeTypeEventRecord: return EventRecordWork{parameters.eventRecord.event};
        case cudaGraphNodeTypeGraph: {
            const cudaGraph_t child = clone_graph(require_graph(parameters.graph.graph));
            child->is_child = true;
            return ChildWork{child};
        }
        default:
            throw ApiError(cudaErrorNotSupported, "cudaGraphAddNode: this kind of node is not supported");
    }
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
    return add(node, graph, dependencies, count, [&] {
        require(parameters != nullptr);
        return kernel_work(*parameters);
    });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
    return call([&] {
        require(parameters != nullptr);
        KernelWork& work = work_of<KernelWork>(node);
        *parameters = {const_cast<void*>(work.launch.function->host), work.launch.grid,
                       work.launch.block, static_cast<unsigned>(work.launch.dynamic_shared_bytes),
                       work.arguments.data(), nullptr};
    });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* parameters) {
    return call([&] {
        require(parameters != nullptr);
        KernelWork& work = work_of<KernelWork>(node);
        work = kernel_work(*parameters);
        work.arguments = pointers_into(work.launch);
    });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemcpy3DParms* parameters) {
    return add(node, graph, dependencies, count, [&] {
        require(parameters != nullptr);
        return copy_work(*parameters);
    });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count, void* to,
                                     const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return add(node, graph, dependencies, count, [&] { return copy_work(to, from, bytes, kind); });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies, std::size_t count,
                                           const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind) {
    return add(node, graph, dependencies, count,
               [&] { return to_symbol(symbol, from, bytes, offset); });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* dependencies, std::size_t count,
                                             void* to, const void* symbol, std::size_t bytes,
                                             std::size_t offset, cudaMemcpyKind) {
    return add(node, graph, dependencies, count,
               [&] { return from_symbol(to, symbol, bytes, offset); });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters) {
    return call([&] {
        require(parameters != nullptr);
        *parameters = work_of<CopyWork>(node).parameters;
    });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* parameters) {
    return call([&] {
        require(parameters != nullptr);
        work_of<CopyWork>(node) = copy_work(*parameters);
    });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           std::size_t bytes, cudaMemcpyKind kind) {
    return call([&] { work_of<CopyWork>(node) = copy_work(to, from, bytes, kind); });
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol,
                                                 const void* from, std::size_t bytes,
                                                 std::size_t offset, cudaMemcpyKind) {
    return call([&] { work_of<CopyWork>(node) = to_symbol(symbol, from, bytes, offset); });
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to, const void* symbol,
                                                   std::size_t bytes, std::size_t offset,
                                                   cudaMemcpyKind) {
    return call([&] { work_of<CopyWork>(node) = from_symbol(to, symbol, bytes, offset); });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemsetParams* parameters) {
    return add(node, graph, dependencies, count, [&] {
        require(parameters != nullptr);
        return fill_work(*parameters);
    });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
    return call([&] {
        require(parameters != nullptr);
        const Fill& fill = work_of<FillWork>(node).fill;
        *parameters = {fill.to, fill.pitch, fill.value, fill.element_bytes, fill.width, fill.rows};
    });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
    return call([&] {
        require(parameters != nullptr);
        work_of<FillWork>(node) = fill_work(*parameters);
    });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, std::size_t count,
                                 const cudaHostNodeParams* parameters) {
    return add(node, graph, dependencies, count, [&] {
        require(parameters != nullptr && parameters->fn != nullptr);
        return HostCall{parameters->fn, parameters->userData};
    });
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

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, std::size_t count,
                                       cudaGraph_t child) {
    return add(node, graph, dependencies, count, [&] {
        const cudaGraph_t own = clone_graph(require_graph(child));
        own->is_child = true;
        return ChildWork{own};
    });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
    return call([&] {
        require(graph != nullptr);
        *graph = work_of<ChildWork>(node).graph;
    });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, std::size_t count) {
    return add(node, graph, dependencies, count, [] { return EmptyWork(); });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies, std::size_t count,
                                        cudaEvent_t event) {
    return add(node, graph, dependencies, count, [&] {
        require_event(event);
        return EventRecordWork{event};
    });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies, std::size_t count,
                                      cudaEvent_t event) {
    return add(node, graph, dependencies, count, [&] {
        require_event(event);
        return EventWaitWork{event};
    });
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

namespace emulator::runtime {

cudaError_t add_any_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                         std::size_t count, cudaGraphNodeParams* parameters) {
    return add(node, graph, dependencies, count, [&] {
        require(parameters != nullptr);
        return work_of(*parameters);
    });
}

}  // namespace emulator::runtime

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

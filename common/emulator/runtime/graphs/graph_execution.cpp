// Executable graphs: copies of graphs, whose nodes the program addresses through the originals.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <map>
#include <memory>

#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/streams.hpp"
#include "emulator/runtime/graphs/graph_capture.hpp"
#include "emulator/runtime/graphs/graphs.hpp"

using namespace emulator::runtime;

struct CUgraphExec_st {
    cudaGraph_t graph = nullptr;  // its own
    unsigned long long flags = 0;
};

namespace {

std::map<cudaGraphExec_t, std::unique_ptr<CUgraphExec_st>>& executables() {
    static auto& result = *new std::map<cudaGraphExec_t, std::unique_ptr<CUgraphExec_st>>;
    return result;
}

CUgraphExec_st& require_executable(cudaGraphExec_t executable) {
    require(executables().count(executable) != 0);
    return *executable;
}

cudaGraphExec_t instantiate(cudaGraph_t graph, unsigned long long flags) {
    constexpr unsigned long long supported = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                             cudaGraphInstantiateFlagUpload |
                                             cudaGraphInstantiateFlagUseNodePriority;
    if ((flags & ~supported) != 0) {
        throw ApiError(cudaErrorNotSupported, "graphs that kernels launch are not supported");
    }
    in_order(require_graph(graph));
    auto executable = std::make_unique<CUgraphExec_st>();
    executable->graph = clone_graph(*graph);
    executable->flags = flags;
    const cudaGraphExec_t handle = executable.get();
    executables()[handle] = std::move(executable);
    return handle;
}

CUgraphNode_st& node_in(cudaGraphExec_t executable, cudaGraphNode_t original) {
    for (const auto& node : require_executable(executable).graph->nodes) {
        if (node->original == original) return *node;
    }
    throw ApiError(cudaErrorInvalidValue);
}

template <class Kind>
cudaError_t set_work(cudaGraphExec_t executable, cudaGraphNode_t original, const auto& make_work) {
    return call([&] {
        CUgraphNode_st& node = node_in(executable, original);
        Kind* const own = std::get_if<Kind>(&node.work);
        require(own != nullptr);
        *own = make_work();
        if constexpr (std::is_same_v<Kind, KernelWork>) own->arguments = pointers_into(own->launch);
    });
}

bool same_shape(const CUgraph_st& a, const CUgraph_st& b) {
    const auto index = [](const CUgraph_st& graph, cudaGraphNode_t node) {
        const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                        [&](const auto& entry) { return entry.get() == node; });
        return found - graph.nodes.begin();
    };
    if (a.nodes.size() != b.nodes.size()) return false;
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
        const auto& mine = a.nodes[i]->dependencies;
        const auto& other = b.nodes[i]->dependencies;
        if (!std::equal(
                mine.begin(), mine.end(), other.begin(), other.end(),
                [&](cudaGraphNode_t x, cudaGraphNode_t y) { return index(a, x) == index(b, y); })) {
            return false;
        }
    }
    return true;
}

// Fills in the reason where the update is not possible.
cudaGraphExecUpdateResultInfo check_update(const CUgraph_st& own, const CUgraph_st& update) {
    cudaGraphExecUpdateResultInfo info{};
    if (!same_shape(own, update)) {
        info.result = cudaGraphExecUpdateErrorTopologyChanged;
        return info;
    }
    for (std::size_t i = 0; i < own.nodes.size(); ++i) {
        if (own.nodes[i]->work.index() == update.nodes[i]->work.index()) continue;
        info.result = cudaGraphExecUpdateErrorNodeTypeChanged;
        info.errorNode = update.nodes[i].get();
        return info;
    }
    info.result = cudaGraphExecUpdateSuccess;
    return info;
}

}  // namespace

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags) {
    return call([&] {
        require(executable != nullptr);
        *executable = instantiate(graph, flags);
    });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
    return cudaGraphInstantiate(executable, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
    return call([&] {
        require(executable != nullptr && parameters != nullptr);
        parameters->errNode_out = nullptr;
        parameters->result_out = cudaGraphInstantiateError;
        *executable = instantiate(graph, parameters->flags);
        parameters->result_out = cudaGraphInstantiateSuccess;
    });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    return call([&] {
        destroy_graph(require_executable(executable).graph);
        executables().erase(executable);
    });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long* flags) {
    return call([&] {
        require(flags != nullptr);
        *flags = require_executable(executable).flags;
    });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
    return call([&] {
        require_stream(stream);
        require_executable(executable);
    });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    return call([&] {
        require_stream(stream);
        const CUgraph_st& graph = *require_executable(executable).graph;
        if (capture_child(stream, graph)) return;
        for (const cudaGraphNode_t node : in_order(graph)) {
            if (!node->is_enabled) continue;
            if (sticky_error() != cudaSuccess) return;  // a kernel of the graph failed
            execute(node->work);
        }
    });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t original,
                                    unsigned enabled) {
    return call([&] { node_in(executable, original).is_enabled = enabled != 0; });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t original,
                                    unsigned* enabled) {
    return call([&] {
        require(enabled != nullptr);
        *enabled = node_in(executable, original).is_enabled;
    });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
    return call([&] {
        require(result != nullptr);
        CUgraphExec_st& own = require_executable(executable);
        *result = check_update(*own.graph, require_graph(graph));
        require(result->result == cudaGraphExecUpdateSuccess, cudaErrorGraphExecUpdateFailure);
        std::vector<cudaGraphNode_t> originals;
        originals.reserve(own.graph->nodes.size());
        for (const auto& node : own.graph->nodes) originals.push_back(node->original);
        destroy_graph(own.graph);
        own.graph = clone_graph(*graph);
        // Nodes stay those of the graph that was instantiated.
        for (std::size_t i = 0; i < originals.size(); ++i)
            own.graph->nodes[i]->original = originals[i];
    });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
    return set_work<KernelWork>(executable, node,
                                [&] { return kernel_work(required(parameters)); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
    return set_work<CopyWork>(executable, node, [&] { return copy_work(required(parameters)); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               void* to, const void* from, std::size_t bytes,
                                               cudaMemcpyKind kind) {
    return set_work<CopyWork>(executable, node, [&] { return copy_work(to, from, bytes, kind); });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
    return set_work<FillWork>(executable, node, [&] { return fill_work(required(parameters)); });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
    return set_work<HostCall>(executable, node, [&] {
        require(required(parameters).fn != nullptr);
        return HostCall{parameters->fn, parameters->userData};
    });
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
    return set_work<EventRecordWork>(executable, node, [&] { return EventRecordWork{event}; });
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               cudaEvent_t event) {
    return set_work<EventWaitWork>(executable, node, [&] { return EventWaitWork{event}; });
}

#include "emulator/runtime/graphs/graphs.hpp"

#include <algorithm>
#include <map>

#include "emulator/runtime/api/errors.hpp"

namespace emulator::runtime {
namespace {

std::map<cudaGraph_t, std::unique_ptr<CUgraph_st>>& graphs() {
    static auto& result = *new std::map<cudaGraph_t, std::unique_ptr<CUgraph_st>>;
    return result;
}

std::set<cudaGraphNode_t>& nodes() {
    static auto& result = *new std::set<cudaGraphNode_t>;
    return result;
}

Work clone_work(const Work& work) {
    Work copy = work;
    if (auto* const kernel = std::get_if<KernelWork>(&copy)) {
        kernel->arguments = pointers_into(kernel->launch);
    } else if (auto* const child = std::get_if<ChildWork>(&copy)) {
        child->graph = clone_graph(require_graph(child->graph));
        child->graph->is_child = true;
    }
    return copy;
}

}  // namespace

CUgraph_st& require_graph(cudaGraph_t graph) {
    require(graphs().count(graph) != 0);
    return *graph;
}

CUgraphNode_st& require_node(cudaGraphNode_t node) {
    require(nodes().count(node) != 0);
    return *node;
}

cudaGraph_t create_graph() {
    auto graph = std::make_unique<CUgraph_st>();
    const cudaGraph_t handle = graph.get();
    graphs()[handle] = std::move(graph);
    return handle;
}

cudaGraph_t clone_graph(const CUgraph_st& graph) {
    const cudaGraph_t clone = create_graph();
    std::map<cudaGraphNode_t, cudaGraphNode_t> clone_of;
    for (const auto& node : graph.nodes) {
        const cudaGraphNode_t copy = add_node(*clone, clone_work(node->work), nullptr, 0);
        copy->original = node.get();
        copy->is_enabled = node->is_enabled;
        clone_of[node.get()] = copy;
    }
    for (const auto& node : graph.nodes) {
        for (const cudaGraphNode_t before : node->dependencies) {
            clone_of[node.get()]->dependencies.push_back(clone_of[before]);
        }
    }
    return clone;
}

void destroy_graph(cudaGraph_t graph) {
    for (const auto& node : graph->nodes) {
        nodes().erase(node.get());
        if (const auto* const child = std::get_if<ChildWork>(&node->work))
            destroy_graph(child->graph);
    }
    graphs().erase(graph);
}

void release_graphs() {
    graphs().clear();
    nodes().clear();
}

cudaGraphNode_t add_node(CUgraph_st& graph, Work work, const cudaGraphNode_t* dependencies,
                         std::size_t count) {
    require(dependencies != nullptr || count == 0);
    auto node = std::make_unique<CUgraphNode_st>();
    node->graph = &graph;
    node->work = std::move(work);
    if (auto* const kernel = std::get_if<KernelWork>(&node->work)) {
        kernel->arguments = pointers_into(kernel->launch);
    }
    for (std::size_t i = 0; i < count; ++i) {
        require(require_node(dependencies[i]).graph == &graph);
        node->dependencies.push_back(dependencies[i]);
    }
    nodes().insert(node.get());
    graph.nodes.push_back(std::move(node));
    return graph.nodes.back().get();
}

void remove_node(CUgraphNode_st& node) {
    CUgraph_st& graph = *node.graph;
    for (const auto& other : graph.nodes) std::erase(other->dependencies, &node);
    if (const auto* const child = std::get_if<ChildWork>(&node.work)) destroy_graph(child->graph);
    nodes().erase(&node);
    std::erase_if(graph.nodes, [&](const auto& entry) { return entry.get() == &node; });
}

std::vector<cudaGraphNode_t> in_order(const CUgraph_st& graph) {
    std::vector<cudaGraphNode_t> order;
    std::set<cudaGraphNode_t> placed;
    const auto is_ready = [&](const CUgraphNode_st& node) {
        return std::all_of(node.dependencies.begin(), node.dependencies.end(),
                           [&](cudaGraphNode_t before) { return placed.count(before) != 0; });
    };
    while (order.size() < graph.nodes.size()) {
        const std::size_t before = order.size();
        for (const auto& node : graph.nodes) {
            if (placed.count(node.get()) != 0 || !is_ready(*node)) continue;
            placed.insert(node.get());
            order.push_back(node.get());
        }
        require(order.size() != before);  // a cycle
    }
    return order;
}

cudaGraphNodeType type_of(const Work& work) {
    return std::visit(
        Overloaded{[](const EmptyWork&) { return cudaGraphNodeTypeEmpty; },
                   [](const KernelWork&) { return cudaGraphNodeTypeKernel; },
                   [](const CopyWork&) { return cudaGraphNodeTypeMemcpy; },
                   [](const FillWork&) { return cudaGraphNodeTypeMemset; },
                   [](const HostCall&) { return cudaGraphNodeTypeHost; },
                   [](const ChildWork&) { return cudaGraphNodeTypeGraph; },
                   [](const EventRecordWork&) { return cudaGraphNodeTypeEventRecord; },
                   [](const EventWaitWork&) { return cudaGraphNodeTypeWaitEvent; },
                   [](const AllocateWork&) { return cudaGraphNodeTypeMemAlloc; },
                   [](const FreeWork&) { return cudaGraphNodeTypeMemFree; }},
        work);
}

}  // namespace emulator::runtime

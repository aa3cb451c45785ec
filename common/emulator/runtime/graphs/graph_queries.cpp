// The parts of a graph, and changes of its edges.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/graphs/graph_edges.hpp"
#include "emulator/runtime/graphs/graphs.hpp"

namespace emulator::runtime {
namespace {

// CUDA's protocol: without an array, the count; with one, as many as fit, the rest null.
void give(const std::vector<cudaGraphNode_t>& found, cudaGraphNode_t* nodes, std::size_t* count) {
    require(count != nullptr);
    if (nodes != nullptr) {
        for (std::size_t i = 0; i < *count; ++i) nodes[i] = i < found.size() ? found[i] : nullptr;
        *count = std::min(*count, found.size());
    } else {
        *count = found.size();
    }
}

}  // namespace

cudaError_t give_edges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                       std::size_t* count) {
    return call([&] {
        require(count != nullptr && (from == nullptr) == (to == nullptr));
        std::vector<cudaGraphNode_t> starts, ends;
        for (const auto& node : require_graph(graph).nodes) {
            for (const cudaGraphNode_t before : node->dependencies) {
                starts.push_back(before);
                ends.push_back(node.get());
            }
        }
        std::size_t start_count = *count;
        give(starts, from, &start_count);
        give(ends, to, count);
    });
}

cudaError_t give_dependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* count) {
    return call([&] { give(require_node(node).dependencies, nodes, count); });
}

cudaError_t give_dependent_nodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* count) {
    return call([&] {
        std::vector<cudaGraphNode_t> found;
        for (const auto& other : require_node(node).graph->nodes) {
            const auto& before = other->dependencies;
            if (std::find(before.begin(), before.end(), node) != before.end())
                found.push_back(other.get());
        }
        give(found, nodes, count);
    });
}

cudaError_t add_edges(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                      std::size_t count) {
    return call([&] {
        require_graph(graph);
        require((from != nullptr && to != nullptr) || count == 0);
        for (std::size_t i = 0; i < count; ++i) {
            require(require_node(from[i]).graph == graph && require_node(to[i]).graph == graph);
            auto& before = to[i]->dependencies;
            require(std::find(before.begin(), before.end(), from[i]) == before.end());
            before.push_back(from[i]);
        }
    });
}

cudaError_t remove_edges(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                         std::size_t count) {
    return call([&] {
        require_graph(graph);
        require((from != nullptr && to != nullptr) || count == 0);
        for (std::size_t i = 0; i < count; ++i) {
            auto& before = require_node(to[i]).dependencies;
            const auto found = std::find(before.begin(), before.end(), from[i]);
            require(found != before.end());
            before.erase(found);
        }
    });
}

}  // namespace emulator::runtime

using namespace emulator::runtime;

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
    return call([&] {
        std::vector<cudaGraphNode_t> found;
        for (const auto& node : require_graph(graph).nodes) found.push_back(node.get());
        give(found, nodes, count);
    });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
    return call([&] {
        std::vector<cudaGraphNode_t> found;
        for (const auto& node : require_graph(graph).nodes) {
            if (node->dependencies.empty()) found.push_back(node.get());
        }
        give(found, nodes, count);
    });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    return call([&] {
        require(type != nullptr);
        *type = type_of(require_node(node).work);
    });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t original,
                                     cudaGraph_t clone) {
    return call([&] {
        require(found != nullptr);
        require_node(original);
        for (const auto& node : require_graph(clone).nodes) {
            if (node->original == original) {
                *found = node.get();
                return;
            }
        }
        throw ApiError(cudaErrorInvalidValue);
    });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    return call([&] { remove_node(require_node(node)); });
}

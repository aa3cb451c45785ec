// Graphs: nodes of work with dependencies. What a stream executes at once, a capture or the program
// puts into nodes.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <set>
#include <variant>
#include <vector>

#include "emulator/runtime/api/programs.hpp"
#include "emulator/runtime/memory/copies.hpp"

namespace emulator::runtime {

struct HostCall {
    cudaHostFn_t function = nullptr;
    void* data = nullptr;
};
struct KernelWork {
    Launch launch;
    std::vector<void*> arguments;  // into launch.parameters, for cudaGraphKernelNodeGetParams
};
struct CopyWork {
    Copy copy;
    cudaMemcpy3DParms parameters{};  // as the program gave them
};
struct FillWork {
    Fill fill;
};
struct ChildWork {
    cudaGraph_t graph = nullptr;  // the node's own
};
struct EventRecordWork {
    cudaEvent_t event = nullptr;
};
struct EventWaitWork {
    cudaEvent_t event = nullptr;
};
struct AllocateWork {
    cudaMemAllocNodeParams parameters{};
};
struct FreeWork {
    void* pointer = nullptr;
};
struct EmptyWork {};

// Functions for the kinds of work, as std::visit takes them.
template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostCall, ChildWork,
                          EventRecordWork, EventWaitWork, AllocateWork, FreeWork>;

}  // namespace emulator::runtime

struct CUgraphNode_st {
    cudaGraph_t graph = nullptr;
    emulator::runtime::Work work;
    std::vector<cudaGraphNode_t> dependencies;
    cudaGraphNode_t original = nullptr;  // in a clone: what it was made from
    bool is_enabled = true;
};

struct CUgraph_st {
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes;  // in the order of their creation
    bool is_child = false;                               // belongs to a node
};

namespace emulator::runtime {

// Throw ApiError for what is not there.
CUgraph_st& require_graph(cudaGraph_t graph);
CUgraphNode_st& require_node(cudaGraphNode_t node);

cudaGraph_t create_graph();
cudaGraph_t clone_graph(const CUgraph_st& graph);
void destroy_graph(cudaGraph_t graph);
void release_graphs();

cudaGraphNode_t add_node(CUgraph_st& graph, Work work, const cudaGraphNode_t* dependencies,
                         std::size_t count);

void remove_node(CUgraphNode_st& node);

// Nodes so that each follows its dependencies. Throws ApiError where they form a cycle.
std::vector<cudaGraphNode_t> in_order(const CUgraph_st& graph);

cudaGraphNodeType type_of(const Work& work);

// Work given by CUDA's structures. They check what they are given.
KernelWork kernel_work(const cudaKernelNodeParams& parameters);
CopyWork copy_work(const cudaMemcpy3DParms& parameters);
CopyWork copy_work(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
FillWork fill_work(const cudaMemsetParams& parameters);
CopyWork copy_to_symbol(const void* symbol, const void* from, std::size_t bytes,
                        std::size_t offset);
CopyWork copy_from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset);
Work work_of(cudaGraphNodeParams& parameters);

// The pointers into the buffer of arguments.
std::vector<void*> pointers_into(Launch& launch);

}  // namespace emulator::runtime

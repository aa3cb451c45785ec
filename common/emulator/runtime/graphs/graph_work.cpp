// Work of graph nodes from CUDA's structures.
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/launches.hpp"
#include "emulator/runtime/api/programs.hpp"
#include "emulator/runtime/graphs/graphs.hpp"

namespace emulator::runtime {

std::vector<void*> pointers_into(Launch& launch) {
    std::vector<void*> pointers;
    for (const auto& [offset, bytes] : launch.function->attributes().parameters) {
        pointers.push_back(launch.parameters.data() + offset);
    }
    return pointers;
}

KernelWork kernel_work(const cudaKernelNodeParams& parameters) {
    if (parameters.extra != nullptr) {
        throw ApiError(cudaErrorNotSupported,
                       "kernel nodes with packed arguments (`extra`) are not supported");
    }
    KernelWork work;
    work.launch = {.function = &find_function(parameters.func),
                   .grid = parameters.gridDim,
                   .block = parameters.blockDim,
                   .dynamic_shared_bytes = parameters.sharedMemBytes,
                   .cooperative = false,
                   .parameters = {},
                   .cluster = cluster_of(find_function(parameters.func), std::nullopt)};
    check_launch(work.launch);
    work.launch.parameters = copy_arguments(*work.launch.function, parameters.kernelParams);
    return work;
}

CopyWork copy_work(const cudaMemcpy3DParms& parameters) {
    CopyWork work{copy_of(parameters), parameters};
    check_copy(work.copy);
    return work;
}

CopyWork copy_work(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    cudaMemcpy3DParms parameters{};
    parameters.srcPtr = {const_cast<void*>(from), bytes, bytes, 1};
    parameters.dstPtr = {to, bytes, bytes, 1};
    parameters.extent = {bytes, 1, 1};
    parameters.kind = kind;
    return copy_work(parameters);
}

FillWork fill_work(const cudaMemsetParams& parameters) {
    require(parameters.elementSize == 1 || parameters.elementSize == 2 ||
            parameters.elementSize == 4);
    const Fill fill{.to = parameters.dst,
                    .value = parameters.value,
                    .element_bytes = parameters.elementSize,
                    .width = parameters.width,
                    .pitch = parameters.pitch,
                    .rows = parameters.height};
    check_fill(fill);
    return {fill};
}

CopyWork copy_to_symbol(const void* symbol, const void* from, std::size_t bytes,
                        std::size_t offset) {
    const simt::Symbol variable = find_variable(symbol);
    require(offset <= variable.bytes && bytes <= variable.bytes - offset);
    return copy_work(static_cast<char*>(variable.address) + offset, from, bytes, cudaMemcpyDefault);
}

CopyWork copy_from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset) {
    const simt::Symbol variable = find_variable(symbol);
    require(offset <= variable.bytes && bytes <= variable.bytes - offset);
    return copy_work(to, static_cast<const char*>(variable.address) + offset, bytes,
                     cudaMemcpyDefault);
}

Work work_of(cudaGraphNodeParams& parameters) {
    switch (parameters.type) {
        case cudaGraphNodeTypeKernel: {
            const auto& p = parameters.kernel;
            return kernel_work(
                {p.func, p.gridDim, p.blockDim, p.sharedMemBytes, p.kernelParams, p.extra});
        }
        case cudaGraphNodeTypeMemcpy:
            return copy_work(parameters.memcpy.copyParams);
        case cudaGraphNodeTypeMemset: {
            const auto& p = parameters.memset;
            return fill_work({p.dst, p.pitch, p.value, p.elementSize, p.width, p.height});
        }
        case cudaGraphNodeTypeHost:
            return HostCall{parameters.host.fn, parameters.host.userData};
        case cudaGraphNodeTypeEmpty:
            return EmptyWork();
        case cudaGraphNodeTypeWaitEvent:
            return EventWaitWork{parameters.eventWait.event};
        case cudaGraphNodeTypeEventRecord:
            return EventRecordWork{parameters.eventRecord.event};
        case cudaGraphNodeTypeGraph: {
            const cudaGraph_t child = clone_graph(require_graph(parameters.graph.graph));
            child->is_child = true;
            return ChildWork{child};
        }
        default:
            throw ApiError(cudaErrorNotSupported,
                           "cudaGraphAddNode: this kind of node is not supported");
    }
}

}  // namespace emulator::runtime

// Work in a stream: done at once, or, while the stream is captured, added to a graph.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "emulator/runtime/api/programs.hpp"
#include "emulator/runtime/api/stream_order.hpp"
#include "emulator/runtime/graphs/graphs.hpp"
#include "emulator/runtime/memory/copies.hpp"

namespace emulator::runtime {

struct Capture;

// Executes what a node of a graph holds.
void execute(Work& work);

void perform(cudaStream_t stream, const Copy& copy);
void perform(cudaStream_t stream, const Fill& fill);
void perform(cudaStream_t stream, const Launch& launch);
void perform(cudaStream_t stream, const HostCall& host_call);

// Adds the work to the graph that is being captured; false: there is none.
bool captured(cudaStream_t stream, const Work& work);

// Adds the launch of a graph to the graph that is being captured; false: there is none.
bool capture_child(cudaStream_t stream, const CUgraph_st& graph);

void record_event(cudaEvent_t event, cudaStream_t stream);
void wait_for_event(cudaStream_t stream, cudaEvent_t event);

// Throws ApiError (cudaErrorStreamCaptureUnsupported) and spoils the capture, if there is one.
void refuse_while_capturing(cudaStream_t stream);

// Before a stream is destroyed: the one in which a capture began cannot be, others leave it; what they
// captured stays in the graph.
void leave_capture(cudaStream_t stream);

void refuse_while_anything_is_captured();

// cudaStreamGetCaptureInfo in all its versions: what is not null is filled in.
struct CaptureInfo {
    cudaStreamCaptureStatus* status = nullptr;
    unsigned long long* id = nullptr;
    cudaGraph_t* graph = nullptr;
    const cudaGraphNode_t** dependencies = nullptr;
    std::size_t* count = nullptr;
};
cudaError_t capture_info(cudaStream_t stream, const CaptureInfo& wanted);
cudaError_t update_capture(cudaStream_t stream, cudaGraphNode_t* dependencies, std::size_t count,
                           unsigned flags);

// Throws ApiError (cudaErrorInvalidResourceHandle) for what is no event.
void require_event(cudaEvent_t event);
void release_events();

}  // namespace emulator::runtime

struct CUevent_st {
    unsigned flags = 0;
    bool is_recorded = false;
    double seconds = 0;                     // of the device's clock, when it was recorded last
    std::uint64_t synchronisations = 0;     // of the host, before it was
    emulator::runtime::StreamClock behind;  // the work that it stands for
    // Recorded in a stream that was being captured, behind these nodes.
    emulator::runtime::Capture* capture = nullptr;
    std::vector<cudaGraphNode_t> captured_behind;
};

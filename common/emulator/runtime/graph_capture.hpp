// Work in a stream: done at once, or, while the stream is captured, added to the graph.
#pragma once

#include <cuda_runtime_api.h>

#include "emulator/runtime/copies.hpp"
#include "emulator/runtime/launches.hpp"

namespace emulator::runtime {

struct Capture;

struct HostCall {
    cudaHostFn_t function = nullptr;
    void* data = nullptr;
};

void perform(cudaStream_t stream, const Copy& copy);
void perform(cudaStream_t stream, const Fill& fill);
void perform(cudaStream_t stream, const Launch& launch);
void perform(cudaStream_t stream, const HostCall& host_call);

void record_event(cudaEvent_t event, cudaStream_t stream);
void wait_for_event(cudaStream_t stream, cudaEvent_t event);

// Throws ApiError (cudaErrorStreamCaptureUnsupported) and spoils the capture, if there is one.
void refuse_while_capturing(cudaStream_t stream);

void require_event(cudaEvent_t event);
void release_events();

}  // namespace emulator::runtime

struct CUevent_st {
    unsigned flags = 0;
    bool is_recorded = false;
    emulator::runtime::Capture* capture = nullptr;  // recorded in a stream that was being captured
};

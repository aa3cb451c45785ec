// Streams. All work happens at the call, so every order that a program can ask for is kept.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

namespace emulator::runtime {

struct Capture;  // ../graphs/graph_capture.hpp

bool is_stream(cudaStream_t stream);
// Not one of the default streams.
bool is_created_stream(cudaStream_t stream);
// Throws ApiError (cudaErrorInvalidResourceHandle) for what is no stream.
void require_stream(cudaStream_t stream);

// The state of a stream, the default ones included. Throws ApiError likewise.
CUstream_st& stream_state(cudaStream_t stream);

cudaStream_t create_stream(unsigned flags, int priority);
void destroy_stream(cudaStream_t stream);
void release_streams();

}  // namespace emulator::runtime

struct CUstream_st {
    unsigned flags = 0;
    int priority = 0;
    unsigned long long id = 0;
    // While it is captured: the nodes behind which the next work comes.
    emulator::runtime::Capture* capture = nullptr;
    std::vector<cudaGraphNode_t> captured_behind{};
};

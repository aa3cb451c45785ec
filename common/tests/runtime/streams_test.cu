// Streams, events, errors and graphs without kernels.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "forms_of_13.hpp"

// cuda_profiler_api.h is not part of every toolkit (on PyPI it is a package of its own).
extern "C" {
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();
}

namespace {

class Streams : public testing::Test {
  protected:
    void TearDown() override { EXPECT_EQ(cudaDeviceReset(), cudaSuccess); }
};

TEST_F(Streams, ErrorsAreRememberedOnce) {
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    int device = -1;
    EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);  // a success forgets nothing
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Streams, ErrorTextsAreNvidias) {
    EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
    EXPECT_STREQ(cudaGetErrorString(cudaErrorInvalidConfiguration),
                 "invalid configuration argument");
    EXPECT_STREQ(cudaGetErrorString(cudaErrorIllegalAddress),
                 "an illegal memory access was encountered");
    EXPECT_STREQ(cudaGetErrorName(cudaErrorLaunchOutOfResources), "cudaErrorLaunchOutOfResources");
    EXPECT_STREQ(cudaGetErrorString(static_cast<cudaError_t>(5000)), "unrecognized error code");
}

TEST_F(Streams, HandlesAreChecked) {
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    unsigned flags = 0;
    EXPECT_EQ(cudaStreamGetFlags(stream, &flags), cudaSuccess);
    EXPECT_EQ(flags, cudaStreamNonBlocking);
    EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, 8), cudaErrorInvalidValue);
}

TEST_F(Streams, EventsNeedToBeRecordedForATime) {
    cudaEvent_t start = nullptr, end = nullptr, untimed = nullptr;
    ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
    ASSERT_EQ(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
    float milliseconds = -1;
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventRecord(start), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(end), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(untimed), cudaSuccess);
    EXPECT_EQ(cudaEventSynchronize(end), cudaSuccess);
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
    EXPECT_EQ(milliseconds, 0);  // nothing is timed
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, untimed), cudaErrorInvalidResourceHandle);
}

void append(void* data) { static_cast<std::vector<int>*>(data)->push_back(1); }

TEST_F(Streams, HostFunctionsRunInOrder) {
    std::vector<int> calls;
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    EXPECT_EQ(cudaLaunchHostFunc(stream, append, &calls), cudaSuccess);
    EXPECT_EQ(cudaLaunchHostFunc(stream, append, &calls), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(calls.size(), 2u);
}

TEST_F(Streams, WhatIsCapturedRunsWithTheGraph) {
    char* device = nullptr;
    char host[4] = {};
    std::vector<int> calls;
    cudaStream_t stream = nullptr, other = nullptr;
    cudaEvent_t fork = nullptr, join = nullptr;
    ASSERT_EQ(cudaMalloc(&device, 4), cudaSuccess);
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    ASSERT_EQ(cudaStreamCreate(&other), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&fork), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&join), cudaSuccess);

    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    ASSERT_EQ(cudaMemsetAsync(device, 3, 4, stream), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(fork, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(other, fork), cudaSuccess);
    ASSERT_EQ(cudaLaunchHostFunc(other, append, &calls), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(host, device, 4, cudaMemcpyDeviceToHost, stream), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(join, other), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(stream, join), cudaSuccess);
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    EXPECT_TRUE(calls.empty());
    EXPECT_EQ(host[0], 0);

    std::size_t nodes = 0, edges = 0, roots = 0;
    EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
    EXPECT_EQ(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges), cudaSuccess);
    EXPECT_EQ(cudaGraphGetRootNodes(graph, nullptr, &roots), cudaSuccess);
    EXPECT_EQ(nodes, 3u);
    EXPECT_EQ(edges, 2u);
    EXPECT_EQ(roots, 1u);

    cudaGraphExec_t executable = nullptr;
    ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    EXPECT_EQ(calls.size(), 2u);
    EXPECT_EQ(host[3], 3);
    EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(Streams, AStreamThatJoinedACaptureCanBeDestroyed) {
    char* device = nullptr;
    cudaStream_t stream = nullptr, other = nullptr;
    cudaEvent_t event = nullptr;
    ASSERT_EQ(cudaMalloc(&device, 4), cudaSuccess);
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    ASSERT_EQ(cudaStreamCreate(&other), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(other, event), cudaSuccess);
    ASSERT_EQ(cudaMemsetAsync(device, 5, 4, other), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(event, other), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(stream, event), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(other), cudaSuccess);
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    std::size_t nodes = 0;
    EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
    EXPECT_EQ(nodes, 1u);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(Streams, SynchronisingSpoilsACapture) {
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
              cudaErrorStreamCaptureUnsupported);
}

TEST_F(Streams, NodesFollowTheirDependencies) {
    // The graph's second node is executed first.
    unsigned char* device = nullptr;
    unsigned char host[2] = {};
    ASSERT_EQ(cudaMalloc(&device, 2), cudaSuccess);
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
    cudaGraphNode_t copy = nullptr, fill = nullptr;
    ASSERT_EQ(
        cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, host, device, 2, cudaMemcpyDeviceToHost),
        cudaSuccess);
    cudaMemsetParams parameters{};
    parameters.dst = device;
    parameters.value = 0x1234;
    parameters.elementSize = 2;
    parameters.width = 1;
    parameters.height = 1;
    ASSERT_EQ(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &parameters), cudaSuccess);
    ASSERT_EQ(cudaGraphAddDependencies(graph, &fill, &copy, nullptr, 1), cudaSuccess);
    cudaGraphExec_t executable = nullptr;
    ASSERT_EQ(cudaGraphAddDependencies(graph, &copy, &fill, nullptr, 1), cudaSuccess);
    EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaErrorInvalidValue);  // a cycle
    ASSERT_EQ(cudaGraphRemoveDependencies(graph, &copy, &fill, nullptr, 1), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(executable, 0), cudaSuccess);
    EXPECT_EQ(host[0], 0x34);
    EXPECT_EQ(host[1], 0x12);
    parameters.value = 0x5678;
    EXPECT_EQ(cudaGraphExecMemsetNodeSetParams(executable, fill, &parameters), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(executable, 0), cudaSuccess);
    EXPECT_EQ(host[1], 0x56);
}

TEST_F(Streams, ProgramsMayTellAProfilerWhereToLook) {
    EXPECT_EQ(cudaProfilerStart(), cudaSuccess);
    EXPECT_EQ(cudaProfilerStop(), cudaSuccess);
}

TEST_F(Streams, WhatIsNotSupportedSaysSo) {
    cudaIpcMemHandle_t handle{};
    void* device = nullptr;
    ASSERT_EQ(cudaMalloc(&device, 4), cudaSuccess);
    testing::internal::CaptureStderr();
    EXPECT_EQ(cudaIpcGetMemHandle(&handle, device), cudaErrorNotSupported);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "emulated GPU: error: cudaIpcGetMemHandle is not supported\n");
    EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}

}  // namespace

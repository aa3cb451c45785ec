// A program's work with streams and graphs, timed by the host's clock.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "lab/device/cuda_check.hpp"

// Seconds of `run` until the device has done it, after one time that is not timed.
inline double seconds_of(const std::function<void()>& run) {
    run();
    LAB_CUDA_CHECK(cudaDeviceSynchronize());
    const auto start = std::chrono::steady_clock::now();
    run();
    LAB_CUDA_CHECK(cudaDeviceSynchronize());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Streams that wait for the default one, on which buffers are filled.
class Streams {
  public:
    explicit Streams(unsigned count) : streams_(count) {
        for (cudaStream_t& stream : streams_) {
            LAB_CUDA_CHECK(cudaStreamCreate(&stream));
        }
    }
    ~Streams() {
        for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
    }
    Streams(const Streams&) = delete;
    Streams& operator=(const Streams&) = delete;

    // The one whose turn `index` is.
    cudaStream_t operator[](std::size_t index) const { return streams_[index % streams_.size()]; }

  private:
    std::vector<cudaStream_t> streams_;
};

// The work that `enqueue` puts into a stream, as a graph that can be launched again and again. It is executed once before, as
// kernels are loaded at their first launch, which must not be captured.
class Graph {
  public:
    explicit Graph(const std::function<void(cudaStream_t)>& enqueue) {
        enqueue(streams_[0]);
        LAB_CUDA_CHECK(cudaStreamSynchronize(streams_[0]));
        cudaGraph_t graph;
        LAB_CUDA_CHECK(cudaStreamBeginCapture(streams_[0], cudaStreamCaptureModeThreadLocal));
        enqueue(streams_[0]);
        LAB_CUDA_CHECK(cudaStreamEndCapture(streams_[0], &graph));
        LAB_CUDA_CHECK(cudaGraphInstantiateWithFlags(&executable_, graph, 0));
        LAB_CUDA_CHECK(cudaGraphDestroy(graph));
    }
    ~Graph() { cudaGraphExecDestroy(executable_); }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    void launch(cudaStream_t stream) const { LAB_CUDA_CHECK(cudaGraphLaunch(executable_, stream)); }

  private:
    Streams streams_{1};
    cudaGraphExec_t executable_ = nullptr;
};

// Floats of the host: pageable, or page-locked, so that the device's copy engines read and write them by themselves.
class HostArray {
  public:
    HostArray(std::size_t size, bool pinned) : pinned_(pinned), size_(size) {
        if (!pinned) {
            pageable_.resize(size);
            return;
        }
        void* data = nullptr;
        LAB_CUDA_CHECK(cudaMallocHost(&data, size * sizeof(float)));
        locked_ = static_cast<float*>(data);
    }
    ~HostArray() {
        if (pinned_) cudaFreeHost(locked_);
    }
    HostArray(const HostArray&) = delete;
    HostArray& operator=(const HostArray&) = delete;

    std::span<float> values() { return {pinned_ ? locked_ : pageable_.data(), size_}; }

  private:
    bool pinned_;
    std::size_t size_;
    float* locked_ = nullptr;
    std::vector<float> pageable_;
};

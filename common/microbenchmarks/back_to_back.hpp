// For the programs that time themselves: launches back to back, behind a copy that keeps the GPU busy until they are
// all there.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace back_to_back {

constexpr std::size_t mib = std::size_t{1} << 20;

inline void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "error: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

inline double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// 0.3 ms over the link to the host for each of so many copies, from 16 MiB of device memory.
inline void hold_queue(const void* from, int copies) {
    if (copies == 0) return;
    constexpr std::size_t bytes = 16 * mib;
    static void* const host = [] {
        void* memory;
        check(cudaMallocHost(&memory, bytes));
        return memory;
    }();
    for (int i = 0; i < copies; ++i)
        check(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost));
}

// Nanoseconds of a call of `enqueue`, the mean of `launches` behind the first `warm_up` ones; they get their numbers.
inline double nanoseconds_of(const void* arena, int warm_up, int launches,
                             const std::function<void(int)>& enqueue, int copies = 2) {
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    hold_queue(arena, copies);
    for (int i = 0; i < warm_up; ++i) enqueue(i);
    check(cudaEventRecord(begin));
    for (int i = 0; i < launches; ++i) enqueue(warm_up + i);
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    check(cudaEventDestroy(begin));
    check(cudaEventDestroy(end));
    return 1e6 * milliseconds / launches;
}

// The median of three such times.
inline double median_of_three(const void* arena, int warm_up, int launches,
                              const std::function<void(int)>& enqueue) {
    std::vector<double> times;
    for (int i = 0; i < 3; ++i) times.push_back(nanoseconds_of(arena, warm_up, launches, enqueue));
    return median(times);
}

}  // namespace back_to_back

// The book's example: 16 x 16 integers, a grid of 2 x 2 blocks of 8 x 8 threads, two phases. Its thread (threadIdx.y,
// threadIdx.x) = (3, 4) of block (1, 1) computes row 11, column 12. Which elements that thread loads is read off
// matmul_tiled_bounded itself.
#pragma once

#include <numeric>
#include <vector>

#include "kernels.cuh"
#include "lab/device/cuda_check.hpp"
#include "lab/experiment/chapter.hpp"

// The index of each element that the thread loads from m and from n, in turns, phase by phase.
constexpr int example_loads = 4;
__device__ int loaded_by_thread_3_4[example_loads];
__device__ int loaded_count;

// An element that holds its own index. The kernel copies an element only where it loads one.
struct IndexedElement {
    int value;

    IndexedElement() = default;
    __device__ IndexedElement(int value) : value(value) {}
    IndexedElement& operator=(const IndexedElement&) = default;
    __device__ IndexedElement(const IndexedElement& loaded) : value(loaded.value) {
        if (blockIdx.x != 1 || blockIdx.y != 1 || threadIdx.y != 3 || threadIdx.x != 4) return;
        if (loaded_count < example_loads) loaded_by_thread_3_4[loaded_count] = value;
        ++loaded_count;
    }
    __device__ void operator+=(const IndexedElement& other) { value += other.value; }
};
__device__ inline IndexedElement operator*(const IndexedElement& a, const IndexedElement& b) {
    return a.value * b.value;
}

inline lab::Variant example_indices() {
    const auto launch = [](std::size_t) {
        std::vector<int> indices(256), loaded(example_loads);
        std::iota(indices.begin(), indices.end(), 0);
        lab::DeviceBuffer<int> in{std::span<const int>(indices)}, out(256);
        const auto elements = [](lab::DeviceBuffer<int>& buffer) {
            return reinterpret_cast<IndexedElement*>(buffer.get());
        };
        int count = 0;
        LAB_CUDA_CHECK(cudaMemcpyToSymbol(loaded_count, &count, sizeof count));
        lab::launch(matmul_tiled_bounded<IndexedElement, 8>, dim3(2, 2), dim3(8, 8))(
            elements(in), elements(in), elements(out), 16, 16, 16);
        LAB_CUDA_CHECK(cudaMemcpyFromSymbol(&count, loaded_count, sizeof count));
        LAB_CUDA_CHECK(
            cudaMemcpyFromSymbol(loaded.data(), loaded_by_thread_3_4, sizeof loaded_by_thread_3_4));
        // Counted by hand in the book's picture of the matrices: row 11 of m begins at 176 and goes on with its second
        // half at 184; column 12 of n has row 3 at 60, row 11 at 188.
        const std::vector<int> expected = {180, 60, 188, 188};
        if (count == example_loads && loaded == expected) return;
        std::string found;
        for (const int index : loaded) found += " " + std::to_string(index);
        throw lab::ValidationError("thread (3,4) of block (1,1) loads" + found + ", " +
                                   std::to_string(count) + " elements");
    };
    return {.name = "matmul_tiled_bounded/tile:8/n:16/indices", .launch = launch};
}

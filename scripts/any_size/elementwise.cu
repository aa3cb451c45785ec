// Elementwise kernels as PyTorch 2.1 launches them (vectorized_elementwise_kernel<4, ...>, whole tensors of floats that lie
// in one piece), for times that others measured. Reads lines `operation elements` from standard input, and prints
// `operation elements microseconds` for the second of two launches with the same data. Made for
// scripts/timing_elementwise.py.
//
// PyTorch's kernel gets functor and pointers as structs and has one more path, for a last block that is not whole,
// with loops of element after element; here the last block does that element by element, without a loop.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>

#include "lab/device/launch.hpp"

namespace {

constexpr int threads = 128, of_thread = 4, of_block = threads * of_thread;

struct Add {
    static constexpr bool is_binary = true;
    static __device__ float apply(float a, float b) { return a + b; }
};
struct Relu {  // clamp_min, which keeps NaN
    static constexpr bool is_binary = false;
    static __device__ float apply(float a, float) { return a != a ? a : fmaxf(a, 0.0f); }
};
struct Gelu {
    static constexpr bool is_binary = false;
    static __device__ float apply(float a, float) {
        constexpr float alpha = 0.70710678f;
        return a * 0.5f * (1 + erff(a * alpha));
    }
};
struct Tanh {
    static constexpr bool is_binary = false;
    static __device__ float apply(float a, float) { return tanhf(a); }
};

template <class Operation>
__global__ void elementwise(int n, float* out, const float* a, const float* b) {
    const int first = of_block * static_cast<int>(blockIdx.x), rest = n - first;
    if (rest < of_block) {
        for (int i = 0; i < of_thread; ++i) {
            const int at = static_cast<int>(threadIdx.x) + i * threads;
            if (at >= rest) return;
            out[first + at] =
                Operation::apply(a[first + at], Operation::is_binary ? b[first + at] : 0.0f);
        }
        return;
    }
    const auto vector = [&](const float* from) {
        return reinterpret_cast<const float4*>(from + first)[threadIdx.x];
    };
    const float4 x = vector(a);
    float4 y{};
    if constexpr (Operation::is_binary) y = vector(b);
    reinterpret_cast<float4*>(out + first)[threadIdx.x] =
        float4{Operation::apply(x.x, y.x), Operation::apply(x.y, y.y), Operation::apply(x.z, y.z),
               Operation::apply(x.w, y.w)};
}

using Kernel = void (*)(int, float*, const float*, const float*);

Kernel kernel_of(const std::string& operation) {
    if (operation == "add") return elementwise<Add>;
    if (operation == "relu") return elementwise<Relu>;
    if (operation == "gelu") return elementwise<Gelu>;
    if (operation == "tanh") return elementwise<Tanh>;
    throw std::invalid_argument(operation + ": unknown; known are add, relu, gelu, tanh");
}

double microseconds_of(Kernel kernel, int n, float* out, const float* a, const float* b) {
    cudaEvent_t begin = nullptr, end = nullptr;
    LAB_CUDA_CHECK(cudaEventCreate(&begin));
    LAB_CUDA_CHECK(cudaEventCreate(&end));
    LAB_CUDA_CHECK(cudaEventRecord(begin));
    lab::launch(kernel, lab::blocks_for(static_cast<std::size_t>(n), of_block), threads)(n, out, a,
                                                                                         b);
    LAB_CUDA_CHECK(cudaEventRecord(end));
    LAB_CUDA_CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    LAB_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    return 1e3 * milliseconds;
}

void run(const std::string& operation, int n) {
    const Kernel kernel = kernel_of(operation);
    float* arrays[3];
    for (float*& each : arrays)
        LAB_CUDA_CHECK(cudaMalloc(&each, static_cast<std::size_t>(n) * sizeof(float)));
    microseconds_of(kernel, n, arrays[0], arrays[1], arrays[2]);
    std::printf("%s %d %.4f\n", operation.c_str(), n,
                microseconds_of(kernel, n, arrays[0], arrays[1], arrays[2]));
    for (float* const each : arrays) LAB_CUDA_CHECK(cudaFree(each));
}

}  // namespace

int main() {
    try {
        std::string operation;
        for (int n; std::cin >> operation >> n;) run(operation, n);
        if (!std::cin.eof())
            throw std::invalid_argument("expected lines of an operation and a number");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "elementwise: error: %s\n", error.what());
        return 2;
    }
    return 0;
}

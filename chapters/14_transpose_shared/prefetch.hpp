// transpose_vectors with a load that CUDA C++ has no words for: inline PTX.
#pragma once

#include <cstddef>

// The threads of a block, both ways, in the fastest tile of every type.
constexpr unsigned threads_a_side = 16;

template <class T>
using TransposeKernel = void (*)(const T* in, T* out, std::size_t rows, std::size_t columns);

// transpose_vectors<T, threads_a_side, threads_a_side, Order::down>, whose loads make the L2 fetch
// 256 bytes each time; null on GPUs before Ampere. For std::uint16_t, float and double.
template <class T>
TransposeKernel<T> prefetching_transpose();

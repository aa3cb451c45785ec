// Transposes whose loads the L2 evicts last: CUDA C++ has no words for that.
#pragma once

#include "prefetch.hpp"

// The block orders that are compiled; those of kernels.cuh.
enum class EvictLast {
    down,      // transpose_vectors
    apart,     // transpose_vectors
    prefetch,  // transpose_vectors down, whose loads make the L2 fetch 256 bytes as well
    sectors,   // transpose_sectors down; float only
    pairs      // transpose_sectors in pairs of columns, tiles of rows_of_pairs rows; float only
};

constexpr unsigned rows_of_pairs = 160;

// Null on GPUs before Ampere, and where it is for another type. For std::uint16_t, float and double, tiles of threads_a_side each way.
template <class T>
TransposeKernel<T> evict_last_transpose(EvictLast which);

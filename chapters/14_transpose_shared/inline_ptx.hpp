// Transposes that CUDA C++ has no words for. For std::uint16_t, float and double.
#pragma once

#include <cstddef>

#include "lab/device/variant.hpp"

// The threads of a block, both ways, in the fastest tile of every type.
constexpr unsigned threads_a_side = 16;

template <class T>
using TransposeKernel = void (*)(const T* in, T* out, std::size_t rows, std::size_t columns);

// ---- evict_last.cu: loads with hints --------------------------------------------------------------
constexpr lab::Feature cache_hints = {8, "cache hints of loads"};

enum class Hints {
    prefetch,          // transpose_vectors down, whose loads make the L2 fetch 256 bytes each time
    evict_last,        // transpose_vectors down
    evict_last_apart,  // transpose_vectors apart
    prefetch_evict_last,  // transpose_vectors down, both
    sectors,              // transpose_sectors down, both; float only
    pairs  // transpose_sectors in pairs, tiles of rows_of_pairs rows, both; float only
};
constexpr unsigned rows_of_pairs = 160;

// In tiles of threads_a_side each way; null where it is for another type.
template <class T>
TransposeKernel<T> hinted_transpose(Hints hints);

// ---- tensor.cu: tiles that the copy engine of an SM moves -----------------------------------------
constexpr lab::Feature tensor_copies = {9, "bulk tensor copies"};

// out = in transposed, asynchronously; rows and columns are multiples of 16 bytes. Throws lab::MissingError
// where the device has no tensor_copies.
template <class T>
void transpose_by_tensor_copies(const T* in, T* out, std::size_t rows, std::size_t columns);

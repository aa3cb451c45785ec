// Sums and products of the sizes that a program hands over: ApiError where they do not fit into 64 bits.
#pragma once

#include <cstddef>

#include "emulator/runtime/api/errors.hpp"

namespace emulator::runtime {

inline std::size_t sum(std::size_t a, std::size_t b,
                       cudaError_t otherwise = cudaErrorInvalidValue) {
    std::size_t result = 0;
    require(!__builtin_add_overflow(a, b, &result), otherwise);
    return result;
}

inline std::size_t product(std::size_t a, std::size_t b,
                           cudaError_t otherwise = cudaErrorInvalidValue) {
    std::size_t result = 0;
    require(!__builtin_mul_overflow(a, b, &result), otherwise);
    return result;
}

inline std::size_t rounded_up(std::size_t bytes, std::size_t unit,
                              cudaError_t otherwise = cudaErrorInvalidValue) {
    return sum(bytes, unit - 1, otherwise) / unit * unit;
}

// From the first byte of a copy or a fill to behind its last one; neither rows nor slices are 0.
inline std::size_t span_of(std::size_t row_bytes, std::size_t rows, std::size_t pitch,
                           std::size_t slices, std::size_t slice) {
    return sum(sum(product(slices - 1, slice), product(rows - 1, pitch)), row_bytes);
}

}  // namespace emulator::runtime

// Tiles that the hardware copies in bulk.
#pragma once

#include "gemm.hpp"
#include "lab/device/variant.hpp"

namespace bulk {

constexpr lab::Feature copies = {9, "bulk tensor copies"};

// c = alpha a b + beta c in tiles of this shape, one of matmul::tiles. Asynchronous. Throws
// std::invalid_argument where the matrices or their rows do not begin at multiples of 16 bytes, which
// bulk tensor copies ask for, and lab::MissingError where the device has no such copies.
void multiply(const matmul::Gemm& gemm, matmul::Tile tile);

// Throws the same where they cannot be copied in bulk.
void require(const matmul::Gemm& gemm);

}  // namespace bulk

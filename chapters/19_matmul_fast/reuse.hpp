// Step 6: multiply-adds in an order that spares the register file.
#pragma once

#include "gemm.hpp"

namespace reuse {

// As bulk::multiply.
void multiply(const matmul::Gemm& gemm, matmul::Tile tile);

}  // namespace reuse

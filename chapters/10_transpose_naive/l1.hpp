// Kernels that move a matrix, in two machine codes: the l1.cu of chapters 10 and 11 is compiled with -dlcm=ca (l1_on)
// and with -dlcm=cg (l1_off); and their rows, in blocks of 16 x 16.
#pragma once

#include <vector>

#include "problems/matrix_rows.hpp"

namespace l1_on {
std::vector<lab::MatrixKernel> kernels();
}
namespace l1_off {
std::vector<lab::MatrixKernel> kernels();
}

// First through the L1, then past it.
inline std::vector<lab::Variant> l1_rows(const lab::MatrixTranspose& matrix, lab::Cache cache) {
    std::vector<lab::Variant> table;
    for (const lab::MatrixKernel& kernel : l1_on::kernels()) {
        table.push_back(matrix_row(kernel, matrix, {16, 16}, cache, "on"));
    }
    for (const lab::MatrixKernel& kernel : l1_off::kernels()) {
        table.push_back(matrix_row(kernel, matrix, {16, 16}, cache, "off"));
    }
    return table;
}

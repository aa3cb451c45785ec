// How the copy engine of a GPU learns of a matrix: the driver's encoder of tensor maps.
#pragma once

#include <cuda.h>

namespace lab {

// A matrix of rows that lie `stride_bytes` apart, and the box of it that one copy brings.
struct TensorMatrix {
    CUtensorMapDataType type;
    const void* data;
    cuuint64_t rows, columns, stride_bytes;
    cuuint32_t box_rows, box_columns;
    CUtensorMapSwizzle swizzle;
};

// Elements outside of the matrix are zeros. Throws CudaError for what no tensor map can describe, and
// MissingError where the driver has no encoder.
CUtensorMap tensor_map(const TensorMatrix& matrix);

}  // namespace lab

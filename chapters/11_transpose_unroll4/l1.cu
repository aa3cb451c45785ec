#include "../10_transpose_naive/l1.hpp"

// LAB_L1: l1_on or l1_off, as this compilation's -dlcm is. The kernels are compiled again inside of it.
namespace LAB_L1 {

#include "../10_transpose_naive/kernels.cuh"
#include "kernels.cuh"

std::vector<lab::MatrixKernel> kernels() {
    return {
        {"transpose_read_rows", transpose_read_rows},
        {"transpose_read_rows_unroll4", transpose_read_rows_unroll4, false, 4},
        {"transpose_read_rows_unroll4_loads_first", transpose_read_rows_unroll4_loads_first, false,
         4},
        {"transpose_read_columns", transpose_read_columns, true},
        {"transpose_read_columns_unroll4", transpose_read_columns_unroll4, true, 4},
        {"transpose_read_columns_unroll4_loads_first", transpose_read_columns_unroll4_loads_first,
         true, 4},
    };
}

}  // namespace LAB_L1

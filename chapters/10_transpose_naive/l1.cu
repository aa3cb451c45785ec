#include "l1.hpp"

// LAB_L1: l1_on or l1_off, as this compilation's -dlcm is. The kernels are compiled again inside of it.
namespace LAB_L1 {

#include "../09_transpose_bounds/kernels.cuh"
#include "kernels.cuh"

std::vector<lab::MatrixKernel> kernels() {
    return {
        {.name = "copy_rows", .code = copy_rows, .transposes = false},
        {.name = "copy_columns", .code = copy_columns, .transposes = false},
        {.name = "transpose_read_rows", .code = transpose_read_rows},
        {.name = "transpose_read_columns", .code = transpose_read_columns, .x_is_row = true},
    };
}

}  // namespace LAB_L1

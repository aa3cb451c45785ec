#include "l1.hpp"

#include "lab/launch.hpp"

// LAB_L1: l1_on or l1_off, as this compilation's -dlcm is. The kernels are compiled again inside of it.
namespace LAB_L1 {

#include "../10_transpose_naive/kernels.cuh"
#include "kernels.cuh"

template <void (*kernel)(const float*, float*, std::size_t, std::size_t)>
void launch(dim3 grid, dim3 block, const float* in, float* out, std::size_t rows,
            std::size_t columns) {
    lab::launch(kernel, grid, block)(in, out, rows, columns);
}

std::vector<Kernel> kernels() {
    return {
        {"transpose_read_rows", launch<transpose_read_rows>, false, 1},
        {"transpose_read_rows_unroll4", launch<transpose_read_rows_unroll4>, false, 4},
        {"transpose_read_rows_unroll4_loads_first", launch<transpose_read_rows_unroll4_loads_first>,
         false, 4},
        {"transpose_read_columns", launch<transpose_read_columns>, true, 1},
        {"transpose_read_columns_unroll4", launch<transpose_read_columns_unroll4>, true, 4},
        {"transpose_read_columns_unroll4_loads_first",
         launch<transpose_read_columns_unroll4_loads_first>, true, 4},
    };
}

}  // namespace LAB_L1

// Compiled with -dlcm=cg (see meson.build). The namespace keeps these kernels apart from their
// twins in experiment.cu, whose loads go through the L1.
#include "past_l1.hpp"

#include <cstddef>

#include "lab/launch.hpp"

namespace past_l1 {

#include "../10_transpose_naive/kernels.cuh"
#include "kernels.cuh"

void launch_read_rows(dim3 grid, dim3 block, const float* in, float* out, std::size_t rows,
                      std::size_t columns) {
    lab::launch(transpose_read_rows, grid, block)(in, out, rows, columns);
}

void launch_read_columns(dim3 grid, dim3 block, const float* in, float* out, std::size_t rows,
                         std::size_t columns) {
    lab::launch(transpose_read_columns, grid, block)(in, out, rows, columns);
}

void launch_read_rows_unroll4(dim3 grid, dim3 block, const float* in, float* out, std::size_t rows,
                              std::size_t columns) {
    lab::launch(transpose_read_rows_unroll4, grid, block)(in, out, rows, columns);
}

void launch_read_columns_unroll4(dim3 grid, dim3 block, const float* in, float* out,
                                 std::size_t rows, std::size_t columns) {
    lab::launch(transpose_read_columns_unroll4, grid, block)(in, out, rows, columns);
}

void launch_read_rows_unroll4_loads_first(dim3 grid, dim3 block, const float* in, float* out,
                                          std::size_t rows, std::size_t columns) {
    lab::launch(transpose_read_rows_unroll4_loads_first, grid, block)(in, out, rows, columns);
}

void launch_read_columns_unroll4_loads_first(dim3 grid, dim3 block, const float* in, float* out,
                                             std::size_t rows, std::size_t columns) {
    lab::launch(transpose_read_columns_unroll4_loads_first, grid, block)(in, out, rows, columns);
}

}  // namespace past_l1

// The kernels of chapters 10 and 11, compiled so that their loads bypass the L1.
#pragma once

#include <cstddef>

namespace past_l1 {

void launch_read_rows(dim3 grid, dim3 block, const float* in, float* out, std::size_t rows,
                      std::size_t columns);
void launch_read_columns(dim3 grid, dim3 block, const float* in, float* out, std::size_t rows,
                         std::size_t columns);
void launch_read_rows_unroll4(dim3 grid, dim3 block, const float* in, float* out, std::size_t rows,
                              std::size_t columns);
void launch_read_columns_unroll4(dim3 grid, dim3 block, const float* in, float* out,
                                 std::size_t rows, std::size_t columns);
void launch_read_rows_unroll4_loads_first(dim3 grid, dim3 block, const float* in, float* out,
                                          std::size_t rows, std::size_t columns);
void launch_read_columns_unroll4_loads_first(dim3 grid, dim3 block, const float* in, float* out,
                                             std::size_t rows, std::size_t columns);

}  // namespace past_l1

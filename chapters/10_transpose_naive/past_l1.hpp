// The kernels of chapters 09 and 10, compiled so that their loads bypass the L1.
#pragma once

#include <cstddef>

namespace past_l1 {

void launch_copy_rows(dim3 grid, dim3 block, const float* in, float* out, std::size_t rows,
                      std::size_t columns);
void launch_copy_columns(dim3 grid, dim3 block, const float* in, float* out, std::size_t rows,
                         std::size_t columns);
void launch_read_rows(dim3 grid, dim3 block, const float* in, float* out, std::size_t rows,
                      std::size_t columns);
void launch_read_columns(dim3 grid, dim3 block, const float* in, float* out, std::size_t rows,
                         std::size_t columns);

}  // namespace past_l1

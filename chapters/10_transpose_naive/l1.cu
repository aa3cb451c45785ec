#include "l1.hpp"

#include "lab/launch.hpp"

// LAB_L1: l1_on or l1_off, as this compilation's -dlcm is. The kernels are compiled again inside of it.
namespace LAB_L1 {

#include "../09_transpose_bounds/kernels.cuh"
#include "kernels.cuh"

template <void (*kernel)(const float*, float*, std::size_t, std::size_t)>
void launch(dim3 grid, dim3 block, const float* in, float* out, std::size_t rows,
            std::size_t columns) {
    lab::launch(kernel, grid, block)(in, out, rows, columns);
}

std::vector<Kernel> kernels() {
    return {
        {"copy_rows", launch<copy_rows>, false, false},
        {"copy_columns", launch<copy_columns>, false, false},
        {"transpose_read_rows", launch<transpose_read_rows>, true, false},
        {"transpose_read_columns", launch<transpose_read_columns>, true, true},
    };
}

}  // namespace LAB_L1

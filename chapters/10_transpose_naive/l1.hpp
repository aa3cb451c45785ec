// Kernels that move a matrix, in two machine codes: each chapter's l1.cu is compiled with -dlcm=ca (l1_on)
// and with -dlcm=cg (l1_off). Of chapters 10 and 11.
#pragma once

#include <cstddef>
#include <vector>

#include "lab/launch.hpp"

struct Kernel {
    const char* name;
    void (*launch)(dim3 grid, dim3 block, const float* in, float* out, std::size_t rows,
                   std::size_t columns);
    bool x_is_row;  // the x direction of the grid runs over the rows of `in`
    unsigned elements_per_thread = 1;
    bool transposes = true;  // or copies
};

template <void (*kernel)(const float*, float*, std::size_t, std::size_t)>
void launch(dim3 grid, dim3 block, const float* in, float* out, std::size_t rows,
            std::size_t columns) {
    lab::launch(kernel, grid, block)(in, out, rows, columns);
}

namespace l1_on {
std::vector<Kernel> kernels();
}
namespace l1_off {
std::vector<Kernel> kernels();
}

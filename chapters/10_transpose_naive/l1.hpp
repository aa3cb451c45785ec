// The kernels of chapters 09 and 10 in two machine codes: l1.cu is compiled with -dlcm=ca (l1_on) and
// with -dlcm=cg (l1_off).
#pragma once

#include <cstddef>
#include <vector>

struct Kernel {
    const char* name;
    void (*launch)(dim3 grid, dim3 block, const float* in, float* out, std::size_t rows,
                   std::size_t columns);
    bool transposes;  // or copies
    bool x_is_row;    // the x direction of the grid runs over the rows of `in`
};

namespace l1_on {
std::vector<Kernel> kernels();
}
namespace l1_off {
std::vector<Kernel> kernels();
}

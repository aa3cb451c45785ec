// Kernels that move a matrix, in two machine codes: each chapter's l1.cu is compiled with -dlcm=ca (l1_on)
// and with -dlcm=cg (l1_off). Of chapters 10 and 11.
#pragma once

#include <cstddef>
#include <vector>

struct Kernel {
    const char* name;
    void (*code)(const float* in, float* out, std::size_t rows, std::size_t columns);
    bool x_is_row = false;    // the x direction of the grid runs over the rows of `in`
    unsigned per_thread = 1;  // elements, in the x direction
    bool transposes = true;   // or copies
};

namespace l1_on {
std::vector<Kernel> kernels();
}
namespace l1_off {
std::vector<Kernel> kernels();
}

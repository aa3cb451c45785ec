#include "l1.hpp"

// LAB_L1: l1_on or l1_off, as this compilation's -dlcm is. The kernels are compiled again inside of it.
namespace LAB_L1 {

#include "../09_transpose_bounds/kernels.cuh"
#include "kernels.cuh"

std::vector<Kernel> kernels() {
    return {
        {"copy_rows", launch<copy_rows>, false, 1, false},
        {"copy_columns", launch<copy_columns>, false, 1, false},
        {"transpose_read_rows", launch<transpose_read_rows>, false},
        {"transpose_read_columns", launch<transpose_read_columns>, true},
    };
}

}  // namespace LAB_L1

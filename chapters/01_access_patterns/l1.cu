#include "l1.hpp"

#include "lab/launch.hpp"

// LAB_L1: l1_on or l1_off, as this compilation's -dlcm is. The kernels are compiled again inside of it.
namespace LAB_L1 {

#include "kernels.cuh"

template <void (*kernel)(const float*, float*, std::size_t, unsigned)>
void launch(unsigned grid, unsigned block, const float* in, float* out, std::size_t n,
            unsigned parameter) {
    lab::launch(kernel, grid, block)(in, out, n, parameter);
}

void launch_bytes(unsigned grid, unsigned block, const unsigned char* in, unsigned char* out,
                  std::size_t n, unsigned stride) {
    lab::launch(copy_bytes, grid, block)(in, out, n, stride);
}

LoadKernels load_kernels() {
    return {launch<copy_strided>,
            launch<copy_permuted>,
            launch<copy_misaligned>,
            launch<copy_broadcast>,
            launch<copy_scattered>,
            launch<copy_segments>,
            launch_bytes};
}

}  // namespace LAB_L1

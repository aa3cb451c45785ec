#include "l1.hpp"

#include "lab/launch.hpp"

// LAB_L1: l1_on or l1_off, as this compilation's -dlcm is. The kernel is compiled again inside of it.
namespace LAB_L1 {

#include "../02_misaligned_reads/kernels.cuh"

void launch_read_offset(unsigned grid, unsigned block, const float* a, const float* b, float* c,
                        std::size_t n, std::size_t offset, std::size_t shared_bytes) {
    lab::launch(read_offset, grid, block, shared_bytes)(a, b, c, n, offset);
}

}  // namespace LAB_L1

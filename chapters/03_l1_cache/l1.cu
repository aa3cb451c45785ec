#include "l1.hpp"

// LAB_L1: l1_on or l1_off, as this compilation's -dlcm is. The kernel is compiled again inside of it.
namespace LAB_L1 {

#include "../02_misaligned_reads/kernels.cuh"

lab::AddKernel read_offset_kernel() { return read_offset; }

}  // namespace LAB_L1

#include "l1.hpp"

// LAB_L1: l1_on or l1_off, as this compilation's -dlcm is. The kernels are compiled again inside of it.
namespace LAB_L1 {

#include "kernels.cuh"

LoadKernels load_kernels() {
    return {copy_strided,   copy_permuted, copy_misaligned, copy_broadcast,
            copy_scattered, copy_segments, copy_bytes};
}

}  // namespace LAB_L1

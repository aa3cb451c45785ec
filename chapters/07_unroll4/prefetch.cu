#include "prefetch.hpp"

#include <nv/target>

#include "lab/cuda_check.hpp"

namespace {

// The kernels are compiled anew, for another load.
#include "kernels.cuh"

// The L2 is asked for the 256 bytes around the address: a warp's request of 512 bytes becomes two such
// fetches in place of four lines.
struct PrefetchingLoad {
    __device__ float4 operator()(const float4* from) const {
        float4 loaded{};
        // Code for older GPUs has to compile, but is not launched.
        NV_IF_TARGET(NV_PROVIDES_SM_80,
                     (asm volatile("ld.global.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
                                   : "=f"(loaded.x), "=f"(loaded.y), "=f"(loaded.z), "=f"(loaded.w)
                                   : "l"(from));))
        return loaded;
    }
};

}  // namespace

Kernel prefetching_read_offset_wide() {
    int device = 0, major = 0;
    LAB_CUDA_CHECK(cudaGetDevice(&device));
    LAB_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    if (major < 8) return nullptr;
    return read_offset_wide<PrefetchingLoad>;
}

// wgmma: products of a warpgroup, four warps, that run beside its threads. 64 x 256 elements of c, or of its transpose, 32 bytes
// of k deep. Only for code of compute capability 9.0a.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "lab/device/copy_engine.cuh"

namespace tensor {

// A matrix descriptor (PTX ISA): bits 0 to 13 have the address, 16 to 29 and 32 to 45 two distances, all in units of 16 bytes; bit 62:
// pieces of 16 bytes are swizzled in rows of 128 bytes. Eight rows are 1024 bytes. Rows along k need no other distance; rows
// across k go on `box` bytes further.
// In a cluster the address of shared memory carries the block's rank above its 18 bits; the descriptor has no place for it.
__device__ inline std::uint64_t operand(std::uint32_t start, std::uint64_t box = 16) {
    constexpr std::uint64_t swizzled = 1ull << 62, eight_rows = 1024 / 16;
    return swizzled | eight_rows << 32 | box / 16 << 16 | start % (1u << 18) / 16;
}

// Registers and shared memory that the threads have written are ready for the products that follow.
__device__ inline void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit_products() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int groups>
__device__ void await_products_but() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
}

#define TENSOR_SUMS                                                                                \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "             \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "             \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "             \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "             \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "             \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, "   \
    "%127"
#define TENSOR_4(i) "+f"(sums[i]), "+f"(sums[(i) + 1]), "+f"(sums[(i) + 2]), "+f"(sums[(i) + 3])
#define TENSOR_32(i)                                                                           \
    TENSOR_4(i), TENSOR_4((i) + 4), TENSOR_4((i) + 8), TENSOR_4((i) + 12), TENSOR_4((i) + 16), \
        TENSOR_4((i) + 20), TENSOR_4((i) + 24), TENSOR_4((i) + 28)
#define TENSOR_128 TENSOR_32(0), TENSOR_32(32), TENSOR_32(64), TENSOR_32(96)

// sums = left right, or sums += left right if `adds`. Rows of left are along k, those of right across it.
template <class T>
__device__ void multiply_shared(float (&sums)[128], std::uint64_t left, std::uint64_t right,
                                bool adds);
#define TENSOR_MULTIPLY(T, instruction)                                                           \
    template <>                                                                                   \
    __device__ inline void multiply_shared<T>(float (&sums)[128], std::uint64_t left,             \
                                              std::uint64_t right, bool adds) {                   \
        asm volatile("{.reg .pred adds; setp.ne.b32 adds, %130, 0; " instruction " {" TENSOR_SUMS \
                     "}, %128, %129, adds, 1, 1, 0, 1;}"                                          \
                     : TENSOR_128                                                                 \
                     : "l"(left), "l"(right), "r"(int(adds)));                                    \
    }
TENSOR_MULTIPLY(half, "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16")
TENSOR_MULTIPLY(nv_bfloat16, "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16")
#undef TENSOR_MULTIPLY

// The same for TF32, whose left operand lies in registers as that of mma.m16n8k8 does, warp w with rows 16 w to 16 w + 15. Rows of
// right are along k: TF32 has no other.
__device__ inline void multiply_registers(float (&sums)[128], const float (&left)[4],
                                          std::uint64_t right, bool adds) {
    asm volatile(
        "{.reg .pred adds; setp.ne.b32 adds, %133, 0; "
        "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {" TENSOR_SUMS
        "}, {%128, %129, %130, %131}, %132, adds, 1, 1;}"
        : TENSOR_128
        : "r"(__float_as_uint(left[0])), "r"(__float_as_uint(left[1])),
          "r"(__float_as_uint(left[2])), "r"(__float_as_uint(left[3])), "l"(right), "r"(int(adds)));
}
#undef TENSOR_128
#undef TENSOR_32
#undef TENSOR_4
#undef TENSOR_SUMS

// The producer needs few registers, the consumers' sums many: 128 x 40 + 256 x 232 fit an SM.
__device__ inline void give_registers_back() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
}
__device__ inline void take_registers() { asm volatile("setmaxnreg.inc.sync.aligned.u32 232;"); }

// A box to shared memory, here or at the same place of both blocks of a cluster. Each block's barrier counts the bytes that reach it.
template <int blocks>
__device__ void copy_to_blocks(std::uint32_t to, const CUtensorMap* matrix, int row, int column,
                               std::uint32_t barrier) {
    if constexpr (blocks == 1) {
        copy_box(to, matrix, row, column, barrier);
    } else {
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
            ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
            "l"(matrix), "r"(column), "r"(row), "r"(barrier), "h"(std::uint16_t{3})
            : "memory");
    }
}

// Arrives at the same barrier of another block of the cluster. The scope of the release is the block: for that of the cluster the
// compiler adds a MEMBAR.ALL.GPU, in which the warp waits for all its accesses.
__device__ inline void barrier_arrive_at(std::uint32_t barrier, int rank) {
    asm volatile(
        "{.reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; "
        "mbarrier.arrive.shared::cluster.b64 _, [there];}" ::"r"(barrier),
        "r"(rank)
        : "memory");
}

}  // namespace tensor

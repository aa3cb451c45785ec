// The copy engine of compute capability 9.0 and its barriers, which CUDA C++ has no words for: inline PTX.
#pragma once

#include <cstdint>

#include "gemm.hpp"
#include "lab/device/copy_engine.cuh"
#include "lab/device/cuda_check.hpp"
#include "lab/device/launch.hpp"
#include "lab/device/tensor_map.hpp"

__device__ __forceinline__ float2 load_shared_2(std::uint32_t address) {
    float2 v;
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(address));
    return v;
}

__device__ __forceinline__ float4 load_shared_4(std::uint32_t address) {
    float4 v;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(address));
    return v;
}

inline CUtensorMap tensor_map(const float* matrix, int rows, int columns, int stride, int box_rows,
                              int box_width, CUtensorMapSwizzle swizzle) {
    return lab::tensor_map({.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                            .data = matrix,
                            .rows = static_cast<cuuint64_t>(rows),
                            .columns = static_cast<cuuint64_t>(columns),
                            .stride_bytes = static_cast<cuuint64_t>(stride) * sizeof(float),
                            .box_rows = static_cast<cuuint32_t>(box_rows),
                            .box_columns = static_cast<cuuint32_t>(box_width),
                            .swizzle = swizzle});
}

template <int rows, int columns>
dim3 tiles_of(const matmul::Gemm& gemm) {
    return dim3(lab::blocks_for(std::size_t(gemm.n), columns),
                lab::blocks_for(std::size_t(gemm.m), rows));
}

// Calls `multiply` with the rows and columns of a tile, one of matmul::tiles, as its template arguments.
template <class Multiply>
void in_tiles(matmul::Tile tile, const Multiply& multiply) {
    if (tile.rows == 64) return multiply.template operator()<64, 64>();
    if (tile.columns == 64) return multiply.template operator()<128, 64>();
    multiply.template operator()<128, 128>();
}

// Launches a kernel that multiplies in tiles which the copy engine brings: boxes of a, `depth` deep and
// swizzled, and of b, `box_columns` wide. `S` has threads and bytes of shared memory a block.
// `more` are the kernel's last arguments.
template <class S, int rows, int columns, class Kernel, class... More>
void launch_on_tiles(Kernel kernel, const matmul::Gemm& gemm, int depth, int box_columns, dim3 grid,
                     More... more) {
    // Once: more than the 48 KB that a block may have unasked.
    static const bool allowed = [=] {
        LAB_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            S::shared_bytes));
        return true;
    }();
    static_cast<void>(allowed);
    const CUtensorMap a =
        tensor_map(gemm.a, gemm.m, gemm.k, gemm.lda, rows, depth, CU_TENSOR_MAP_SWIZZLE_128B);
    const CUtensorMap b = tensor_map(gemm.b, gemm.k, gemm.n, gemm.ldb, depth, box_columns,
                                     CU_TENSOR_MAP_SWIZZLE_NONE);
    lab::launch(kernel, grid, S::threads, S::shared_bytes)(a, b, gemm.m, gemm.n, gemm.k, gemm.alpha,
                                                           gemm.beta, gemm.c, gemm.ldc, more...);
}

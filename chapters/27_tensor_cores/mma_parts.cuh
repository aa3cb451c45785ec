// Parts that the steps with mma.sync share: tiles of 128 x 128 elements of c, 64 bytes of k deep, in pieces of 16 bytes; fragments.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace tensor {

constexpr int tile = 128, threads = 256;
constexpr int warp_rows = 64, warp_columns = 32;  // of c: eight warps, two below each other

// Where the pieces of a row lie in shared memory.
enum class Layout { plain, padded, swizzled };

// The tiles of one phase. float stands for TF32: its low 13 bits are not read.
template <class T, Layout layout>
struct Tiles {
    static constexpr int elements = 16 / sizeof(T);                 // of a piece
    static constexpr int depth = 64 / sizeof(T);                    // of k
    static constexpr int a_pieces = 4, b_pieces = tile / elements;  // of a row
    static constexpr int padding = layout == Layout::padded ? 1 : 0;
    static constexpr int a_bytes = 16 * tile * (a_pieces + padding);
    static constexpr int b_bytes = 16 * depth * (b_pieces + padding);
    static constexpr int bytes = a_bytes + b_bytes;

    // Eight rows of one piece are read at a time: swizzled, they lie in eight different groups of four banks. Two rows of a share 128
    // bytes, a row of b has 256 or more. Of TF32 four rows and two pieces of b are read.
    static __device__ int a_offset(int row, int piece) {
        if (layout == Layout::swizzled) piece ^= row / 2 % 4;
        return 16 * (row * (a_pieces + padding) + piece);
    }
    static __device__ int b_offset(int row, int piece) {
        if (layout == Layout::swizzled) piece ^= sizeof(T) == 2 ? row % 8 : 2 * (row % 4);
        return a_bytes + 16 * (row * (b_pieces + padding) + piece);
    }
};

__device__ inline unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// A piece from global to shared memory, beside the threads; 0 bytes of it are read where it lies outside.
__device__ inline void copy_piece(char* to, const void* from, bool is_inside) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                 "l"(from), "r"(is_inside ? 16 : 0)
                 : "memory");
}
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int groups>
__device__ void await_all_but() {
    asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}

__device__ inline void load_matrices(unsigned (&to)[4], const char* from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(from))
                 : "memory");
}
__device__ inline void load_transposed(unsigned (&to)[4], const char* from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(from))
                 : "memory");
}

// sums += a b: 16 x 8 elements, 32 bytes of k deep.
template <class T>
__device__ void multiply_fragments(float (&sums)[4], const unsigned (&a)[4], unsigned b0,
                                   unsigned b1);
#define TENSOR_MULTIPLY(T, instruction)                                                    \
    template <>                                                                            \
    __device__ inline void multiply_fragments<T>(float (&sums)[4], const unsigned (&a)[4], \
                                                 unsigned b0, unsigned b1) {               \
        asm volatile(instruction                                                           \
                     " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "        \
                     "%3};"                                                                \
                     : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])          \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));      \
    }
TENSOR_MULTIPLY(half, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
TENSOR_MULTIPLY(nv_bfloat16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
TENSOR_MULTIPLY(float, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
#undef TENSOR_MULTIPLY

// The operands of 8 columns of b, two such beside each other.
template <class T, Layout layout>
__device__ void load_columns(unsigned (&to)[4], const char* tiles, int row, int column) {
    using Here = Tiles<T, layout>;
    const int lane = threadIdx.x % 32;
    if constexpr (sizeof(T) == 2) {
        load_transposed(to, tiles + Here::b_offset(row + lane % 16, column / 8 + lane / 16));
    } else {
        for (int i = 0; i < 4; ++i) {
            const int at = column + i / 2 * 8 + lane / 4;
            const char* const piece = tiles + Here::b_offset(row + i % 2 * 4 + lane % 4, at / 4);
            to[i] = reinterpret_cast<const unsigned*>(piece)[at % 4];
        }
    }
}

// sums += a's tile times b's, for the 64 x 32 elements of a warp.
template <class T, Layout layout>
__device__ void multiply_tiles(float (&sums)[4][4][4], const char* tiles, int row, int column) {
    using Here = Tiles<T, layout>;
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int step = 0; step < 2; ++step) {
        unsigned a[4][4], b[2][4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            load_matrices(a[i],
                          tiles + Here::a_offset(row + 16 * i + lane % 16, 2 * step + lane / 16));
        }
#pragma unroll
        for (int j = 0; j < 2; ++j)
            load_columns<T, layout>(b[j], tiles, step * Here::depth / 2, column + 16 * j);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
            for (int j = 0; j < 4; ++j)
                multiply_fragments<T>(sums[i][j], a[i], b[j / 2][j % 2 * 2],
                                      b[j / 2][j % 2 * 2 + 1]);
        }
    }
}

// `pairs`: rows of c begin at multiples of 8 bytes.
template <bool pairs>
__device__ void store_sums(const float (&sums)[4][4][4], float* c, int m, int n, int row,
                           int column) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int c_column = column + 8 * j + lane % 4 * 2;
#pragma unroll
            for (int half_of = 0; half_of < 2; ++half_of) {
                const int c_row = row + 16 * i + 8 * half_of + lane / 4;
                const float* const pair = &sums[i][j][2 * half_of];
                float* const to = c + static_cast<long long>(c_row) * n + c_column;
                if (c_row >= m || c_column >= n) continue;
                if (pairs) {
                    *reinterpret_cast<float2*>(to) = {pair[0], pair[1]};
                } else {
                    to[0] = pair[0];
                    if (c_column + 1 < n) to[1] = pair[1];
                }
            }
        }
    }
}

}  // namespace tensor

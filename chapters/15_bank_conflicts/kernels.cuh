// Kernels of chapter 15: shared memory, whose 32 banks serve one word each in a pass.
#pragma once

// ---- The book's examples: a matrix passes through a tile. Blocks of width x width threads.

// The baseline. A warp stores and loads along a row of the tile: 32 neighbouring words, 32 banks.
template <int width>
__global__ void stage_rows(const float* in, float* out, int rows, int columns) {
    __shared__ float tile[width][width];
    const int column = blockIdx.x * width + threadIdx.x;
    const int row = blockIdx.y * width + threadIdx.y;
    const bool inside = row < rows && column < columns;
    if (inside) tile[threadIdx.y][threadIdx.x] = in[row * columns + column];
    __syncthreads();
    if (inside) out[row * columns + column] = tile[threadIdx.y][threadIdx.x];
}

// A warp stores and loads down columns: words `pitch` apart. With a pitch of 32 they all lie in one
// bank, with 33 each in its own. Global memory is read and written as before.
template <int width, int pitch>
__global__ void stage_columns(const float* in, float* out, int rows, int columns) {
    __shared__ float tile[width][pitch];
    const int column = blockIdx.x * width + threadIdx.x;
    const int row = blockIdx.y * width + threadIdx.y;
    const bool inside = row < rows && column < columns;
    if (inside) tile[threadIdx.x][threadIdx.y] = in[row * columns + column];
    __syncthreads();
    if (inside) out[row * columns + column] = tile[threadIdx.x][threadIdx.y];
}

// stage_columns in shared memory whose size is given at the launch, blockDim.x * pitch floats. The
// banks do not know the difference.
__global__ void stage_columns_dynamic(const float* in, float* out, int rows, int columns,
                                      int pitch) {
    extern __shared__ float tile[];
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const bool inside = row < rows && column < columns;
    if (inside) tile[threadIdx.x * pitch + threadIdx.y] = in[row * columns + column];
    __syncthreads();
    if (inside) out[row * columns + column] = tile[threadIdx.x * pitch + threadIdx.y];
}

// Stored along rows, loaded down columns: each tile is turned in its place. The matrix has to consist
// of whole tiles. In blocks of 16 x 16 a warp spans two rows, so that one pitch cannot serve
// both accesses: rows want 16, columns want 18.
template <int width, int pitch>
__global__ void turn_tiles(const float* in, float* out, int columns) {
    __shared__ float tile[width][pitch];
    const int column = blockIdx.x * width + threadIdx.x;
    const int row = blockIdx.y * width + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[row * columns + column];
    __syncthreads();
    out[row * columns + column] = tile[threadIdx.x][threadIdx.y];
}

// turn_tiles without padding: the columns of each row are permuted by an exclusive or with bits of
// the row. Along a row nothing changes, down a column the banks now differ, for any width of 8 to 32.
template <int width>
__global__ void turn_tiles_swizzled(const float* in, float* out, int columns) {
    __shared__ float tile[width][width];
    const int permuting_bits = width - 32 / width;
    const int column = blockIdx.x * width + threadIdx.x;
    const int row = blockIdx.y * width + threadIdx.y;
    tile[threadIdx.y][threadIdx.x ^ (threadIdx.y & permuting_bits)] = in[row * columns + column];
    __syncthreads();
    out[row * columns + column] = tile[threadIdx.x][threadIdx.y ^ (threadIdx.x & permuting_bits)];
}

// ---- Conflicts alone: loads from shared memory, and hardly anything else.

__device__ inline unsigned sum_of(unsigned short value) { return value; }
__device__ inline unsigned sum_of(unsigned value) { return value; }
__device__ inline unsigned sum_of(uint2 value) { return value.x + value.y; }
__device__ inline unsigned sum_of(uint4 value) { return value.x + value.y + value.z + value.w; }

// Lanes load elements `stride` apart, `sharers` neighbours the same one; 32 such loads, each one
// element further on, make a round: the banks shift, and where a bank has 4 bytes their conflicts stay.
// The barrier keeps the compiler from loading once for all rounds.
template <class T>
__global__ void __launch_bounds__(1024)
    load_strided(const T* in, unsigned* out, int stride, int sharers, int rounds) {
    __shared__ T elements[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) elements[i] = in[i];
    const int first = threadIdx.x % 32 / sharers * stride;
    unsigned sum = 0;
    for (int round = 0; round < rounds; ++round) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; ++i) sum += sum_of(elements[first + i]);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// load_strided's loop with one value of each thread in a register: an exclusive or and an addition in
// the place of a load and an addition.
__global__ void __launch_bounds__(1024)
    combine_in_registers(const unsigned* in, unsigned* out, int rounds) {
    const unsigned value = in[threadIdx.x];
    unsigned sum = 0;
    for (int round = 0; round < rounds; ++round) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; ++i) sum = (sum ^ value) + i;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// ---- Shared memory as a budget: a copy through a launch's shared memory of any size. What a block
// asks for beyond a float a thread it does not use; but an SM holds fewer such blocks.
__global__ void copy_through_shared(const float* in, float* out, int n) {
    extern __shared__ float staged[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) staged[threadIdx.x] = in[i];
    __syncthreads();
    if (i < n) out[i] = staged[threadIdx.x];
}

// ---- What shared memory leaves to the L1: every block reads the same 61 KiB eight times. A launch that
// asks for shared memory, which it does not use, leaves a smaller L1 on most GPUs.
constexpr unsigned reread_words = 61 * 256;

__global__ void reread_beside_shared(const float* in, float* out, unsigned rounds) {
    float sum = 0;
#pragma unroll 1
    for (unsigned round = 0; round < rounds; ++round) {
        for (unsigned i = threadIdx.x; i < reread_words; i += blockDim.x) sum += __ldca(&in[i]);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

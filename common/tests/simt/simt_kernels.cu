// Kernels of simt_kernels_test.cpp, which are compiled to PTX and run by the SIMT core.
#include <cooperative_groups.h>
#include <cstdio>

template <class T>
__device__ void copy_strided(const T* in, T* out, int load_stride, int load_offset,
                             int store_stride) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * store_stride] = in[i * load_stride + load_offset];
}
#define COPY_STRIDED(name, type)                                                                 \
    extern "C" __global__ void name(const type* in, type* out, int load_stride, int load_offset, \
                                    int store_stride) {                                          \
        copy_strided(in, out, load_stride, load_offset, store_stride);                           \
    }
COPY_STRIDED(copy_strided_float, float)
COPY_STRIDED(copy_strided_char, unsigned char)
COPY_STRIDED(copy_strided_short, short)
COPY_STRIDED(copy_strided_double, double)
COPY_STRIDED(copy_strided_float2, float2)
COPY_STRIDED(copy_strided_float4, float4)

extern "C" __global__ void add(const float* a, const float* b, float* c) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

extern "C" __global__ void copy_permuted(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i ^ 21];  // permutes the lanes of each warp
}

extern "C" __global__ void copy_odd_lanes(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2 == 1) out[i] = in[i];
}

extern "C" __global__ void copy_rows_2d(const float* in, float* out, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * width + x] = in[y * width + x];
}

extern "C" __global__ void index_3d(int* out) {
    const int in_block = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    out[block * blockDim.x * blockDim.y * blockDim.z + in_block] = block * 1000 + in_block;
}

extern "C" __global__ void shared_stride(float* out, int stride) {
    __shared__ float words[32 * 33];
    words[threadIdx.x * stride] = float(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x * stride];
}

extern "C" __global__ void shared_stride_from(float* out, int stride, int first) {
    __shared__ float words[32 * 33];
    words[first + threadIdx.x * stride] = float(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = words[first + threadIdx.x * stride];
}

extern "C" __global__ void shared_stride_double(double* out, int stride) {
    __shared__ double words[32 * 33];
    words[threadIdx.x * stride] = double(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x * stride];
}

template <int padding>
__device__ void transpose_in_shared(const float* in, float* out) {
    __shared__ float tile[32][32 + padding];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void transpose_unpadded(const float* in, float* out) {
    transpose_in_shared<0>(in, out);
}
extern "C" __global__ void transpose_padded(const float* in, float* out) {
    transpose_in_shared<1>(in, out);
}

extern "C" __global__ void reverse_dynamic(float* values) {
    extern __shared__ float staged[];
    staged[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = staged[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void read_past_static_shared(float* out, int shift) {
    __shared__ float words[32];
    words[threadIdx.x] = 1;
    out[threadIdx.x] = words[threadIdx.x + shift];
}

extern "C" __global__ void load_through_ldg(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __ldg(&in[i]);
}

extern "C" __global__ void row_sums(const float* in, float* out, int width) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < width; ++k) sum += in[row * width + k];
    out[row] = sum;
}

// The address is 4 * (index + 16), in that order: nvcc keeps index + 16 for both arrays.
extern "C" __global__ void shifted_index(const float* in, float* out) {
    const long long index = static_cast<int>(threadIdx.x) - 16;
    const long long shifted = index + 16;
    float value = 0;
    if (threadIdx.x % 2 == 0) value = in[shifted];
    __syncthreads();
    out[shifted] = value;
}

extern "C" __global__ void lane_dependent_loop(const float* in, float* out) {
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k <= threadIdx.x; ++k) sum += in[k * 32 + threadIdx.x];
    out[threadIdx.x] = sum;
}

extern "C" __global__ void warp_sum(const int* in, int* out) {
    int sum = in[threadIdx.x];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = sum;
}

// The last step of a block's sum: 8 lanes add up 8 numbers, the others have none.
extern "C" __global__ void sum_of_eight(const int* in, int* out) {
    int sum = 100;
    if (threadIdx.x < 8) {
        sum = in[threadIdx.x];
        for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffu, sum, step);
    }
    if (threadIdx.x == 0) *out = sum;
}

extern "C" __global__ void votes(const int* in, unsigned* out) {
    const int value = in[threadIdx.x];
    const unsigned ballot = __ballot_sync(0xffffffffu, value > 0);
    const int any = __any_sync(0xffffffffu, value > 100);
    const int all = __all_sync(0xffffffffu, value > -100);
    const int count = __syncthreads_count(value > 0);
    if (threadIdx.x == 0) {
        out[0] = ballot;
        out[1] = any;
        out[2] = all;
        out[3] = count;
    }
}

extern "C" __global__ void histogram(const int* in, int* bins, float* total) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[in[i]], 1);
    atomicAdd(total, 1.0f);
    atomicMax(&bins[4], in[i]);
}

// A warp adds to `words` floats of shared memory, then 1 to one word.
extern "C" __global__ void add_in_shared(float* out, int words) {
    __shared__ float sums[32];
    __shared__ int count;
    sums[threadIdx.x] = 0;
    count = 0;
    __syncthreads();
    atomicAdd(&sums[threadIdx.x % words], 1.0f);
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = sums[threadIdx.x] + count;
}

// ---- progress ----------------------------------------------------------------------------------

extern "C" __global__ void spin_lock(int* lock, int* value) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *reinterpret_cast<volatile int*>(value) += 1;
    __threadfence();
    atomicExch(lock, 0);
}

// Blocks wait for the one after them.
extern "C" __global__ void chain_of_blocks(volatile int* flags, int* order) {
    const unsigned next = blockIdx.x + 1;
    if (threadIdx.x == 0 && next < gridDim.x) {
        while (flags[next] == 0) {
        }
        order[blockIdx.x] = order[next] + 1;
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0) flags[blockIdx.x] = 1;
}

extern "C" __global__ void grid_sync(int* values, int* sums) {
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const unsigned i = grid.thread_rank();
    values[i] = i;
    grid.sync();
    sums[i] = values[grid.size() - 1 - i] + values[i];
}

// ---- calls -------------------------------------------------------------------------------------

__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ __noinline__ int square(int n) { return n * n; }
typedef int (*Function)(int);
__device__ Function functions[2] = {factorial, square};

extern "C" __global__ void call_functions(int* out) {
    out[threadIdx.x] = functions[threadIdx.x & 1](threadIdx.x % 8);
}

extern "C" __global__ void print_lanes(int n) {
    if (threadIdx.x < n)
        printf("lane %d of block %u: %.2f %s\n", threadIdx.x, blockIdx.x, 0.5 * threadIdx.x,
               "text");
}

extern "C" __global__ void use_local(int* out, int n) {
    int values[16];
    for (int i = 0; i < 16; ++i) values[i] = i * n;
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += values[(threadIdx.x + i) % 16];
    out[threadIdx.x] = sum;
}

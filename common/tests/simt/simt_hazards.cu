// Kernels of simt_hazards_test.cpp. Comments at the ends of lines are looked up by the test.

enum class Plant { none, first_barrier, second_barrier };

template <Plant missing>
__device__ void multiply_tiled(const float* a, const float* b, float* c) {
    constexpr int tile = 16, width = 32;
    __shared__ float a_tile[tile][tile];
    __shared__ float b_tile[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < width; first += tile) {
        a_tile[threadIdx.y][threadIdx.x] = a[row * width + first + threadIdx.x];
        b_tile[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * width + column];
        if (missing != Plant::first_barrier) __syncthreads();
        for (int k = 0; k < tile; ++k) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
        if (missing != Plant::second_barrier) __syncthreads();
    }
    c[row * width + column] = sum;
}
extern "C" __global__ void multiply_correct(const float* a, const float* b, float* c) {
    multiply_tiled<Plant::none>(a, b, c);
}
extern "C" __global__ void multiply_without_first(const float* a, const float* b, float* c) {
    multiply_tiled<Plant::first_barrier>(a, b, c);
}
extern "C" __global__ void multiply_without_second(const float* a, const float* b, float* c) {
    multiply_tiled<Plant::second_barrier>(a, b, c);
}

extern "C" __global__ void read_beyond_what_is_written(float* out, int shift) {
    __shared__ float words[33];
    words[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x + shift];  // read uninitialised
}

extern "C" __global__ void copy(const float* in, float* out) {
    out[threadIdx.x] = in[threadIdx.x];  // copy
}

extern "C" __global__ void barrier_in_a_branch(float* out, int n) {
    if (threadIdx.x < n) {
        __syncthreads();  // divergent barrier
        out[threadIdx.x] = 1;
    }
}

extern "C" __global__ void neighbours_in_a_warp(float* out, int shift) {
    __shared__ float words[32];
    words[threadIdx.x] = threadIdx.x;               // write words
    out[threadIdx.x] = words[threadIdx.x ^ shift];  // read words
}

extern "C" __global__ void neighbours_after_syncwarp(float* out, int shift) {
    __shared__ float words[32];
    words[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = words[threadIdx.x ^ shift];
}

extern "C" __global__ void everybody_writes(float* out) {
    __shared__ float word;
    word = threadIdx.x;  // write word
    __syncthreads();
    out[threadIdx.x] = word;
}

extern "C" __global__ void count_atomically(int* out) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = count;
}

extern "C" __global__ void bytes_side_by_side(unsigned char* out) {
    __shared__ unsigned char bytes[64];
    bytes[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = bytes[63 - threadIdx.x];
}

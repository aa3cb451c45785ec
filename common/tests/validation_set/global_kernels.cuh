// Kernels of the validation set: patterns of global-memory accesses.
#pragma once

template <int words>
struct Words {
    float word[words];
};

template <class T>
__global__ void copy_at(const T* in, T* out, int load_stride, int load_offset, int store_stride) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * store_stride] = in[i * load_stride + load_offset];
}

__global__ void copy_reversed(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[n - 1 - i];
}

__global__ void gather(const float* in, const int* index, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[index[i]];
}

__global__ void broadcast(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[blockIdx.x];
}

__global__ void copy_odd_lanes(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2 == 1) out[i] = in[i];
}

__global__ void copy_in_branches(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 3 == 0) {
        out[i] = in[2 * i] + 1;
    } else {
        out[n + i] = in[i / 2];
    }
}

// copy_in_branches as nvcc makes it: the branches choose a place and a value, and share one store.
__global__ void copy_in_branches_merged(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float* to = out + n + i;
    float copied;
    if (i % 3 == 0) {
        to = out + i;
        copied = in[2 * i] + 1;
    } else {
        copied = in[i / 2];
    }
    *to = copied;
}

__global__ void copy_3d(const float* in, float* out) {
    const int in_block = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int i = blockIdx.x * blockDim.x * blockDim.y * blockDim.z + in_block;
    out[i] = in[i];
}

__global__ void stencil_1d(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + in[i + 1] + in[i + 2];
}

__global__ void stencil_2d(const float* in, float* out, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    const float* const centre = in + y * width + x;
    out[y * width + x] = centre[0] + centre[-1] + centre[1] + centre[-width] + centre[width];
}

__global__ void sum_rows(const float* in, float* out, int width) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < width; ++k) sum += in[row * width + k];
    out[row] = sum;
}

__global__ void sum_columns(const float* in, float* out, int width, int height) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < height; ++k) sum += in[k * width + column];
    out[column] = sum;
}

__global__ void sum_as_many_as_the_lane(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k <= static_cast<int>(threadIdx.x % 32); ++k) sum += in[i + k];
    out[i] = sum;
}

struct Pair {
    float x, y;
};

__global__ void increment_first_of_pairs(const Pair* in, Pair* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i].x = in[i].x + 1;
}

__global__ void increment_first_of_arrays(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + 1;
}

__global__ void copy_read_only(const float* in, float* out, int offset) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __ldg(&in[i + offset]);
}

__global__ void copy_past_l1(const float* in, float* out, int offset) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __ldcg(&in[i + offset]);
}

__global__ void copy_restrict(const float* __restrict__ in, float* __restrict__ out, int offset) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + offset];
}

// Kernels of the validation set: shared memory. One warp a block.
#pragma once

// Lane i writes and reads element i x stride, of a type of 1, 4, 8 or 16 bytes.
template <class T>
__global__ void shared_stride(const T* in, T* out, int stride) {
    __shared__ T staged[32 * 32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    staged[threadIdx.x * stride] = in[i];
    __syncthreads();
    out[i] = staged[threadIdx.x * stride];
}

// Groups of `lanes` neighbours read one element.
template <class T>
__global__ void shared_multicast(const T* in, T* out, int lanes) {
    __shared__ T staged[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    staged[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = staged[threadIdx.x / lanes * lanes];
}

// The same, with the elements side by side.
template <class T>
__global__ void shared_multicast_neighbours(const T* in, T* out, int lanes) {
    __shared__ T staged[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    staged[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = staged[threadIdx.x / lanes];
}

// Lanes read elements at random.
template <class T>
__global__ void shared_gather(const T* in, const int* index, T* out) {
    __shared__ T staged[1024];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int at = threadIdx.x; at < 1024; at += 32) staged[at] = in[at];
    __syncthreads();
    out[i] = staged[index[i]];
}

// Lane i of block b reads element at[32 b + i] of 64; a negative one: it reads nothing.
template <class T>
__global__ void shared_pattern_load(const T* in, const int* at, T* out) {
    __shared__ T staged[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    staged[threadIdx.x] = in[threadIdx.x];
    staged[threadIdx.x + 32] = in[threadIdx.x + 32];
    __syncthreads();
    const int element = at[i];
    if (element >= 0) out[i] = staged[element];
}

// The same, writing: lanes that share an element write the same value over what was there.
template <class T>
__global__ void shared_pattern_store(const T* in, const int* at, T* out) {
    __shared__ T staged[64];
    staged[threadIdx.x] = in[64 + threadIdx.x];
    staged[threadIdx.x + 32] = in[96 + threadIdx.x];
    __syncthreads();
    const int element = at[blockIdx.x * blockDim.x + threadIdx.x];
    if (element >= 0) staged[element] = in[element];
    __syncthreads();
    out[64 * blockIdx.x + threadIdx.x] = staged[threadIdx.x];
    out[64 * blockIdx.x + threadIdx.x + 32] = staged[threadIdx.x + 32];
}

__global__ void reverse_in_dynamic_shared(const float* in, float* out) {
    extern __shared__ float staged[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    staged[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = staged[blockDim.x - 1 - threadIdx.x];
}

__global__ void reverse_in_static_shared(const float* in, float* out) {
    __shared__ float staged[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    staged[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = staged[blockDim.x - 1 - threadIdx.x];
}

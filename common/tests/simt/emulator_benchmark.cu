// Kernels of emulator_benchmark.cpp, which are compiled to PTX and run by the SIMT core.

// Eight dependent integer and floating-point operations a round, none of which a compiler can shorten.
extern "C" __global__ void arithmetic(unsigned* integers, float* floats, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = i, b = 2 * i + 1;
    float x = 1.0f + i, y = 0.5f;
#pragma unroll 4
    for (int round = 0; round < rounds; ++round) {
        a = a * 1664525u + b;
        b ^= a >> 7;
        a += b << 3;
        x = x * 0.99f + y;
        y = y * 1.01f - x;
        b = max(a, b);
    }
    integers[i] = a + b;
    floats[i] = x + y;
}

extern "C" __global__ void stream(const float* a, const float* b, float* c) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

extern "C" __global__ void transpose(const float* in, float* out, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * width + y] = in[y * width + x];
}

template <int tile>
__device__ void multiply_tiled(const float* a, const float* b, float* c, int width) {
    __shared__ float a_tile[tile][tile];
    __shared__ float b_tile[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < width; first += tile) {
        a_tile[threadIdx.y][threadIdx.x] = a[row * width + first + threadIdx.x];
        b_tile[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * width + column];
        __syncthreads();
        for (int k = 0; k < tile; ++k) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
        __syncthreads();
    }
    c[row * width + column] = sum;
}
extern "C" __global__ void tiled_product_16(const float* a, const float* b, float* c, int width) {
    multiply_tiled<16>(a, b, c, width);
}
extern "C" __global__ void tiled_product_32(const float* a, const float* b, float* c, int width) {
    multiply_tiled<32>(a, b, c, width);
}

extern "C" __global__ void sum_in_a_loop(const float* in, float* out, int iterations) {
    float sum = 0;
    for (int i = 0; i < iterations; ++i) sum += in[(i % 64) * 32 + threadIdx.x];
    out[threadIdx.x] = sum;
}

extern "C" __global__ void chase_pointers(const unsigned* next, unsigned* out, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = i;
    for (int step = 0; step < steps; ++step) at = next[at];
    out[i] = at;
}

extern "C" __global__ void search_binary(const float* sorted, const float* wanted, int* found,
                                         int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float value = wanted[i];
    int low = 0, high = n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (sorted[middle] < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    found[i] = low;
}

// 1024 elements a block, two a thread.
extern "C" __global__ void sort_bitonic(float* values) {
    __shared__ float staged[1024];
    float* const mine = values + blockIdx.x * 1024;
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) staged[i] = mine[i];
    for (int size = 2; size <= 1024; size *= 2) {
        for (int distance = size / 2; distance > 0; distance /= 2) {
            __syncthreads();
            const int low = 2 * threadIdx.x - (threadIdx.x & (distance - 1));
            const int high = low + distance;
            const bool ascending = (low & size) == 0;
            const float a = staged[low], b = staged[high];
            if ((a > b) == ascending) {
                staged[low] = b;
                staged[high] = a;
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) mine[i] = staged[i];
}

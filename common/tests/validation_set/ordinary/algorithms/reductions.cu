// Reductions: interleaved, sequential, by shuffles, by atomics, and in one launch with a last block.
#include <numeric>

#include "../launches.hpp"
#include "../themes.hpp"

namespace ordinary {
namespace {

// Neighbouring threads diverge: the modulo keeps every other, every fourth, ... thread.
__global__ void reduce_interleaved(const int* in, int* out, int n) {
    extern __shared__ int sums[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    sums[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        if (threadIdx.x % (2 * step) == 0) sums[threadIdx.x] += sums[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

// The first threads work, on elements that lie a growing stride apart: bank conflicts.
__global__ void reduce_strided(const int* in, int* out, int n) {
    extern __shared__ int sums[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    sums[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        const unsigned index = 2 * step * threadIdx.x;
        if (index < blockDim.x) sums[index] += sums[index + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

// The first half adds the second half.
__global__ void reduce_sequential(const int* in, int* out, int n) {
    extern __shared__ int sums[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    sums[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

// Warp-synchronous, as code from before Volta has it; __syncwarp() makes it legal today.
__device__ void reduce_last_warp(volatile int* sums, int thread) {
    for (int step = 32; step > 0; step /= 2) {
        const int other = sums[thread + step];
        __syncwarp();
        sums[thread] = sums[thread] + other;
        __syncwarp();
    }
}

__global__ void reduce_unrolled_last_warp(const int* in, int* out, int n) {
    __shared__ int sums[256 + 32];
    const int i = blockIdx.x * (2 * blockDim.x) + threadIdx.x;
    int sum = i < n ? in[i] : 0;
    if (i + blockDim.x < n) sum += in[i + blockDim.x];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 32; step /= 2) {
        if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x < 32) reduce_last_warp(sums, threadIdx.x);
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

__inline__ __device__ int warp_sum(int value) {
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

__inline__ __device__ int block_sum(int value) {
    __shared__ int of_warps[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = warp_sum(value);
    if (lane == 0) of_warps[warp] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / 32 ? of_warps[lane] : 0;
    if (warp == 0) value = warp_sum(value);
    return value;
}

__global__ void reduce_block_shuffle(const int* in, int* out, int n) {
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__global__ void reduce_vectorised(const int4* in, int* out, int n4) {
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        const int4 v = in[i];
        sum += v.x + v.y + v.z + v.w;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

__global__ void reduce_atomic_each(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

__global__ void reduce_atomic_warp(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int sum = warp_sum(i < n ? in[i] : 0);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

__global__ void reduce_redux(const unsigned* in, unsigned* sums, unsigned* maxima, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned value = i < n ? in[i] : 0;
    const unsigned sum = __reduce_add_sync(0xffffffff, value);
    const unsigned maximum = __reduce_max_sync(0xffffffff, value);
    if (threadIdx.x % 32 == 0) {
        sums[i / 32] = sum;
        maxima[i / 32] = maximum;
    }
}

__device__ unsigned finished_blocks = 0;

// One launch: the block that finishes last adds what all blocks have written.
__global__ void reduce_last_block(const int* in, volatile int* partial, int* out, int n) {
    __shared__ bool is_last;
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(&finished_blocks, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __syncthreads();
    sum = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0;
    sum = block_sum(sum);
    if (threadIdx.x == 0) *out = sum;
}

__global__ void dot_product(const float* a, const float* b, float* out, int n) {
    __shared__ float products[128];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += a[i] * b[i];
    }
    products[threadIdx.x] = sum;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step >>= 1) {
        if (threadIdx.x < step) products[threadIdx.x] += products[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, products[0]);
}

// A thread a column: neighbouring threads read neighbouring elements.
__global__ void sum_columns(const float* matrix, float* sums, int rows, int columns) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    float sum = 0;
    for (int row = 0; row < rows; ++row) sum += matrix[row * columns + column];
    sums[column] = sum;
}

// A thread a row: neighbouring threads read elements a row apart.
__global__ void sum_rows(const float* matrix, float* sums, int rows, int columns) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int column = 0; column < columns; ++column) sum += matrix[row * columns + column];
    sums[row] = sum;
}

__global__ void argmax(const float* in, int* out, int n) {
    __shared__ float best_value[256];
    __shared__ int best_index[256];
    float value = -1;
    int index = -1;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (in[i] > value) {
            value = in[i];
            index = i;
        }
    }
    best_value[threadIdx.x] = value;
    best_index[threadIdx.x] = index;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) {
            const int other = threadIdx.x + step;
            const bool is_better = best_value[other] > best_value[threadIdx.x] ||
                                   (best_value[other] == best_value[threadIdx.x] &&
                                    best_index[other] < best_index[threadIdx.x]);
            if (is_better) {
                best_value[threadIdx.x] = best_value[other];
                best_index[threadIdx.x] = best_index[other];
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = best_index[0];
}

std::vector<int> sums_of_blocks(const std::vector<int>& in, std::size_t elements) {
    std::vector<int> sums((in.size() + elements - 1) / elements);
    for (std::size_t i = 0; i < in.size(); ++i) sums[i / elements] += in[i];
    return sums;
}

int sum_of(const std::vector<int>& in) { return std::accumulate(in.begin(), in.end(), 0); }

void add_in_shared_memory(Launches& launches) {
    const int n = 16384 - 77;
    const auto in = values<int>(n);
    const auto add = [=, &launches](const char* name, void (*kernel)(const int*, int*, int),
                                    int block) {
        launches.add(name, [=](Outcome& outcome) {
            const Array<int> input(in), out((n + block - 1) / block);
            kernel<<<out.size(), block, block * sizeof(int)>>>(input, out, n);
            outcome.equal(out, sums_of_blocks(in, block));
        });
    };
    add("reduce_interleaved/block:128", reduce_interleaved, 128);
    add("reduce_interleaved/block:512", reduce_interleaved, 512);
    add("reduce_strided/block:256", reduce_strided, 256);
    add("reduce_sequential/block:128", reduce_sequential, 128);
    add("reduce_sequential/block:1024", reduce_sequential, 1024);
    launches.add("reduce_unrolled_last_warp", [=](Outcome& outcome) {
        const Array<int> input(in), out((n + 511) / 512);
        reduce_unrolled_last_warp<<<out.size(), 256>>>(input, out, n);
        outcome.equal(out, sums_of_blocks(in, 512));
    });
}

void add_by_shuffles(Launches& launches) {
    const int n = 40000;
    const auto in = values<int>(n);
    launches.add("reduce_block_shuffle", [=](Outcome& outcome) {
        const Array<int> input(in), out(16);
        reduce_block_shuffle<<<16, 256>>>(input, out, n);
        std::vector<int> expected(16);
        for (int i = 0; i < n; ++i) expected[i / 256 % 16] += in[i];
        outcome.equal(out, expected);
    });
    launches.add("reduce_vectorised", [=](Outcome& outcome) {
        const Array<int> input(in), out(1, 0);
        reduce_vectorised<<<16, 256>>>(reinterpret_cast<const int4*>(input.data()), out, n / 4);
        outcome.equal(out, {sum_of(in)});
    });
    launches.add("reduce_redux", [=](Outcome& outcome) {
        const auto unsigned_in = values<unsigned>(n);
        const Array<unsigned> input(unsigned_in), sums(40), maxima(40);
        reduce_redux<<<5, 256>>>(input, sums, maxima, n);
        std::vector<unsigned> expected_sums(40), expected_maxima(40);
        for (int i = 0; i < 40 * 32; ++i) {
            expected_sums[i / 32] += unsigned_in[i];
            expected_maxima[i / 32] = std::max(expected_maxima[i / 32], unsigned_in[i]);
        }
        outcome.equal(sums, expected_sums);
        outcome.equal(maxima, expected_maxima);
    });
    launches.add("reduce_last_block", [=](Outcome& outcome) {
        const Array<int> input(in), partial(64), out(1);
        reduce_last_block<<<64, 128>>>(input, partial, out, n);
        outcome.equal(out, {sum_of(in)});
    });
}

void add_by_atomics(Launches& launches) {
    const int n = 10000;
    const auto in = values<int>(n);
    launches.add("reduce_atomic_each", [=](Outcome& outcome) {
        const Array<int> input(in), out(1, 0);
        reduce_atomic_each<<<(n + 255) / 256, 256>>>(input, out, n);
        outcome.equal(out, {sum_of(in)});
    });
    launches.add("reduce_atomic_warp", [=](Outcome& outcome) {
        const Array<int> input(in), out(1, 0);
        reduce_atomic_warp<<<(n + 255) / 256, 256>>>(input, out, n);
        outcome.equal(out, {sum_of(in)});
    });
    launches.add("dot_product", [=](Outcome& outcome) {
        const auto a = values<float>(n, 8, 2), b = values<float>(n, 8, 3);
        const Array<float> first(a), second(b), out(1, 0);
        dot_product<<<8, 128>>>(first, second, out, n);
        float expected = 0;  // whole numbers below 2^24: exact in any order
        for (int i = 0; i < n; ++i) expected += a[i] * b[i];
        outcome.equal(out, {expected});
    });
}

void add_of_matrices(Launches& launches) {
    const int rows = 300, columns = 170;
    const auto matrix = values<float>(rows * columns);
    launches.add("sum_columns", [=](Outcome& outcome) {
        const Array<float> input(matrix), sums(columns);
        sum_columns<<<2, 128>>>(input, sums, rows, columns);
        std::vector<float> expected(columns);
        for (int i = 0; i < rows * columns; ++i) expected[i % columns] += matrix[i];
        outcome.equal(sums, expected);
    });
    launches.add("sum_rows", [=](Outcome& outcome) {
        const Array<float> input(matrix), sums(rows);
        sum_rows<<<3, 128>>>(input, sums, rows, columns);
        std::vector<float> expected(rows);
        for (int i = 0; i < rows * columns; ++i) expected[i / columns] += matrix[i];
        outcome.equal(sums, expected);
    });
    launches.add("argmax", [=](Outcome& outcome) {
        const auto in = values<float>(5000, 1000000, 5);
        const Array<float> input(in);
        const Array<int> out(1);
        argmax<<<1, 256>>>(input, out, 5000);
        const auto best = std::max_element(in.begin(), in.end());
        outcome.equal(out, {static_cast<int>(best - in.begin())});
    });
}

}  // namespace

void add_reductions(Launches& launches) {
    add_in_shared_memory(launches);
    add_by_shuffles(launches);
    add_by_atomics(launches);
    add_of_matrices(launches);
}

}  // namespace ordinary

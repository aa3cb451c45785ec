// Work that a whole block does together: reductions, scans, sorts, by CUB, cooperative groups and by hand.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/transform.h>

#include <cub/cub.cuh>
#include <cuda/atomic>
#include <numeric>

#include "../ordinary/launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

namespace cg = cooperative_groups;

constexpr int N = 10007;

__global__ void cub_block_reduce(const float* in, float* sums, int n) {
    using Reduce = cub::BlockReduce<float, 256>;
    __shared__ typename Reduce::TempStorage storage;
    int i = blockIdx.x * 256 + threadIdx.x;
    float v = i < n ? in[i] : 0.0f;
    float sum = Reduce(storage).Sum(v);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void cub_block_scan(const int* in, int* out) {
    using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
    using Scan = cub::BlockScan<int, 128, cub::BLOCK_SCAN_RAKING>;
    using Store = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Scan::TempStorage scan;
        typename Store::TempStorage store;
    } storage;
    int items[4];
    Load(storage.load).Load(in + blockIdx.x * 512, items);
    __syncthreads();
    Scan(storage.scan).ExclusiveSum(items, items);
    __syncthreads();
    Store(storage.store).Store(out + blockIdx.x * 512, items);
}

__global__ void cub_block_radix_sort(const unsigned* in, unsigned* out) {
    using Sort = cub::BlockRadixSort<unsigned, 128, 3>;
    __shared__ typename Sort::TempStorage storage;
    unsigned keys[3];
    cub::LoadDirectBlocked(threadIdx.x, in + blockIdx.x * 384, keys);
    Sort(storage).Sort(keys);
    cub::StoreDirectBlocked(threadIdx.x, out + blockIdx.x * 384, keys);
}

__global__ void cub_warp_reduce_max(const int* in, int* out, int n) {
    using Reduce = cub::WarpReduce<int, 8>;
    __shared__ typename Reduce::TempStorage storage[16];
    int group = threadIdx.x / 8;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? in[i] : -1;
    int m = Reduce(storage[group]).Reduce(v, [](int a, int b) { return a > b ? a : b; });
    if (threadIdx.x % 8 == 0) out[blockIdx.x * 16 + group] = m;
}

__global__ void cub_block_histogram(const unsigned char* in, unsigned* histogram) {
    using Histogram = cub::BlockHistogram<unsigned char, 128, 4, 64, cub::BLOCK_HISTO_SORT>;
    __shared__ typename Histogram::TempStorage storage;
    __shared__ unsigned bins[64];
    unsigned char items[4];
    cub::LoadDirectStriped<128>(threadIdx.x, in + blockIdx.x * 512, items);
    Histogram(storage).Histogram(items, bins);
    __syncthreads();
    if (threadIdx.x < 64) histogram[blockIdx.x * 64 + threadIdx.x] = bins[threadIdx.x];
}

struct Saxpy {
    float a;
    __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};

struct Collatz {
    int* steps;
    __host__ __device__ void operator()(int i) const {
        unsigned v = i + 1;
        int n = 0;
        while (v != 1) {
            v = v % 2 == 0 ? v / 2 : 3 * v + 1;
            ++n;
        }
        steps[i] = n;
    }
};

__global__ void tile_reduce_max(const int* in, int* out, int n) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int best = -1;
    int tiles = gridDim.x * blockDim.x / 16;
    int tile_id = blockIdx.x * (blockDim.x / 16) + tile.meta_group_rank();
    for (int i = tile_id * 16 + tile.thread_rank(); i < n; i += tiles * 16) best = max(best, in[i]);
    best = cg::reduce(tile, best, cg::greater<int>());
    if (tile.thread_rank() == 0) out[tile_id] = best;
}

__global__ void tile_scan(const int* in, int* out, int n) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? in[i] : 0;
    int sum = cg::inclusive_scan(tile, v);
    if (i < n) out[i] = sum;
}

struct Moments {
    int n;
    float mean, m2;
};

__host__ __device__ Moments combine(const Moments& a, const Moments& b) {
    Moments r;
    r.n = a.n + b.n;
    if (r.n == 0) return {0, 0.0f, 0.0f};
    float d = b.mean - a.mean;
    r.mean = a.mean + d * b.n / r.n;
    r.m2 = a.m2 + b.m2 + d * d * a.n * b.n / r.n;
    return r;
}

// Variance by Welford's update in each thread and a tree of structures in shared memory.
__global__ void welford(const float* in, float* variance, int n) {
    __shared__ Moments s[128];
    Moments m = {0, 0.0f, 0.0f};
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float x = in[blockIdx.x * n + i];
        m.n++;
        float d = x - m.mean;
        m.mean += d / m.n;
        m.m2 += d * (x - m.mean);
    }
    s[threadIdx.x] = m;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (threadIdx.x < k) s[threadIdx.x] = combine(s[threadIdx.x], s[threadIdx.x + k]);
        __syncthreads();
    }
    if (threadIdx.x == 0) variance[blockIdx.x] = s[0].m2 / s[0].n;
}

template <unsigned block>
__device__ void last_warp(volatile double* s, int t) {
    if (block >= 64) s[t] += s[t + 32];
    if (block >= 32) s[t] += s[t + 16];
    if (block >= 16) s[t] += s[t + 8];
    if (block >= 8) s[t] += s[t + 4];
    if (block >= 4) s[t] += s[t + 2];
    if (block >= 2) s[t] += s[t + 1];
}

// The classic of NVIDIA's slides: fully unrolled, a volatile last warp.
template <unsigned block>
__global__ void reduce6(const double* in, double* out, unsigned n) {
    extern __shared__ double sums[];
    unsigned t = threadIdx.x, i = blockIdx.x * (block * 2) + t;
    sums[t] = 0.0;
    while (i < n) {
        sums[t] += in[i] + (i + block < n ? in[i + block] : 0.0);
        i += block * 2 * gridDim.x;
    }
    __syncthreads();
    if (block >= 256) {
        if (t < 128) sums[t] += sums[t + 128];
        __syncthreads();
    }
    if (block >= 128) {
        if (t < 64) sums[t] += sums[t + 64];
        __syncthreads();
    }
    if (t < 32) last_warp<block>(sums, t);
    if (t == 0) out[blockIdx.x] = sums[0];
}

__global__ void count_with_syncthreads(const int* in, int* counts, int n) {
    int total = 0, any = 0, all = 1;
    for (int base = 0; base < n; base += blockDim.x) {
        int i = base + threadIdx.x;
        int v = i < n ? in[blockIdx.x * n + i] : 0;
        total += __syncthreads_count(v > 40);
        any |= __syncthreads_or(v == 96);
        all &= __syncthreads_and(i >= n || v < 97);
    }
    if (threadIdx.x == 0) counts[blockIdx.x] = total * 4 + any * 2 + all;
}

__global__ void sum_by_atomic_ref(const int* in, int* total, int n) {
    __shared__ int block_sum;
    if (threadIdx.x == 0) block_sum = 0;
    __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_block> local(block_sum);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        local.fetch_add(in[i], cuda::memory_order_relaxed);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::atomic_ref<int, cuda::thread_scope_device> all(*total);
        all.fetch_add(block_sum, cuda::memory_order_relaxed);
    }
}

// The running maximum of 64-bit values, a row a warp; a 2-D block.
__global__ void prefix_max_rows(const long long* in, long long* out, int columns) {
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    long long carry = -1;
    for (int c = 0; c < columns; c += 32) {
        bool inside = c + lane < columns;
        long long v = inside ? in[row * columns + c + lane] : -1;
        for (int d = 1; d < 32; d *= 2) {
            long long other = __shfl_up_sync(0xffffffffu, v, d);
            if (lane >= d && other > v) v = other;
        }
        if (carry > v) v = carry;
        carry = __shfl_sync(0xffffffffu, v, 31);
        if (inside) out[row * columns + c + lane] = v;
    }
}

}  // namespace

void add_collectives(Launches& launches) {
    launches.add("cub_block_reduce", [](Outcome& outcome) {
        auto in = values<float>(N);
        Array<float> d(in), sums(40);
        cub_block_reduce<<<40, 256>>>(d, sums, N);
        std::vector<float> expected(40);
        for (int i = 0; i < N; ++i) expected[i / 256] += in[i];
        outcome.equal(sums, expected);
    });
    launches.add("cub_block_scan", [](Outcome& outcome) {
        auto in = values<int>(512 * 7);
        Array<int> d(in), out(in.size());
        cub_block_scan<<<7, 128>>>(d, out);
        std::vector<int> expected(in.size());
        for (std::size_t i = 0; i < in.size(); ++i) {
            expected[i] = i % 512 ? expected[i - 1] + in[i - 1] : 0;
        }
        outcome.equal(out, expected);
    });
    launches.add("cub_block_radix_sort", [](Outcome& outcome) {
        auto in = values<unsigned>(384 * 4, 1 << 22);
        Array<unsigned> d(in), out(in.size());
        cub_block_radix_sort<<<4, 128>>>(d, out);
        for (int b = 0; b < 4; ++b) std::sort(in.begin() + b * 384, in.begin() + (b + 1) * 384);
        outcome.equal(out, in);
    });
    launches.add("cub_warp_reduce_max", [](Outcome& outcome) {
        auto in = values<int>(5000, 10000);
        Array<int> d(in), out(40 * 16);
        cub_warp_reduce_max<<<40, 128>>>(d, out, 5000);
        std::vector<int> expected(40 * 16, -1);
        for (int i = 0; i < 5000; ++i) expected[i / 8] = std::max(expected[i / 8], in[i]);
        outcome.equal(out, expected);
    });
    launches.add("cub_block_histogram", [](Outcome& outcome) {
        auto in = values<unsigned char>(512 * 5, 64);
        Array<unsigned char> d(in);
        Array<unsigned> out(5 * 64);
        cub_block_histogram<<<5, 128>>>(d, out);
        std::vector<unsigned> expected(5 * 64);
        for (std::size_t i = 0; i < in.size(); ++i) ++expected[i / 512 * 64 + in[i]];
        outcome.equal(out, expected);
    });
    launches.add("cub_device_reduce", [](Outcome& outcome) {
        auto in = values<int>(2500);
        Array<int> d(in), sum(1);
        std::size_t bytes = 0;
        check(cub::DeviceReduce::Sum(nullptr, bytes, d.data(), sum.data(), 2500));
        Array<char> storage(std::max<std::size_t>(bytes, 1));
        check(cub::DeviceReduce::Sum(storage.data(), bytes, d.data(), sum.data(), 2500));
        outcome.equal(sum, std::vector<int>{std::accumulate(in.begin(), in.end(), 0)});
    });
    launches.add("thrust_transform_saxpy", [](Outcome& outcome) {
        auto x = values<float>(N), y = values<float>(N, 50, 2);
        Array<float> dx(x), dy(y), out(N);
        thrust::transform(thrust::device, dx.data(), dx.data() + N, dy.data(), out.data(),
                          Saxpy{3.0f});
        for (int i = 0; i < N; ++i) y[i] += 3.0f * x[i];
        outcome.equal(out, y);
    });
    launches.add("thrust_for_each_collatz", [](Outcome& outcome) {
        Array<int> steps(3000);
        auto first = thrust::counting_iterator<int>(0);
        thrust::for_each(thrust::device, first, first + 3000, Collatz{steps.data()});
        std::vector<int> expected(3000);
        for (int i = 0; i < 3000; ++i) Collatz{expected.data()}(i);
        outcome.equal(steps, expected);
    });
    launches.add("tile_reduce_max", [](Outcome& outcome) {
        auto in = values<int>(N, 100000);
        Array<int> d(in), out(8 * 8);
        tile_reduce_max<<<8, 128>>>(d, out, N);
        std::vector<int> expected(64, -1);
        for (int i = 0; i < N; ++i) {
            expected[i / 16 % 64] = std::max(expected[i / 16 % 64], in[i]);
        }
        outcome.equal(out, expected);
    });
    launches.add("tile_scan", [](Outcome& outcome) {
        auto in = values<int>(N);
        Array<int> d(in), out(N);
        tile_scan<<<79, 128>>>(d, out, N);
        for (int i = 0; i < N; ++i) in[i] += i % 32 ? in[i - 1] : 0;
        outcome.equal(out, in);
    });
    launches.add("welford", [](Outcome& outcome) {
        auto in = values<float>(6 * 1000);
        Array<float> d(in), out(6);
        welford<<<6, 128>>>(d, out, 1000);
        std::vector<float> expected;
        for (int b = 0; b < 6; ++b) {
            double sum = 0, squares = 0;
            for (int i = 0; i < 1000; ++i) {
                sum += in[b * 1000 + i];
                squares += in[b * 1000 + i] * in[b * 1000 + i];
            }
            expected.push_back(static_cast<float>(squares / 1000 - sum / 1000 * sum / 1000));
        }
        outcome.near(out, expected, 1e-4);
    });
    launches.add("reduce6", [](Outcome& outcome) {
        auto in = values<double>(N);
        Array<double> d(in), out(6);
        reduce6<256><<<6, 256, 256 * sizeof(double)>>>(d, out, N);
        std::vector<double> expected(6);
        for (int i = 0; i < N; ++i) expected[i / 512 % 6] += in[i];
        outcome.equal(out, expected);
    });
    launches.add("count_with_syncthreads", [](Outcome& outcome) {
        auto in = values<int>(9 * 333);
        Array<int> d(in), out(9);
        count_with_syncthreads<<<9, 96>>>(d, out, 333);
        std::vector<int> expected;
        for (int b = 0; b < 9; ++b) {
            auto first = in.begin() + b * 333, last = first + 333;
            int over = static_cast<int>(std::count_if(first, last, [](int v) { return v > 40; }));
            expected.push_back(over * 4 + (std::find(first, last, 96) != last) * 2 + 1);
        }
        outcome.equal(out, expected);
    });
    launches.add("sum_by_atomic_ref", [](Outcome& outcome) {
        auto in = values<int>(N);
        Array<int> d(in), total(1, 0);
        sum_by_atomic_ref<<<12, 192>>>(d, total, N);
        outcome.equal(total, std::vector<int>{std::accumulate(in.begin(), in.end(), 0)});
    });
    launches.add("prefix_max_rows", [](Outcome& outcome) {
        auto in = values<long long>(12 * 77, 1 << 20);
        Array<long long> d(in), out(in.size());
        prefix_max_rows<<<3, dim3(32, 4)>>>(d, out, 77);
        for (std::size_t i = 0; i < in.size(); ++i) {
            if (i % 77) in[i] = std::max(in[i], in[i - 1]);
        }
        outcome.equal(out, in);
    });
}

}  // namespace ordinary

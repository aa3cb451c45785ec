// Sums, scans and compaction in several styles.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <thrust/execution_policy.h>
#include <thrust/gather.h>

#include <climits>
#include <cub/cub.cuh>
#include <numeric>

#include "../ordinary/launches.hpp"
#include "device_functions.cuh"
#include "themes.hpp"

namespace ordinary {
namespace {

namespace cg = cooperative_groups;

__device__ void add_compensated(float& sum, float& lost, float v) {
    float y = v - lost, t = sum + y;
    lost = (t - sum) - y;
    sum = t;
}

// Kahan's sum of each row, first in each thread, then over the threads.
__global__ void kahan_rows(const float* __restrict__ in, float* __restrict__ sums, int columns) {
    __shared__ float partial[96], lost[96];
    float sum = 0.0f, rest = 0.0f;
    for (int c = threadIdx.x; c < columns; c += 96) {
        add_compensated(sum, rest, in[blockIdx.x * columns + c]);
    }
    partial[threadIdx.x] = sum;
    lost[threadIdx.x] = rest;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int k = 1; k < 96; ++k) {
        add_compensated(sum, rest, partial[k]);
        add_compensated(sum, rest, -lost[k]);
    }
    sums[blockIdx.x] = sum;
}

__global__ void extrema(const int* in, int* low, int* high, int n) {
    int lo = INT_MAX, hi = INT_MIN;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        lo = min(lo, in[i]);
        hi = max(hi, in[i]);
    }
    for (int d = 16; d > 0; d /= 2) {
        lo = min(lo, __shfl_xor_sync(0xffffffffu, lo, d));
        hi = max(hi, __shfl_xor_sync(0xffffffffu, hi, d));
    }
    if (threadIdx.x % 32 == 0) {
        atomicMin(low, lo);
        atomicMax(high, hi);
    }
}

struct Norms {
    float absolute, squares, largest;
};

__global__ void norms_of_rows(const float* in, Norms* norms, int rows, int columns) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    Norms mine = {0.0f, 0.0f, 0.0f};
    for (int c = lane; c < columns; c += 32) {
        float v = in[row * columns + c];
        mine.absolute += fabsf(v);
        mine.squares = fmaf(v, v, mine.squares);
        mine.largest = fmaxf(mine.largest, fabsf(v));
    }
    mine.absolute = warp_sum(mine.absolute);
    mine.squares = warp_sum(mine.squares);
    mine.largest = warp_max_all(mine.largest);
    if (lane == 0) norms[row] = mine;
}

__global__ void sum_ranges(const int* values, const int* offsets, long long* sums, int ranges) {
    int range = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (range >= ranges) return;
    long long sum = 0;
    for (int i = offsets[range] + threadIdx.x % 32; i < offsets[range + 1]; i += 32) {
        sum += values[i];
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) sums[range] = sum;
}

// A tree of any number of threads: the upper half folds onto the lower one, a middle one stays.
__global__ void reduce_any_size(const short* in, int* sums, int n) {
    extern __shared__ int data[];
    int t = threadIdx.x, sum = 0;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        int i = (blockIdx.x * 3 + k) * blockDim.x + t;
        if (i < n) sum += in[i];
    }
    data[t] = sum;
    __syncthreads();
    for (int left = blockDim.x; left > 1; left = (left + 1) / 2) {
        if (t < left / 2) data[t] += data[t + (left + 1) / 2];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = data[0];
}

__global__ void reduce_bits(const unsigned* in, uint4* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = in[i];
    uint4 r;
    r.x = __reduce_or_sync(0xffffffffu, v);
    r.y = __reduce_and_sync(0xffffffffu, v | 0xff00u);
    r.z = __reduce_xor_sync(0xffffffffu, v);
    r.w = __popc(__ballot_sync(0xffffffffu, v & 1));
    if (threadIdx.x % 32 == 7) out[i / 32] = r;
}

// One warp rakes: a lane sums its 16 elements, the lanes scan, then each goes over its own again.
// A gap after each 16 keeps the lanes in different banks.
__global__ void scan_raking(const int* in, int* out, int* totals) {
    constexpr int N = 512, EACH = N / 32;
    __shared__ int tile[32][EACH + 1];
    int t = threadIdx.x, base = blockIdx.x * N;
    for (int i = t; i < N; i += blockDim.x) tile[i / EACH][i % EACH] = in[base + i];
    __syncthreads();
    if (t < 32) {
        int sum = 0;
#pragma unroll
        for (int k = 0; k < EACH; ++k) sum += tile[t][k];
        int before = sum;
        for (int d = 1; d < 32; d *= 2) {
            int other = __shfl_up_sync(0xffffffffu, before, d);
            if (t >= d) before += other;
        }
        if (t == 31) totals[blockIdx.x] = before;
        before -= sum;
#pragma unroll
        for (int k = 0; k < EACH; ++k) {
            int v = tile[t][k];
            tile[t][k] = before;
            before += v;
        }
    }
    __syncthreads();
    for (int i = t; i < N; i += blockDim.x) out[base + i] = tile[i / EACH][i % EACH];
}

// Three neighbours a thread, nine warps.
__global__ void scan_three_items(const unsigned long long* in, unsigned long long* out, int n) {
    __shared__ unsigned long long warps[9];
    int first = 3 * threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned long long v[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        v[k] = first + k < n ? in[first + k] : 0;
        if (k > 0) v[k] += v[k - 1];
    }
    unsigned long long sum = v[2];
    for (int d = 1; d < 32; d <<= 1) {
        unsigned long long other = __shfl_up_sync(0xffffffffu, sum, d);
        if (lane >= d) sum += other;
    }
    if (lane == 31) warps[warp] = sum;
    __syncthreads();
    unsigned long long before = sum - v[2];
    for (int w = 0; w < warp; ++w) before += warps[w];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        if (first + k < n) out[first + k] = before + v[k];
    }
}

struct Affine {
    unsigned slope, constant;
};

__host__ __device__ Affine after(const Affine& second, const Affine& first) {
    return {second.slope * first.slope, second.slope * first.constant + second.constant};
}

// A linear recurrence as a scan over its maps.
__global__ void scan_of_maps(const Affine* maps, unsigned* out, unsigned start) {
    __shared__ Affine s[2][320];
    int t = threadIdx.x, from = 0;
    s[0][t] = maps[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = 1; d < static_cast<int>(blockDim.x); d *= 2) {
        s[1 - from][t] = t >= d ? after(s[from][t], s[from][t - d]) : s[from][t];
        from = 1 - from;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = s[from][t].slope * start + s[from][t].constant;
}

__global__ void sums_down_columns(const unsigned char* in, unsigned short* out, int rows,
                                  int columns) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= columns) return;
    unsigned short sum = 0;
    for (int r = 0; r < rows; ++r) {
        sum = static_cast<unsigned short>(sum + in[r * columns + c]);
        out[r * columns + c] = sum;
    }
}

// Each block keeps its survivors in order at the beginning of its own slot.
__global__ void compact_into_slots(const int* in, int* out, int* counts, int n, int limit) {
    __shared__ int sums[8];
    int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int v = i < n ? in[i] : 0;
    bool keep = i < n && v >= limit;
    unsigned votes = __ballot_sync(0xffffffffu, keep);
    if (lane == 0) sums[warp] = __popc(votes);
    __syncthreads();
    int before = 0, total = 0;
    for (int w = 0; w < 8; ++w) {
        if (w == warp) before = total;
        total += sums[w];
    }
    if (keep) out[blockIdx.x * 256 + before + __popc(votes & ((1u << lane) - 1))] = v;
    if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

// A warp a row of 16-bit numbers: the even ones first, both in their order.
__global__ void partition_rows(const short* in, short* out, int columns) {
    int lane = threadIdx.x, row = blockIdx.x * blockDim.y + threadIdx.y;
    const short* from = in + row * columns;
    int evens = 0;
    for (int c = lane; c < columns; c += 32) evens += from[c] % 2 == 0;
    evens = warp_sum_all(evens);
    int even = 0, odd = evens;
    for (int base = 0; base < columns; base += 32) {
        bool inside = base + lane < columns;
        short v = inside ? from[base + lane] : 0;
        unsigned is_even = __ballot_sync(~0u, inside && v % 2 == 0);
        unsigned is_odd = __ballot_sync(~0u, inside && v % 2 != 0);
        unsigned below = (1u << lane) - 1;
        int at = v % 2 == 0 ? even + __popc(is_even & below) : odd + __popc(is_odd & below);
        if (inside) out[row * columns + at] = v;
        even += __popc(is_even);
        odd += __popc(is_odd);
    }
}

__global__ void sum_by_label(const int* in, const int* labels, int* sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int label = labels[i];
    auto group = cg::labeled_partition(cg::coalesced_threads(), label);
    int sum = cg::reduce(group, in[i], cg::plus<int>());
    if (group.thread_rank() == 0) sums[i / 32 * 5 + label] = sum;
}

__global__ void ranks_in_halves(const int* in, int2* ranks) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto half = cg::binary_partition(tile, in[i] < 50);
    int before = cg::exclusive_scan(half, in[i], cg::plus<int>());
    ranks[i] = make_int2(before, static_cast<int>(half.num_threads()));
}

__global__ void dot_of_bytes(const char4* a, const char4* b, int* total, int n4) {
    __shared__ int warps[6];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        char4 x = a[i], y = b[i];
        sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 6; ++w) sum += warps[w];
        atomicAdd(total, sum);
    }
}

// Eight windows a thread, the sum of each from that of the one before.
template <int WIDTH>
__global__ void moving_sums(const int* in, int* out, int n) {
    __shared__ int tile[64 * 8 + WIDTH - 1];
    int base = blockIdx.x * 512;
    for (int i = threadIdx.x; i < 512 + WIDTH - 1; i += 64) {
        tile[i] = base + i < n ? in[base + i] : 0;
    }
    __syncthreads();
    int first = threadIdx.x * 8, sum = 0;
    for (int k = 0; k < WIDTH; ++k) sum += tile[first + k];
    for (int k = 0; k < 8; ++k) {
        if (base + first + k + WIDTH <= n) out[base + first + k] = sum;
        if (k < 7) sum += tile[first + k + WIDTH] - tile[first + k];
    }
}

__global__ void cub_warp_scan_max(const int* in, int* out, int n) {
    using Scan = cub::WarpScan<int, 16>;
    __shared__ typename Scan::TempStorage storage[6];
    int i = blockIdx.x * 96 + threadIdx.x, v = i < n ? in[i] : 0, result;
    Scan(storage[threadIdx.x / 16]).ExclusiveScan(v, result, -1, [](int a, int b) {
        return a > b ? a : b;
    });
    if (i < n) out[i] = result;
}

__global__ void cub_differences(const int* in, int* out, int n) {
    using Difference = cub::BlockAdjacentDifference<int, 128>;
    __shared__ typename Difference::TempStorage storage;
    int items[2], results[2], base = blockIdx.x * 256 + threadIdx.x * 2;
    for (int k = 0; k < 2; ++k) items[k] = base + k < n ? in[base + k] : 0;
    Difference(storage).SubtractLeft(items, results, [](int a, int b) { return a - b; });
    for (int k = 0; k < 2; ++k) {
        if (base + k < n) out[base + k] = results[k];
    }
}

void add_sums(Launches& launches) {
    launches.add("kahan_rows", [](Outcome& outcome) {
        auto in = values<float>(9 * 1003, 1000);
        for (float& v : in) v = v * 0.1f - 30.0f;
        Array<float> d(in), sums(9);
        kahan_rows<<<9, 96>>>(d, sums, 1003);
        std::vector<float> expected;
        for (int r = 0; r < 9; ++r) {
            double sum = std::accumulate(&in[r * 1003], &in[r * 1003] + 1003, 0.0);
            expected.push_back(static_cast<float>(sum));
        }
        outcome.near(sums, expected, 1e-6);
    });
    launches.add("extrema", [](Outcome& outcome) {
        auto in = values<int>(33333, 1 << 22);
        for (int& v : in) v -= 1 << 21;
        Array<int> d(in), low(std::vector<int>{INT_MAX}), high(std::vector<int>{INT_MIN});
        extrema<<<7, 160>>>(d, low, high, 33333);
        outcome.equal(low, std::vector<int>{*std::min_element(in.begin(), in.end())});
        outcome.equal(high, std::vector<int>{*std::max_element(in.begin(), in.end())});
    });
    launches.add("norms_of_rows", [](Outcome& outcome) {
        const int rows = 21, columns = 333;
        auto in = values<float>(rows * columns, 41);
        for (float& v : in) v -= 20;
        Array<float> d(in), out(3 * rows);
        norms_of_rows<<<6, 128>>>(d, reinterpret_cast<Norms*>(out.data()), rows, columns);
        std::vector<float> expected(3 * rows);
        for (int i = 0; i < rows * columns; ++i) {
            float* norms = &expected[3 * (i / columns)];
            norms[0] += std::fabs(in[i]);
            norms[1] += in[i] * in[i];
            norms[2] = std::max(norms[2], std::fabs(in[i]));
        }
        outcome.equal(out, expected);
    });
    launches.add("sum_ranges", [](Outcome& outcome) {
        auto lengths = values<int>(150, 130, 4);
        std::vector<int> offsets(151);
        std::partial_sum(lengths.begin(), lengths.end(), offsets.begin() + 1);
        auto in = values<int>(offsets[150], 1 << 23);
        Array<int> d(in), o(offsets);
        Array<long long> sums(150);
        sum_ranges<<<38, 128>>>(d, o, sums, 150);
        std::vector<long long> expected;
        for (int r = 0; r < 150; ++r) {
            expected.push_back(
                std::accumulate(in.begin() + offsets[r], in.begin() + offsets[r + 1], 0ll));
        }
        outcome.equal(sums, expected);
    });
    launches.add("reduce_any_size", [](Outcome& outcome) {
        const int n = 15100, blocks = ceil_div(n, 600);
        auto in = values<short>(n, 1000);
        Array<short> d(in);
        Array<int> sums(blocks);
        reduce_any_size<<<blocks, 200, 200 * sizeof(int)>>>(d, sums, n);
        std::vector<int> expected(blocks);
        for (int i = 0; i < n; ++i) expected[i / 600] += in[i];
        outcome.equal(sums, expected);
    });
    launches.add("reduce_bits", [](Outcome& outcome) {
        auto in = values<unsigned>(1024, 1 << 20);
        Array<unsigned> d(in);
        Array<uint4> out(32);
        reduce_bits<<<4, 256>>>(d, out);
        std::vector<uint4> expected(32, uint4{0, ~0u, 0, 0});
        for (int i = 0; i < 1024; ++i) {
            uint4& e = expected[i / 32];
            e.x |= in[i];
            e.y &= in[i] | 0xff00u;
            e.z ^= in[i];
            e.w += in[i] & 1;
        }
        outcome.equal(out, expected);
    });
    launches.add("dot_of_bytes", [](Outcome& outcome) {
        const int n4 = 12345;
        auto a = values<signed char>(4 * n4, 200), b = values<signed char>(4 * n4, 256, 2);
        Array<signed char> da(a), db(b);
        Array<int> total(1, 0);
        dot_of_bytes<<<11, 192>>>(reinterpret_cast<char4*>(da.data()),
                                  reinterpret_cast<char4*>(db.data()), total, n4);
        int sum = 0;
        for (int i = 0; i < 4 * n4; ++i) sum += a[i] * b[i];
        outcome.equal(total, std::vector<int>{sum});
    });
    launches.add("moving_sums", [](Outcome& outcome) {
        const int n = 7000, width = 25;
        auto in = values<int>(n);
        Array<int> d(in), out(n - width + 1);
        moving_sums<width><<<14, 64>>>(d, out, n);
        std::vector<int> expected;
        for (int i = 0; i + width <= n; ++i) {
            expected.push_back(std::accumulate(in.begin() + i, in.begin() + i + width, 0));
        }
        outcome.equal(out, expected);
    });
}

void add_scans_of_maps(Launches& launches) {
    launches.add("scan_raking", [](Outcome& outcome) {
        auto in = values<int>(512 * 6);
        Array<int> d(in), out(in.size()), totals(6);
        scan_raking<<<6, 128>>>(d, out, totals);
        std::vector<int> expected(in.size()), sums(6);
        for (std::size_t i = 0; i < in.size(); ++i) {
            expected[i] = sums[i / 512];
            sums[i / 512] += in[i];
        }
        outcome.equal(out, expected);
        outcome.equal(totals, sums);
    });
    launches.add("scan_three_items", [](Outcome& outcome) {
        auto in = values<unsigned long long>(801, 1 << 23);
        for (auto& v : in) v *= 1234567891ull;
        Array<unsigned long long> d(in), out(801);
        scan_three_items<<<1, 288>>>(d, out, 801);
        std::partial_sum(in.begin(), in.end(), in.begin());
        outcome.equal(out, in);
    });
    launches.add("scan_of_maps", [](Outcome& outcome) {
        auto slopes = values<unsigned>(960, 1 << 20, 3), constants = values<unsigned>(960, 1000, 4);
        std::vector<Affine> maps;
        for (int i = 0; i < 960; ++i) maps.push_back({slopes[i], constants[i]});
        Array<Affine> d(maps);
        Array<unsigned> out(960);
        scan_of_maps<<<3, 320>>>(d, out, 17);
        std::vector<unsigned> expected;
        for (int i = 0; i < 960; ++i) {
            unsigned last = i % 320 ? expected.back() : 17u;
            expected.push_back(slopes[i] * last + constants[i]);
        }
        outcome.equal(out, expected);
    });
    launches.add("sums_down_columns", [](Outcome& outcome) {
        const int rows = 37, columns = 1001;
        auto in = values<unsigned char>(rows * columns, 256);
        Array<unsigned char> d(in);
        Array<unsigned short> out(in.size());
        sums_down_columns<<<8, 128>>>(d, out, rows, columns);
        std::vector<unsigned short> expected(in.begin(), in.end());
        for (int i = columns; i < rows * columns; ++i) {
            expected[i] = static_cast<unsigned short>(expected[i] + expected[i - columns]);
        }
        outcome.equal(out, expected);
    });
    launches.add("compact_into_slots", [](Outcome& outcome) {
        const int n = 10100, blocks = ceil_div(n, 256);
        auto in = values<int>(n);
        Array<int> d(in), out(blocks * 256), counts(blocks);
        compact_into_slots<<<blocks, 256>>>(d, out, counts, n, 60);
        std::vector<int> expected(blocks * 256, -1), kept(blocks);
        for (int i = 0; i < n; ++i) {
            if (in[i] >= 60) expected[i / 256 * 256 + kept[i / 256]++] = in[i];
        }
        outcome.equal(out, expected);
        outcome.equal(counts, kept);
    });
    launches.add("partition_rows", [](Outcome& outcome) {
        auto in = values<short>(12 * 110, 30000);
        Array<short> d(in), out(in.size());
        partition_rows<<<4, dim3(32, 3)>>>(d, out, 110);
        for (int r = 0; r < 12; ++r) {
            std::stable_partition(in.begin() + r * 110, in.begin() + (r + 1) * 110,
                                  [](short v) { return v % 2 == 0; });
        }
        outcome.equal(out, in);
    });
}

void add_of_groups(Launches& launches) {
    launches.add("sum_by_label", [](Outcome& outcome) {
        auto in = values<int>(1500), labels = values<int>(1500, 5, 9);
        Array<int> d(in), dl(labels), sums(47 * 5, 0);
        sum_by_label<<<12, 128>>>(d, dl, sums, 1500);
        std::vector<int> expected(47 * 5);
        for (int i = 0; i < 1500; ++i) expected[i / 32 * 5 + labels[i]] += in[i];
        outcome.equal(sums, expected);
    });
    launches.add("ranks_in_halves", [](Outcome& outcome) {
        auto in = values<int>(768);
        Array<int> d(in);
        Array<int2> ranks(768);
        ranks_in_halves<<<6, 128>>>(d, ranks);
        std::vector<int2> expected;
        for (int i = 0; i < 768; ++i) {
            int2 e = {0, 0};
            for (int k = i / 32 * 32; k < i / 32 * 32 + 32; ++k) {
                if ((in[k] < 50) != (in[i] < 50)) continue;
                if (k < i) e.x += in[k];
                ++e.y;
            }
            expected.push_back(e);
        }
        outcome.equal(ranks, expected);
    });
    launches.add("cub_warp_scan_max", [](Outcome& outcome) {
        auto in = values<int>(1000, 5000);
        Array<int> d(in), out(1000);
        cub_warp_scan_max<<<11, 96>>>(d, out, 1000);
        std::vector<int> expected;
        for (int i = 0; i < 1000; ++i) {
            expected.push_back(i % 16 ? std::max(expected.back(), in[i - 1]) : -1);
        }
        outcome.equal(out, expected);
    });
    launches.add("cub_differences", [](Outcome& outcome) {
        auto in = values<int>(1001, 5000);
        Array<int> d(in), out(1001);
        cub_differences<<<4, 128>>>(d, out, 1001);
        std::vector<int> expected;
        for (int i = 0; i < 1001; ++i) expected.push_back(i % 256 ? in[i] - in[i - 1] : in[i]);
        outcome.equal(out, expected);
    });
    launches.add("thrust_gather", [](Outcome& outcome) {
        auto in = values<double>(3000, 9999), at = values<double>(4001, 3000, 6);
        std::vector<int> places(at.begin(), at.end());
        Array<double> d(in), out(4001);
        Array<int> dp(places);
        thrust::gather(thrust::device, dp.data(), dp.data() + 4001, d.data(), out.data());
        std::vector<double> expected;
        for (int p : places) expected.push_back(in[p]);
        outcome.equal(out, expected);
    });
}

}  // namespace

void add_sums_scans(Launches& launches) {
    add_sums(launches);
    add_scans_of_maps(launches);
    add_of_groups(launches);
}

}  // namespace ordinary

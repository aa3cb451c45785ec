// What the lanes of a warp and the warps of a block do together.
#include <cooperative_groups.h>

#include <bit>
#include <climits>

#include "../ordinary/launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

namespace cg = cooperative_groups;

// Eight numbers turn by a count of their own.
__global__ void rotate_in_eighths(const long long* __restrict__ in,
                                  const unsigned char* __restrict__ turns, long long* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __shfl_sync(ALL_LANES, in[i], threadIdx.x + turns[i / 8], 8);
}

// For each element: the number of its run in the warp, and how long that run is.
__global__ void runs_in_warps(const short* in, ushort2* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int v = i < n ? in[i] : -1;
    int left = __shfl_up_sync(ALL_LANES, v, 1);
    unsigned starts = __ballot_sync(ALL_LANES, lane == 0 || v != left);
    unsigned so_far = starts & ((2u << lane) - 1), later = starts & ~((2u << lane) - 1);
    int first = 31 - __clz(so_far), end = later ? __ffs(later) - 1 : 32;
    if (i < n) out[i] = make_ushort2(__popc(so_far) - 1, end - first);
}

__global__ void match_wide_keys(const unsigned long long* keys, int* peers, int* distinct,
                                unsigned char* uniform) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned long long key = keys[i];
    unsigned same = __match_any_sync(ALL_LANES, key);
    int leader = __ffs(same) - 1, all_same;
    __match_all_sync(ALL_LANES, key >> 32, &all_same);
    peers[i] = __popc(same) << 8 | leader;
    int leaders = __syncthreads_count(lane == leader);
    if (threadIdx.x == 0) distinct[blockIdx.x] = leaders;
    if (lane == 0) uniform[i / 32] = all_same;
}

// The instruction is there from compute capability 8.0.
__device__ __noinline__ int largest_of_warp(int v) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(ALL_LANES, v);
#else
    for (int d = 16; d > 0; d /= 2) v = max(v, __shfl_xor_sync(ALL_LANES, v, d));
    return v;
#endif
}

__device__ unsigned sum_of_warp(unsigned v) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(ALL_LANES, v);
#else
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(ALL_LANES, v, d);
    return v;
#endif
}

// How far each element is below its warp's largest one, and the sum of that.
__global__ void below_the_largest(const int* in, int* out, unsigned* sums, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i], below = largest_of_warp(v) - v;
        unsigned sum = sum_of_warp(below);
        out[i] = below;
        if (threadIdx.x % 32 == 31) sums[i / 32] = sum;
    }
}

__global__ void rows_by_sixteen_lanes(const float* a, const float* b, float* dots, int rows,
                                      int columns) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
    if (row >= rows) return;
    float sum = 0.0f;
    for (int c = tile.thread_rank(); c < columns; c += 16) sum += a[row * columns + c] * b[c];
    for (int d = 8; d > 0; d /= 2) sum += tile.shfl_down(sum, d);
    if (tile.thread_rank() == 0) dots[row] = sum;
}

// Eight lanes hold the rows of a matrix; at the end they hold its columns.
__global__ void transpose_eights(const int4* in, int4* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x;
    int4 low = in[2 * i], high = in[2 * i + 1];
    int v[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
    for (int d = 4; d > 0; d /= 2) {
        bool is_upper = lane & d;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            if (k & d) continue;
            int got = __shfl_xor_sync(ALL_LANES, is_upper ? v[k] : v[k + d], d);
            if (is_upper) {
                v[k] = got;
            } else {
                v[k + d] = got;
            }
        }
    }
    out[2 * i] = make_int4(v[0], v[1], v[2], v[3]);
    out[2 * i + 1] = make_int4(v[4], v[5], v[6], v[7]);
}

// The largest element before each one of its row, a warp for a row.
__global__ void largest_before(const short* in, short* out, int rows, int columns) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    int carry = SHRT_MIN;
    for (int first = 0; first < columns; first += 32) {
        int c = first + lane;
        int largest = c < columns ? in[row * columns + c] : SHRT_MIN;
        for (int d = 1; d < 32; d *= 2) {
            int other = __shfl_up_sync(ALL_LANES, largest, d);
            if (lane >= d) largest = max(largest, other);
        }
        int before = __shfl_up_sync(ALL_LANES, largest, 1);
        if (lane == 0) before = SHRT_MIN;
        if (c < columns) out[row * columns + c] = max(before, carry);
        carry = max(carry, __shfl_sync(ALL_LANES, largest, 31));
    }
}

// A warp keeps what is above the limit of its 128 elements, in order, at the start of their place.
__global__ void filter_in_segments(const float* __restrict__ in, float* __restrict__ out,
                                   int* counts, float limit) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, kept = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float v = in[warp * 128 + k * 32 + lane];
        unsigned wanted = __ballot_sync(ALL_LANES, v > limit);
        if (v > limit) {
            out[warp * 128 + kept + __popc(wanted & ((1u << lane) - 1))] = v;
        }
        kept += __popc(wanted);
    }
    if (lane == 0) counts[warp] = kept;
}

// One addition for all lanes that took the same branch.
__device__ void count_together(unsigned* counter) {
    auto here = cg::coalesced_threads();
    if (here.thread_rank() == 0) atomicAdd(counter, here.size());
}

__global__ void count_in_branches(const int* in, unsigned* counters, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = in[i];
    if (v % 15 == 0) {
        count_together(&counters[0]);
    } else if (v % 5 == 0) {
        count_together(&counters[1]);
    } else if (v % 3 == 0) {
        count_together(&counters[2]);
    }
}

// Seven warps, four elements a thread.
__global__ void prefix_of_fours(const short4* in, int4* out, int* totals) {
    __shared__ int ends[7];
    int i = blockIdx.x * 224 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    short4 v = in[i];
    int4 sums;
    sums.x = v.x;
    sums.y = sums.x + v.y;
    sums.z = sums.y + v.z;
    sums.w = sums.z + v.w;
    int before = sums.w;
    for (int d = 1; d < 32; d <<= 1) {
        int other = __shfl_up_sync(ALL_LANES, before, d);
        if (lane >= d) before += other;
    }
    if (lane == 31) ends[warp] = before;
    before -= sums.w;
    __syncthreads();
    for (int w = 0; w < warp; ++w) before += ends[w];
    out[i] = make_int4(sums.x + before, sums.y + before, sums.z + before, sums.w + before);
    if (threadIdx.x == 223) totals[blockIdx.x] = sums.w + before;
}

// Each tile goes through registers into the half of the buffer that is not in use.
__global__ void product_of_two_buffers(const int* a, const int* b, int* c, int n, int depth) {
    __shared__ int as[2][16][16], bs[2][16][17];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    as[0][y][x] = a[row * depth + x];
    bs[0][y][x] = b[y * n + column];
    __syncthreads();
    int sum = 0, now = 0;
    for (int k = 16; k <= depth; k += 16) {
        int next_a = 0, next_b = 0;
        if (k < depth) {
            next_a = a[row * depth + k + x];
            next_b = b[(k + y) * n + column];
        }
#pragma unroll
        for (int j = 0; j < 16; ++j) sum += as[now][y][j] * bs[now][j][x];
        now = 1 - now;
        as[now][y][x] = next_a;
        bs[now][y][x] = next_b;
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// Each lane sums along its own row of a tile: the rows begin in the same banks.
template <class T>
__global__ void lanes_along_rows(const T* in, T* out) {
    __shared__ T tiles[2][32][32];
    int lane = threadIdx.x % 32, base = (blockIdx.x * 2 + threadIdx.x / 32) * 1024;
    auto& tile = tiles[threadIdx.x / 32];
    for (int row = 0; row < 32; ++row) tile[row][lane] = in[base + row * 32 + lane];
    __syncwarp();
    T sum = 0;
#pragma unroll 4
    for (int k = 0; k < 32; ++k) {
        sum += tile[lane][k];
        tile[lane][k] = sum;
    }
    __syncwarp();
    for (int row = 0; row < 32; ++row) out[base + row * 32 + lane] = tile[row][lane];
}

// Two more shorts in each row shift it by one bank.
__global__ void padded_tile_of_shorts(const short* in, short* out, int rows, int columns) {
    __shared__ short tile[32][34];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += blockDim.y) {
        if (x < columns && y + k < rows) {
            tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * columns + x];
        }
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += blockDim.y) {
        if (x < rows && y + k < columns) {
            out[(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}

// Sixteen bytes an element; the exclusive or spreads a column over the banks.
__global__ void swizzled_vectors(const float4* __restrict__ in, float* __restrict__ sums) {
    __shared__ float4 tile[3][32 * 8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, base = (blockIdx.x * 3 + warp) * 256;
    for (int k = lane; k < 256; k += 32) {
        int row = k / 8, column = k % 8;
        tile[warp][row * 8 + (column ^ (row % 8))] = in[base + k];
    }
    __syncwarp();
    float sum = 0.0f;
    for (int column = 0; column < 8; ++column) {
        float4 v = tile[warp][lane * 8 + (column ^ (lane % 8))];
        sum += (v.x + v.y) - (v.z - v.w) * column;
    }
    sums[base / 8 + lane] = sum;
}

// A byte for each thread and bin, so that no thread waits for another; at most 150 elements each.
__global__ void counters_in_bytes(const unsigned char* in, unsigned* bins, int n) {
    constexpr int THREADS = 64, EACH = 150;
    __shared__ unsigned char counters[16][THREADS];
    int t = threadIdx.x, base = blockIdx.x * THREADS * EACH;
    for (int b = 0; b < 16; ++b) counters[b][t] = 0;
    for (int i = base + t; i < min(n, base + THREADS * EACH); i += THREADS) {
        ++counters[in[i] >> 4][t];
    }
    __syncthreads();
    if (t >= 16) return;
    unsigned sum = 0;
    for (int k = 0; k < THREADS; ++k) sum += counters[t][(k + 4 * t) % THREADS];
    atomicAdd(&bins[t], sum);
}

__host__ __device__ unsigned halvings(unsigned v) {
    unsigned steps = 0;
    for (; v > 1; v = v % 2 ? v - 1 : v / 2) ++steps;
    return steps;
}

__device__ __noinline__ unsigned digits_summed(unsigned v) {
    unsigned sum = 0;
    for (; v > 0; v /= 10) sum += v % 10;
    return sum;
}

__device__ __noinline__ unsigned square_root(unsigned v) {
    unsigned root = 0;
    while ((root + 1) * (root + 1) <= v) ++root;
    return root;
}

// Lanes of one warp go different ways, of different lengths.
__global__ void divergent_recipes(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = in[i], result = 0;
    switch (v % 5) {
        case 0:
            result = halvings(v);
            break;
        case 1:
            result = digits_summed(v);
            break;
        case 2:
            result = square_root(v);
            [[fallthrough]];
        case 3:
            result += __popc(v);
            break;
        default:
            if (v > 500) return;
            result = v * v;
    }
    out[i] = result;
}

__device__ void wait_for_half(int half) {
    asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
}

// Each half of the block smooths a ring of 64 in rounds of its own number, at its own barrier.
__global__ void halves_with_barriers(const int* in, int* out, const int* rounds) {
    __shared__ int ring[2][64];
    int half = threadIdx.x / 64, t = threadIdx.x % 64;
    int* mine = ring[half];
    mine[t] = in[blockIdx.x * 128 + threadIdx.x];
    int count = rounds[blockIdx.x * 2 + half];
    for (int k = 0; k < count; ++k) {
        wait_for_half(half);
        int v = mine[(t + 63) % 64] + mine[t] - mine[(t + 1) % 64];
        wait_for_half(half);
        mine[t] = v;
    }
    wait_for_half(half);
    out[blockIdx.x * 128 + threadIdx.x] = mine[63 - t];
}

// The groups of eight in a block do three different jobs.
__global__ void jobs_of_eights(const int* in, int* out, int n) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> eight = cg::tiled_partition<8>(block);
    int group = blockIdx.x * eight.meta_group_size() + eight.meta_group_rank();
    int i = group * 8 + eight.thread_rank(), v = i < n ? in[i] : 0;
    if (group % 3 == 0) {
        for (int d = 4; d > 0; d /= 2) v = max(v, eight.shfl_xor(v, d));
    } else if (group % 3 == 1) {
        for (unsigned d = 1; d < 8; d *= 2) {
            int other = eight.shfl_up(v, d);
            if (eight.thread_rank() >= d) v += other;
        }
    } else {
        v = eight.ballot(v % 2 == 1) * (eight.any(v > 90) ? 3 : 1);
    }
    if (i < n) out[i] = v;
}

template <class T>
void compare_lanes_along_rows(Outcome& outcome, unsigned limit) {
    const int tiles = 26;
    auto in = values<T>(tiles * 1024, limit, 60 + sizeof(T));
    std::vector<T> expected(in);
    for (int i = 0; i < tiles * 1024; ++i) {
        if (i % 32 > 0) expected[i] = static_cast<T>(expected[i - 1] + in[i]);
    }
    Array<T> data(in), out(tiles * 1024);
    lanes_along_rows<T><<<tiles / 2, 64>>>(data, out);
    outcome.equal(out, expected);
}

}  // namespace

void add_more_warps_blocks(Launches& launches) {
    launches.add("rotate_in_eighths", [](Outcome& outcome) {
        const int n = 75 * 128;
        auto in = values<long long>(n, 1000000, 51);
        for (int i = 0; i < n; ++i) in[i] = in[i] * 10000000000ll - i;
        auto turns = values<unsigned char>(n / 8, 8, 52);
        std::vector<long long> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = in[i / 8 * 8 + (i + turns[i / 8]) % 8];
        Array<long long> data(in), out(n);
        Array<unsigned char> counts(turns);
        rotate_in_eighths<<<75, 128>>>(data, counts, out);
        outcome.equal(out, expected);
    });
    launches.add("runs_in_warps", [](Outcome& outcome) {
        const int n = 20011;
        auto in = values<short>(n, 3, 53);
        for (int i = 0; i < n; ++i) in[i] = i % 1000 < 300 ? in[i] : in[i] > 0;
        std::vector<ushort2> expected(n);
        for (int first = 0; first < n; first += 32) {
            const int last = std::min(n, first + 32);
            unsigned short run = 0;
            for (int i = first; i < last; ++run) {
                int end = i;
                while (end < last && in[end] == in[i]) ++end;
                const auto length = static_cast<unsigned short>(end - i);
                for (; i < end; ++i) expected[i] = {run, length};
            }
        }
        Array<short> data(in);
        Array<ushort2> out(n);
        runs_in_warps<<<blocks_for(n, 96), 96>>>(data, out, n);
        outcome.equal(out, expected);
    });
    launches.add("match_wide_keys", [](Outcome& outcome) {
        const int blocks = 41, threads = 160, n = blocks * threads;
        auto low = values<int>(n, 12, 54), high = values<int>(n, 2, 55);
        std::vector<unsigned long long> keys(n);
        for (int i = 0; i < n; ++i) {
            const unsigned long long upper = i / 32 % 3 == 0 ? 5 : high[i];
            keys[i] = upper << 32 | static_cast<unsigned>(low[i]);
        }
        std::vector<int> peers(n), distinct(blocks, 0);
        std::vector<unsigned char> uniform(n / 32);
        for (int first = 0; first < n; first += 32) {
            bool is_uniform = true;
            for (int i = first; i < first + 32; ++i) {
                int count = 0, leader = 32;
                for (int k = 31; k >= 0; --k) {
                    if (keys[first + k] != keys[i]) continue;
                    ++count;
                    leader = k;
                }
                peers[i] = count * 256 + leader;
                distinct[i / threads] += leader == i - first;
                is_uniform = is_uniform && keys[i] >> 32 == keys[first] >> 32;
            }
            uniform[first / 32] = is_uniform;
        }
        Array<unsigned long long> in(keys);
        Array<int> out(n), leaders(blocks);
        Array<unsigned char> flags(n / 32);
        match_wide_keys<<<blocks, threads>>>(in, out, leaders, flags);
        outcome.equal(out, peers);
        outcome.equal(leaders, distinct);
        outcome.equal(flags, uniform);
    });
    launches.add("below_the_largest", [](Outcome& outcome) {
        const int n = 32 * 700;
        auto in = values<int>(n, 20000, 56);
        for (int& v : in) v -= 15000;
        std::vector<int> expected(n);
        std::vector<unsigned> totals(n / 32, 0);
        for (int i = 0; i < n; ++i) {
            const auto warp = in.begin() + i / 32 * 32;
            expected[i] = *std::max_element(warp, warp + 32) - in[i];
            totals[i / 32] += expected[i];
        }
        Array<int> data(in), out(n);
        Array<unsigned> sums(n / 32);
        below_the_largest<<<20, 192>>>(data, out, sums, n);
        outcome.equal(out, expected);
        outcome.equal(sums, totals);
    });
    launches.add("rows_by_sixteen_lanes", [](Outcome& outcome) {
        const int rows = 333, columns = 75;
        auto a = values<float>(rows * columns, 97, 57), b = values<float>(columns, 50, 58);
        std::vector<float> expected(rows, 0.0f);
        for (int i = 0; i < rows * columns; ++i) expected[i / columns] += a[i] * b[i % columns];
        Array<float> left(a), right(b), dots(rows);
        rows_by_sixteen_lanes<<<blocks_for(rows, 7), 112>>>(left, right, dots, rows, columns);
        outcome.equal(dots, expected);
    });
    launches.add("transpose_eights", [](Outcome& outcome) {
        const int matrices = 500;
        auto in = values<int>(matrices * 64, 100000, 59);
        std::vector<int4> rows(matrices * 16), expected(matrices * 16);
        std::vector<int> turned(matrices * 64);
        for (int i = 0; i < matrices * 64; ++i) {
            turned[i / 64 * 64 + i % 8 * 8 + i / 8 % 8] = in[i];
        }
        std::memcpy(rows.data(), in.data(), in.size() * sizeof(int));
        std::memcpy(expected.data(), turned.data(), turned.size() * sizeof(int));
        Array<int4> data(rows), out(matrices * 16);
        transpose_eights<<<matrices * 8 / 160, 160>>>(data, out);
        outcome.equal(out, expected);
    });
    launches.add("largest_before", [](Outcome& outcome) {
        const int rows = 150, columns = 103;
        auto in = values<short>(rows * columns, 30000, 60);
        std::vector<short> expected(rows * columns);
        for (int r = 0; r < rows; ++r) {
            short largest = SHRT_MIN;
            for (int i = r * columns; i < (r + 1) * columns; ++i) {
                expected[i] = largest;
                largest = std::max(largest, in[i]);
            }
        }
        Array<short> data(in), out(rows * columns);
        largest_before<<<blocks_for(rows, 4), 128>>>(data, out, rows, columns);
        outcome.equal(out, expected);
    });
    launches.add("filter_in_segments", [](Outcome& outcome) {
        const int warps = 6 * 30;
        auto in = values<float>(warps * 128, 97, 61);
        std::vector<int> kept(warps, 0);
        Array<float> data(in), out(warps * 128, 0);
        std::vector<float> expected(warps * 128, 0.0f);
        for (int i = 0; i < warps * 128; ++i) {
            if (in[i] > 40.0f) expected[i / 128 * 128 + kept[i / 128]++] = in[i];
        }
        Array<int> counts(warps);
        filter_in_segments<<<30, 192>>>(data, out, counts, 40.0f);
        outcome.equal(out, expected);
        outcome.equal(counts, kept);
    });
    launches.add("count_in_branches", [](Outcome& outcome) {
        const int n = 18001;
        auto in = values<int>(n, 5000, 62);
        std::vector<unsigned> expected(3, 0);
        for (int v : in) {
            if (v % 15 == 0) {
                ++expected[0];
            } else if (v % 5 == 0) {
                ++expected[1];
            } else if (v % 3 == 0) {
                ++expected[2];
            }
        }
        Array<int> data(in);
        Array<unsigned> counters(3, 0);
        count_in_branches<<<blocks_for(n, 128), 128>>>(data, counters, n);
        outcome.equal(counters, expected);
    });
    launches.add("prefix_of_fours", [](Outcome& outcome) {
        const int blocks = 25, each = 4 * 224;
        auto in = values<short>(blocks * each, 1000, 63);
        for (short& v : in) v = static_cast<short>(v - 400);
        std::vector<short4> vectors(in.size() / 4);
        std::vector<int> sums(in.size()), last(blocks);
        for (int i = 0; i < blocks * each; ++i) {
            sums[i] = in[i] + (i % each == 0 ? 0 : sums[i - 1]);
            last[i / each] = sums[i];
        }
        std::vector<int4> expected(in.size() / 4);
        std::memcpy(vectors.data(), in.data(), in.size() * sizeof(short));
        std::memcpy(expected.data(), sums.data(), sums.size() * sizeof(int));
        Array<short4> data(vectors);
        Array<int4> out(vectors.size());
        Array<int> totals(blocks);
        prefix_of_fours<<<blocks, 224>>>(data, out, totals);
        outcome.equal(out, expected);
        outcome.equal(totals, last);
    });
    launches.add("product_of_two_buffers", [](Outcome& outcome) {
        const int rows = 64, n = 96, depth = 80;
        auto a = values<int>(rows * depth, 97, 64), b = values<int>(depth * n, 97, 65);
        std::vector<int> expected(rows * n, 0);
        for (int r = 0; r < rows; ++r) {
            for (int k = 0; k < depth; ++k) {
                for (int c = 0; c < n; ++c) expected[r * n + c] += a[r * depth + k] * b[k * n + c];
            }
        }
        Array<int> left(a), right(b), product(rows * n);
        product_of_two_buffers<<<dim3(n / 16, rows / 16), dim3(16, 16)>>>(left, right, product, n,
                                                                          depth);
        outcome.equal(product, expected);
    });
    launches.add("lanes_along_rows/bytes:1",
                 [](Outcome& outcome) { compare_lanes_along_rows<unsigned char>(outcome, 100); });
    launches.add("lanes_along_rows/bytes:4",
                 [](Outcome& outcome) { compare_lanes_along_rows<float>(outcome, 5000); });
    launches.add("lanes_along_rows/bytes:8",
                 [](Outcome& outcome) { compare_lanes_along_rows<long long>(outcome, 4000000); });
    launches.add("padded_tile_of_shorts", [](Outcome& outcome) {
        const int rows = 100, columns = 77;
        auto in = values<short>(rows * columns, 30000, 66);
        std::vector<short> expected(rows * columns);
        for (int i = 0; i < rows * columns; ++i) {
            expected[i % columns * rows + i / columns] = in[i];
        }
        Array<short> data(in), out(rows * columns);
        padded_tile_of_shorts<<<dim3(3, 4), dim3(32, 8)>>>(data, out, rows, columns);
        outcome.equal(out, expected);
    });
    launches.add("swizzled_vectors", [](Outcome& outcome) {
        const int tiles = 3 * 14;
        auto in = values<float>(tiles * 1024, 97, 67);
        std::vector<float4> vectors(tiles * 256);
        std::memcpy(vectors.data(), in.data(), in.size() * sizeof(float));
        std::vector<float> expected(tiles * 32, 0.0f);
        for (int i = 0; i < tiles * 256; ++i) {
            const float4 v = vectors[i];
            expected[i / 8] += v.x + v.y - (v.z - v.w) * static_cast<float>(i % 8);
        }
        Array<float4> data(vectors);
        Array<float> sums(tiles * 32);
        swizzled_vectors<<<14, 96>>>(data, sums);
        outcome.equal(sums, expected);
    });
    launches.add("counters_in_bytes", [](Outcome& outcome) {
        const int n = 100003;
        auto in = values<unsigned char>(n, 256, 68);
        std::vector<unsigned> expected(16, 0);
        for (unsigned char v : in) ++expected[v / 16];
        Array<unsigned char> data(in);
        Array<unsigned> bins(16, 0);
        counters_in_bytes<<<blocks_for(n, 64 * 150), 64>>>(data, bins, n);
        outcome.equal(bins, expected);
    });
    launches.add("divergent_recipes", [](Outcome& outcome) {
        const int n = 10007;
        auto in = values<unsigned>(n, 2000, 69);
        std::vector<unsigned> expected(n);
        for (int i = 0; i < n; ++i) {
            const unsigned v = in[i], kind = v % 5;
            unsigned& e = expected[i];
            if (kind == 0) e = halvings(v);
            if (kind == 1) e = v / 1000 + v / 100 % 10 + v / 10 % 10 + v % 10;
            if (kind == 2) e = static_cast<unsigned>(std::sqrt(v + 0.5)) + std::popcount(v);
            if (kind == 3) e = std::popcount(v);
            if (kind == 4) e = v > 500 ? 0xffffffffu : v * v;
        }
        Array<unsigned> data(in), out(n);
        divergent_recipes<<<blocks_for(n, 192), 192>>>(data, out, n);
        outcome.equal(out, expected);
    });
    launches.add("halves_with_barriers", [](Outcome& outcome) {
        const int blocks = 40, n = blocks * 128;
        auto in = values<int>(n, 97, 70), rounds = values<int>(2 * blocks, 9, 71);
        std::vector<int> expected(n);
        for (int ring = 0; ring < 2 * blocks; ++ring) {
            std::vector<int> now(in.begin() + ring * 64, in.begin() + (ring + 1) * 64), next(64);
            for (int k = 0; k < rounds[ring]; ++k) {
                for (int t = 0; t < 64; ++t) {
                    next[t] = now[(t + 63) % 64] + now[t] - now[(t + 1) % 64];
                }
                now = next;
            }
            std::reverse_copy(now.begin(), now.end(), expected.begin() + ring * 64);
        }
        Array<int> data(in), out(n), counts(rounds);
        halves_with_barriers<<<blocks, 128>>>(data, out, counts);
        outcome.equal(out, expected);
    });
    launches.add("jobs_of_eights", [](Outcome& outcome) {
        const int n = 12005;
        auto in = values<int>(n, 97, 72);
        std::vector<int> expected(n);
        for (int first = 0; first < n; first += 8) {
            const int last = std::min(n, first + 8), job = first / 8 % 3;
            int largest = 0, sum = 0, odd = 0;
            bool is_any = false;
            for (int i = first; i < last; ++i) {
                largest = std::max(largest, in[i]);
                odd |= in[i] % 2 << (i - first);
                is_any = is_any || in[i] > 90;
            }
            for (int i = first; i < last; ++i) {
                sum += in[i];
                expected[i] = job == 0 ? largest : job == 1 ? sum : odd * (is_any ? 3 : 1);
            }
        }
        Array<int> data(in), out(n);
        jobs_of_eights<<<blocks_for(n, 256), 256>>>(data, out, n);
        outcome.equal(out, expected);
    });
}

}  // namespace ordinary

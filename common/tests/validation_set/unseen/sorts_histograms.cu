// Sorts, selections, searches and histograms.
#include <thrust/execution_policy.h>
#include <thrust/unique.h>

#include <cub/cub.cuh>
#include <numeric>

#include "../ordinary/launches.hpp"
#include "device_functions.cuh"
#include "themes.hpp"

namespace ordinary {
namespace {

// Four copies side by side: neighbours count equal bytes in different banks.
__global__ void histogram_four_copies(const uchar4* in, unsigned* bins, int n4) {
    __shared__ __align__(16) unsigned counts[256 * 4];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) counts[i] = 0;
    __syncthreads();
    int copy = threadIdx.x % 4;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        uchar4 v = in[i];
        atomicAdd(&counts[v.x * 4 + copy], 1u);
        atomicAdd(&counts[v.y * 4 + copy], 1u);
        atomicAdd(&counts[v.z * 4 + copy], 1u);
        atomicAdd(&counts[v.w * 4 + copy], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        uint4 c = reinterpret_cast<uint4*>(counts)[b];
        unsigned sum = c.x + c.y + c.z + c.w;
        if (sum) atomicAdd(&bins[b], sum);
    }
}

__global__ void histogram_in_global(const short* in, unsigned long long* bins, int n, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i] / width], 1ull);
}

constexpr int EDGES = 21;
__constant__ float edges[EDGES];

// Bins of unequal widths, those outside in the last one.
__global__ void histogram_of_edges(const float* in, int* bins, int n) {
    __shared__ int counts[EDGES];
    if (threadIdx.x < EDGES) counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = in[i];
        int low = 0, high = EDGES;
        while (low < high) {
            int middle = (low + high) / 2;
            if (edges[middle] <= v) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        atomicAdd(&counts[low == 0 || low == EDGES ? EDGES - 1 : low - 1], 1);
    }
    __syncthreads();
    if (threadIdx.x < EDGES) atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

// 64 KiB of dynamic shared memory.
__global__ void joint_histogram(const uchar2* in, unsigned* joint, int n) {
    extern __shared__ unsigned table[];
    for (int i = threadIdx.x; i < 128 * 128; i += blockDim.x) table[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uchar2 v = in[i];
        atomicAdd(&table[(v.x >> 1) * 128 + (v.y >> 1)], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 128 * 128; i += blockDim.x) {
        if (table[i] != 0) atomicAdd(&joint[i], table[i]);
    }
}

// Eight counters of eight bits in one register.
__global__ void counts_in_registers(const unsigned char* in, int* counts, int n) {
    unsigned long long packed = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        packed += 1ull << (8 * in[i]);
    }
    for (int bin = 0; bin < 8; ++bin) {
        int sum = warp_sum(static_cast<int>(packed >> (8 * bin) & 255));
        if (threadIdx.x % 32 == 0) atomicAdd(&counts[bin], sum);
    }
}

// A digit of eight bits a round, from the highest.
__global__ void kth_smallest(const unsigned* in, unsigned* found, int n, const int* ks) {
    __shared__ int bins[256];
    __shared__ unsigned prefix;
    __shared__ int k;
    const unsigned* row = in + blockIdx.x * n;
    if (threadIdx.x == 0) {
        prefix = 0;
        k = ks[blockIdx.x];
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
        for (int b = threadIdx.x; b < 256; b += blockDim.x) bins[b] = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            unsigned v = row[i];
            bool same = shift == 24 || v >> (shift + 8) == prefix;
            if (same) atomicAdd(&bins[v >> shift & 255], 1);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            int b = 0;
            while (k >= bins[b]) k -= bins[b++];
            prefix = prefix << 8 | b;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) found[blockIdx.x] = prefix;
}

__device__ void order(int& a, int& b, bool up) {
    if ((a > b) == up) {
        int t = a;
        a = b;
        b = t;
    }
}

// 128 keys a warp, four a lane.
__global__ void bitonic_in_registers(const int4* in, int4* out) {
    int lane = threadIdx.x % 32, at = blockIdx.x * blockDim.x + threadIdx.x;
    int4 v = in[at];
    int keys[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int size = 2; size <= 128; size *= 2) {
#pragma unroll
        for (int j = size / 2; j > 0; j /= 2) {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                int e = lane * 4 + k;
                bool up = (e & size) == 0;
                if (j >= 4) {
                    int other = __shfl_xor_sync(0xffffffffu, keys[k], j / 4);
                    bool lower = (e & j) == 0;
                    keys[k] = lower == up ? min(keys[k], other) : max(keys[k], other);
                } else if ((k & j) == 0) {
                    order(keys[k], keys[k | j], up);
                }
            }
        }
    }
    out[at] = make_int4(keys[0], keys[1], keys[2], keys[3]);
}

// Runs of 1, 2, 4... pairs: each finds its place by a search in the neighbouring run.
__global__ void merge_sort_pairs(const uint2* in, uint2* out, int n) {
    __shared__ uint2 runs[2][300];
    int t = threadIdx.x, from = 0;
    uint2 mine = in[blockIdx.x * n + t];
    runs[0][t] = mine;
    __syncthreads();
    for (int width = 1; width < n; width *= 2) {
        mine = runs[from][t];
        int run = t / width, other = (run ^ 1) * width;
        int low = min(other, n), high = min(other + width, n);
        while (low < high) {
            int middle = (low + high) / 2;
            unsigned key = runs[from][middle].x;
            bool before = run % 2 == 0 ? key < mine.x : key <= mine.x;
            low = before ? middle + 1 : low;
            high = before ? high : middle;
        }
        int smaller = low - min(other, n);
        runs[1 - from][run / 2 * 2 * width + t % width + smaller] = mine;
        from = 1 - from;
        __syncthreads();
    }
    out[blockIdx.x * n + t] = runs[from][t];
}

// Four bits a pass, ranks within the warp by match.
__global__ void radix_sort_tile(const unsigned short* in, unsigned short* out) {
    __shared__ unsigned short keys[256];
    __shared__ int counts[128];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    unsigned short key = in[blockIdx.x * 256 + t];
    for (int shift = 0; shift < 16; shift += 4) {
        if (t < 128) counts[t] = 0;
        __syncthreads();
        int digit = key >> shift & 15;
        unsigned peers = __match_any_sync(0xffffffffu, digit);
        int rank = __popc(peers & ((1u << lane) - 1));
        if (rank == 0) counts[digit * 8 + warp] = __popc(peers);
        __syncthreads();
        for (int d = 1; d < 128; d *= 2) {
            int sum = 0;
            if (t < 128) sum = counts[t] + (t >= d ? counts[t - d] : 0);
            __syncthreads();
            if (t < 128) counts[t] = sum;
            __syncthreads();
        }
        int slot = digit * 8 + warp;
        keys[(slot > 0 ? counts[slot - 1] : 0) + rank] = key;
        __syncthreads();
        key = keys[t];
    }
    out[blockIdx.x * 256 + t] = key;
}

// Batcher's odd-even merges.
__global__ void batcher(float* data, int n) {
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = data[blockIdx.x * n + t];
    for (int p = 1; p < n; p *= 2) {
        for (int k = p; k >= 1; k /= 2) {
            __syncthreads();
            int first = k % p;
            if (t < first || (t - first) % (2 * k) >= k || t + k >= n) continue;
            if (t / (2 * p) != (t + k) / (2 * p)) continue;
            if (s[t] > s[t + k]) {
                float v = s[t];
                s[t] = s[t + k];
                s[t + k] = v;
            }
        }
    }
    __syncthreads();
    data[blockIdx.x * n + t] = s[t];
}

// A heap a thread, its elements `stride` apart.
__global__ void heap_sort_columns(int* data, int n, int stride) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= stride) return;
    int* heap = data + column;
    auto sift = [&](int root, int end) {
        int v = heap[root * stride];
        for (;;) {
            int child = 2 * root + 1;
            if (child >= end) break;
            if (child + 1 < end && heap[(child + 1) * stride] > heap[child * stride]) ++child;
            if (heap[child * stride] <= v) break;
            heap[root * stride] = heap[child * stride];
            root = child;
        }
        heap[root * stride] = v;
    };
    for (int i = n / 2 - 1; i >= 0; --i) sift(i, n);
    for (int end = n - 1; end > 0; --end) {
        int v = heap[0];
        heap[0] = heap[end * stride];
        heap[end * stride] = v;
        sift(0, end);
    }
}

struct Record {  // 20 bytes
    int key;
    short year, month;
    char name[8];
    float weight;
};

// Nine records a thread, sorted by insertion in local memory.
__global__ void sort_records(const Record* in, Record* out, int groups) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= groups) return;
    Record mine[9];
    for (int i = 0; i < 9; ++i) {
        Record r = in[g * 9 + i];
        int at = i;
        while (at > 0 && (mine[at - 1].key > r.key ||
                          (mine[at - 1].key == r.key && mine[at - 1].year > r.year))) {
            mine[at] = mine[at - 1];
            --at;
        }
        mine[at] = r;
    }
    for (int i = 0; i < 9; ++i) out[g * 9 + i] = mine[i];
}

// Hoare's selection in a local array.
__global__ void medians_of_31(const float* in, float* medians, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float v[31];
    for (int i = 0; i < 31; ++i) v[i] = in[i * rows + row];
    int low = 0, high = 30;
    while (low < high) {
        float pivot = v[(low + high) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot) ++i;
            while (v[j] > pivot) --j;
            if (i > j) break;
            float t = v[i];
            v[i++] = v[j];
            v[j--] = t;
        }
        if (15 <= j) {
            high = j;
        } else if (15 >= i) {
            low = i;
        } else {
            break;
        }
    }
    medians[row] = v[15];
}

// The bucket of each key by a tree of splitters without branches, and how many each block has.
__global__ void classify(const int* keys, const int* tree, unsigned char* buckets, int* counts,
                         int n) {
    __shared__ int splitters[16], totals[16];
    if (threadIdx.x < 16) {
        splitters[threadIdx.x] = tree[threadIdx.x];
        totals[threadIdx.x] = 0;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned active = __ballot_sync(0xffffffffu, i < n);
    if (i < n) {
        int key = keys[i], node = 1;
#pragma unroll
        for (int level = 0; level < 4; ++level) node = 2 * node + (key > splitters[node]);
        int bucket = node - 16;
        buckets[i] = static_cast<unsigned char>(bucket);
        unsigned peers = __match_any_sync(active, bucket);
        if (__ffs(peers) - 1 == static_cast<int>(threadIdx.x % 32)) {
            atomicAdd(&totals[bucket], __popc(peers));
        }
    }
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = totals[threadIdx.x];
}

__global__ void interpolation_search(const unsigned long long* __restrict__ sorted,
                                     const unsigned long long* __restrict__ keys, int* places,
                                     int n, int queries) {
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= queries) return;
    unsigned long long key = __ldg(&keys[q]);
    int low = 0, high = n - 1, found = -1;
    while (low <= high) {
        unsigned long long first = __ldg(&sorted[low]), last = __ldg(&sorted[high]);
        if (key < first || key > last) break;
        int at = low;
        if (last > first) at += static_cast<int>((key - first) * (high - low) / (last - first));
        unsigned long long v = __ldg(&sorted[at]);
        if (v == key) {
            found = at;
            break;
        }
        if (v < key) {
            low = at + 1;
        } else {
            high = at - 1;
        }
    }
    places[q] = found;
}

// Pairs out of order, a triangle of comparisons.
__global__ void count_inversions(const int* in, unsigned* inversions, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned count = 0;
    if (i < n) {
        int mine = in[i];
        for (int j = i + 1; j < n; ++j) count += in[j] < mine;
    }
    count = __reduce_add_sync(0xffffffffu, count);
    if (threadIdx.x % 32 == 0 && count) atomicAdd(inversions, count);
}

__global__ void cub_block_merge_sort(const int* in, int* out) {
    using Sort = cub::BlockMergeSort<int, 64, 5>;
    __shared__ typename Sort::TempStorage storage;
    int keys[5];
    for (int k = 0; k < 5; ++k) keys[k] = in[blockIdx.x * 320 + threadIdx.x * 5 + k];
    Sort(storage).Sort(keys, [](int a, int b) { return a > b; });
    for (int k = 0; k < 5; ++k) out[blockIdx.x * 320 + threadIdx.x * 5 + k] = keys[k];
}

__global__ void thrust_unique_in_threads(int* data, int* lengths, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int* first = data + row * 20;
    lengths[row] = static_cast<int>(thrust::unique(thrust::seq, first, first + 20) - first);
}

std::vector<int> sorted_pieces(std::vector<int> data, int piece) {
    for (std::size_t i = 0; i < data.size(); i += piece) {
        std::sort(data.begin() + i, data.begin() + i + piece);
    }
    return data;
}

void add_histograms_of_keys(Launches& launches) {
    launches.add("histogram_four_copies", [](Outcome& outcome) {
        const int n4 = 20011;
        auto in = values<unsigned char>(4 * n4, 256);
        for (std::size_t i = 0; i < in.size(); i += 3) in[i] &= 15;
        Array<unsigned char> d(in);
        Array<unsigned> bins(256, 0);
        histogram_four_copies<<<9, 224>>>(reinterpret_cast<uchar4*>(d.data()), bins, n4);
        std::vector<unsigned> expected(256);
        for (unsigned char v : in) ++expected[v];
        outcome.equal(bins, expected);
    });
    launches.add("histogram_in_global", [](Outcome& outcome) {
        auto in = values<short>(30000, 30000);
        Array<short> d(in);
        Array<unsigned long long> bins(1000, 0);
        histogram_in_global<<<ceil_div(30000, 192), 192>>>(d, bins, 30000, 30);
        std::vector<unsigned long long> expected(1000);
        for (short v : in) ++expected[v / 30];
        outcome.equal(bins, expected);
    });
    launches.add("histogram_of_edges", [](Outcome& outcome) {
        std::vector<float> limits;
        for (int i = 0; i < EDGES; ++i) limits.push_back(static_cast<float>(5 + i * i * 2));
        check(cudaMemcpyToSymbol(edges, limits.data(), EDGES * sizeof(float)));
        auto in = values<float>(12000, 900);
        Array<float> d(in);
        Array<int> bins(EDGES, 0);
        histogram_of_edges<<<10, 128>>>(d, bins, 12000);
        std::vector<int> expected(EDGES);
        for (float v : in) {
            auto above = std::upper_bound(limits.begin(), limits.end(), v) - limits.begin();
            ++expected[above == 0 || above == EDGES ? EDGES - 1 : above - 1];
        }
        outcome.equal(bins, expected);
    });
    launches.add("joint_histogram", [](Outcome& outcome) {
        const int n = 15000, bytes = 128 * 128 * 4;
        auto in = values<unsigned char>(2 * n, 256);
        Array<unsigned char> d(in);
        Array<unsigned> joint(128 * 128, 0);
        check(cudaFuncSetAttribute(joint_histogram, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   bytes));
        joint_histogram<<<3, 512, bytes>>>(reinterpret_cast<uchar2*>(d.data()), joint, n);
        std::vector<unsigned> expected(128 * 128);
        for (int i = 0; i < n; ++i) ++expected[in[2 * i] / 2 * 128 + in[2 * i + 1] / 2];
        outcome.equal(joint, expected);
    });
    launches.add("counts_in_registers", [](Outcome& outcome) {
        auto in = values<unsigned char>(50001, 8);
        Array<unsigned char> d(in);
        Array<int> counts(8, 0);
        counts_in_registers<<<5, 256>>>(d, counts, 50001);
        std::vector<int> expected(8);
        for (unsigned char v : in) ++expected[v];
        outcome.equal(counts, expected);
    });
    launches.add("classify", [](Outcome& outcome) {
        const int n = 6001, blocks = ceil_div(n, 192);
        auto keys = values<int>(n, 1600);
        std::vector<int> sorted, tree(16, 0);
        for (int i = 1; i < 16; ++i) sorted.push_back(i * i * 6);
        for (int node = 1; node < 16; ++node) {
            int level = 31 - __builtin_clz(node), step = 8 >> level;
            tree[node] = sorted[(node - (1 << level)) * 2 * step + step - 1];
        }
        Array<int> d(keys), dt(tree), counts(16 * blocks);
        Array<unsigned char> buckets(n);
        classify<<<blocks, 192>>>(d, dt, buckets, counts, n);
        std::vector<unsigned char> expected;
        std::vector<int> totals(16 * blocks);
        for (int i = 0; i < n; ++i) {
            auto b = std::lower_bound(sorted.begin(), sorted.end(), keys[i]) - sorted.begin();
            expected.push_back(static_cast<unsigned char>(b));
            ++totals[b * blocks + i / 192];
        }
        outcome.equal(buckets, expected);
        outcome.equal(counts, totals);
    });
}

void add_sorts_of_blocks(Launches& launches) {
    launches.add("bitonic_in_registers", [](Outcome& outcome) {
        auto in = values<int>(128 * 12, 1 << 20);
        Array<int> d(in), out(in.size());
        bitonic_in_registers<<<4, 96>>>(reinterpret_cast<int4*>(d.data()),
                                        reinterpret_cast<int4*>(out.data()));
        outcome.equal(out, sorted_pieces(in, 128));
    });
    launches.add("merge_sort_pairs", [](Outcome& outcome) {
        const int n = 300, blocks = 5;
        auto keys = values<unsigned>(n * blocks, 120);
        std::vector<uint2> pairs;
        for (int i = 0; i < n * blocks; ++i) {
            pairs.push_back(uint2{keys[i], static_cast<unsigned>(i)});
        }
        Array<uint2> d(pairs), out(pairs.size());
        merge_sort_pairs<<<blocks, n>>>(d, out, n);
        for (int b = 0; b < blocks; ++b) {
            std::stable_sort(pairs.begin() + b * n, pairs.begin() + (b + 1) * n,
                             [](uint2 a, uint2 b) { return a.x < b.x; });
        }
        outcome.equal(out, pairs);
    });
    launches.add("radix_sort_tile", [](Outcome& outcome) {
        auto in = values<unsigned short>(256 * 7, 65536);
        Array<unsigned short> d(in), out(in.size());
        radix_sort_tile<<<7, 256>>>(d, out);
        for (int b = 0; b < 7; ++b) std::sort(in.begin() + b * 256, in.begin() + b * 256 + 256);
        outcome.equal(out, in);
    });
    launches.add("batcher", [](Outcome& outcome) {
        auto in = values<float>(250 * 4, 5000);
        Array<float> d(in);
        batcher<<<4, 250, 250 * sizeof(float)>>>(d, 250);
        for (int b = 0; b < 4; ++b) std::sort(in.begin() + b * 250, in.begin() + b * 250 + 250);
        outcome.equal(d, in);
    });
    launches.add("heap_sort_columns", [](Outcome& outcome) {
        const int n = 33, columns = 500;
        auto in = values<int>(n * columns, 700);
        Array<int> d(in);
        heap_sort_columns<<<4, 128>>>(d, n, columns);
        std::vector<int> column(n);
        for (int c = 0; c < columns; ++c) {
            for (int i = 0; i < n; ++i) column[i] = in[i * columns + c];
            std::sort(column.begin(), column.end());
            for (int i = 0; i < n; ++i) in[i * columns + c] = column[i];
        }
        outcome.equal(d, in);
    });
    launches.add("sort_records", [](Outcome& outcome) {
        const int groups = 150;
        auto keys = values<int>(groups * 9, 40), years = values<int>(groups * 9, 30, 2);
        std::vector<Record> records(groups * 9);
        for (int i = 0; i < groups * 9; ++i) {
            records[i] = {keys[i],
                          static_cast<short>(1990 + years[i]),
                          static_cast<short>(i % 12),
                          {},
                          0.5f * static_cast<float>(i)};
            for (int k = 0; k < 8; ++k) records[i].name[k] = static_cast<char>('a' + (i + k) % 26);
        }
        Array<Record> d(records), out(records.size());
        sort_records<<<2, 96>>>(d, out, groups);
        for (int g = 0; g < groups; ++g) {
            std::stable_sort(records.begin() + g * 9, records.begin() + g * 9 + 9,
                             [](const Record& a, const Record& b) {
                                 return a.key != b.key ? a.key < b.key : a.year < b.year;
                             });
        }
        outcome.equal(out, records);
    });
    launches.add("cub_block_merge_sort", [](Outcome& outcome) {
        auto in = values<int>(320 * 3, 10000);
        Array<int> d(in), out(in.size());
        cub_block_merge_sort<<<3, 64>>>(d, out);
        for (int b = 0; b < 3; ++b) {
            std::sort(in.begin() + b * 320, in.begin() + b * 320 + 320, std::greater<int>());
        }
        outcome.equal(out, in);
    });
    launches.add("thrust_unique_in_threads", [](Outcome& outcome) {
        auto in = sorted_pieces(values<int>(20 * 130, 30), 20);
        Array<int> d(in), lengths(130);
        thrust_unique_in_threads<<<3, 64>>>(d, lengths, 130);
        std::vector<int> expected;
        for (int r = 0; r < 130; ++r) {
            auto first = in.begin() + r * 20;
            expected.push_back(static_cast<int>(std::unique(first, first + 20) - first));
        }
        outcome.equal(lengths, expected);
        // What is behind the last different one does not matter.
        std::vector<int> kept = d.to_host();
        for (int r = 0; r < 130; ++r) {
            for (int i = expected[r]; i < 20; ++i) kept[r * 20 + i] = in[r * 20 + i];
        }
        outcome.equal(Array<int>(kept), in);
    });
}

void add_selections(Launches& launches) {
    launches.add("kth_smallest", [](Outcome& outcome) {
        const int n = 1111;
        auto in = values<unsigned>(6 * n, 1 << 23);
        for (unsigned& v : in) v *= 509;
        std::vector<int> ks = {0, 1110, 555, 17, 900, 333};
        Array<unsigned> d(in), found(6);
        Array<int> dk(ks);
        kth_smallest<<<6, 160>>>(d, found, n, dk);
        std::vector<unsigned> expected;
        for (int r = 0; r < 6; ++r) {
            std::sort(in.begin() + r * n, in.begin() + (r + 1) * n);
            expected.push_back(in[r * n + ks[r]]);
        }
        outcome.equal(found, expected);
    });
    launches.add("medians_of_31", [](Outcome& outcome) {
        const int rows = 700;
        auto in = values<float>(31 * rows, 1000);
        Array<float> d(in), out(rows);
        medians_of_31<<<ceil_div(rows, 128), 128>>>(d, out, rows);
        std::vector<float> expected, row(31);
        for (int r = 0; r < rows; ++r) {
            for (int i = 0; i < 31; ++i) row[i] = in[i * rows + r];
            std::nth_element(row.begin(), row.begin() + 15, row.end());
            expected.push_back(row[15]);
        }
        outcome.equal(out, expected);
    });
    launches.add("interpolation_search", [](Outcome& outcome) {
        const int n = 2000, queries = 900;
        std::vector<unsigned long long> sorted, keys;
        for (int i = 0; i < n; ++i) sorted.push_back(1000ull * i * i + pcg_hash(i) % 1000);
        for (int q = 0; q < queries; ++q) {
            keys.push_back(sorted[pcg_hash(q + 7) % n] + (q % 3 == 0));
        }
        Array<unsigned long long> d(sorted), dk(keys);
        Array<int> places(queries);
        interpolation_search<<<ceil_div(queries, 64), 64>>>(d, dk, places, n, queries);
        std::vector<int> expected;
        for (auto key : keys) {
            auto at = std::lower_bound(sorted.begin(), sorted.end(), key) - sorted.begin();
            bool found = at < n && sorted[at] == key;
            expected.push_back(found ? static_cast<int>(at) : -1);
        }
        outcome.equal(places, expected);
    });
    launches.add("count_inversions", [](Outcome& outcome) {
        const int n = 1500;
        auto in = values<int>(n, 10000);
        Array<int> d(in);
        Array<unsigned> count(1, 0);
        count_inversions<<<ceil_div(n, 160), 160>>>(d, count, n);
        unsigned expected = 0;
        for (int i = 0; i < n; ++i) {
            for (int j = i + 1; j < n; ++j) expected += in[j] < in[i];
        }
        outcome.equal(count, std::vector<unsigned>{expected});
    });
}

}  // namespace

void add_sorts_histograms(Launches& launches) {
    add_histograms_of_keys(launches);
    add_sorts_of_blocks(launches);
    add_selections(launches);
}

}  // namespace ordinary

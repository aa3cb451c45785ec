// Functions of a warp: shuffles of every kind, votes, matches, compaction by ballots.
#include "launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

__global__ void shuffles(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;
    int value = in[i];
    value += __shfl_xor_sync(0xffffffff, value, 5);
    value ^= __shfl_up_sync(0xffffffff, value, 3);
    value += 3 * __shfl_down_sync(0xffffffff, value, 7, 16);
    value -= __shfl_sync(0xffffffff, value, lane * 7 % 32);
    value += __shfl_sync(0xffffffff, value, 2, 8);
    out[i] = value;
}

__global__ void shuffle_doubles(const double* in, double* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = in[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffff, sum, offset);
    out[i] = sum;
}

// The four rows of a tile of 4 x 8 change places without shared memory.
__global__ void transpose_in_registers(const int* in, int* out) {
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int v[4];
    for (int k = 0; k < 4; ++k) v[k] = in[warp * 128 + k * 32 + lane];
    for (int k = 0; k < 4; ++k) {
        const int value = __shfl_sync(0xffffffff, v[k], (lane + k) % 32);
        out[warp * 128 + lane * 4 + k] = value;
    }
}

__global__ void votes(const int* in, unsigned* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool is_even = in[i] % 2 == 0;
    const unsigned even = __ballot_sync(0xffffffff, is_even);
    const bool any = __any_sync(0xffffffff, in[i] > 95), all = __all_sync(0xffffffff, in[i] < 96);
    if (threadIdx.x % 32 == 0) {
        out[i / 32 * 3] = even;
        out[i / 32 * 3 + 1] = any;
        out[i / 32 * 3 + 2] = all;
    }
}

__global__ void matches(const int* in, unsigned* out, int* same) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __match_any_sync(0xffffffff, in[i] % 8);
    int is_uniform;
    __match_all_sync(0xffffffff, in[i / 32 * 32] % 8, &is_uniform);
    same[i] = is_uniform;
}

// Elements that are kept move together: one atomic a warp.
__global__ void compact_by_ballot(const int* in, int* out, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const bool is_kept = i < n && in[i] % 3 == 0;
    const unsigned kept = __ballot_sync(0xffffffff, is_kept);
    int base = 0;
    if (lane == 0 && kept != 0) base = atomicAdd(count, __popc(kept));
    base = __shfl_sync(0xffffffff, base, 0);
    if (is_kept) out[base + __popc(kept & ((1u << lane) - 1))] = in[i];
}

// Whichever lanes are here take places together.
__device__ int aggregated_increment(int* counter) {
    const unsigned active = __activemask();
    const int leader = __ffs(active) - 1, lane = threadIdx.x % 32;
    int place = 0;
    if (lane == leader) place = atomicAdd(counter, __popc(active));
    place = __shfl_sync(active, place, leader);
    return place + __popc(active & ((1u << lane) - 1));
}

__global__ void compact_aggregated(const int* in, int* out, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 60) out[aggregated_increment(count)] = in[i];
}

__global__ void sort_in_warp(const int* in, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;
    int value = in[i];
    for (int size = 2; size <= 32; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            const int other = __shfl_xor_sync(0xffffffff, value, step);
            const bool is_ascending = (lane & size) == 0, is_lower = (lane & step) == 0;
            value = is_ascending == is_lower ? min(value, other) : max(value, other);
        }
    }
    out[i] = value;
}

// Some lanes only, by a mask that the data give.
__global__ void sum_of_some_lanes(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int value = in[i];
    const unsigned odd = __ballot_sync(__activemask(), value % 2 == 1);
    if (value % 2 == 1) {
        int sum = 0;
        for (unsigned rest = odd; rest != 0; rest &= rest - 1) {
            sum += __shfl_sync(odd, value, __ffs(rest) - 1);
        }
        out[i] = sum;
    } else {
        out[i] = __popc(odd);
    }
}

std::vector<int> shuffled(const std::vector<int>& in) {
    std::vector<int> v(in), before;
    const auto each_lane = [&](auto f) {
        before = v;
        for (int i = 0; i < static_cast<int>(v.size()); ++i) f(i, i % 32, &before[i / 32 * 32]);
    };
    each_lane([&](int i, int lane, const int* w) { v[i] += w[lane ^ 5]; });
    each_lane([&](int i, int lane, const int* w) { v[i] ^= w[lane < 3 ? lane : lane - 3]; });
    each_lane([&](int i, int lane, const int* w) {
        v[i] += 3 * w[lane % 16 + 7 < 16 ? lane + 7 : lane];
    });
    each_lane([&](int i, int lane, const int* w) { v[i] -= w[lane * 7 % 32]; });
    each_lane([&](int i, int lane, const int* w) { v[i] += w[lane / 8 * 8 + 2]; });
    return v;
}

void add_shuffles(Launches& launches) {
    const int n = 1024;
    const auto in = values<int>(n);
    launches.add("shuffles", [=](Outcome& outcome) {
        const Array<int> input(in), out(n);
        shuffles<<<8, 128>>>(input, out, n);
        outcome.equal(out, shuffled(in));
    });
    launches.add("shuffle_doubles", [=](Outcome& outcome) {
        const auto numbers = values<double>(n);
        const Array<double> input(numbers), out(n);
        shuffle_doubles<<<8, 128>>>(input, out);
        std::vector<double> sums(n / 32), expected(n);
        for (int i = 0; i < n; ++i) sums[i / 32] += numbers[i];
        for (int i = 0; i < n; ++i) expected[i] = sums[i / 32];
        outcome.equal(out, expected);
    });
    launches.add("transpose_in_registers", [=](Outcome& outcome) {
        const Array<int> input(in), out(n);
        transpose_in_registers<<<2, 128>>>(input, out);
        std::vector<int> expected(n);
        for (int i = 0; i < n; ++i) {
            const int warp = i / 128, k = i % 4, lane = i % 128 / 4;
            expected[i] = in[warp * 128 + k * 32 + (lane + k) % 32];
        }
        outcome.equal(out, expected);
    });
    launches.add("sort_in_warp", [=](Outcome& outcome) {
        const Array<int> input(in), out(n);
        sort_in_warp<<<8, 128>>>(input, out);
        auto expected = in;
        for (int i = 0; i < n; i += 32) std::sort(expected.begin() + i, expected.begin() + i + 32);
        outcome.equal(out, expected);
    });
}

void add_votes(Launches& launches) {
    const int n = 1024;
    const auto in = values<int>(n);
    launches.add("votes", [=](Outcome& outcome) {
        const Array<int> input(in);
        const Array<unsigned> out(n / 32 * 3);
        votes<<<8, 128>>>(input, out, n);
        std::vector<unsigned> expected(n / 32 * 3);
        for (int i = 0; i < n; ++i) {
            unsigned* e = &expected[i / 32 * 3];
            if (i % 32 == 0) e[2] = 1;
            e[0] |= (in[i] % 2 == 0 ? 1u : 0u) << i % 32;
            e[1] |= in[i] > 95, e[2] &= in[i] < 96;
        }
        outcome.equal(out, expected);
    });
    launches.add("matches", [=](Outcome& outcome) {
        const Array<int> input(in), same(n);
        const Array<unsigned> out(n);
        matches<<<8, 128>>>(input, out, same);
        std::vector<unsigned> expected(n);
        for (int i = 0; i < n * 32; ++i) {
            const int lane = i % 32, j = i / 32;
            expected[j] |= (in[j / 32 * 32 + lane] % 8 == in[j] % 8 ? 1u : 0u) << lane;
        }
        outcome.equal(out, expected);
        outcome.equal(same, std::vector<int>(n, 1));
    });
    launches.add("sum_of_some_lanes", [=](Outcome& outcome) {
        const Array<int> input(in), out(n);
        sum_of_some_lanes<<<8, 128>>>(input, out, n);
        std::vector<int> expected(n);
        for (int warp = 0; warp < n; warp += 32) {
            int sum = 0, count = 0;
            for (int i = warp; i < warp + 32; ++i) sum += in[i] % 2 * in[i], count += in[i] % 2;
            for (int i = warp; i < warp + 32; ++i) expected[i] = in[i] % 2 ? sum : count;
        }
        outcome.equal(out, expected);
    });
}

void add_compactions(Launches& launches) {
    const int n = 3000;
    const auto in = values<int>(n);
    const auto add = [=, &launches](const char* name, void (*kernel)(const int*, int*, int*, int),
                                    auto is_kept) {
        launches.add(name, [=](Outcome& outcome) {
            const Array<int> input(in), out(n), count(1, 0);
            kernel<<<24, 128>>>(input, out, count, n);
            std::vector<int> expected;
            for (const int value : in) {
                if (is_kept(value)) expected.push_back(value);
            }
            outcome.equal(count, {static_cast<int>(expected.size())});
            outcome.same_elements(out, expected);
        });
    };
    add("compact_by_ballot", compact_by_ballot, [](int value) { return value % 3 == 0; });
    add("compact_aggregated", compact_aggregated, [](int value) { return value > 60; });
}

}  // namespace

void add_warp_functions(Launches& launches) {
    add_shuffles(launches);
    add_votes(launches);
    add_compactions(launches);
}

}  // namespace ordinary

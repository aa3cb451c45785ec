// Sorting and searching: bitonic, odd-even, merge and radix steps, ranks, binary search.
#include "../launches.hpp"
#include "../themes.hpp"

namespace ordinary {
namespace {

// One step of a bitonic sort over all of memory.
__global__ void bitonic_step(int* data, int step, int size) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned other = i ^ step;
    if (other > i) {
        const bool is_ascending = (i & size) == 0;
        if ((data[i] > data[other]) == is_ascending) {
            const int kept = data[i];
            data[i] = data[other];
            data[other] = kept;
        }
    }
}

__global__ void bitonic_shared(int* data) {
    extern __shared__ int tile[];
    const int i = threadIdx.x, base = blockIdx.x * blockDim.x;
    tile[i] = data[base + i];
    __syncthreads();
    for (int size = 2; size <= blockDim.x; size <<= 1) {
        for (int step = size >> 1; step > 0; step >>= 1) {
            const int other = i ^ step;
            if (other > i) {
                const bool is_ascending = (i & size) == 0;
                if ((tile[i] > tile[other]) == is_ascending) {
                    const int kept = tile[i];
                    tile[i] = tile[other];
                    tile[other] = kept;
                }
            }
            __syncthreads();
        }
    }
    data[base + i] = tile[i];
}

__global__ void odd_even_sort(int* data) {
    __shared__ int tile[256];
    const int i = threadIdx.x, base = blockIdx.x * 256;
    tile[i] = data[base + i];
    tile[i + 128] = data[base + i + 128];
    __syncthreads();
    for (int round = 0; round < 256; ++round) {
        const int left = 2 * i + round % 2;
        if (left + 1 < 256 && tile[left] > tile[left + 1]) {
            const int kept = tile[left];
            tile[left] = tile[left + 1];
            tile[left + 1] = kept;
        }
        __syncthreads();
    }
    data[base + i] = tile[i];
    data[base + i + 128] = tile[i + 128];
}

// A thread merges two sorted runs.
__global__ void merge_runs(const int* in, int* out, int run, int n) {
    const int start = (blockIdx.x * blockDim.x + threadIdx.x) * 2 * run;
    if (start >= n) return;
    const int middle = min(start + run, n), end = min(start + 2 * run, n);
    int left = start, right = middle;
    for (int i = start; i < end; ++i) {
        if (left < middle && (right >= end || in[left] <= in[right])) {
            out[i] = in[left++];
        } else {
            out[i] = in[right++];
        }
    }
}

__device__ int lower_bound(const int* data, int n, int value) {
    int begin = 0;
    while (n > 0) {
        const int half = n / 2;
        if (data[begin + half] < value) {
            begin += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return begin;
}

__global__ void binary_search(const int* sorted, int n, const int* wanted, int* out, int queries) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < queries) out[i] = lower_bound(sorted, n, wanted[i]);
}

// Each element's place in the merged array is its own index and its rank among the others.
__global__ void merge_by_ranks(const int* a, int na, const int* b, int nb, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < na) out[i + lower_bound(b, nb, a[i])] = a[i];
    if (i < nb) out[i + lower_bound(a, na, b[i] + 1)] = b[i];
}

__global__ void rank_sort(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int value = in[i];
    int rank = 0;
    for (int j = 0; j < n; ++j) {
        if (in[j] < value || (in[j] == value && j < i)) ++rank;
    }
    out[rank] = value;
}

// One bit of a radix sort: zeros first, order kept.
__global__ void radix_split(const int* in, int* out, int bit) {
    __shared__ int ones[256];
    const int i = threadIdx.x, base = blockIdx.x * 256;
    const int value = in[base + i];
    const int is_one = (value >> bit) & 1;
    ones[i] = is_one;
    __syncthreads();
    for (int offset = 1; offset < 256; offset *= 2) {
        const int before = i >= offset ? ones[i - offset] : 0;
        __syncthreads();
        ones[i] += before;
        __syncthreads();
    }
    const int zeros = 256 - ones[255];
    const int place = is_one ? zeros + ones[i] - 1 : i - ones[i];
    out[base + place] = value;
}

std::vector<int> sorted(std::vector<int> in, int block) {
    for (std::size_t i = 0; i < in.size(); i += block) {
        std::sort(in.begin() + i, in.begin() + std::min(in.size(), i + block));
    }
    return in;
}

void add_networks(Launches& launches) {
    const auto in = values<int>(2048, 10000);
    for (const int step : {1, 16, 512}) {
        launches.add("bitonic_step/step:" + std::to_string(step), [=](Outcome& outcome) {
            const Array<int> data(in);
            bitonic_step<<<16, 128>>>(data, step, 1024);
            auto expected = in;
            for (int i = 0; i < 2048; ++i) {
                const bool is_ascending = (i & 1024) == 0;
                if ((i ^ step) > i && (expected[i] > expected[i ^ step]) == is_ascending) {
                    std::swap(expected[i], expected[i ^ step]);
                }
            }
            outcome.equal(data, expected);
        });
    }
    for (const int block : {256, 1024}) {
        launches.add("bitonic_shared/block:" + std::to_string(block), [=](Outcome& outcome) {
            const Array<int> data(in);
            bitonic_shared<<<2048 / block, block, block * sizeof(int)>>>(data);
            auto expected = sorted(in, block);
            outcome.equal(data, expected);
        });
    }
    launches.add("odd_even_sort", [=](Outcome& outcome) {
        const Array<int> data(in);
        odd_even_sort<<<8, 128>>>(data);
        outcome.equal(data, sorted(in, 256));
    });
}

void add_merges(Launches& launches) {
    const auto in = values<int>(3000, 10000);
    for (const int run : {1, 16}) {
        launches.add("merge_runs/run:" + std::to_string(run), [=](Outcome& outcome) {
            const Array<int> input(sorted(in, run)), out(3000);
            merge_runs<<<(3000 / (2 * run) + 128) / 128, 128>>>(input, out, run, 3000);
            outcome.equal(out, sorted(in, 2 * run));
        });
    }
    launches.add("merge_by_ranks", [=](Outcome& outcome) {
        const auto a = sorted(values<int>(1000, 5000, 2), 1000),
                   b = sorted(values<int>(700, 5000, 3), 700);
        const Array<int> first(a), second(b), out(1700);
        merge_by_ranks<<<8, 128>>>(first, 1000, second, 700, out);
        std::vector<int> expected(a);
        expected.insert(expected.end(), b.begin(), b.end());
        outcome.equal(out, sorted(expected, 1700));
    });
    launches.add("binary_search", [=](Outcome& outcome) {
        const auto data = sorted(values<int>(4000, 100000, 2), 4000);
        const auto wanted = values<int>(2000, 100000, 3);
        const Array<int> input(data), queries(wanted), out(2000);
        binary_search<<<16, 128>>>(input, 4000, queries, out, 2000);
        std::vector<int> expected(2000);
        for (int i = 0; i < 2000; ++i) {
            const auto found = std::lower_bound(data.begin(), data.end(), wanted[i]);
            expected[i] = static_cast<int>(found - data.begin());
        }
        outcome.equal(out, expected);
    });
}

void add_ranks(Launches& launches) {
    launches.add("rank_sort", [](Outcome& outcome) {
        const auto in = values<int>(400, 300);
        const Array<int> input(in), out(400);
        rank_sort<<<4, 128>>>(input, out, 400);
        outcome.equal(out, sorted(in, 400));
    });
    launches.add("radix_split", [](Outcome& outcome) {
        const auto in = values<int>(2048, 1024);
        const Array<int> input(in), out(2048);
        radix_split<<<8, 256>>>(input, out, 4);
        auto expected = in;
        for (int i = 0; i < 2048; i += 256) {
            std::stable_partition(expected.begin() + i, expected.begin() + i + 256,
                                  [](int value) { return (value >> 4 & 1) == 0; });
        }
        outcome.equal(out, expected);
    });
}

}  // namespace

void add_sorting(Launches& launches) {
    add_networks(launches);
    add_merges(launches);
    add_ranks(launches);
}

}  // namespace ordinary

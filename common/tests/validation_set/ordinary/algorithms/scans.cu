// Prefix sums: double buffered, work-efficient, by shuffles, segmented; and stream compaction.
#include "../launches.hpp"
#include "../themes.hpp"

namespace ordinary {
namespace {

// Hillis and Steele: log n steps, two buffers.
__global__ void scan_double_buffered(const int* in, int* out, int n) {
    extern __shared__ int buffers[];
    const int i = threadIdx.x;
    int current = 0;
    buffers[i] = i < n ? in[blockIdx.x * n + i] : 0;
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        const int next = 1 - current;
        if (i >= offset) {
            buffers[next * n + i] = buffers[current * n + i] + buffers[current * n + i - offset];
        } else {
            buffers[next * n + i] = buffers[current * n + i];
        }
        current = next;
        __syncthreads();
    }
    out[blockIdx.x * n + i] = buffers[current * n + i];
}

template <bool is_padded>
__device__ int place(int i) {
    return is_padded ? i + (i >> 5) : i;
}

// Blelloch: up-sweep and down-sweep over a tree, two elements a thread; exclusive.
template <bool is_padded>
__global__ void scan_work_efficient(const int* in, int* out, int n) {
    extern __shared__ int tree[];
    const int thread = threadIdx.x;
    const int base = blockIdx.x * n;
    tree[place<is_padded>(2 * thread)] = in[base + 2 * thread];
    tree[place<is_padded>(2 * thread + 1)] = in[base + 2 * thread + 1];
    int offset = 1;
    for (int active = n >> 1; active > 0; active >>= 1) {
        __syncthreads();
        if (thread < active) {
            const int left = place<is_padded>(offset * (2 * thread + 1) - 1);
            const int right = place<is_padded>(offset * (2 * thread + 2) - 1);
            tree[right] += tree[left];
        }
        offset *= 2;
    }
    if (thread == 0) tree[place<is_padded>(n - 1)] = 0;
    for (int active = 1; active < n; active *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thread < active) {
            const int left = place<is_padded>(offset * (2 * thread + 1) - 1);
            const int right = place<is_padded>(offset * (2 * thread + 2) - 1);
            const int kept = tree[left];
            tree[left] = tree[right];
            tree[right] += kept;
        }
    }
    __syncthreads();
    out[base + 2 * thread] = tree[place<is_padded>(2 * thread)];
    out[base + 2 * thread + 1] = tree[place<is_padded>(2 * thread + 1)];
}

__device__ int warp_scan(int value) {
    const int lane = threadIdx.x & 31;
    for (int offset = 1; offset < 32; offset <<= 1) {
        const int other = __shfl_up_sync(0xffffffff, value, offset);
        if (lane >= offset) value += other;
    }
    return value;
}

__global__ void scan_shuffle(const int* in, int* out, int* totals, int n) {
    __shared__ int of_warps[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int value = i < n ? in[i] : 0;
    value = warp_scan(value);
    if (lane == 31) of_warps[warp] = value;
    __syncthreads();
    if (warp == 0) {
        int total = lane < blockDim.x / 32 ? of_warps[lane] : 0;
        total = warp_scan(total);
        of_warps[lane] = total;
    }
    __syncthreads();
    if (warp > 0) value += of_warps[warp - 1];
    if (i < n) out[i] = value;
    if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = value;
}

__global__ void add_offsets(int* data, const int* totals, int n) {
    __shared__ int offset;
    if (threadIdx.x == 0) {
        offset = 0;
        for (int block = 0; block < blockIdx.x; ++block) offset += totals[block];
    }
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += offset;
}

// Four elements a thread, summed in registers first.
__global__ void scan_four_a_thread(const int4* in, int4* out) {
    __shared__ int sums[256];
    int4 v = in[blockIdx.x * blockDim.x + threadIdx.x];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    sums[threadIdx.x] = v.w;
    __syncthreads();
    for (int offset = 1; offset < blockDim.x; offset *= 2) {
        int other = 0;
        if (threadIdx.x >= offset) other = sums[threadIdx.x - offset];
        __syncthreads();
        sums[threadIdx.x] += other;
        __syncthreads();
    }
    const int before = threadIdx.x == 0 ? 0 : sums[threadIdx.x - 1];
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
}

// Sums restart at every head flag.
__global__ void scan_segmented(const int* in, const unsigned char* heads, int* out) {
    __shared__ int sums[256];
    __shared__ unsigned char flags[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    sums[threadIdx.x] = in[i];
    flags[threadIdx.x] = heads[i];
    __syncthreads();
    for (int offset = 1; offset < blockDim.x; offset *= 2) {
        int sum = sums[threadIdx.x];
        unsigned char flag = flags[threadIdx.x];
        if (threadIdx.x >= offset && !flag) {
            sum += sums[threadIdx.x - offset];
            flag = flags[threadIdx.x - offset];
        }
        __syncthreads();
        sums[threadIdx.x] = sum;
        flags[threadIdx.x] = flag;
        __syncthreads();
    }
    out[i] = sums[threadIdx.x];
}

// Positive elements move together; a scan of the block tells where each goes.
__global__ void compact_by_scan(const int* in, int* out, int* counts, int threshold) {
    __shared__ int positions[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int value = in[i];
    const bool is_kept = value >= threshold;
    positions[threadIdx.x] = is_kept;
    __syncthreads();
    for (int offset = 1; offset < blockDim.x; offset <<= 1) {
        const int other = threadIdx.x >= offset ? positions[threadIdx.x - offset] : 0;
        __syncthreads();
        positions[threadIdx.x] += other;
        __syncthreads();
    }
    if (is_kept) out[blockIdx.x * blockDim.x + positions[threadIdx.x] - 1] = value;
    if (threadIdx.x == blockDim.x - 1) counts[blockIdx.x] = positions[threadIdx.x];
}

std::vector<int> inclusive(const std::vector<int>& in, std::size_t segment) {
    std::vector<int> sums(in);
    for (std::size_t i = 1; i < in.size(); ++i) {
        if (i % segment != 0) sums[i] += sums[i - 1];
    }
    return sums;
}

void add_trees(Launches& launches) {
    const auto in = values<int>(16 * 512);
    launches.add("scan_double_buffered", [=](Outcome& outcome) {
        const Array<int> input(in), out(in.size());
        scan_double_buffered<<<16, 512, 2 * 512 * sizeof(int)>>>(input, out, 512);
        outcome.equal(out, inclusive(in, 512));
    });
    const auto add = [=, &launches](const char* name, void (*kernel)(const int*, int*, int)) {
        launches.add(name, [=](Outcome& outcome) {
            const Array<int> input(in), out(in.size());
            kernel<<<16, 256, (512 + 16) * sizeof(int)>>>(input, out, 512);
            auto expected = inclusive(in, 512);
            for (std::size_t i = 0; i < in.size(); ++i) expected[i] -= in[i];
            outcome.equal(out, expected);
        });
    };
    add("scan_work_efficient", scan_work_efficient<false>);
    add("scan_work_efficient_padded", scan_work_efficient<true>);
    launches.add("scan_four_a_thread", [=](Outcome& outcome) {
        const Array<int> input(in), out(in.size());
        scan_four_a_thread<<<8, 256>>>(reinterpret_cast<const int4*>(input.data()),
                                       reinterpret_cast<int4*>(out.data()));
        outcome.equal(out, inclusive(in, 1024));
    });
}

void add_other_scans(Launches& launches) {
    const int n = 5000;
    const auto in = values<int>(n);
    launches.add("scan_shuffle", [=](Outcome& outcome) {
        const Array<int> input(in), out(n), totals(20);
        scan_shuffle<<<20, 256>>>(input, out, totals, n);
        outcome.equal(out, inclusive(in, 256));
    });
    launches.add("add_offsets", [=](Outcome& outcome) {
        const auto totals = values<int>(20, 50, 3);
        const Array<int> data(in), sums(totals);
        add_offsets<<<20, 256>>>(data, sums, n);
        auto expected = in;
        for (int i = 0; i < n; ++i) {
            for (int block = 0; block < i / 256; ++block) expected[i] += totals[block];
        }
        outcome.equal(data, expected);
    });
    launches.add("scan_segmented", [=](Outcome& outcome) {
        auto heads = values<unsigned char>(4096, 9, 4);
        const auto data = values<int>(4096);
        for (auto& head : heads) head = head == 0;
        const Array<int> input(data), out(4096);
        const Array<unsigned char> flags(heads);
        scan_segmented<<<16, 256>>>(input, flags, out);
        auto expected = data;
        for (int i = 1; i < 4096; ++i) {
            if (i % 256 != 0 && !heads[i]) expected[i] += expected[i - 1];
        }
        outcome.equal(out, expected);
    });
    launches.add("compact_by_scan", [=](Outcome& outcome) {
        const auto data = values<int>(4096);
        const Array<int> input(data), out(4096), counts(16);
        compact_by_scan<<<16, 256>>>(input, out, counts, 60);
        std::vector<int> expected(4096, -1), expected_counts(16);
        for (int i = 0; i < 4096; ++i) {
            if (data[i] >= 60) expected[i / 256 * 256 + expected_counts[i / 256]++] = data[i];
        }
        outcome.equal(out, expected);
        outcome.equal(counts, expected_counts);
    });
}

}  // namespace

void add_scans(Launches& launches) {
    add_trees(launches);
    add_other_scans(launches);
}

}  // namespace ordinary

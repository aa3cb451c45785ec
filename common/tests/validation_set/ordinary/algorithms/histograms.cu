// Histograms: one for all, one a block, one a warp, one a thread.
#include "../launches.hpp"
#include "../themes.hpp"

namespace ordinary {
namespace {

constexpr int bins = 64;

__global__ void histogram_global(const unsigned char* in, int* histogram, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&histogram[in[i] % bins], 1);
}

__global__ void histogram_shared(const unsigned char* in, int* histogram, int n) {
    __shared__ int counts[bins];
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) counts[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&counts[in[i] % bins], 1);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
        atomicAdd(&histogram[bin], counts[bin]);
    }
}

// A histogram a warp, added up at the end.
__global__ void histogram_of_warps(const uchar4* in, int* histogram, int n4) {
    __shared__ int counts[8][bins];
    const int warp = threadIdx.x / 32;
    for (int i = threadIdx.x; i < 8 * bins; i += blockDim.x) counts[i / bins][i % bins] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        const uchar4 v = in[i];
        atomicAdd(&counts[warp][v.x % bins], 1);
        atomicAdd(&counts[warp][v.y % bins], 1);
        atomicAdd(&counts[warp][v.z % bins], 1);
        atomicAdd(&counts[warp][v.w % bins], 1);
    }
    __syncthreads();
    if (threadIdx.x < bins) {
        int sum = 0;
        for (int w = 0; w < 8; ++w) sum += counts[w][threadIdx.x];
        atomicAdd(&histogram[threadIdx.x], sum);
    }
}

// A histogram a thread, of bytes in shared memory: no atomics.
__global__ void histogram_of_threads(const unsigned char* in, int* histogram, int elements) {
    __shared__ unsigned char counts[16][128];
    for (int bin = 0; bin < 16; ++bin) counts[bin][threadIdx.x] = 0;
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < elements; ++k) {
        const unsigned char value = in[k * gridDim.x * blockDim.x + thread];
        ++counts[value % 16][threadIdx.x];
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        int sum = 0;
        for (int t = 0; t < 128; ++t) sum += counts[threadIdx.x][t];
        atomicAdd(&histogram[threadIdx.x], sum);
    }
}

// Equal values of a warp are added once, by their first lane.
__global__ void histogram_matched(const unsigned char* in, int* histogram, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned active = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    const int bin = in[i] % bins;
    const unsigned same = __match_any_sync(active, bin);
    if (threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(&histogram[bin], __popc(same));
}

__global__ void weighted_histogram(const unsigned char* in, const float* weights,
                                   float* histogram) {
    __shared__ float sums[bins];
    if (threadIdx.x < bins) sums[threadIdx.x] = 0.0f;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sums[in[i] % bins], weights[i]);
    __syncthreads();
    if (threadIdx.x < bins) atomicAdd(&histogram[threadIdx.x], sums[threadIdx.x]);
}

std::vector<int> counted(const std::vector<unsigned char>& in, int modulus) {
    std::vector<int> counts(modulus);
    for (const unsigned char value : in) ++counts[value % modulus];
    return counts;
}

}  // namespace

void add_histograms(Launches& launches) {
    const int n = 20000;
    const auto in = values<unsigned char>(n, 256);
    const auto skewed = values<unsigned char>(n, 5);
    const auto add = [&](const char* name, const std::vector<unsigned char>& data, int blocks,
                         void (*kernel)(const unsigned char*, int*, int)) {
        launches.add(name, [=](Outcome& outcome) {
            const Array<unsigned char> input(data);
            const Array<int> histogram(bins, 0);
            kernel<<<blocks, 256>>>(input, histogram, n);
            outcome.equal(histogram, counted(data, bins));
        });
    };
    const int all_blocks = (n + 255) / 256;
    add("histogram_global/values:uniform", in, all_blocks, histogram_global);
    add("histogram_global/values:skewed", skewed, all_blocks, histogram_global);
    add("histogram_shared/values:uniform", in, 8, histogram_shared);
    add("histogram_shared/values:skewed", skewed, 8, histogram_shared);
    add("histogram_matched/values:skewed", skewed, all_blocks, histogram_matched);
    launches.add("histogram_of_warps", [=](Outcome& outcome) {
        const Array<unsigned char> input(in);
        const Array<int> histogram(bins, 0);
        histogram_of_warps<<<8, 256>>>(reinterpret_cast<const uchar4*>(input.data()), histogram,
                                       n / 4);
        outcome.equal(histogram, counted(in, bins));
    });
    launches.add("histogram_of_threads", [=](Outcome& outcome) {
        const auto data = values<unsigned char>(8 * 128 * 20, 256);
        const Array<unsigned char> input(data);
        const Array<int> histogram(16, 0);
        histogram_of_threads<<<8, 128>>>(input, histogram, 20);
        outcome.equal(histogram, counted(data, 16));
    });
    launches.add("weighted_histogram", [=](Outcome& outcome) {
        const auto data = values<unsigned char>(4096, 256);
        const auto weights = values<float>(4096);
        const Array<unsigned char> input(data);
        const Array<float> weight(weights), histogram(bins, 0);
        weighted_histogram<<<16, 256>>>(input, weight, histogram);
        std::vector<float> expected(bins);
        for (int i = 0; i < 4096; ++i) expected[data[i] % bins] += weights[i];
        outcome.equal(histogram, expected);
    });
}

}  // namespace ordinary

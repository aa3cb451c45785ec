// When blocks start, and what stores of a warp into many lines take, beside the rows of chapter 00. Needs a GPU; an
// emulated one does not say which SM runs a block when.
//
//     block_starts > data/block_starts.csv
//
// Blocks note the SM's clock when they begin and when they end. Where shared memory lets an SM hold one block at a
// time, the next one's beginning follows the end of the one before.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <numeric>
#include <vector>

#include "lab/device/cuda_check.hpp"
#include "lab/device/device_buffer.hpp"

namespace {

struct Mark {
    long long begin, end;
    unsigned sm;
};

__global__ void mark_block(Mark* marks, long long cycles) {
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
    __syncthreads();
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0) marks[blockIdx.x] = {begin, clock64(), sm};
}

// A warp's words lie in `lines` rows of 8 KiB, as many in each; each store goes on by as many words.
__global__ void store_columns(unsigned* out, unsigned lines, std::size_t mask) {
    const std::size_t warp = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
    const unsigned lane = threadIdx.x % 32, words = 32 / lines;
    for (unsigned i = 0; i < lines; ++i) {
        const std::size_t at = warp * 32 + lane % lines * 2048 + lane / lines + i * words;
        out[at & mask] = i;
        asm volatile("" ::: "memory");  // every store is made
    }
}

void print(const char* experiment, unsigned size, const char* quantity, double value) {
    std::printf("%s,%u,%s,%.4g\n", experiment, size, quantity, value);
}

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

using Marks = std::map<unsigned, std::vector<Mark>>;  // by SM, in the order of their beginnings

Marks marks_of(unsigned blocks, unsigned threads, std::size_t shared_bytes, long long cycles) {
    lab::DeviceBuffer<Mark> marks(blocks);
    LAB_CUDA_CHECK(cudaFuncSetAttribute(mark_block, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(shared_bytes)));
    for (int warm_up = 0; warm_up < 2; ++warm_up) {
        mark_block<<<blocks, threads, shared_bytes>>>(marks.get(), cycles);
        LAB_CUDA_CHECK(cudaGetLastError());
    }
    Marks result;
    for (const Mark& mark : marks.to_host()) result[mark.sm].push_back(mark);
    for (auto& [sm, of_sm] : result) std::ranges::sort(of_sm, {}, &Mark::begin);
    return result;
}

void time_restarts(unsigned sms, unsigned threads) {
    std::vector<double> gaps, waves;
    for (const auto& [sm, of_sm] : marks_of(64 * sms, threads, 200 << 10, 3000)) {
        for (std::size_t i = 1; i < of_sm.size(); ++i)
            gaps.push_back(static_cast<double>(of_sm[i].begin - of_sm[i - 1].end));
        const auto all = static_cast<double>(of_sm.back().end - of_sm.front().begin);
        waves.push_back(all / static_cast<double>(of_sm.size()));
    }
    print("restart", threads, "end to next begin: mean cycles", mean(gaps));
    print("restart", threads, "a block: mean cycles", mean(waves));
}

// The first wave of a full GPU: when the last block of an SM begins, after its first one.
void time_first_wave(unsigned sms, unsigned threads) {
    std::vector<double> last;
    for (const auto& [sm, of_sm] : marks_of(2048 / threads * sms, threads, 0, 20000))
        last.push_back(static_cast<double>(of_sm.back().begin - of_sm.front().begin));
    print("first wave", threads, "begin of an SM's last block: mean cycles", mean(last));
}

__global__ void add(const float* a, const float* b, float* out, unsigned long long* begins) {
    unsigned sm;
    unsigned long long begin;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin)::"memory");
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    out[i] = a[i] + b[i];
    if (threadIdx.x == 0) atomicMin(&begins[sm], begin);
}

// From the first SM's first block to the last SM's, on the clock that they share, of vector additions one behind another.
void time_first_blocks(unsigned sms, unsigned threads) {
    constexpr unsigned launches = 24, words = 1u << 20;
    lab::DeviceBuffer<float> arrays(std::size_t{3} * launches * words);
    lab::DeviceBuffer<unsigned long long> begins(std::size_t{launches} * sms);
    std::vector<double> apart;
    for (int round = 0; round < 20; ++round) {
        LAB_CUDA_CHECK(cudaMemset(begins.get(), 0xff, launches * sms * sizeof(unsigned long long)));
        for (unsigned i = 0; i < launches; ++i) {
            float* const a = arrays.get() + std::size_t{3} * i * words;
            add<<<words / threads, threads>>>(a, a + words, a + 2 * words, begins.get() + i * sms);
        }
        LAB_CUDA_CHECK(cudaGetLastError());
        const auto marks = begins.to_host();
        for (auto first = marks.begin(); first != marks.end(); first += sms) {
            const auto [least, most] = std::minmax_element(first, first + sms);
            apart.push_back(static_cast<double>(*most - *least));
        }
    }
    print("first blocks", threads, "begin of the last SM's: mean ns", mean(apart));
}

void time_stores(lab::DeviceBuffer<unsigned>& memory, unsigned sms, unsigned lines) {
    constexpr int launches = 10;
    const unsigned blocks = 32 * sms;
    cudaEvent_t begin, end;
    LAB_CUDA_CHECK(cudaEventCreate(&begin));
    LAB_CUDA_CHECK(cudaEventCreate(&end));
    for (int warm_up = 0; warm_up < 2; ++warm_up) {
        LAB_CUDA_CHECK(cudaEventRecord(begin));
        for (int i = 0; i < launches; ++i)
            store_columns<<<blocks, 256>>>(memory.get(), lines, (std::size_t{1} << 27) - 1);
        LAB_CUDA_CHECK(cudaEventRecord(end));
    }
    LAB_CUDA_CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    LAB_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    int kilohertz = 0;
    LAB_CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
    const double cycles = double(milliseconds) * kilohertz / launches;
    print("store", lines, "lines a cycle and SM", 32.0 * 8 * lines * lines / cycles);
}

}  // namespace

int main() {
    cudaDeviceProp device;
    LAB_CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    const auto sms = static_cast<unsigned>(device.multiProcessorCount);
    constexpr std::size_t words = std::size_t{1} << 31;
    lab::DeviceBuffer<unsigned> memory(words);
    std::printf(
        "# %s, printed by common/microbenchmarks/sm/block_starts.cu. size: threads of a block; "
        "lines of a store.\nexperiment,size,quantity,value\n",
        device.name);
    marks_of(64 * sms, 1024, 0, 1000000);  // clocks rise
    for (const unsigned threads : {32, 128, 256, 512, 1024}) time_restarts(sms, threads);
    for (const unsigned threads : {128, 256, 512, 1024}) time_first_wave(sms, threads);
    for (const unsigned threads : {128, 256, 512, 1024}) time_first_blocks(sms, threads);
    for (const unsigned lines : {8, 16, 32}) time_stores(memory, sms, lines);
}

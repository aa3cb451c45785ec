// As NVIDIA's nvbench does: a kernel that waits for the host holds the queue, so that launches of a few
// microseconds are not timed as fast as the host can make them; and each SM notes its cycle counter
// before and after the batch, which a clock that is read later cannot tell.
#include <algorithm>
#include <array>
#include <string>

#include "lab/measure/batch_timer.hpp"
#include "lab/measure/timed_batch.hpp"
#include "lab/program/errors.hpp"

namespace lab {

struct BatchTimer::Stamp {
    unsigned long long nanoseconds, cycles;
};

namespace {

// Far longer than any host takes to fill the queue, and short enough to be waited for.
constexpr unsigned long long max_hold_ns = 2'000'000'000;
// The clock of a shorter batch is not known to 0.5 %: the time may advance in steps of a microsecond.
constexpr unsigned long long min_clocked_ns = 200'000;
// The identifiers of SMs can have gaps; those beyond do not take part.
constexpr unsigned max_sms = 1024;

using Stamps = std::array<BatchTimer::Stamp, max_sms>;  // zeros: that SM ran no block

}  // namespace

// Both sides see at once what the other writes.
struct BatchTimer::Shared {
    int released;   // by the host: the queue is filled
    int timed_out;  // by the device: it was not filled in time
    Stamps begin, end;
};

namespace {

__device__ unsigned long long nanoseconds() {
    unsigned long long time = 0;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
}

// Holds what is behind it in the queue, without touching device memory.
__global__ void hold(BatchTimer::Shared* shared) {
    const unsigned long long begin = nanoseconds();
    volatile int* const released = &shared->released;
    while (*released == 0) {
        if (nanoseconds() - begin < max_hold_ns) continue;
        shared->timed_out = 1;
        return;
    }
}

// A block an SM, as far as they spread.
__global__ void stamp(BatchTimer::Stamp* stamps) {
    unsigned sm = 0;
    asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
    if (sm < max_sms) stamps[sm] = {nanoseconds(), static_cast<unsigned long long>(clock64())};
}

// However the batch ends, the device goes on, and is done before what the launches use is gone.
struct Held {
    volatile int& released;
    ~Held() {
        released = 1;
        cudaDeviceSynchronize();  // an error stays, for the next call that is checked
    }
};

}  // namespace

BatchTimer::BatchTimer() {
    void* memory = nullptr;
    LAB_CUDA_CHECK(cudaHostAlloc(&memory, sizeof(Shared), cudaHostAllocMapped));
    host_ = new (memory) Shared{};
    LAB_CUDA_CHECK(cudaHostGetDevicePointer(&memory, host_, 0));
    device_ = static_cast<Shared*>(memory);
    LAB_CUDA_CHECK(cudaEventCreate(&begin_));
    LAB_CUDA_CHECK(cudaEventCreate(&end_));
    int count = 0;
    LAB_CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    sm_count_ = static_cast<unsigned>(count);
    host_->released = 1;
    hold<<<1, 1>>>(device_);
    stamp<<<sm_count_, 1>>>(device_->begin.data());
    LAB_CUDA_CHECK(cudaGetLastError());
    LAB_CUDA_CHECK(cudaDeviceSynchronize());
}

BatchTimer::~BatchTimer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    cudaFreeHost(host_);
}

BatchTimer::Result BatchTimer::time(const std::function<void(int)>& launch, int launches,
                                    int held) {
    *host_ = {};
    {
        const Held queue{host_->released};
        hold<<<1, 1>>>(device_);
        stamp<<<sm_count_, 1>>>(device_->begin.data());
        LAB_CUDA_CHECK(cudaGetLastError());
        LAB_CUDA_CHECK(cudaEventRecord(begin_));
        for (int i = 0; i < launches; ++i) {
            if (i == held) queue.released = 1;
            launch(i);
        }
        LAB_CUDA_CHECK(cudaEventRecord(end_));
        stamp<<<sm_count_, 1>>>(device_->end.data());
        LAB_CUDA_CHECK(cudaGetLastError());
    }
    LAB_CUDA_CHECK(cudaDeviceSynchronize());
    if (host_->timed_out != 0) {
        throw CudaError("a launch in the batch waits for the host: in " +
                        std::to_string(max_hold_ns / 1'000'000'000) + " s " +
                        std::to_string(std::min(held, launches)) +
                        " launches did not reach the queue; what synchronises needs "
                        "Variant::timed, a profiler or CUDA_LAUNCH_BLOCKING needs --launch-once");
    }
    float milliseconds = 0;
    LAB_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return {milliseconds / 1e3, sm_clock_mhz()};
}

// The median over the SMs that ran a block at both ends: each has a cycle counter of its own.
double BatchTimer::sm_clock_mhz() const {
    std::vector<double> clocks;
    for (unsigned sm = 0; sm < max_sms; ++sm) {
        const Stamp &from = host_->begin[sm], &to = host_->end[sm];
        if (from.nanoseconds == 0 || to.nanoseconds < from.nanoseconds + min_clocked_ns) continue;
        clocks.push_back(1e3 * static_cast<double>(to.cycles - from.cycles) /
                         static_cast<double>(to.nanoseconds - from.nanoseconds));
    }
    if (clocks.empty()) return 0;
    const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
    std::nth_element(clocks.begin(), middle, clocks.end());
    return *middle;
}

namespace backend {

Batch timed_batch(const std::function<void(int)>& launch, int launches, int held) {
    static BatchTimer timer;
    const BatchTimer::Result result = timer.time(launch, launches, held);
    return {result.seconds, {result.sm_clock_mhz, sample_clocks().throttled}};
}

}  // namespace backend
}  // namespace lab

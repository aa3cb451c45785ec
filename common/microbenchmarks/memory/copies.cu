// Copies and fills as events time them: between page-locked memory of the host and the device, on the device, and
// cudaMemset. Prints a line each, `copy,us`: microseconds of one, the fewest of five series after one that warms up.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>

namespace {

constexpr std::size_t kib = 1 << 10, mib = 1 << 20;
constexpr std::size_t sizes[] = {4 * kib, 64 * kib, mib, 16 * mib, 256 * mib};

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "error: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

std::string text(std::size_t bytes) {
    return bytes < mib ? std::to_string(bytes / kib) + " KiB"
                       : std::to_string(bytes / mib) + " MiB";
}

// Back to back, so that the host's calls do not count; small ones more often, since an event counts half microseconds.
float microseconds(std::size_t bytes, const std::function<cudaError_t()>& copy) {
    const int copies = bytes < 16 * mib ? 50 : 4;
    cudaEvent_t begin{}, end{};
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    float fewest = std::numeric_limits<float>::max();
    for (int series = 0; series < 6; ++series) {
        check(cudaEventRecord(begin));
        for (int i = 0; i < copies; ++i) check(copy());
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, begin, end));
        if (series > 0) fewest = std::min(fewest, 1000 * milliseconds / static_cast<float>(copies));
    }
    check(cudaEventDestroy(begin));
    check(cudaEventDestroy(end));
    return fewest;
}

}  // namespace

int main() {
    const std::size_t largest = *std::max_element(std::begin(sizes), std::end(sizes));
    void *host = nullptr, *from = nullptr, *to = nullptr;
    check(cudaMallocHost(&host, largest));
    check(cudaMalloc(&from, largest));
    check(cudaMalloc(&to, largest));
    check(cudaMemset(from, 0, largest));
    check(cudaMemset(to, 0, largest));
    std::puts("copy,us");
    for (const std::size_t bytes : sizes) {
        const auto print = [bytes](const char* name, const std::function<cudaError_t()>& copy) {
            std::printf("\"%s, %s\",%.3f\n", name, text(bytes).c_str(), microseconds(bytes, copy));
        };
        print("host to device",
              [&] { return cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice); });
        print("device to host",
              [&] { return cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost); });
        print("device to device",
              [&] { return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice); });
        print("fill", [&] { return cudaMemsetAsync(to, 0, bytes); });
    }
    check(cudaFree(to));
    check(cudaFree(from));
    check(cudaFreeHost(host));
}

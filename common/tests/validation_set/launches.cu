// What a launch costs beside its blocks' work: blocks that wait for some cycles, and then do nothing more, load, store,
// or both, of data that the L2 has. Back to back, launches of an H200 take one of a few times that lie 87 to 217 ns
// apart, so each number is a mean over waits of many lengths, of which the wait is taken away. Prints a line each,
// `launch,ns`.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

enum class Work { none, load, store, copy, add };

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "error: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

template <Work work>
__global__ void wait_and(const int* a, const int* b, int* out, int cycles) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
    // Never true of the data, but known only when they are there.
    if (work == Work::load && a[i] == 77) *out = 1;
    if (work == Work::store) out[i] = 1;
    if (work == Work::copy) out[i] = a[i];
    if (work == Work::add) out[i] = a[i] + b[i];
}

// Keeps the GPU busy, so that launches of a few microseconds are there when it gets to them.
void hold_queue(const void* from) {
    constexpr std::size_t bytes = 16 * mib;  // 0.3 ms over the link to the host
    static void* const host = [] {
        void* memory;
        check(cudaMallocHost(&memory, bytes));
        return memory;
    }();
    check(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost));
}

// Nanoseconds of a launch, beside the cycles that its blocks wait.
template <Work work>
double launch(int* arena, unsigned blocks, unsigned threads, double ns_per_cycle) {
    constexpr int step = 29, steps = 60, warm_up = 6, launches = 30;
    const int* const b = arena + 4 * mib;
    int* const out = arena + 8 * mib;
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    double sum = 0;
    for (int cycles = 0; cycles < step * steps; cycles += step) {
        hold_queue(arena);
        for (int i = 0; i < warm_up + launches; ++i) {
            if (i == warm_up) check(cudaEventRecord(begin));
            wait_and<work><<<blocks, threads>>>(arena, b, out, cycles);
        }
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, begin, end));
        sum += 1e6 * milliseconds / launches - cycles * ns_per_cycle;
    }
    check(cudaEventDestroy(begin));
    check(cudaEventDestroy(end));
    return sum / steps;
}

}  // namespace

int main() {
    int *arena, kilohertz;
    check(cudaMalloc(&arena, 48 * mib));
    check(cudaMemset(arena, 0, 48 * mib));
    check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
    const double cycle = 1e6 / kilohertz;
    std::printf("launch,ns\n");
    for (const unsigned blocks : {1u, 132u, 528u, 1056u}) {
        for (const unsigned threads : {32u, 256u}) {
            const auto print = [&](const char* what, double ns) {
                std::printf("%u blocks of %u: %s,%.0f\n", blocks, threads, what, ns);
            };
            print("nothing", launch<Work::none>(arena, blocks, threads, cycle));
            print("load", launch<Work::load>(arena, blocks, threads, cycle));
            print("store", launch<Work::store>(arena, blocks, threads, cycle));
            print("copy", launch<Work::copy>(arena, blocks, threads, cycle));
            print("sum of two loads", launch<Work::add>(arena, blocks, threads, cycle));
        }
    }
}

// The cost of a launch beside its blocks' work: blocks that wait for some cycles, and then do nothing more, load, store,
// or both, of data that the L2 has. Back to back, launches of an H200 take one of a few times that lie 87 to 217 ns
// apart, so each number is a mean over waits of many lengths, less the wait. Prints a line each,
// `launch,ns`.
#include <cstdio>

#include "../back_to_back.hpp"

namespace {

using back_to_back::check;
using back_to_back::mib;

enum class Work { none, load, store, copy, add };

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

// Nanoseconds of a launch, beside the cycles that its blocks wait.
template <Work work>
double launch(int* arena, unsigned blocks, unsigned threads, double ns_per_cycle) {
    constexpr int step = 29, steps = 60, warm_up = 6, launches = 30;
    const int* const b = arena + 4 * mib;
    int* const out = arena + 8 * mib;
    double sum = 0;
    for (int cycles = 0; cycles < step * steps; cycles += step) {
        const auto enqueue = [&](int) {
            wait_and<work><<<blocks, threads>>>(arena, b, out, cycles);
        };
        sum += back_to_back::nanoseconds_of(arena, warm_up, launches, enqueue, 1) -
               cycles * ns_per_cycle;
    }
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

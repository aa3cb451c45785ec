// Arrays of each thread that are indexed at run time lie in local memory: a word of each lane beside each other. How long
// loads and stores of a warp take, of an SM with all SMs at work, by the size of an array, by the threads of an SM, and by
// whether lanes use the same index. Prints a line each, `local,ns`: of a warp's instruction, of an SM.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>

#include "../back_to_back.hpp"

namespace {

using back_to_back::check;
using back_to_back::median_of_three;
using back_to_back::mib;
constexpr unsigned threads = 256;

// The next index comes from a constant, so accesses do not wait for each other.
template <unsigned words, bool stores>
__global__ void walk(float* out, unsigned of_lane, unsigned rounds) {
    float values[words];
    for (unsigned i = 0; i < words; ++i) values[i] = static_cast<float>(i + threadIdx.x);
    float sum = 0;
    unsigned at = threadIdx.x * of_lane;
#pragma unroll 4
    for (unsigned round = 0; round < rounds; ++round) {
        at = at * 5 + 1;
        if constexpr (stores) {
            values[at % words] = sum;
            sum += 1;
        } else {
            sum += values[at % words];
        }
    }
    if (stores) sum = values[rounds % words];
    if (sum == 1e30f) *out = sum;
}

template <unsigned words, bool stores>
void print(const void* arena, float* out, unsigned sms) {
    for (const unsigned of_lane : {0u, 1u}) {
        for (const unsigned blocks : {1u, 4u, 8u}) {
            const auto time = [&](unsigned rounds) {
                return median_of_three(arena, 1, 3, [&](int) {
                    walk<words, stores><<<sms * blocks, threads>>>(out, of_lane, rounds);
                });
            };
            constexpr unsigned few = 400, many = 1200;
            const double ns = (time(many) - time(few)) / (many - few) / (blocks * threads / 32);
            std::printf("\"%s, %u words, %u threads, %s\",%.3f\n", stores ? "stores" : "loads",
                        words, blocks * threads, of_lane == 0 ? "one index" : "an index a lane",
                        ns);
        }
    }
}

}  // namespace

int main() {
    char* arena;
    check(cudaMalloc(&arena, 16 * mib));
    float* out;
    check(cudaMalloc(&out, 4));
    int sms;
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    const auto count = static_cast<unsigned>(sms);
    std::printf("local,ns\n");
    print<16, false>(arena, out, count);
    print<64, false>(arena, out, count);
    print<256, false>(arena, out, count);
    print<1024, false>(arena, out, count);
    print<16, true>(arena, out, count);
    print<64, true>(arena, out, count);
    print<256, true>(arena, out, count);
    print<1024, true>(arena, out, count);
}

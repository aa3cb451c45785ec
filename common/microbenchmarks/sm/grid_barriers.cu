// How long a barrier of all blocks takes, as cooperative groups have it, by the number of blocks and their threads.
// Prints a line each, `blocks,threads,ns`: of a barrier, all blocks resident.
#include <cooperative_groups.h>

#include <cstdio>

#include "../back_to_back.hpp"

namespace {

using back_to_back::check;
using back_to_back::median_of_three;
using back_to_back::mib;

__global__ void barriers(unsigned rounds) {
    const auto grid = cooperative_groups::this_grid();
    for (unsigned round = 0; round < rounds; ++round) grid.sync();
}

}  // namespace

int main() {
    char* arena;
    check(cudaMalloc(&arena, 16 * mib));
    int sms;
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    const auto count = static_cast<unsigned>(sms);
    std::printf("blocks,threads,ns\n");
    for (const unsigned blocks : {1u, 2u, 16u, count / 2, count, 2 * count, 4 * count, 8 * count}) {
        for (const unsigned threads : {32u, 256u}) {
            const auto time = [&](unsigned rounds) {
                return median_of_three(arena, 1, 3, [&](int) {
                    void* arguments[] = {&rounds};
                    check(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(barriers), blocks,
                                                      threads, arguments, 0, nullptr));
                });
            };
            constexpr unsigned few = 20, many = 60;
            std::printf("%u,%u,%.1f\n", blocks, threads, (time(many) - time(few)) / (many - few));
        }
    }
}

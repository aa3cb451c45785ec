// For the programs whose warps note the clock: what they saw, and how it is printed.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "../back_to_back.hpp"
#include "../device_clock.hpp"

namespace seen_by_warps {

using back_to_back::check;

// A warp's readings: its SM, and the clock at each place.
template <int readings>
struct alignas(16) Seen {
    unsigned sm, cycles[readings];
};

__device__ inline unsigned sm_number() {
    unsigned number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number)::"memory");
    return number;
}

// The third launch of three: its machine code is at hand.
template <int readings, typename Launch>
std::vector<Seen<readings>> seen_by(std::size_t warps, const Launch& launch) {
    Seen<readings>* seen;
    check(cudaMalloc(&seen, warps * sizeof(*seen)));
    for (int i = 0; i < 3; ++i) {
        launch(seen);
        check(cudaGetLastError());
        check(cudaDeviceSynchronize());
    }
    std::vector<Seen<readings>> result(warps);
    check(cudaMemcpy(result.data(), seen, warps * sizeof(*seen), cudaMemcpyDeviceToHost));
    check(cudaFree(seen));
    return result;
}

inline void print(const std::string& name, double value) {
    std::printf("\"%s\",%.2f\n", name.c_str(), value);
}

inline double quantile(std::vector<double> values, double share) {
    const auto at = values.begin() +
                    static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

}  // namespace seen_by_warps

// Rows of the sum of a warp alone, repeated without any access to global memory.
#pragma once

#include <numeric>

#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "redux.hpp"

namespace reductions {

using RepeatSums = void (*)(const unsigned* in, unsigned* out, int rounds);

// By one warp, the latency of a sum; by 2048 threads an SM, how many sums an SM makes in a time.
inline lab::Variant warp_sums_row(const char* name, RepeatSums kernel, unsigned sms, bool alone,
                                  lab::Feature needs) {
    const unsigned blocks = alone ? 1 : 2 * sms, threads = alone ? 32 : 1024;
    const int rounds = alone ? 4096 : 64;
    const auto value = [](std::size_t i) { return static_cast<unsigned>(i * 2654435761u); };
    const auto in = [=] {
        std::vector<unsigned> in(threads);
        for (std::size_t i = 0; i < threads; ++i) in[i] = value(i);
        return in;
    };
    const auto expected = [=] {
        std::vector<unsigned> values = in();
        for (int round = 0; round < rounds; ++round) {
            for (unsigned first = 0; first < threads; first += 32) {
                const auto warp = values.begin() + first;
                const unsigned sum = std::accumulate(warp, warp + 32, 0u);
                for (unsigned lane = 0; lane < 32; ++lane) warp[lane] = sum + first + lane;
            }
        }
        std::vector<unsigned> all;
        for (unsigned i = 0; i < blocks; ++i) all.insert(all.end(), values.begin(), values.end());
        return all;
    };
    const auto launch = lab::launch(kernel, blocks, threads);
    return lab::with_buffers<unsigned, unsigned>(
        {.name = lab::variant_name(name, {{"warps", alone ? "1" : "all"}}),
         .items = double(rounds) * blocks * threads / 32,
         .working_set_bytes = sizeof(unsigned) * threads * (blocks + 1),
         .shape = launch.shape(),
         .needs = needs},
        in, blocks * threads, [=](const unsigned* in, unsigned* out) { launch(in, out, rounds); },
        expected);
}

inline std::vector<lab::Variant> warp_sums(unsigned sms) {
    const struct {
        const char* name;
        RepeatSums kernel;
        lab::Feature needs = {};
    } kernels[] = {{"repeat_shared_sums/barrier:block", repeat_shared_sums<true>},
                   {"repeat_shared_sums/barrier:warp", repeat_shared_sums<false>},
                   {"repeat_shuffle_sums", repeat_shuffle_sums},
                   {"repeat_redux_sums", repeat_redux_sums(), warp_sums_in_hardware}};
    std::vector<lab::Variant> rows;
    for (const auto& [name, kernel, needs] : kernels) {
        for (const bool alone : {true, false}) {
            rows.push_back(warp_sums_row(name, kernel, sms, alone, needs));
        }
    }
    return rows;
}

}  // namespace reductions

// The book's example: 16 x 16 integers, a grid of 2 x 2 blocks of 8 x 8 threads, two phases. Its
// thread (threadIdx.y, threadIdx.x) = (3, 4) of block (1, 1) computes row 11, column 12.
#pragma once

#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"

// The loads of that thread in a phase, counted by hand in the book's picture of the matrices: row 11 of
// m begins at 176 and goes on with its second half at 184; column 12 of n has row 3 at 60, row 11 at 188.
struct Loads {
    int phase, m_index, n_index;
};
constexpr Loads loads_of_thread_3_4[] = {{0, 180, 60}, {1, 188, 188}};

inline lab::Variant example_indices() {
    const auto launch = [](std::size_t) {
        lab::DeviceBuffer<int> m_index(256), n_index(256);
        for (const auto& [phase, in_m, in_n] : loads_of_thread_3_4) {
            lab::launch(tile_indices<8>, dim3(2, 2), dim3(8, 8))(m_index.get(), n_index.get(), 16,
                                                                 phase);
            const int m_found = m_index.to_host()[11 * 16 + 12];
            const int n_found = n_index.to_host()[11 * 16 + 12];
            if (m_found == in_m && n_found == in_n) continue;
            throw lab::ValidationError(
                "thread (3,4) of block (1,1) loads m[" + std::to_string(m_found) + "] and n[" +
                std::to_string(n_found) + "] in phase " + std::to_string(phase));
        }
    };
    return {.name = "tile_indices/tile:8/n:16", .launch = launch};
}

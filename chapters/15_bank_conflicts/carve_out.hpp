// The rows of reread_beside_shared: how much L1 a launch has beside its shared memory.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "kernels.cuh"
#include "lab/cuda_check.hpp"
#include "lab/device_buffer.hpp"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/validation.hpp"
#include "lab/variant_name.hpp"

// One block an SM. Small whole numbers: sums are exact in any order.
inline lab::Variant reread_variant(const lab::Experiment& experiment, std::size_t shared_bytes) {
    struct Buffers {
        lab::DeviceBuffer<float> in, out;
    };
    constexpr unsigned block = 256, rounds = 8;
    const unsigned grid = experiment.device().sm_count;
    const auto buffers = std::make_shared<Buffers>();
    const auto value = [](std::size_t i) { return static_cast<float>(i % 13); };
    return {.name = lab::variant_name("reread_beside_shared", {{"shared", shared_bytes}}),
            .bytes = 4.0 * rounds * reread_words * grid,
            .working_set_bytes = 4 * reread_words,
            .prepare =
                [=] {
                    std::vector<float> in(reread_words);
                    for (std::size_t i = 0; i < in.size(); ++i) in[i] = value(i);
                    buffers->in = lab::DeviceBuffer<float>(in);
                    buffers->out = lab::DeviceBuffer<float>(grid * block);
                },
            .launch =
                [=](std::size_t) {
                    // In percent of the most that an SM has: none, or all of it.
                    LAB_CUDA_CHECK(cudaFuncSetAttribute(
                        reread_beside_shared, cudaFuncAttributePreferredSharedMemoryCarveout,
                        shared_bytes > 0 ? 100 : 0));
                    lab::launch(reread_beside_shared, grid, block, shared_bytes)(
                        buffers->in.get(), buffers->out.get(), rounds);
                },
            .check =
                [=] {
                    std::vector<float> expected(grid * block);
                    for (std::size_t thread = 0; thread < expected.size(); ++thread) {
                        for (std::size_t i = thread % block; i < reread_words; i += block) {
                            expected[thread] += rounds * value(i);
                        }
                    }
                    lab::expect_equal<float>(buffers->out.to_host(), expected);
                }};
}

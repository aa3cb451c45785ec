// The peak that products are measured against: as many multiply-adds on registers.
#pragma once

#include <algorithm>

#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "problems/product.hpp"

namespace matmul {

// Halving is exact, so the chains round alike everywhere: they are right to the bit.
inline lab::Variant ceiling(lab::ProductShape shape, unsigned blocks) {
    const unsigned threads = 256 * blocks;
    const double multiply_adds = double(shape.m) * shape.n * shape.k;
    const int steps = int(multiply_adds / (8.0 * threads));
    const auto out = std::make_shared<lab::DeviceBuffer<float>>(threads);
    const auto check = [=] {
        std::vector<float> expected(threads, 0.0f);
        for (unsigned thread = 0; thread < threads; ++thread) {
            for (unsigned i = 0; i < 8; ++i) {
                float chain = float(thread + i);
                // 0.5 chain + 1 no longer changes after some 40 steps.
                for (int step = 0; step < std::min(steps, 64); ++step) chain = chain * 0.5f + 1;
                expected[thread] += chain;
            }
        }
        lab::expect_equal<float>(out->to_host(), expected);
    };
    return {.name = lab::product_name("fma_chains/chains:8", shape),
            .bytes = 4.0 * threads,
            .flops = 16.0 * threads * steps,
            .working_set_bytes = 4 * threads,
            .prepare = [=] { out->poison(); },
            .launch =
                [=](std::size_t) {
                    lab::launch(fma_chains, blocks, 256)(out->get(), steps, 0.5f, 1.0f);
                },
            .check = check};
}

}  // namespace matmul

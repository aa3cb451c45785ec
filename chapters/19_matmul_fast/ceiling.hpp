// The peak that products are measured against: as many multiply-adds on registers.
#pragma once

#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "problems/product.hpp"

namespace matmul {

inline lab::Variant ceiling(lab::ProductShape shape, unsigned blocks) {
    const unsigned threads = 256 * blocks;
    const double multiply_adds = double(shape.m) * shape.n * shape.k;
    const int steps = int(multiply_adds / (8.0 * threads));
    const auto expected = [=](std::size_t thread) {
        float sum = 0;
        for (unsigned i = 0; i < 8; ++i) sum += lab::halved(float(thread + i), 1, steps);
        return sum;
    };
    return lab::with_output<float>(
        {.name = lab::product_name("fma_chains/chains:8", shape),
         .bytes = 4.0 * threads,
         .flops = 16.0 * threads * steps,
         .working_set_bytes = 4 * threads},
        threads, [=](float* out) { lab::launch(fma_chains, blocks, 256)(out, steps, 0.5f, 1.0f); },
        expected);
}

}  // namespace matmul

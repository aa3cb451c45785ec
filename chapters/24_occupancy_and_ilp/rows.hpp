// The rows of chapter 24 that compute: chains of multiply-adds, values in registers, the carve-out and the tail.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "../15_bank_conflicts/kernels.cuh"
#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"

constexpr float factor = 0.5f, summand = 1.0f;

// multiply_add must leave `threads` sums, alike in each warp.
inline std::vector<float> chains_of(std::size_t threads, int chains, unsigned steps) {
    std::vector<float> sums(32);
    for (std::size_t lane = 0; lane < sums.size(); ++lane) {
        for (int i = 0; i < chains; ++i) {
            float value = static_cast<float>(lane + i);
            for (unsigned step = 0; step < steps; ++step) value = std::fma(value, factor, summand);
            sums[lane] += value;
        }
    }
    std::vector<float> expected(threads);
    for (std::size_t i = 0; i < threads; ++i) expected[i] = sums[i % 32];
    return expected;
}

// A row of multiply_add; `launch` is one of its kind.
template <int chains, class Launch>
lab::Variant chains_row(std::string name, const Launch& launch, unsigned steps) {
    const std::size_t threads = std::size_t{launch.grid.x} * launch.block.x;
    lab::Variant row = lab::with_buffers<float, float>(
        {.name = std::move(name),
         .flops = 2.0 * chains * steps * static_cast<double>(threads),
         .working_set_bytes = threads * sizeof(float)},
        [] { return std::vector<float>{factor, summand}; }, threads,
        [=](const float* in, float* out) { launch(in, out, steps); },
        [=] { return chains_of(threads, chains, steps); });
    row.shape = launch.shape();
    return row;
}

// `work`: multiply-adds of an SM, in warps, the same for each number of warps and chains.
template <int chains>
lab::Variant multiply_add_row(unsigned sms, unsigned warps, unsigned work) {
    return chains_row<chains>(
        lab::variant_name("multiply_add", {{"warps", warps}, {"chains", chains}}),
        lab::launch(multiply_add<chains>, sms * warps / 4, 128), work / warps / chains);
}

// One block of 128 threads an SM, and its shared memory full: a block takes as long alone as among others.
inline lab::Variant tail_of_one(unsigned sms, std::size_t shared_bytes, unsigned waves,
                                unsigned extra) {
    const auto kernel = multiply_add<1>;
    LAB_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(shared_bytes)));
    return chains_row<1>(
        lab::variant_name("tail", {{"resident", "one"}, {"waves", waves}, {"extra", extra}}),
        lab::launch(kernel, sms * waves + extra, 128, shared_bytes), 2048);
}

// As many blocks as fit, which keep the SM's units busy together.
inline lab::Variant tail_of_full(unsigned sms, unsigned waves, unsigned extra) {
    constexpr int chains = 4, block = 256;
    const auto kernel = multiply_add<chains>;
    int resident = 0;
    LAB_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, block, 0));
    return chains_row<chains>(
        lab::variant_name("tail", {{"resident", "full"}, {"waves", waves}, {"extra", extra}}),
        lab::launch(kernel, sms * static_cast<unsigned>(resident) * waves + extra, block), 128);
}

// ---- Values in registers.

constexpr int held = 64, mix_block = 256;
constexpr unsigned mix_rounds = 8;

// A thread's results from its values, as mix<held> makes them.
inline std::vector<float> mixed(const std::vector<float>& in, std::size_t threads) {
    std::vector<float> out(in.size());
    for (std::size_t thread = 0; thread < threads; ++thread) {
        float value[held];
        for (int i = 0; i < held; ++i) value[i] = in[threads * i + thread];
        for (unsigned round = 0; round < mix_rounds; ++round) {
            for (int i = 0; i < held; ++i) {
                value[i] = std::fma(0.5f, value[i], value[(i + 1) % held]);
            }
        }
        for (int i = 0; i < held; ++i) out[threads * i + thread] = value[i];
    }
    return out;
}

inline lab::Variant mix_row(const char* blocks, void (*kernel)(const float*, float*, unsigned),
                            unsigned grid) {
    const std::size_t threads = std::size_t{grid} * mix_block;
    const auto launch = lab::launch(kernel, grid, mix_block);
    const auto in = [=] { return lab::random_floats(threads * held, 3); };
    lab::Variant row = lab::with_buffers<float, float>(
        {.name = lab::variant_name("mix", {{"held", held}, {"blocks", blocks}}),
         .bytes = 2.0 * sizeof(float) * held * static_cast<double>(threads),
         .flops = 2.0 * held * mix_rounds * static_cast<double>(threads),
         .working_set_bytes = 2 * sizeof(float) * held * threads},
        in, threads * held, [=](const float* in, float* out) { launch(in, out, mix_rounds); },
        [=] { return mixed(in(), threads); });
    row.shape = launch.shape();
    return row;
}

// With the bounds of 2, 4 and 8 blocks an SM, in a grid of `blocks` an SM.
inline std::vector<lab::Variant> mixes(unsigned sms, unsigned blocks) {
    const unsigned grid = sms * blocks;
    return {mix_row("unbounded", mix_unbounded<held>, grid),
            mix_row("2", mix_bounded<held, mix_block, 2>, grid),
            mix_row("4", mix_bounded<held, mix_block, 4>, grid),
            mix_row("8", mix_bounded<held, mix_block, 8>, grid)};
}

// ---- The carve-out: chapter 15's kernel, whose blocks read the same 61 KiB 8 times.

// `shared`: percent of an SM's memory that is to be shared memory; cudaSharedmemCarveoutDefault leaves it to the driver.
inline lab::Variant reread_row(unsigned sms, const std::string& name, int shared) {
    constexpr unsigned block = 512, rounds = 8;
    const auto launch = lab::launch(reread_beside_shared, sms, block);
    const auto in = [] { return lab::random_floats(reread_words, 4); };
    lab::Variant row = lab::with_buffers<float, float>(
        {.name = lab::variant_name("reread_beside_shared", {{"carveout", name}}),
         .bytes = 4.0 * reread_words * rounds * sms,
         .working_set_bytes = 4 * reread_words},
        in, std::size_t{sms} * block,
        [=](const float* in, float* out) {
            LAB_CUDA_CHECK(cudaFuncSetAttribute(
                reread_beside_shared, cudaFuncAttributePreferredSharedMemoryCarveout, shared));
            launch(in, out, rounds);
        },
        [=] {
            const std::vector<float> words = in();
            std::vector<float> expected(std::size_t{sms} * block);
            for (std::size_t i = 0; i < expected.size(); ++i) {
                float sum = 0;
                for (unsigned round = 0; round < rounds; ++round) {
                    for (std::size_t j = i % block; j < reread_words; j += block) sum += words[j];
                }
                expected[i] = sum;
            }
            return expected;
        });
    row.shape = launch.shape();
    return row;
}

inline std::vector<lab::Variant> rereads(unsigned sms) {
    return {reread_row(sms, "default", cudaSharedmemCarveoutDefault), reread_row(sms, "0", 0),
            reread_row(sms, "50", 50), reread_row(sms, "100", 100)};
}

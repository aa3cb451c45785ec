// The rows without a matrix: loads from shared memory, the same work on registers, and how much L1 a launch has beside
// its shared memory.
#pragma once

#include "kernels.cuh"
#include "lab/device/cuda_check.hpp"
#include "lab/experiment/chapter.hpp"

constexpr int rounds = 64;
// One block: an SM's banks work for it alone, and its warps are enough to keep them busy.
constexpr unsigned strided_threads = 1024;

// Words of 32 bits without a pattern: their number, scrambled.
inline unsigned word_of(std::size_t i) { return unsigned(i * 2654435761u); }

// Element i of such words, its own words added up.
template <class T>
unsigned sum_of_element(std::size_t i) {
    if constexpr (sizeof(T) == 2) return word_of(i / 2) >> (i % 2 * 16) & 0xffff;
    constexpr std::size_t length = (sizeof(T) + 3) / 4;
    unsigned sum = 0;
    for (std::size_t j = 0; j < length; ++j) sum += word_of(i * length + j);
    return sum;
}

// Elements of a type, `stride` apart, each read by `sharers` neighbouring lanes.
template <class T>
lab::Variant strided_row(unsigned stride, unsigned sharers) {
    const auto expected = [=](std::size_t thread) {
        unsigned sum = 0;
        for (std::size_t i = 0; i < 32; ++i) {
            sum += sum_of_element<T>(thread % 32 / sharers * stride + i);
        }
        return rounds * sum;
    };
    // 1024 elements of any type.
    return lab::with_buffers<unsigned, unsigned>(
        {.name = lab::variant_name("load_strided", {{"element", sizeof(T)},
                                                    {"stride", stride},
                                                    {"sharers", sharers},
                                                    {"n", strided_threads}}),
         .bytes = double(strided_threads) * rounds * 32 * sizeof(T),
         .working_set_bytes = 1024 * sizeof(T) + strided_threads * sizeof(unsigned)},
        1024 * sizeof(T) / 4, word_of, strided_threads,
        [=](const unsigned* in, unsigned* out) {
            lab::launch(load_strided<T>, 1, strided_threads)(reinterpret_cast<const T*>(in), out,
                                                             int(stride), int(sharers), rounds);
        },
        expected);
}

// The functions that set the size of a bank are deprecated: later GPUs have one size.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma nv_diag_suppress 1444

// Whether banks have 8 bytes where a program asks for that: on a Kepler.
inline bool has_eight_byte_banks() {
    cudaSharedMemConfig found{};
    LAB_CUDA_CHECK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    LAB_CUDA_CHECK(cudaDeviceGetSharedMemConfig(&found));
    LAB_CUDA_CHECK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeDefault));
    return found == cudaSharedMemBankSizeEightByte;
}

// The same row in these banks: "kernel/banks:8/...".
inline lab::Variant in_eight_byte_banks(lab::Variant row) {
    row.name.insert(row.name.find('/'), "/banks:8");
    row.launch = [launch = row.launch](std::size_t set) {
        LAB_CUDA_CHECK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
        launch(set);
        LAB_CUDA_CHECK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeDefault));
    };
    return row;
}

#pragma nv_diag_default 1444
#pragma GCC diagnostic pop

inline lab::Variant registers_row() {
    const auto expected = [](std::size_t i) {
        unsigned value = 0;
        for (int step = 0; step < rounds * 32; ++step) {
            value = (value ^ word_of(i)) + unsigned(step % 32);
        }
        return value;
    };
    return lab::with_buffers<unsigned, unsigned>(
        {.name = lab::variant_name("combine_in_registers", {{"n", strided_threads}}),
         .bytes = double(strided_threads) * sizeof(unsigned),
         .working_set_bytes = 2 * strided_threads * sizeof(unsigned)},
        strided_threads, word_of, strided_threads,
        [](const unsigned* in, unsigned* out) {
            lab::launch(combine_in_registers, 1, strided_threads)(in, out, rounds);
        },
        expected);
}

// One block an SM. Small whole numbers: sums are exact in any order.
inline lab::Variant reread_row(const lab::Experiment& experiment, std::size_t shared_bytes) {
    constexpr unsigned block = 256, rounds = 8;
    const unsigned grid = experiment.device().sm_count;
    const auto value = [](std::size_t i) { return static_cast<float>(i % 13); };
    const auto expected = [=](std::size_t thread) {
        float sum = 0;
        for (std::size_t i = thread % block; i < reread_words; i += block) {
            sum += rounds * value(i);
        }
        return sum;
    };
    return lab::with_buffers<float, float>(
        {.name = lab::variant_name("reread_beside_shared", {{"shared", shared_bytes}}),
         .bytes = 4.0 * rounds * reread_words * grid,
         .working_set_bytes = 4 * reread_words},
        reread_words, value, grid * block,
        [=](const float* in, float* out) {
            // In percent of the most that an SM has: none, or all of it.
            LAB_CUDA_CHECK(cudaFuncSetAttribute(reread_beside_shared,
                                                cudaFuncAttributePreferredSharedMemoryCarveout,
                                                shared_bytes > 0 ? 100 : 0));
            lab::launch(reread_beside_shared, grid, block, shared_bytes)(in, out, rounds);
        },
        expected);
}

// The rows of load_strided: elements of a type, `stride` apart, each read by `sharers` lanes; and the
// row of combine_in_registers.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "kernels.cuh"
#include "lab/device_buffer.hpp"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/validation.hpp"
#include "lab/variant_name.hpp"

constexpr int rounds = 64;
// One block: an SM's banks work for it alone, and its warps are enough to keep them busy.
constexpr unsigned strided_threads = 1024;

template <class T>
lab::Variant strided_variant(int stride, int sharers) {
    struct Buffers {
        lab::DeviceBuffer<T> in;
        lab::DeviceBuffer<unsigned> out;
    };
    // 1024 elements of any type, as words of 32 bits: their number, scrambled.
    const auto word_of = [](std::size_t i) { return unsigned(i * 2654435761u); };
    const auto buffers = std::make_shared<Buffers>();
    return {.name = lab::variant_name("load_strided", {{"element", sizeof(T)},
                                                       {"stride", stride},
                                                       {"sharers", sharers},
                                                       {"n", strided_threads}}),
            .bytes = double(strided_threads) * rounds * 32 * sizeof(T),
            .working_set_bytes = 1024 * sizeof(T) + strided_threads * sizeof(unsigned),
            .prepare =
                [=] {
                    std::vector<unsigned> words(1024 * sizeof(T) / 4);
                    for (std::size_t i = 0; i < words.size(); ++i) words[i] = word_of(i);
                    const T* const elements = reinterpret_cast<const T*>(words.data());
                    buffers->in = lab::DeviceBuffer<T>(std::span<const T>(elements, 1024));
                    buffers->out = lab::DeviceBuffer<unsigned>(strided_threads);
                },
            .launch =
                [=](std::size_t) {
                    lab::launch(load_strided<T>, 1, strided_threads)(
                        buffers->in.get(), buffers->out.get(), stride, sharers, rounds);
                },
            .check =
                [=] {
                    const auto sum_of_element = [&](std::size_t i) {
                        if constexpr (sizeof(T) == 2)
                            return word_of(i / 2) >> (i % 2 * 16) & 0xffff;
                        constexpr std::size_t words = (sizeof(T) + 3) / 4;
                        unsigned sum = 0;
                        for (std::size_t j = 0; j < words; ++j) sum += word_of(i * words + j);
                        return sum;
                    };
                    std::vector<unsigned> expected(strided_threads);
                    for (std::size_t lane = 0; lane < 32; ++lane) {
                        unsigned sum = 0;
                        for (int i = 0; i < 32; ++i) {
                            sum += sum_of_element(
                                lane / std::size_t(sharers) * std::size_t(stride) + i);
                        }
                        for (std::size_t i = lane; i < strided_threads; i += 32)
                            expected[i] = rounds * sum;
                    }
                    lab::expect_equal<unsigned>(buffers->out.to_host(), expected);
                }};
}

inline lab::Variant registers_variant() {
    const auto in = std::make_shared<lab::DeviceBuffer<unsigned>>();
    const auto out = std::make_shared<lab::DeviceBuffer<unsigned>>();
    const auto value_of = [](std::size_t i) { return unsigned(i * 2654435761u); };
    return {.name = lab::variant_name("combine_in_registers", {{"n", strided_threads}}),
            .bytes = double(strided_threads) * sizeof(unsigned),
            .working_set_bytes = 2 * strided_threads * sizeof(unsigned),
            .prepare =
                [=] {
                    std::vector<unsigned> values(strided_threads);
                    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(i);
                    *in = lab::DeviceBuffer<unsigned>(std::span<const unsigned>(values));
                    *out = lab::DeviceBuffer<unsigned>(strided_threads);
                },
            .launch =
                [=](std::size_t) {
                    lab::launch(combine_in_registers, 1, strided_threads)(in->get(), out->get(),
                                                                          rounds);
                },
            .check =
                [=] {
                    std::vector<unsigned> expected(strided_threads);
                    for (std::size_t i = 0; i < strided_threads; ++i) {
                        unsigned sum = 0;
                        for (int step = 0; step < rounds * 32; ++step) {
                            sum = (sum ^ value_of(i)) + unsigned(step % 32);
                        }
                        expected[i] = sum;
                    }
                    lab::expect_equal<unsigned>(out->to_host(), expected);
                }};
}

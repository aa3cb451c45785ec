// Chapter 03: does a misaligned read get faster without the L1?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Misaligned
// reads", with -Xptxas -dlcm=ca and -Xptxas -dlcm=cg. There: n = 2^20 and 2^24, offsets 0, 11, 128,
// blocks of 512 threads, a Fermi GPU.
//
// Variants: read_offset of chapter 02 with its loads through the L1 (l1:on) and past it (l1:off),
//           offsets 0, 11 and 128, blocks of 512 threads; at offsets 0 and 11 also blocks of 128 that
//           ask for 0 or 48 KiB of shared memory, so that an SM holds many or few (shared). reread:
//           16 lines once or 8 times, then 4 or 512 KiB of others, then the 16 again.
// Model:    an element is two 4-byte loads, one 4-byte store, one addition; n - offset elements.
// Differs:  also n = 2^26 (805 MB, more than four times any L2 of today; not on Fermi); an emulated GPU
//           counts 2^20 and predicts the time of the larger sizes; cold rows rotate through buffer
//           sets, because the book's smaller size fits an L2 of today whole. "On" is -dlcm=ca and not
//           the default, which on some generations is "off".
#include <memory>
#include <string>
#include <vector>

#include "kernels.cuh"
#include "l1.hpp"
#include "lab/device_buffer.hpp"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/validation.hpp"
#include "lab/variant_name.hpp"
#include "problems/array_sum.hpp"

namespace {

// What a launch is besides its arrays. Shared memory is asked for and not used: the SM then holds
// fewer blocks.
struct Shape {
    unsigned block = 512;
    std::size_t shared_bytes = 0;
};

lab::Variant variant(bool through_l1, std::shared_ptr<lab::ArraySum> arrays, std::size_t offset,
                     lab::Cache cache, std::size_t sets, Shape shape = {}) {
    const std::size_t n = arrays->size();
    std::string kernel =
        lab::variant_name("read_offset", {{"l1", through_l1 ? "on" : "off"}, {"offset", offset}});
    if (shape.shared_bytes > 0 || shape.block != 512) {
        kernel =
            lab::variant_name(kernel, {{"block", shape.block}, {"shared", shape.shared_bytes}});
    }
    const auto launch_with = [=](auto launch, const float* a, const float* b, float* c) {
        launch(lab::blocks_for(n, shape.block), shape.block, a, b, c, n, offset,
               shape.shared_bytes);
    };
    const auto own = through_l1 ? l1_on::launch_read_offset : l1_off::launch_read_offset;
    lab::Variant row = lab::array_sum_variant(
        lab::variant_name(kernel, {{"n", n}, {"cache", lab::text(cache)}}), arrays, offset, sets,
        [=](const float* a, const float* b, float* c) { launch_with(own, a, b, c); });
    if (through_l1) return row;
    // Past the L1: its rate over that of the same loads through it.
    row.reference = {
        .counter = "l1_ratio", .bytes = row.bytes, .sets = sets, .launch = [=](std::size_t number) {
            auto& [a, b, c] = arrays->set(number);
            launch_with(l1_on::launch_read_offset, a.get(), b.get(), c.get());
        }};
    return row;
}

// Small whole numbers: sums are exact in any order.
lab::Variant reread_variant(unsigned touches, std::size_t passed_bytes) {
    struct Buffers {
        lab::DeviceBuffer<float> hot, passing, out;
    };
    const auto buffers = std::make_shared<Buffers>();
    const auto value = [](std::size_t i) { return static_cast<float>(i % 7); };
    const auto values = [=](std::size_t n) {
        std::vector<float> values(n);
        for (std::size_t i = 0; i < n; ++i) values[i] = value(i);
        return lab::DeviceBuffer<float>(values);
    };
    const unsigned others = static_cast<unsigned>(passed_bytes / 128);
    return {.name = lab::variant_name("reread", {{"touches", touches}, {"passed", passed_bytes}}),
            .bytes = 128.0 * (hot_lines + others),
            .working_set_bytes = 128 * hot_lines + passed_bytes,
            .prepare =
                [=] {
                    buffers->hot = values(32 * hot_lines);
                    buffers->passing = values(passed_bytes / 4);
                    buffers->out = lab::DeviceBuffer<float>(32);
                },
            .launch =
                [=](std::size_t) {
                    lab::launch(reread, 1, 32)(buffers->hot.get(), buffers->passing.get(),
                                               buffers->out.get(), touches, others, 0);
                },
            .check =
                [=] {
                    std::vector<float> expected(32, 0);
                    for (std::size_t lane = 0; lane < 32; ++lane) {
                        for (std::size_t line = 0; line < hot_lines; ++line) {
                            expected[lane] += float(touches + 1) * value(line * 32 + lane);
                        }
                        for (std::size_t line = 0; line < others; ++line) {
                            expected[lane] += value(line * 32 + lane);
                        }
                    }
                    lab::expect_equal<float>(buffers->out.to_host(), expected);
                }};
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("03_l1_cache", argc, argv);
    for (const std::size_t n : {1 << 20, 1 << 24, 1 << 26}) {
        const lab::Emulation emulation = experiment.emulation(n == 1 << 20);
        const auto arrays = std::make_shared<lab::ArraySum>(n, emulation);
        const auto add = [&](lab::Variant row) { experiment.add(std::move(row), emulation); };
        if (lab::blocks_for(n, Shape{}.block) > experiment.device().max_grid_x) continue;
        for (const bool through_l1 : {true, false}) {
            for (const std::size_t offset : {0, 11, 128}) {
                add(variant(through_l1, arrays, offset, lab::Cache::cold,
                            experiment.cold_sets(arrays->bytes())));
                for (const std::size_t shared : {0, 48 << 10}) {
                    const bool fits = lab::blocks_for(n, 128) <= experiment.device().max_grid_x;
                    if (offset == 128 || !fits) continue;
                    add(variant(through_l1, arrays, offset, lab::Cache::cold,
                                experiment.cold_sets(arrays->bytes()),
                                {.block = 128, .shared_bytes = shared}));
                }
                if (n != (1 << 20)) continue;
                add(variant(through_l1, arrays, offset, lab::Cache::warm, 1));
            }
        }
        experiment.add_memcpy(n * sizeof(float), lab::Cache::cold);
    }
    for (const unsigned touches : {1, 8}) {
        for (const std::size_t passed : {4 << 10, 512 << 10}) {
            experiment.add(reread_variant(touches, passed));
        }
    }
    for (const std::size_t n : {1, 31, 1000003}) {
        const auto arrays = std::make_shared<lab::ArraySum>(n);
        for (const bool through_l1 : {true, false}) {
            for (const std::size_t offset : {0, 1, 11, 128}) {
                if (offset >= n) continue;
                experiment.add_validation(variant(through_l1, arrays, offset, lab::Cache::warm, 1));
            }
        }
    }
    return experiment.run();
}

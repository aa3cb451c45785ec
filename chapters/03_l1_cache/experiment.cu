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
// Differs:  also n = 2^26 (805 MB, more than four times any L2 of today); cold rows rotate through
//           buffer sets, because the book's smaller size fits an L2 of today whole. "On" is -dlcm=ca
//           and not the default, which on some generations is "off".
#include "kernels.cuh"
#include "l1.hpp"
#include "lab/experiment/chapter.hpp"
#include "problems/array_sum.hpp"

namespace {

// A launch, besides its arrays. Shared memory is asked for and not used: the SM then holds
// fewer blocks.
struct Shape {
    unsigned block = 512;
    std::size_t shared_bytes = 0;
};

lab::Variant sum_row(bool through_l1, const lab::ArraySum& arrays, std::size_t offset,
                     lab::Cache cache, Shape shape = {}) {
    std::string name =
        lab::variant_name("read_offset", {{"l1", through_l1 ? "on" : "off"}, {"offset", offset}});
    if (shape.shared_bytes > 0 || shape.block != 512) {
        name = lab::variant_name(name, {{"block", shape.block}, {"shared", shape.shared_bytes}});
    }
    const auto launch = [&](lab::AddKernel kernel) {
        const unsigned grid = lab::blocks_for(arrays.size(), shape.block);
        return lab::launch(kernel, grid, shape.block, shape.shared_bytes);
    };
    const lab::Variant on = arrays.row(name, offset, cache, launch(l1_on::read_offset_kernel()));
    if (through_l1) return on;
    // Past the L1: its rate over that of the same loads through it.
    lab::Variant off = arrays.row(name, offset, cache, launch(l1_off::read_offset_kernel()));
    off.reference = {.counter = "l1_ratio", .bytes = on.bytes, .launch = on.launch};
    return off;
}

// Small whole numbers: sums are exact in any order.
float value(std::size_t i) { return static_cast<float>(i % 7); }
lab::DeviceBuffer<float> values(std::size_t n) {
    return lab::DeviceBuffer<float>(lab::tabulated(n, value));
}

lab::Variant reread_row(unsigned touches, std::size_t passed_bytes) {
    struct Buffers {
        lab::DeviceBuffer<float> hot, passing, out;
    };
    const auto buffers = std::make_shared<Buffers>();
    const unsigned others = static_cast<unsigned>(passed_bytes / 128);
    const auto prepare = [=] {
        *buffers = {values(32 * hot_lines), values(passed_bytes / 4), lab::DeviceBuffer<float>(32)};
    };
    const auto launch = [=](std::size_t) {
        lab::launch(reread, 1, 32)(buffers->hot.get(), buffers->passing.get(), buffers->out.get(),
                                   touches, others, 0);
    };
    const auto check = [=] {
        const auto expected = [=](std::size_t lane) {
            const auto sum = [=](std::size_t lines) {
                float sum = 0;
                for (std::size_t line = 0; line < lines; ++line) sum += value(line * 32 + lane);
                return sum;
            };
            return float(touches + 1) * sum(hot_lines) + sum(others);
        };
        lab::expect_equal<float>(buffers->out.to_host(), lab::tabulated(32, expected));
    };
    return {.name = lab::variant_name("reread", {{"touches", touches}, {"passed", passed_bytes}}),
            .bytes = 128.0 * (hot_lines + others),
            .working_set_bytes = 128 * hot_lines + passed_bytes,
            .prepare = prepare,
            .launch = launch,
            .check = check};
}

std::vector<lab::Variant> rows_of_size(std::size_t n) {
    const lab::ArraySum arrays(n);
    std::vector<lab::Variant> rows;
    for (const bool through_l1 : {true, false}) {
        for (const std::size_t offset : {0, 11, 128}) {
            rows.push_back(sum_row(through_l1, arrays, offset, lab::Cache::cold));
            for (const std::size_t shared : {0, 48 << 10}) {
                if (offset == 128) continue;
                rows.push_back(
                    sum_row(through_l1, arrays, offset, lab::Cache::cold, {128, shared}));
            }
            if (n != 1 << 20) continue;
            rows.push_back(sum_row(through_l1, arrays, offset, lab::Cache::warm));
        }
    }
    return rows;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("03_l1_cache", argc, argv);
    for (const std::size_t n : {1 << 20, 1 << 24, 1 << 26}) {
        experiment.add(rows_of_size(n));
        experiment.add_memcpy(n * sizeof(float), lab::Cache::cold);
    }
    for (const unsigned touches : {1, 8}) {
        for (const std::size_t passed : {4 << 10, 512 << 10}) {
            experiment.add(reread_row(touches, passed));
        }
    }
    for (const std::size_t n : {1, 31, 1000003}) {
        for (const bool through_l1 : {true, false}) {
            for (const std::size_t offset : {0, 1, 11, 128}) {
                if (offset >= n) continue;
                experiment.add_validation(
                    sum_row(through_l1, lab::ArraySum(n), offset, lab::Cache::warm));
            }
        }
    }
    return experiment.run();
}

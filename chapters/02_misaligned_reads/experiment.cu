// Chapter 02: does a misaligned read cost what it is said to cost?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Misaligned
// reads". There: n = 2^20 and 2^24, offsets 0, 11, 128, blocks of 512 threads, a Fermi GPU.
//
// Variants: read_offset at offsets 0...32, 64 and 128, blocks of 128 to 1024 threads; n = 2^20, 2^24
//           and 2^26 (805 MB, more than four times any L2 of today; an emulated GPU predicts the time
//           alone). At the two larger sizes the other offsets are left out for blocks other than 512,
//           and all of them where nothing is timed: counts a request do not change with n. Fermi's
//           grids have at most 65535 blocks, so that n = 2^24 needs 512 threads there.
// Model:    an element is two 4-byte loads, one 4-byte store, one addition; n - offset elements.
// Differs:  the index is 64 bits wide; loads go through the L1 as the compiler sets it (chapter 03
//           switches it off); cold rows rotate through buffer sets that together exceed four times
//           the L2, because the book's smaller size fits an L2 of today whole.
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "kernels.cuh"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/variant_name.hpp"
#include "problems/array_sum.hpp"

namespace {

lab::Variant read_offset_variant(std::shared_ptr<lab::ArraySum> arrays, unsigned block,
                                 std::size_t offset, lab::Cache cache, std::size_t sets) {
    const std::size_t n = arrays->size();
    const std::string name = lab::variant_name(
        "read_offset",
        {{"offset", offset}, {"block", block}, {"n", n}, {"cache", lab::text(cache)}});
    return lab::array_sum_variant(
        name, std::move(arrays), offset, sets, [=](const float* a, const float* b, float* c) {
            lab::launch(read_offset, lab::blocks_for(n, block), block)(a, b, c, n, offset);
        });
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("02_misaligned_reads", argc, argv);
    const std::size_t source_small = 1 << 20;
    const std::size_t source_large = 1 << 24;
    const std::size_t beyond_any_l2 = 1 << 26;
    const auto emulation = [&](std::size_t n) { return experiment.emulation(n < beyond_any_l2); };
    const auto add = [&](const auto& arrays, unsigned block, std::size_t offset, lab::Cache cache) {
        const std::size_t sets = experiment.sets(cache, arrays->bytes());
        experiment.add(read_offset_variant(arrays, block, offset, cache, sets),
                       emulation(arrays->size()));
    };

    const std::vector<std::size_t> source_offsets = {0, 11, 128};
    std::vector<std::size_t> all_offsets(33);
    std::iota(all_offsets.begin(), all_offsets.end(), 0);
    all_offsets.insert(all_offsets.end(), {64, 128});

    // No element: what is left of a launch is its overhead, the least that any row can show.
    if (!experiment.device().emulated) {
        experiment.add({.name = "launch_overhead/block:512", .launch = [](std::size_t) {
                            lab::launch(read_offset, 1, 512)(nullptr, nullptr, nullptr, 0, 0);
                        }});
    }
    for (const std::size_t n : {source_small, source_large, beyond_any_l2}) {
        const auto arrays = std::make_shared<lab::ArraySum>(n, emulation(n));
        for (const unsigned block : {128u, 256u, 512u, 1024u}) {
            if (lab::blocks_for(n, block) > experiment.device().max_grid_x) continue;
            const bool sweep = n == source_small || (block == 512 && !experiment.device().emulated);
            for (const std::size_t offset : sweep ? all_offsets : source_offsets) {
                add(arrays, block, offset, lab::Cache::cold);
            }
        }
        experiment.add_memcpy(n * sizeof(float), lab::Cache::cold);
        if (n != source_small) continue;
        for (const std::size_t offset : source_offsets) {
            add(arrays, 512, offset, lab::Cache::warm);
        }
        experiment.add_memcpy(n * sizeof(float), lab::Cache::warm);
    }
    // Ragged: n is no multiple of a warp, the last block is nearly empty, n - offset crosses a block.
    for (const std::size_t n : {std::size_t{1}, std::size_t{31}, std::size_t{1000003}}) {
        const auto arrays = std::make_shared<lab::ArraySum>(n);
        for (const std::size_t offset : {0, 1, 11, 128}) {
            if (offset >= n) continue;
            experiment.add_validation(
                read_offset_variant(arrays, 512, offset, lab::Cache::warm, 1));
        }
    }
    return experiment.run();
}

// Chapter 00: how far away is each memory, how much does it deliver, and what does it take?
//
// Source: NVIDIA developer training, CUDA on Arm: the order of the memories by speed, without numbers.
//         Numbers that others measured: data/published/00_memory_hierarchy.csv.
//
// Variants: chase (path: shuffle, shared, constant, texture, l1, l2; and footprint; multiply_add for
//           registers), chase_line (one line of the L2), chase_pages (TLBs), read (path and footprint),
//           read_in_flight (warps an SM, loads in flight of each), load_l1, store_over_lines,
//           multiply_add, multiply_pairs (register banks), start_blocks, launch_empty.
// Model:    items are dependent loads, loads or stores of a warp, blocks, launches: an item of a
//           chase takes the latency. bytes are those loaded, flops two a multiply-add.
// Sizes:    8 KiB is in every L1 (path l1), 512 KiB in no L1 and in the L2 of each generation's GPU; 64
//           MiB, in as many sets as exceed four times the L2, come from DRAM. On a GPU also the
//           footprints between.
#include <memory>

#include "chases.hpp"
#include "kernels.cuh"
#include "lab/experiment.hpp"
#include "throughput.hpp"

namespace {

constexpr std::size_t in_l1 = 8 << 10, in_l2 = 512 << 10, in_dram = 64 << 20;

void add_latencies(lab::Experiment& experiment) {
    for (const bool through_l1 : {true, false}) {
        const auto add = [&](std::size_t bytes, bool cold) {
            experiment.add(hierarchy::chase_footprint(experiment, bytes, through_l1, cold));
        };
        add(in_l1, false);
        add(in_l2, false);
        add(in_dram, true);
        if (experiment.device().emulated) continue;
        // Beyond every L1 both paths are one, and a chase through tens of MiB takes a tenth of a second.
        const std::size_t largest = through_l1 ? 1 << 20 : experiment.device().l2_bytes;
        for (std::size_t bytes = 2 << 10; bytes <= largest; bytes *= 2) {
            if (bytes != in_l1 && bytes != in_l2 && bytes != in_dram) add(bytes, false);
            const std::size_t between = bytes / 2 * 3;
            if (between <= largest) add(between, false);
        }
    }
    hierarchy::add_small_chases(experiment);
    experiment.add(hierarchy::multiply_add_variant<1>(experiment, false));
    if (experiment.device().emulated) return;
    for (unsigned line = 0; line < 16; ++line) experiment.add(hierarchy::chase_line(line));
    for (std::size_t pages = 16; pages <= 4096; pages *= 2) {
        if ((pages * 3) << 20 < lab::backend::free_bytes()) {
            experiment.add(hierarchy::chase_pages(pages));
        }
    }
}

void add_bandwidths(lab::Experiment& experiment) {
    const auto words = [](std::size_t bytes) {
        return std::make_shared<hierarchy::Words>(bytes / 4);
    };
    const auto in_memory = words(in_dram);
    experiment.add(hierarchy::read_variant(experiment, words(in_l1), true, 1024, false));
    experiment.add(hierarchy::read_variant(experiment, words(in_l2), false, 512, false));
    // 512 KiB are the same for all SMs, of 4 MiB each asks for another part at a time.
    if (constexpr std::size_t apart = 4 << 20; experiment.device().l2_bytes >= apart) {
        experiment.add(hierarchy::read_variant(experiment, words(apart), false, 512, false));
    }
    experiment.add(hierarchy::read_variant(experiment, in_memory, false, 0, true));
    experiment.add_memcpy(in_dram, lab::Cache::cold);
    for (const unsigned warps : {1, 2, 4, 8, 16, 32}) {
        experiment.add(hierarchy::in_flight_variant<1>(experiment, in_memory, warps));
        experiment.add(hierarchy::in_flight_variant<4>(experiment, in_memory, warps));
    }
}

void add_rates(lab::Experiment& experiment) {
    for (const unsigned stride : {1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64}) {
        experiment.add(hierarchy::strided_variant(experiment, stride));
    }
    for (const unsigned lines : {1, 2, 4, 8, 16, 32}) {
        experiment.add(hierarchy::store_variant(experiment, lines));
    }
    experiment.add(hierarchy::multiply_add_variant<8>(experiment, true));
    experiment.add(hierarchy::pairs_variant<true>(experiment));
    experiment.add(hierarchy::pairs_variant<false>(experiment));
    constexpr unsigned blocks = 65535;  // the most that a Fermi starts at once
    for (const unsigned threads : {32, 64, 128, 256, 512, 1024}) {
        experiment.add(
            {.name = lab::variant_name("start_blocks", {{"block", threads}}),
             .items = blocks,
             .launch = [=](std::size_t) { lab::launch(do_nothing, blocks, threads)(); }});
    }
    experiment.add({.name = lab::variant_name("launch_empty", {{"block", 32}}),
                    .items = 1,
                    .launch = [](std::size_t) { lab::launch(do_nothing, 1, 32)(); }});
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("00_memory_hierarchy", argc, argv);
    add_latencies(experiment);
    add_bandwidths(experiment);
    add_rates(experiment);
    return experiment.run();
}

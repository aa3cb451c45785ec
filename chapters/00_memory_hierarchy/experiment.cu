// Chapter 00: how far away is each memory, how much does it deliver, and what does it take?
//
// Source: NVIDIA developer training, CUDA on Arm: the order of the memories by speed, without numbers.
//         Numbers that others measured: data/published/00_memory_hierarchy.csv.
//
// Variants: chase (path: shuffle, shared, constant, texture, local, l1, l2; and footprint; multiply_add for
//           registers), chase_line (one line of the L2), chase_pages (TLBs), read (path and footprint),
//           read_in_flight (warps an SM, loads in flight of each), load_l1, store_over_lines,
//           multiply_add, multiply_pairs (register banks), start_blocks, launch_empty.
// Model:    items are dependent loads, loads or stores of a warp, blocks, launches: an item of a
//           chase takes the latency. bytes are those loaded, flops two a multiply-add.
// Sizes:    8 KiB is in every L1 (path l1), 512 KiB in no L1 and in the L2 of each generation's GPU; 64
//           MiB, in as many sets as exceed four times the L2, come from DRAM. Footprints between are
//           measured.
#include "chases.hpp"
#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "throughput.hpp"

namespace {

constexpr std::size_t in_l1 = 8 << 10, in_l2 = 512 << 10, in_dram = 64 << 20;

void add_latencies(lab::Experiment& experiment) {
    using enum lab::Cache;
    using lab::Evidence::measured;
    for (const bool through_l1 : {true, false}) {
        experiment.add({hierarchy::chase_footprint(in_l1, through_l1, warm),
                        hierarchy::chase_footprint(in_l2, through_l1, warm),
                        hierarchy::chase_footprint(in_dram, through_l1, cold)});
        // Beyond every L1 both paths are one, and a chase through tens of MiB takes a tenth of a second.
        const std::size_t largest = through_l1 ? 1 << 20 : experiment.device().l2_bytes;
        for (std::size_t bytes = 2 << 10; bytes <= largest; bytes *= 2) {
            if (bytes != in_l1 && bytes != in_l2 && bytes != in_dram) {
                experiment.add(hierarchy::chase_footprint(bytes, through_l1, warm), measured);
            }
            const std::size_t between = bytes / 2 * 3;
            if (between > largest) continue;
            experiment.add(hierarchy::chase_footprint(between, through_l1, warm), measured);
        }
    }
    experiment.add(hierarchy::small_chases());
    experiment.add(hierarchy::multiply_add_row<1>({.blocks = 1, .threads = 32, .steps = 4096}));
    for (unsigned line = 0; line < 16; ++line)
        experiment.add(hierarchy::chase_line(line), measured);
    for (std::size_t pages = 16; pages <= 4096; pages *= 2) {
        experiment.add(hierarchy::chase_pages(pages), measured);
    }
}

void add_bandwidths(lab::Experiment& experiment) {
    const unsigned sms = experiment.device().sm_count;
    const auto words = [](std::size_t bytes) {
        return std::make_shared<hierarchy::Words>(bytes / 4);
    };
    const auto in_memory = words(in_dram);
    experiment.add(hierarchy::read_row(sms, words(in_l1), true, 1024, lab::Cache::warm));
    experiment.add(hierarchy::read_row(sms, words(in_l2), false, 512, lab::Cache::warm));
    // 512 KiB are the same for all SMs, of 4 MiB each asks for another part at a time.
    if (constexpr std::size_t apart = 4 << 20; experiment.device().l2_bytes >= apart) {
        experiment.add(hierarchy::read_row(sms, words(apart), false, 512, lab::Cache::warm));
    }
    experiment.add(hierarchy::read_row(sms, in_memory, false, 0, lab::Cache::cold));
    experiment.add_memcpy(in_dram, lab::Cache::cold);
    for (const unsigned warps : {1, 2, 4, 8, 16, 32}) {
        experiment.add(hierarchy::in_flight_row<1>(sms, in_memory, warps));
        experiment.add(hierarchy::in_flight_row<4>(sms, in_memory, warps));
    }
}

void add_rates(lab::Experiment& experiment) {
    const unsigned sms = experiment.device().sm_count;
    for (const unsigned stride : {1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64}) {
        experiment.add(hierarchy::strided_row(sms, stride));
    }
    for (const unsigned lines : {1, 2, 4, 8, 16, 32}) {
        experiment.add(hierarchy::store_row(sms, lines));
    }
    // Counts grow with the steps, a time has to outlast the launch.
    const bool times = experiment.measures();
    experiment.add(
        hierarchy::multiply_add_row<8>(
            {.blocks = (times ? 8 : 4) * sms, .threads = 256, .steps = times ? 4096u : 1024u}),
        lab::Evidence::counted);
    experiment.add(hierarchy::pairs_row<true>(sms, times ? 64 : 8));
    experiment.add(hierarchy::pairs_row<false>(sms, times ? 64 : 8));
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

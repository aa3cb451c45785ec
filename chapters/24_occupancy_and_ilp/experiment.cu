// Chapter 24: how many warps does an SM need?
//
// Source: Volkov: Better Performance at Lower Occupancy, GTC 2010; Volkov: Understanding Latency Hiding on GPUs, 2016;
//         NVIDIA: CUDA C++ Best Practices Guide; claims.toml has the others. There: G80 to Fermi, copies and multiply-adds.
//
// Variants: copy_in_flight   4 to 32 warps an SM, 1 to 16 loads of 16 bytes in flight of each; n = 2^22 and 2^26 floats
//           multiply_add     the same for arithmetic: 4 to 32 warps, 1 to 8 chains; equal work for all
//           mix              64 values a thread, __launch_bounds__ that ask for 2, 4 and 8 blocks of 256 threads an SM
//           reread_beside_shared   chapter 15's kernel: 61 KiB read by each block 8 times; carve-out: default, 0, 50, 100 %
//           tail             1 to 8 times as many blocks as reside at once, and one more; resident:one is one block of
//                            128 threads an SM (its shared memory is full), resident:full as many blocks of 256 as fit
// Model:    a copied element is a 4-byte load and a 4-byte store; a multiply-add is two operations.
// Differs:  the grid, not shared memory, limits the warps of an SM: one block of 128 threads for each four of them, which
//           the hardware spreads evenly. Volkov's copies have no loop.
#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "problems/array_sum.hpp"
#include "rows.hpp"

namespace {

using lab::ArraySum;

template <int loads>
lab::Variant copy_row(const ArraySum& arrays, unsigned sms, unsigned warps) {
    const std::size_t words = arrays.size() / 4;
    const auto launch = lab::launch(copy_in_flight<loads>, sms * warps / 4, 128);
    lab::Variant row = arrays.row_on_sets(
        lab::variant_name("copy_in_flight", {{"warps", warps}, {"loads", loads}}), lab::Cache::cold,
        [=](ArraySum::Set& set) {
            launch(reinterpret_cast<const float4*>(set.a.get()),
                   reinterpret_cast<float4*>(set.c.get()), words);
        });
    row.bytes = 32.0 * static_cast<double>(words);
    row.working_set_bytes = 32 * words;
    row.check = [=] { arrays.check_repeats(arrays.values_of_a(), 0, {0, words * 4}); };
    row.shape = launch.shape();
    return row;
}

// As many loads in flight as the registers of all warps hold.
std::vector<lab::Variant> copies(const ArraySum& arrays, unsigned sms) {
    std::vector<lab::Variant> rows;
    for (const unsigned warps : {4, 8, 16, 32}) {
        rows.push_back(copy_row<1>(arrays, sms, warps));
        rows.push_back(copy_row<2>(arrays, sms, warps));
        rows.push_back(copy_row<4>(arrays, sms, warps));
        if (warps <= 16) rows.push_back(copy_row<8>(arrays, sms, warps));
        if (warps <= 8) rows.push_back(copy_row<16>(arrays, sms, warps));
    }
    return rows;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("24_occupancy_and_ilp", argc, argv);
    const unsigned sms = static_cast<unsigned>(experiment.device().sm_count);
    const std::size_t shared_bytes = experiment.device().max_shared_bytes_per_block;
    // Multiply-adds of an SM, in warps. Counts grow with them, a time has to outlast the launch.
    const unsigned work = experiment.measures() ? 1 << 17 : 1 << 14;
    const ArraySum counted(1 << 22), beyond_any_l2(1 << 26);
    experiment.add(copies(counted, sms));
    experiment.add(copies(beyond_any_l2, sms), lab::Evidence::measured);
    for (const ArraySum& arrays : {counted, beyond_any_l2}) {
        experiment.add_memcpy(arrays.size() * sizeof(float), lab::Cache::cold);
    }
    for (const unsigned warps : {4, 8, 16, 32}) {
        experiment.add(
            {multiply_add_row<1>(sms, warps, work), multiply_add_row<2>(sms, warps, work),
             multiply_add_row<4>(sms, warps, work), multiply_add_row<8>(sms, warps, work)});
    }
    experiment.add(mixes(sms, 8), lab::Evidence::counted);
    // The carve-out that a kernel prefers is the driver's decision.
    experiment.add(rereads(sms), lab::Evidence::measured);
    for (const unsigned waves : {1, 2, 4, 8}) {
        for (const unsigned extra : {0, 1}) {
            experiment.add(
                {tail_of_one(sms, shared_bytes, waves, extra), tail_of_full(sms, waves, extra)},
                waves <= 2 ? lab::Evidence::counted : lab::Evidence::measured);
        }
    }
    // Ragged: fewer words than threads, a last round that is partly outside.
    for (const std::size_t n : {4, 404, 1000004}) {
        experiment.add_validation(copies(ArraySum(n), sms));
    }
    experiment.add_validation(mixes(1, 3));
    return experiment.run();
}

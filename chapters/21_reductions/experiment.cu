// Chapter 21: which steps make a reduction fast, and do shuffles still beat shared memory?
//
// Sources: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapters 3 and 5 (2^24 integers, blocks
//          of 512 threads, Fermi and Kepler GPUs); M. Harris: Optimizing Parallel Reduction in CUDA (2007); J. Luitjens: Faster
//          Parallel Reductions on Kepler (2014). Each claim of claims.toml has its own.
//
// Variants: reduce_neighboured                the book's first: in place, in global memory
//           reduce_neighboured_first_threads  without divergence
//           reduce_interleaved                with coalesced accesses
//           reduce_unrolled                   2, 4, 8 elements a thread first
//           reduce_unrolled_last_warp, reduce_unrolled_completely, reduce_for_block (the template)
//           reduce_shared                     the tree in shared memory
//           reduce_shuffle, reduce_cooperative_groups   ... by shuffles, by the library
//           reduce_integers_shuffle, ..._redux          of integers, by shuffles and by __reduce_add_sync (8.0)
//           sum_atomics                       the whole sum: an atomic addition a thread, a warp, a block
//           sum_last_block                    ... by blocks that stay, the last one adds up
//           cub_sum                           ... by CUB
//           read_words                        chapter 00's loads: what reading alone takes
//           repeat_..._sums                   the sum of a warp alone, over and over
// Model:    an element is one 4-byte load and one addition; the reductions leave a sum for each block, as in the
//           book, whose host adds them up.
// Differs:  floats instead of integers; arrays are padded with zeros to whole blocks, as the book's kernels leave out or
//           read past what remains; lanes of a warp are synchronised where the book relies on lockstep. Kernels that
//           work in place find what the launch before left: the time does not depend on values.
#include <variant>

#include "../00_memory_hierarchy/kernels.cuh"
#include "arrays.hpp"
#include "kernels.cuh"
#include "redux.hpp"
#include "warp_sums.hpp"

namespace {

using reductions::Arrays, reductions::block;
using Shared = std::shared_ptr<Arrays>;
using Set = Arrays::Set;

constexpr lab::Cache warm = lab::Cache::warm, cold = lab::Cache::cold;

lab::Variant row_of(const Shared& arrays, const std::string& name, lab::Cache cache,
                    std::function<void(Set&)> launch) {
    const std::size_t n = arrays->size();
    return {.name = lab::variant_name(name, {{"n", n}, {"cache", lab::text(cache)}}),
            .bytes = sizeof(float) * double(n),
            .flops = double(n),
            .working_set_bytes = arrays->bytes(),
            .cache = cache,
            .prepare = [=] { arrays->prepare(); },
            .launch = [=](std::size_t index) { launch(arrays->set(index)); },
            .buffers = arrays.get()};
}

// A kernel that leaves the sum of each block; `loads` elements a thread.
struct Reduction {
    const char* name;
    std::variant<void (*)(float*, float*), void (*)(const float*, float*)> kernel;
    unsigned loads = 8;
};
constexpr Reduction ladder[] = {
    {"reduce_neighboured", reduce_neighboured, 1},
    {"reduce_neighboured_first_threads", reduce_neighboured_first_threads, 1},
    {"reduce_interleaved", reduce_interleaved, 1},
    {"reduce_unrolled/loads:2", reduce_unrolled<2>, 2},
    {"reduce_unrolled/loads:4", reduce_unrolled<4>, 4},
    {"reduce_unrolled/loads:8", reduce_unrolled<8>},
    {"reduce_unrolled_last_warp", reduce_unrolled_last_warp<8>},
    {"reduce_unrolled_completely", reduce_unrolled_completely<8>},
    {"reduce_for_block", reduce_for_block<8, block>},
    {"reduce_shared", reduce_shared<8>},
    {"reduce_shuffle", reduce_shuffle<8>},
    {"reduce_cooperative_groups", reduce_cooperative_groups<8>},
};

lab::Variant reduction_row(const Reduction& reduction, const Shared& arrays, lab::Cache cache) {
    const std::size_t part = block * reduction.loads, parts = arrays->padded() / part;
    return std::visit(
        [&](auto kernel) {
            const auto launch = lab::launch(kernel, static_cast<unsigned>(parts), block);
            lab::Variant row = row_of(arrays, reduction.name, cache,
                                      [=](Set& set) { launch(set.in.get(), set.sums.get()); });
            row.shape = launch.shape();
            row.check = [=] {
                arrays->check(arrays->sums(parts, [=](std::size_t i) { return i / part; }));
            };
            return row;
        },
        reduction.kernel);
}

// The same words as unsigned integers, which __reduce_add_sync needs.
lab::Variant integers_row(bool redux, const Shared& arrays, lab::Cache cache) {
    constexpr std::size_t part = 8 * block;
    const std::size_t parts = arrays->padded() / part;
    const auto launch = lab::launch(redux ? reduce_integers_redux() : reduce_integers_shuffle(),
                                    static_cast<unsigned>(parts), block);
    lab::Variant row = row_of(arrays, redux ? "reduce_integers_redux" : "reduce_integers_shuffle",
                              cache, [=](Set& set) {
                                  launch(reinterpret_cast<const unsigned*>(set.in.get()),
                                         reinterpret_cast<unsigned*>(set.sums.get()));
                              });
    row.shape = launch.shape();
    row.needs = warp_sums_in_hardware;
    row.check = [=] {
        arrays->check(
            arrays->sums_of_bits(arrays->padded(), parts, [=](std::size_t i) { return i / part; }));
    };
    return row;
}

// The total has to be zero before. Where it is timed, each launch adds to that of the one before.
template <Per per>
lab::Variant atomics_row(const char* name, const Shared& arrays, lab::Cache cache) {
    const std::size_t n = arrays->size();
    const auto launch = lab::launch(sum_atomics<per>, lab::blocks_for(n, 8 * block), block);
    lab::Variant row = row_of(arrays, lab::variant_name("sum_atomics", {{"per", name}}), cache,
                              [=](Set& set) { launch(set.in.get(), n, set.sums.get()); });
    row.shape = launch.shape();
    row.prepare = [=] {
        arrays->prepare();
        const float zero = 0;
        lab::backend::copy_to_device(arrays->set(0).sums.get(), &zero, sizeof zero);
    };
    row.check = [=] { arrays->check<float>({arrays->total()}); };
    return row;
}

// `per_sm` blocks for each SM.
template <int loads>
lab::Variant last_block_row(unsigned sms, unsigned per_sm, const Shared& arrays, lab::Cache cache) {
    const std::size_t n = arrays->size(), grid = per_sm * sms, threads = grid * block;
    const auto launch = lab::launch(sum_last_block<loads>, static_cast<unsigned>(grid), block);
    lab::Variant row =
        row_of(arrays, lab::variant_name("sum_last_block", {{"loads", loads}, {"per_sm", per_sm}}),
               cache, [=](Set& set) { launch(set.in.get(), n, set.sums.get(), set.ticket.get()); });
    row.shape = launch.shape();
    row.check = [=] {
        std::vector<float> expected = arrays->sums(
            grid, [=](std::size_t i) { return i / 4 < n / 4 ? i / 4 % threads / block : 0; });
        expected.insert(expected.begin(), arrays->total());
        arrays->check(expected);
        lab::expect_equal<unsigned>(arrays->set(0).ticket.to_host(), std::vector{0u});
    };
    return row;
}

lab::Variant cub_row(const Shared& arrays, lab::Cache cache) {
    lab::Variant row = row_of(arrays, "cub_sum", cache, [=](Set& set) {
        auto& memory = arrays->memory();
        cub_sum(set.in.get(), static_cast<int>(arrays->size()), set.sums.get(), memory.get(),
                memory.size());
    });
    row.kernels = 2;
    row.check = [=] { arrays->check<float>({arrays->total()}); };
    return row;
}

lab::Variant read_row(unsigned sms, const Shared& arrays, lab::Cache cache) {
    const unsigned grid = 2 * sms, threads = grid * block;
    const unsigned words = static_cast<unsigned>(arrays->size() / 4), loads = words / threads;
    const auto launch = lab::launch(read_words<L1::past>, grid, block);
    lab::Variant row = row_of(arrays, "read_words", cache, [=](Set& set) {
        launch(reinterpret_cast<const uint4*>(set.in.get()),
               reinterpret_cast<unsigned*>(set.sums.get()), words, loads);
    });
    row.bytes = 16.0 * threads * loads;
    row.flops = 0;
    row.check = [=] {
        arrays->check(arrays->sums_of_bits(4 * std::size_t{threads} * loads, threads,
                                           [=](std::size_t i) { return i / 4 % threads; }));
    };
    return row;
}

std::vector<lab::Variant> whole_sums(unsigned sms, const Shared& arrays, lab::Cache cache) {
    return {atomics_row<Per::thread>("thread", arrays, cache),
            atomics_row<Per::warp>("warp", arrays, cache),
            atomics_row<Per::block>("block", arrays, cache),
            last_block_row<4>(sms, 4, arrays, cache), cub_row(arrays, cache)};
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("21_reductions", argc, argv);
    const unsigned sms = experiment.device().sm_count;
    const auto array_of = [&](std::size_t n) {
        return std::make_shared<Arrays>(n, 2 * sms * std::size_t{block});
    };
    const struct {
        std::size_t n;
        lab::Cache cache;
    } regimes[] = {{1 << 20, warm}, {1 << 24, cold}, {1 << 26, cold}};
    for (const auto& [n, cache] : regimes) {
        const Shared arrays = array_of(n);
        for (const Reduction& reduction : ladder) {
            experiment.add(reduction_row(reduction, arrays, cache));
        }
        for (const bool redux : {false, true}) {
            experiment.add(integers_row(redux, arrays, cache));
        }
        experiment.add(whole_sums(sms, arrays, cache));
        if (n < 1 << 24) continue;
        experiment.add(read_row(sms, arrays, cache));
        // How many loads are in flight, and in how many blocks.
        experiment.add(
            {last_block_row<2>(sms, 4, arrays, cache), last_block_row<4>(sms, 8, arrays, cache),
             last_block_row<4>(sms, 16, arrays, cache), last_block_row<8>(sms, 2, arrays, cache),
             last_block_row<8>(sms, 8, arrays, cache)},
            lab::Evidence::measured);
    }
    for (const std::size_t n : {1 << 18, 1 << 22, 1 << 28}) {
        const Shared arrays = array_of(n);
        const lab::Cache cache = n < 1 << 24 ? warm : cold;
        experiment.add(whole_sums(sms, arrays, cache), lab::Evidence::measured);
        if (n > 1 << 18) experiment.add(read_row(sms, arrays, cache), lab::Evidence::measured);
    }
    experiment.add(reductions::warp_sums(sms));
    experiment.add_launch_overhead(block);
    experiment.add_validation(read_row(sms, array_of(1 << 22), warm));
    // Ragged: less than a load, a part and a bit, no multiple of four.
    for (const std::size_t n : {1, 3, 4097, 1000003}) {
        const Shared arrays = array_of(n);
        for (const Reduction& reduction : ladder) {
            experiment.add_validation(reduction_row(reduction, arrays, warm));
        }
        experiment.add_validation(whole_sums(sms, arrays, warm));
        experiment.add_validation(integers_row(true, arrays, warm));
    }
    return experiment.run();
}

// Chapter 07: does unrolling speed up a read, and how fast can a vector addition be?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Performance
// tuning". There: n = 2^20 and 2^24, offsets 0, 11, 128, blocks of 512 threads, a Fermi GPU.
//
// Variants: read_offset               chapter 02's kernel, one element a thread
//           read_offset_quarter       the same launched for a quarter of the elements, on purpose:
//                                     what an unrolled kernel does whose index forgets the unrolling
//           read_offset_unrolled      2, 4 and 8 elements a thread, as the source writes it
//           read_offset_unrolled_int  4, with the book's 32-bit index and its one guard
//           read_offset_loads_first   the same with all loads before the stores
//           read_offset_wide          16-byte accesses (offsets that are multiples of 4)
//           read_offset_overlapping   16-byte accesses at any other offset: two overlapping loads
//           read_offset_shuffled      ... one load, the rest from the next lane
//           read_offset_wide_streaming  ... as accesses that tell the caches: used once
//           read_offset_wide_paced      ... by warps that begin one after another
//           ..._evict_last              ... the L2 keeps what is read, and gives up what is written
//           read_offset_bulk          the same by the copy engine (Hopper or newer, offsets as above)
//           copy_wide, scale_wide, read_wide, write_wide   the device's ceilings
//           copy_keep_reads, copy_keep_writes   the L2 keeps what is read, or what is written, longest
//           .../l2_set_aside:P        while P percent of what can be set aside of the L2 hold nothing but
//                                     what is to be evicted last
// Model:    an element is two 4-byte loads, one 4-byte store, one addition; n - offset elements.
// Differs:  the tail is added for every n; "the limit" is measured at n = 2^29, arrays of 2 GiB, each
//           row beside a cudaMemcpy between two such arrays (memcpy_ratio: bytes per second over the
//           copy's). Launches take turns on two sets of arrays: of a line that is to be evicted last
//           something might be left for the next launch. Where nothing is timed it is counted at 2^20.
#include <algorithm>
#include <stdexcept>

#include "../02_misaligned_reads/kernels.cuh"
#include "bulk.hpp"
#include "evict_last.hpp"
#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "problems/sum_rows.hpp"

namespace {

using Rows = std::vector<lab::Variant>;

constexpr lab::Cache cold = lab::Cache::cold;

// Percent of what can be set aside of the L2, for lines that are to be evicted last: the most that leaves
// a copy's time as it is on an H200.
constexpr unsigned set_aside = 30;

struct Kernel {
    const char* name;
    lab::AddKernel code;
    unsigned per_thread = 4;       // elements
    const char* unroll = nullptr;  // part of the name
    lab::Feature needs = {};
};

constexpr Kernel plain{"read_offset", read_offset, 1};
constexpr Kernel unrolled[] = {
    {"read_offset_unrolled", read_offset_unrolled<2>, 2, "2"},
    {"read_offset_unrolled", read_offset_unrolled<4>, 4, "4"},
    {"read_offset_unrolled", read_offset_unrolled<8>, 8, "8"},
    {"read_offset_loads_first", read_offset_loads_first<2>, 2, "2"},
    {"read_offset_loads_first", read_offset_loads_first<4>, 4, "4"},
    {"read_offset_loads_first", read_offset_loads_first<8>, 8, "8"},
};
// For offsets that are multiples of 4.
constexpr Kernel wide[] = {
    {"read_offset_wide", read_offset_wide<Plain>},
    {"read_offset_wide_streaming", read_offset_wide<Streaming>},
    {.name = "read_offset_wide_paced",
     .code = read_offset_wide<Paced>,
     .needs = {7, "warps that wait (__nanosleep)", true}},
};
// For an offset that is 1, 2 or 3 more.
constexpr Kernel overlapping[] = {
    {"read_offset_overlapping", read_offset_overlapping<1>},
    {"read_offset_overlapping", read_offset_overlapping<2>},
    {"read_offset_overlapping", read_offset_overlapping<3>},
};
constexpr Kernel shuffled[] = {
    {"read_offset_shuffled", read_offset_shuffled<1>},
    {"read_offset_shuffled", read_offset_shuffled<2>},
    {"read_offset_shuffled", read_offset_shuffled<3>},
};
// With eviction priorities, at any offset.
Kernel evict_last(std::size_t offset) {
    const int shift = static_cast<int>(offset % 4);
    return {
        .name = shift == 0 ? "read_offset_wide_evict_last" : "read_offset_overlapping_evict_last",
        .code = shift == 0 ? wide_evict_last() : overlapping_evict_last(shift),
        .needs = eviction_priorities};
}
Kernel bulk() { return {.name = "read_offset_bulk", .code = bulk_add(), .needs = bulk_copies}; }

lab::Variant sum_row(const Kernel& kernel, const lab::ArraySum& arrays, std::size_t offset,
                     unsigned block, lab::Cache cache = cold) {
    std::string name = kernel.name;
    if (kernel.unroll != nullptr) name = lab::variant_name(name, {{"unroll", kernel.unroll}});
    lab::Variant row =
        lab::sum_row(name, kernel.code, arrays, offset, block, cache, kernel.per_thread);
    row.needs = kernel.needs;
    return row;
}

// A quarter of the blocks: only the first quarter of the elements is added.
lab::Variant quarter_row(const lab::ArraySum& arrays, std::size_t offset, unsigned block) {
    const std::size_t n = arrays.size();
    lab::Variant row = sum_row({"read_offset_quarter", read_offset}, arrays, offset, block);
    const std::size_t added =
        std::min(n - offset, std::size_t{lab::blocks_for(n, block * 4)} * block);
    row.bytes = 3 * sizeof(float) * static_cast<double>(added);
    row.flops = static_cast<double>(added);
    row.check = [=] { arrays.check(offset, {0, added}); };
    return row;
}

// The book's index and guard, where they leave nothing out: at offset 0 and in whole blocks.
lab::Variant book_row(const lab::ArraySum& arrays, unsigned block) {
    if (arrays.size() % (4 * block) != 0) {
        throw std::invalid_argument("read_offset_unrolled_int needs whole blocks");
    }
    const auto launch =
        lab::launch(read_offset_unrolled_int, lab::blocks_for(arrays.size(), block * 4), block);
    lab::Variant row = arrays.row(
        lab::variant_name("read_offset_unrolled_int",
                          {{"unroll", 4}, {"offset", 0}, {"block", block}}),
        0, cold, [=](const float* a, const float* b, float* c, std::size_t n, std::size_t offset) {
            launch(a, b, c, int(n), int(offset));
        });
    row.shape = lab::shape_of(launch);
    return row;
}

// read_wide<words> must write the sum of the words that each warp reads.
void check_warp_sums(const lab::ArraySum& arrays, std::size_t words, std::size_t block) {
    const std::vector<float>& a = arrays.values_of_a();
    std::vector<float> actual(arrays.size() / (words * 4 * 32));
    lab::backend::copy_to_host(actual.data(), arrays.set(0).c.get(), actual.size() * sizeof(float));
    const auto expected = [&](std::size_t warp) {
        const std::size_t first = warp * 32 / block * block * words + warp * 32 % block;
        double sum = 0;
        for (std::size_t word = 0; word < words; ++word) {
            for (std::size_t i = 0; i < 32 * 4; ++i) {
                sum += a[((first + word * block) * 4 + i) % a.size()];
            }
        }
        return static_cast<float>(sum);
    };
    // 512 values below 1, added in another order
    lab::expect_near<float>(actual, lab::tabulated(actual.size(), expected), 1e-4);
}

float4* words(lab::DeviceBuffer<float>& buffer) { return reinterpret_cast<float4*>(buffer.get()); }

// A ceiling of the device. It reads and writes the limit's arrays, and so is no larger than its first two.
lab::Variant ceiling(const lab::ArraySum& arrays, const char* kernel, unsigned block,
                     std::size_t accesses, std::function<void(lab::ArraySum::Set&)> launch,
                     std::function<void()> check) {
    lab::Variant row =
        arrays.row_on_sets(lab::variant_name(kernel, {{"block", block}}), cold, std::move(launch));
    row.working_set_bytes = accesses * sizeof(float) * arrays.size();
    row.bytes = static_cast<double>(row.working_set_bytes);
    row.check = std::move(check);
    return row;
}

lab::Variant copy_row(const lab::ArraySum& arrays, const char* kernel,
                      void (*code)(const float4*, float4*), unsigned block) {
    const auto copy = lab::launch(code, lab::blocks_for(arrays.size() / 4, block), block);
    return ceiling(
        arrays, kernel, block, 2,
        [=](lab::ArraySum::Set& set) { copy(words(set.a), words(set.c)); },
        [=] { arrays.check_repeats(arrays.values_of_a(), 0, {0, arrays.size()}); });
}

lab::Variant scale_row(const lab::ArraySum& arrays, const char* kernel,
                       void (*code)(float, const float4*, float4*), unsigned block) {
    const auto scale = lab::launch(code, lab::blocks_for(arrays.size() / 4, block), block);
    return ceiling(
        arrays, kernel, block, 2,
        [=](lab::ArraySum::Set& set) { scale(0.5f, words(set.a), words(set.c)); },
        [=] {
            std::vector<float> halves = arrays.values_of_a();
            for (float& value : halves) value *= 0.5f;  // exact
            arrays.check_repeats(halves, 0, {0, arrays.size()});
        });
}

lab::Variant write_row(const lab::ArraySum& arrays, unsigned block) {
    const auto write = lab::launch(write_wide, lab::blocks_for(arrays.size() / 4, block), block);
    return ceiling(
        arrays, "write_wide", block, 1, [=](lab::ArraySum::Set& set) { write(0.5f, words(set.c)); },
        [=] { arrays.check_repeats({0.5f}, 0, {0, arrays.size()}); });
}

lab::Variant read_row(const lab::ArraySum& arrays, unsigned block) {
    const auto read =
        lab::launch(read_wide<4>, lab::blocks_for(arrays.size() / 4, block) / 4, block);
    return ceiling(
        arrays, "read_wide", block, 1,
        [=](lab::ArraySum::Set& set) { read(words(set.a), set.c.get()); },
        [=] { check_warp_sums(arrays, 4, block); });
}

// The ceilings, and how much of the L2 a copy needs, and for which of its lines.
Rows ceilings(const lab::ArraySum& arrays) {
    Rows rows;
    const auto add_hinted = [&](lab::Variant row) {
        row.needs = eviction_priorities;
        rows.push_back(std::move(row));
    };
    const auto add_with_less_l2 = [&](lab::Variant copy) {
        for (const unsigned percent : {30, 40, 50, 60, 80, 100}) {
            rows.push_back(lab::with_l2_set_aside(copy, percent));
        }
    };
    rows.push_back(copy_row(arrays, "copy_wide", copy_wide<Plain>, 512));
    add_with_less_l2(rows.back());
    rows.push_back(scale_row(arrays, "scale_wide", scale_wide<Plain>, 512));
    for (const unsigned block : {256, 1024}) {
        add_hinted(copy_row(arrays, "copy_wide_evict_last", copy_evict_last(), block));
        add_hinted(scale_row(arrays, "scale_wide_evict_last", scale_evict_last(), block));
    }
    add_hinted(copy_row(arrays, "copy_keep_reads", copy_keep_reads(), 512));
    add_with_less_l2(rows.back());
    add_hinted(copy_row(arrays, "copy_keep_writes", copy_keep_writes(), 512));
    add_with_less_l2(rows.back());
    rows.push_back(write_row(arrays, 512));
    rows.push_back(read_row(arrays, 512));
    return rows;
}

// The book's kernels at its sizes and at one that no L2 holds.
void add_book_sizes(lab::Experiment& experiment) {
    for (const std::size_t n : {1 << 20, 1 << 24, 1 << 26}) {
        const lab::ArraySum arrays(n);
        for (const std::size_t offset : {0, 11, 128}) {
            experiment.add(sum_row(plain, arrays, offset, 512));
            experiment.add(quarter_row(arrays, offset, 512));
            for (const Kernel& kernel : unrolled) {
                experiment.add(sum_row(kernel, arrays, offset, 512));
            }
        }
        experiment.add(book_row(arrays, 512));
        experiment.add_memcpy(n * sizeof(float), cold);
    }
}

// How fast the work can be done at all, beside a copy.
void add_limit(lab::Experiment& experiment) {
    const lab::ArraySum arrays(experiment.measures() ? std::size_t{1} << 29 : 1 << 20);
    const auto copy = experiment.memcpy_reference(arrays.size() * sizeof(float), cold);
    const auto add = [&](lab::Variant row) {
        row.reference = copy;
        row.min_sets = 2;
        experiment.add(std::move(row));
    };
    for (const unsigned block : {512, 1024}) {
        // As counted at the book's size.
        for (const Kernel& kernel : {plain, unrolled[4]}) {
            for (const std::size_t offset : {0, 11}) {
                lab::Variant row = sum_row(kernel, arrays, offset, block);
                row.evidence = lab::Evidence::measured;
                add(std::move(row));
            }
        }
        for (const Kernel& kernel : wide) add(sum_row(kernel, arrays, 0, block));
        add(sum_row(overlapping[2], arrays, 11, block));
        add(sum_row(shuffled[2], arrays, 11, block));
        for (const std::size_t offset : {0, 11}) {
            add(sum_row(evict_last(offset), arrays, offset, block));
        }
    }
    add(sum_row(bulk(), arrays, 0, 512));
    for (const lab::Variant& row : ceilings(arrays)) add(row);
    add(lab::with_l2_set_aside(sum_row(evict_last(11), arrays, 11, 1024), set_aside));
    add(lab::with_l2_set_aside(sum_row(bulk(), arrays, 0, 512), set_aside));
}

Rows shapes(std::size_t n) {
    const lab::ArraySum ragged(n);
    Rows shapes;
    for (const std::size_t offset : {0, 1, 2, 3, 11, 128, 129}) {
        if (offset > n) continue;
        const auto add = [&](const Kernel& kernel, unsigned block) {
            shapes.push_back(sum_row(kernel, ragged, offset, block, lab::Cache::warm));
        };
        for (const Kernel& kernel : unrolled) add(kernel, 96);
        if (offset % 4 == 0) {
            for (const Kernel& kernel : wide) add(kernel, 64);
            add(bulk(), 64);
        } else {
            add(overlapping[offset % 4 - 1], 64);
            add(shuffled[offset % 4 - 1], 64);
        }
        add(evict_last(offset), 64);
    }
    return shapes;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("07_unroll4", argc, argv);
    add_book_sizes(experiment);
    add_limit(experiment);
    for (const std::size_t n : {1, 3, 31, 4096, 100003, 1000000})
        experiment.add_validation(shapes(n));
    experiment.add_validation(book_row(lab::ArraySum(96 * 4 * 7), 96));
    return experiment.run();
}

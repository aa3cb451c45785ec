// Chapter 07: does unrolling speed up a read, and how fast can a vector addition be?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Performance
// tuning". There: n = 2^20 and 2^24, offsets 0, 11, 128, blocks of 512 threads, a Fermi GPU.
//
// Variants: read_offset               chapter 02's kernel, one element a thread
//           read_offset_quarter       the same launched for a quarter of the elements, on purpose:
//                                     what an unrolled kernel does whose index forgets the unrolling
//           read_offset_unrolled      2, 4 and 8 elements a thread, as the source writes it
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
//                                     what is to be evicted last (a GPU, Ampere or newer)
// Model:    an element is two 4-byte loads, one 4-byte store, one addition; n - offset elements.
// Differs:  the tail is added for every n; "the limit" is measured at n = 2^29, arrays of 2 GiB, each
//           row beside a cudaMemcpy between two such arrays (memcpy_ratio: bytes per second over the
//           copy's). Launches take turns on two sets of arrays: of a line that is to be evicted last
//           something might be left for the next launch. Where nothing is timed it is counted at 2^20.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "../02_misaligned_reads/kernels.cuh"
#include "bulk.hpp"
#include "evict_last.hpp"
#include "kernels.cuh"
#include "lab/compute_capability.hpp"
#include "lab/experiment.hpp"
#include "lab/l2_set_aside.hpp"
#include "lab/launch.hpp"
#include "lab/validation.hpp"
#include "lab/variant_name.hpp"
#include "problems/array_sum.hpp"

namespace {

using Kernel = void (*)(const float* a, const float* b, float* c, std::size_t n,
                        std::size_t offset);
using Arrays = std::shared_ptr<lab::ArraySum>;

constexpr lab::Cache cold = lab::Cache::cold;

// Percent of what can be set aside of the L2, for lines that are to be evicted last: the most that leaves
// a copy's time as it is on an H200.
constexpr unsigned set_aside = 30;

struct Row {
    const char* kernel;
    Kernel code;
    int elements_per_thread;
    const char* unroll = nullptr;  // part of the name
};

constexpr Row plain{"read_offset", read_offset, 1};
constexpr Row wide[] = {
    {"read_offset_wide", read_offset_wide<Plain>, 4},
    {"read_offset_wide_streaming", read_offset_wide<Streaming>, 4},
};
constexpr Row paced{"read_offset_wide_paced", read_offset_wide<Paced>, 4};
bool has_paced() {
    return lab::is_compiled_for(reinterpret_cast<const void*>(paced.code), 7,
                                "warps that wait (__nanosleep)");
}
// The same with eviction priorities, at any offset.
Row evict_last(std::size_t offset) {
    const int shift = static_cast<int>(offset % 4);
    if (shift == 0) return {"read_offset_wide_evict_last", wide_evict_last(), 4};
    return {"read_offset_overlapping_evict_last", overlapping_evict_last(shift), 4};
}

Row bulk() { return {"read_offset_bulk", bulk_add(), 4}; }

constexpr Row unrolled[] = {
    {"read_offset_unrolled", read_offset_unrolled<2>, 2, "2"},
    {"read_offset_unrolled", read_offset_unrolled<4>, 4, "4"},
    {"read_offset_unrolled", read_offset_unrolled<8>, 8, "8"},
    {"read_offset_loads_first", read_offset_loads_first<2>, 2, "2"},
    {"read_offset_loads_first", read_offset_loads_first<4>, 4, "4"},
    {"read_offset_loads_first", read_offset_loads_first<8>, 8, "8"},
};
constexpr Row overlapping[] = {
    {"read_offset_overlapping", read_offset_overlapping<1>, 4},
    {"read_offset_overlapping", read_offset_overlapping<2>, 4},
    {"read_offset_overlapping", read_offset_overlapping<3>, 4},
};
constexpr Row shuffled[] = {
    {"read_offset_shuffled", read_offset_shuffled<1>, 4},
    {"read_offset_shuffled", read_offset_shuffled<2>, 4},
    {"read_offset_shuffled", read_offset_shuffled<3>, 4},
};

std::string name_of(const Row& row, std::size_t offset, unsigned block, std::size_t n,
                    lab::Cache cache) {
    const std::string kernel = row.unroll == nullptr
                                   ? row.kernel
                                   : lab::variant_name(row.kernel, {{"unroll", row.unroll}});
    return lab::variant_name(
        kernel, {{"offset", offset}, {"block", block}, {"n", n}, {"cache", lab::text(cache)}});
}

lab::Variant variant(const Row& row, Arrays arrays, std::size_t offset, unsigned block,
                     lab::Cache cache, std::size_t sets) {
    const std::size_t n = arrays->size();
    const unsigned grid = lab::blocks_for(n, block * row.elements_per_thread);
    return lab::array_sum_variant(name_of(row, offset, block, n, cache), arrays, offset, sets,
                                  [=](const float* a, const float* b, float* c) {
                                      lab::launch(row.code, grid, block)(a, b, c, n, offset);
                                  });
}

// A quarter of the blocks: only the first quarter of the elements is added.
lab::Variant quarter_variant(Arrays arrays, std::size_t offset, unsigned block, std::size_t sets) {
    const std::size_t n = arrays->size();
    const Row row{"read_offset_quarter", read_offset, 4};
    lab::Variant variant = ::variant(row, arrays, offset, block, lab::Cache::cold, sets);
    const std::size_t added =
        std::min(n - offset, std::size_t{lab::blocks_for(n, block * 4)} * block);
    variant.bytes = 3 * sizeof(float) * static_cast<double>(added);
    variant.flops = static_cast<double>(added);
    variant.check = [=] { arrays->check(offset, {0, added}); };
    return variant;
}

// What read_wide<words> must write: the sum of the words that each warp reads.
void check_warp_sums(lab::ArraySum& arrays, std::size_t words, std::size_t block) {
    const std::vector<float>& a = arrays.values_of_a();
    std::vector<float> actual(arrays.size() / (words * 4 * 32));
    lab::backend::copy_to_host(actual.data(), arrays.set(0).c.get(), actual.size() * sizeof(float));
    std::vector<float> expected(actual.size());
    for (std::size_t warp = 0; warp < expected.size(); ++warp) {
        const std::size_t first = warp * 32 / block * block * words + warp * 32 % block;
        double sum = 0;
        for (std::size_t word = 0; word < words; ++word) {
            for (std::size_t i = 0; i < 32 * 4; ++i) {
                sum += a[((first + word * block) * 4 + i) % a.size()];
            }
        }
        expected[warp] = static_cast<float>(sum);
    }
    lab::expect_near<float>(actual, expected, 1e-4);  // 512 values below 1, added in another order
}

float4* words(lab::DeviceBuffer<float>& buffer) { return reinterpret_cast<float4*>(buffer.get()); }

// The device's ceilings. They read and write the limit's arrays, and so are no larger than its first two.
class Ceilings {
  public:
    Ceilings(Arrays arrays, std::size_t sets) : arrays_(std::move(arrays)), sets_(sets) {}

    template <class Copy>
    void add_copy(const char* kernel, Copy copy, unsigned block) {
        const auto launch = [copy](lab::ArraySum::Set& set, unsigned grid, unsigned block) {
            lab::launch(copy, grid, block)(words(set.a), words(set.c));
        };
        add(kernel, block, 8, launch, [arrays = arrays_] {
            arrays->check_repeats(arrays->values_of_a(), 0, {0, arrays->size()});
        });
    }

    template <class Scale>
    void add_scale(const char* kernel, Scale scale, unsigned block) {
        const auto launch = [scale](lab::ArraySum::Set& set, unsigned grid, unsigned block) {
            lab::launch(scale, grid, block)(0.5f, words(set.a), words(set.c));
        };
        add(kernel, block, 8, launch, [arrays = arrays_] {
            std::vector<float> halves = arrays->values_of_a();
            for (float& value : halves) value *= 0.5f;  // exact
            arrays->check_repeats(halves, 0, {0, arrays->size()});
        });
    }

    void add_write(unsigned block) {
        const auto launch = [](lab::ArraySum::Set& set, unsigned grid, unsigned block) {
            lab::launch(write_wide, grid, block)(0.5f, words(set.c));
        };
        add("write_wide", block, 4, launch, [arrays = arrays_] {
            arrays->check_repeats(std::vector<float>(1 << 20, 0.5f), 0, {0, arrays->size()});
        });
    }

    void add_read(unsigned block) {
        const auto launch = [](lab::ArraySum::Set& set, unsigned grid, unsigned block) {
            lab::launch(read_wide<4>, grid / 4, block)(words(set.a), set.c.get());
        };
        add("read_wide", block, 4, launch,
            [arrays = arrays_, block] { check_warp_sums(*arrays, 4, block); });
    }

    const std::vector<lab::Variant>& rows() const { return rows_; }

  private:
    template <class Launch>
    void add(const char* kernel, unsigned block, double bytes_per_element, Launch launch,
             std::function<void()> check) {
        const std::size_t n = arrays_->size();
        const double bytes = bytes_per_element * static_cast<double>(n);
        const unsigned grid = lab::blocks_for(n / 4, block);
        rows_.push_back({.name = lab::variant_name(
                             kernel, {{"block", block}, {"n", n}, {"cache", lab::text(cold)}}),
                         .bytes = bytes,
                         .working_set_bytes = static_cast<std::size_t>(bytes),
                         .sets = sets_,
                         .prepare = [arrays = arrays_] { arrays->set(0).c.poison(); },
                         .launch = [=, arrays = arrays_](
                                       std::size_t set) { launch(arrays->set(set), grid, block); },
                         .check = std::move(check)});
    }

    Arrays arrays_;
    std::size_t sets_;
    std::vector<lab::Variant> rows_;
};

std::vector<lab::Variant> ceilings(const Arrays& arrays, std::size_t sets) {
    Ceilings all(arrays, sets);
    all.add_copy("copy_wide", copy_wide<Plain>, 512);
    all.add_scale("scale_wide", scale_wide<Plain>, 512);
    if (has_eviction_priorities()) {
        for (const unsigned block : {256u, 1024u}) {
            all.add_copy("copy_wide_evict_last", copy_evict_last(), block);
            all.add_scale("scale_wide_evict_last", scale_evict_last(), block);
        }
        all.add_copy("copy_keep_reads", copy_keep_reads(), 512);
        all.add_copy("copy_keep_writes", copy_keep_writes(), 512);
    }
    all.add_write(512);
    all.add_read(512);
    return all.rows();
}

// How much of the L2 a copy needs, and for which of its lines.
std::vector<lab::Variant> copies_with_less_l2(const std::vector<lab::Variant>& ceilings) {
    std::vector<lab::Variant> rows;
    for (const lab::Variant& ceiling : ceilings) {
        const bool is_plain = ceiling.name.starts_with("copy_wide/");
        if (!is_plain && !ceiling.name.starts_with("copy_keep_")) continue;
        for (const unsigned percent : {30u, 40u, 50u, 60u, 80u, 100u}) {
            rows.push_back(lab::with_l2_set_aside(ceiling, percent));
        }
    }
    return rows;
}

// The book's kernels at its size and at two that no L2 holds, whose time alone an emulated GPU predicts.
void add_source_sizes(lab::Experiment& experiment) {
    for (const std::size_t n : {1 << 20, 1 << 24, 1 << 26}) {
        const lab::Emulation emulation = experiment.emulation(n == 1 << 20);
        const auto arrays = std::make_shared<lab::ArraySum>(n, emulation);
        const std::size_t sets = experiment.cold_sets(arrays->bytes());
        for (const std::size_t offset : {0, 11, 128}) {
            if (lab::blocks_for(n, 512) <= experiment.device().max_grid_x) {
                experiment.add(variant(plain, arrays, offset, 512, cold, sets), emulation);
            }
            experiment.add(quarter_variant(arrays, offset, 512, sets), emulation);
            for (const Row& row : unrolled) {
                if (lab::blocks_for(n, 512 * row.elements_per_thread) >
                    experiment.device().max_grid_x)
                    continue;
                experiment.add(variant(row, arrays, offset, 512, cold, sets), emulation);
            }
        }
        experiment.add_memcpy(n * sizeof(float), cold);
    }
}

// How fast the work can be done at all, beside a copy.
void add_limit(lab::Experiment& experiment) {
    const bool timed = !experiment.device().emulated;
    const std::size_t n = timed ? std::size_t{1} << 29 : 1 << 20;
    const auto arrays = std::make_shared<lab::ArraySum>(n);
    const auto copy = experiment.memcpy_reference(n * sizeof(float), cold);
    const auto add = [&](lab::Variant variant) {
        variant.reference = copy;
        experiment.add(std::move(variant));
    };
    const std::size_t sets = timed ? 2 : 1;
    for (const unsigned block : {512u, 1024u}) {
        if (timed) {
            add(variant(plain, arrays, 0, block, cold, sets));
            add(variant(plain, arrays, 11, block, cold, sets));
            add(variant(unrolled[4], arrays, 0, block, cold, sets));
            add(variant(unrolled[4], arrays, 11, block, cold, sets));
        }
        for (const Row& row : wide) add(variant(row, arrays, 0, block, cold, sets));
        if (has_paced()) add(variant(paced, arrays, 0, block, cold, sets));
        add(variant(overlapping[2], arrays, 11, block, cold, sets));
        add(variant(shuffled[2], arrays, 11, block, cold, sets));
        if (!has_eviction_priorities()) continue;
        for (const std::size_t offset : {0, 11}) {
            add(variant(evict_last(offset), arrays, offset, block, cold, sets));
        }
    }
    if (has_bulk_copies()) add(variant(bulk(), arrays, 0, 512, cold, sets));
    const std::vector<lab::Variant> all_of_l2 = ceilings(arrays, sets);
    for (const lab::Variant& ceiling : all_of_l2) add(ceiling);
    if (!lab::has_l2_set_aside()) return;
    for (lab::Variant& row : copies_with_less_l2(all_of_l2)) add(std::move(row));
    add(lab::with_l2_set_aside(variant(evict_last(11), arrays, 11, 1024, cold, sets), set_aside));
    if (!has_bulk_copies()) return;
    add(lab::with_l2_set_aside(variant(bulk(), arrays, 0, 512, cold, sets), set_aside));
}

void add_validations(lab::Experiment& experiment, std::size_t n) {
    const auto ragged = std::make_shared<lab::ArraySum>(n);
    for (const std::size_t offset : {0, 1, 2, 3, 11, 128, 129}) {
        if (offset > n) continue;
        const auto validate = [&](const Row& row, unsigned block) {
            experiment.add_validation(variant(row, ragged, offset, block, lab::Cache::warm, 1));
        };
        for (const Row& row : unrolled) validate(row, 96);
        if (offset % 4 == 0) {
            for (const Row& row : wide) validate(row, 64);
            if (has_paced()) validate(paced, 64);
        } else {
            validate(overlapping[offset % 4 - 1], 64);
            validate(shuffled[offset % 4 - 1], 64);
        }
        if (has_eviction_priorities()) validate(evict_last(offset), 64);
        if (has_bulk_copies() && offset % 4 == 0) validate(bulk(), 64);
    }
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("07_unroll4", argc, argv);
    add_source_sizes(experiment);
    add_limit(experiment);
    for (const std::size_t n : {1, 3, 31, 4096, 100003, 1000000}) add_validations(experiment, n);
    return experiment.run();
}

// Chapter 04: is a read faster through the read-only cache?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Read-only
// cache". It prints a copy through __ldg, and no measurement; GPUs of compute capability 3.5.
//
// Variants: each as plain loads, through __ldg (_ldg), and through const __restrict__ (_restrict):
//           read_offset  vector addition at offsets 0 and 11
//           gather       scattered over the whole array (scatter:array), or over the elements that
//                        the block itself writes (scatter:block)
//           sum_table    a table of 4 KB that every thread reads a part of
//           copy         the book's printed kernel (_ldg), and as a plain load
//           sum_constant the same table in constant memory, a sector for each lane (_by_lane) or for
//                        each warp (_uniform)
//           Blocks of 512 threads. n = 2^20, 2^24 and 2^26 (805 MB for three arrays, more than four
//           times any L2 of today).
// Model:    read_offset: two 4-byte loads, one store and one addition an element; gather: a 4-byte
//           load and a 4-byte index, one store; sum_table: one store and 8 additions, the table once.
// Differs:  in the book's copy `blockDim` lacks .x. A Fermi has no read-only path and loads plainly.
#include <algorithm>
#include <bit>

#include "kernels.cuh"
#include "lab/device/cuda_check.hpp"
#include "lab/experiment/chapter.hpp"
#include "problems/sum_rows.hpp"

namespace {

constexpr unsigned block = 512;

// A kernel three times: plain loads, __ldg, const __restrict__.
template <class Code>
struct Kernel {
    const char* kernel;
    Code code;
};

constexpr Kernel<lab::AddKernel> sums[] = {{"read_offset", read_offset},
                                           {"read_offset_ldg", read_offset_ldg},
                                           {"read_offset_restrict", read_offset_restrict}};
constexpr Kernel<void (*)(const float*, float*)> copies[] = {{"copy", copy},
                                                             {"copy_ldg", copy_ldg}};
constexpr Kernel<void (*)(const float*, const int*, float*, std::size_t)> gathers[] = {
    {"gather", gather}, {"gather_ldg", gather_ldg}, {"gather_restrict", gather_restrict}};
constexpr Kernel<void (*)(const float*, float*, std::size_t)> table_sums[] = {
    {"sum_table", sum_table},
    {"sum_table_ldg", sum_table_ldg},
    {"sum_table_restrict", sum_table_restrict}};
// The same table in constant memory: a sector for each thread, or for each warp.
constexpr struct {
    const char* kernel;
    void (*code)(float*, std::size_t);
    std::size_t threads_per_sector;
} constant_sums[] = {{"sum_constant_by_lane", sum_constant_by_lane, 1},
                     {"sum_constant_uniform", sum_constant_uniform, 32}};

// Where element i of a run of n goes: a permutation that looks random. Each step can be undone on the
// numbers below a power of two; what lands outside of the run goes round again.
std::size_t scattered(std::size_t i, std::size_t n) {
    const std::size_t size = std::bit_ceil(n);
    const int half = std::max(1, static_cast<int>(std::bit_width(size)) / 2);
    do {
        for (const std::size_t odd : {0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35}) {
            i = (i * odd + 12345) & (size - 1);
            i ^= i >> half;
        }
    } while (i >= n);
    return i;
}

// out[i] = in[index[i]], elements permuted over the whole array or within each block's; in as many
// sets as launches need. The kernels only move the elements, so that they may be any bits: element
// i is the integer i, and what has to come out is the index.
class Gather {
  public:
    struct Set {
        lab::DeviceBuffer<int> in, out, index;
    };

    Gather(std::size_t n, bool over_array) : n(n), over_array_(over_array) {}

    const std::size_t n;

    Set& set(std::size_t number) {
        return lab::set_of(sets_, number, [&] {
            using Ints = lab::DeviceBuffer<int>;
            Set set = {Ints(n), Ints(n), Ints(n)};
            const std::size_t bytes = n * sizeof(int);
            if (sets_.empty()) {
                fill(set);
            } else {
                lab::backend::copy_on_device(set.in.get(), sets_[0].in.get(), bytes);
                lab::backend::copy_on_device(set.index.get(), sets_[0].index.get(), bytes);
            }
            return set;
        });
    }

  private:
    int source(std::size_t i) const {
        const std::size_t first = over_array_ ? 0 : i / block * block;
        const std::size_t run = over_array_ ? n : std::min<std::size_t>(block, n - first);
        return static_cast<int>(first + scattered(i - first, run));
    }
    // In pieces that stay in the host's caches: it takes longer to get memory for whole arrays.
    void fill(Set& set) const {
        std::vector<int> in(std::min<std::size_t>(n, 1 << 18));
        std::vector<int> index(in.size());
        for (std::size_t begin = 0; begin < n; begin += in.size()) {
            const std::size_t count = std::min(in.size(), n - begin);
            for (std::size_t i = 0; i < count; ++i) {
                in[i] = static_cast<int>(begin + i);
                index[i] = source(begin + i);
            }
            lab::backend::copy_to_device(set.in.get() + begin, in.data(), count * sizeof(int));
            lab::backend::copy_to_device(set.index.get() + begin, index.data(),
                                         count * sizeof(int));
        }
    }

    bool over_array_;
    std::vector<Set> sets_;
};

// sums[i] = the sum of a sector of a small table; one table, and as many outputs as launches need.
class Table {
  public:
    explicit Table(std::size_t n) : n(n) {}

    const std::size_t n;
    const float* entries() {
        if (entries_.size() == 0) entries_ = lab::DeviceBuffer<float>(values_);
        return entries_.get();
    }
    lab::DeviceBuffer<float>& sums(std::size_t number) {
        return lab::set_of(sums_, number, [&] { return lab::DeviceBuffer<float>(n); });
    }
    // `threads` neighbours add up the same sector. From the end of the table on, threads begin at its
    // first entry again.
    void check(std::size_t threads) {
        std::vector<float> sums_of_sectors(table_entries / entries_per_thread);
        for (std::size_t i = 0; i < table_entries; ++i) {
            sums_of_sectors[i / entries_per_thread] += values_[i];
        }
        const auto expected = lab::tabulated(threads * sums_of_sectors.size(), [&](std::size_t i) {
            return sums_of_sectors[i / threads];
        });
        lab::expect_repeats(sums(0), {0, n}, lab::DeviceBuffer<float>(expected));
    }
    void fill_constant_memory() const {
        LAB_CUDA_CHECK(
            cudaMemcpyToSymbol(constant_table, values_.data(), values_.size() * sizeof(float)));
    }

  private:
    const std::vector<float> values_ = lab::random_floats(table_entries, 1);
    lab::DeviceBuffer<float> entries_;
    std::vector<lab::DeviceBuffer<float>> sums_;
};

// "kernel/parameter/block:512/n:…/cache:cold" and what all rows have in common.
lab::Variant cold_row(const char* kernel, std::initializer_list<lab::Parameter> parameters,
                      std::size_t n, std::size_t bytes) {
    const std::string name = lab::variant_name(kernel, parameters);
    return {.name = lab::variant_name(name, {{"block", block}, {"n", n}, {"cache", "cold"}}),
            .bytes = static_cast<double>(bytes),
            .working_set_bytes = bytes,
            .cache = lab::Cache::cold};
}

using Rows = std::vector<lab::Variant>;

void add_sums_and_copies(Rows& rows, std::size_t n) {
    const lab::ArraySum arrays(n);
    const unsigned grid = lab::blocks_for(n, block);
    for (const std::size_t offset : {0, 11}) {
        if (offset > n) continue;
        for (const auto& [kernel, code] : sums) {
            rows.push_back(lab::sum_row(kernel, code, arrays, offset, block, lab::Cache::cold));
        }
    }
    if (n % block != 0) return;
    for (const auto& [kernel, code] : copies) {
        const auto copy = lab::launch(code, grid, block);
        lab::Variant row =
            arrays.row_on_sets(lab::variant_name(kernel, {{"block", block}}), lab::Cache::cold,
                               [=](lab::ArraySum::Set& set) { copy(set.a.get(), set.c.get()); });
        row.working_set_bytes = 2 * sizeof(float) * n;
        row.bytes = static_cast<double>(row.working_set_bytes);
        row.check = [=] { arrays.check_repeats(arrays.values_of_a(), 0, {0, n}); };
        rows.push_back(std::move(row));
    }
}

void add_gathers(Rows& rows, std::size_t n, bool over_array) {
    const auto data = std::make_shared<Gather>(n, over_array);
    for (const auto& [kernel, code] : gathers) {
        const auto gather = lab::launch(code, lab::blocks_for(n, block), block);
        lab::Variant row = cold_row(kernel, {{"scatter", over_array ? "array" : "block"}}, n,
                                    3 * sizeof(float) * n);
        row.prepare = [=] { data->set(0).out.poison(); };
        row.launch = [=](std::size_t number) {
            auto& [in, out, index] = data->set(number);
            gather(reinterpret_cast<const float*>(in.get()), index.get(),
                   reinterpret_cast<float*>(out.get()), n);
        };
        row.check = [=] {
            const auto& [in, out, index] = data->set(0);
            lab::expect_repeats(out, {0, n}, index);
        };
        row.buffers = data.get();
        rows.push_back(std::move(row));
    }
}

void add_tables(Rows& rows, std::size_t n) {
    const auto table = std::make_shared<Table>(n);
    // `threads` neighbours add up the same sector.
    const auto add = [&](const char* kernel, std::size_t threads, auto launch) {
        lab::Variant row =
            cold_row(kernel, {{"entries", table_entries}}, n, sizeof(float) * (table_entries + n));
        row.flops = static_cast<double>(entries_per_thread * n);
        row.prepare = [=] {
            table->fill_constant_memory();
            table->sums(0).poison();
        };
        row.launch = [=](std::size_t number) { launch(table->sums(number).get()); };
        row.check = [=] { table->check(threads); };
        row.buffers = table.get();
        rows.push_back(std::move(row));
    };
    const unsigned grid = lab::blocks_for(n, block);
    for (const auto& [kernel, code] : table_sums) {
        add(kernel, 1, [=, sum = lab::launch(code, grid, block)](float* sums) {
            sum(table->entries(), sums, n);
        });
    }
    for (const auto& [kernel, code, threads] : constant_sums) {
        add(kernel, threads,
            [=, sum = lab::launch(code, grid, block)](float* sums) { sum(sums, n); });
    }
}

Rows rows_of_size(std::size_t n) {
    Rows rows;
    add_sums_and_copies(rows, n);
    add_gathers(rows, n, true);
    add_gathers(rows, n, false);
    add_tables(rows, n);
    return rows;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("04_read_only_cache", argc, argv);
    for (const std::size_t n : {1 << 20, 1 << 24, 1 << 26}) {
        // Filling the largest arrays takes long; counts of a request and the bound are those of 2^24.
        const bool is_largest = n == 1 << 26;
        experiment.add(rows_of_size(n),
                       is_largest ? lab::Evidence::measured : lab::Evidence::by_size);
        experiment.add_memcpy(n * sizeof(float), lab::Cache::cold);
    }
    for (const std::size_t n : {1, 31, 1009, 100003}) experiment.add_validation(rows_of_size(n));
    return experiment.run();
}

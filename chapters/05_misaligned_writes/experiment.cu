// Chapter 05: does a misaligned write cost what it is said to cost, and which transactions make it
// up?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Global
// memory writes". There: offsets 0, 11, 128, blocks of 512 threads, a Fermi GPU.
//
// Variants: write_offset at offsets 0...32, 64 and 128; fill_offset (stores alone), and chapter
// 02's
//           read_offset beside them, at a few; write_lanes at offset 11 by the lanes before the
//           128-byte boundary (0 to 20) and by those behind it (21 to 31), and at offset 0 by the 8
//           lanes that fill one sector. Blocks of 512; n = 2^20 (cold; warm without the sweep) and
//           2^26 (805 MB, more than four times any L2 of today; GPU only).
// Model:    an element written is two 4-byte loads (none in fill_offset), one 4-byte store, one
//           addition; n - offset elements, or what the lanes' share of them is.
// Differs:  the index is 64 bits wide; cold rows rotate through buffer sets that together exceed
// four
//           times the L2, because 12 MB fit an L2 of today whole.
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "../02_misaligned_reads/kernels.cuh"
#include "kernels.cuh"
#include "lab/device_buffer.hpp"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/random_values.hpp"
#include "lab/validation.hpp"
#include "lab/variant_name.hpp"

namespace {

constexpr unsigned block = 512;
constexpr float fill_value = 0.375f;

// The arrays of one problem size, in as many sets as the launches rotate through. Made when the
// first variant needs them, shared by all variants of that size.
class Arrays {
  public:
    struct Set {
        lab::DeviceBuffer<float> a, b, c;
    };

    explicit Arrays(std::size_t size)
        : n(size), a(lab::random_floats(size, 1)), b(lab::random_floats(size, 2)) {}

    const std::size_t n;
    const std::vector<float> a, b;

    Set& set(std::size_t index) {
        while (sets_.size() <= index) {
            sets_.push_back({lab::DeviceBuffer<float>(a), lab::DeviceBuffer<float>(b),
                             lab::DeviceBuffer<float>(n)});
        }
        return sets_[index];
    }

  private:
    std::vector<Set> sets_;
};

// One row. Thread i of the first `threads` writes c[i + shift] = value(i) where its lane is one of
// first_lane to last_lane; every other element of c must be left alone.
struct Row {
    std::string kernel;
    std::size_t offset = 0;
    std::string lanes = {};  // "" for all
    unsigned first_lane = 0;
    unsigned last_lane = 31;
    std::size_t shift = 0;
    std::size_t accesses = 3;  // of 4 bytes, for an element
    std::function<float(const Arrays&, std::size_t i)> value;
    std::function<void(Arrays::Set&, std::size_t n)> launch;
};

lab::Variant variant(const lab::Experiment& experiment, std::shared_ptr<Arrays> arrays,
                     lab::Cache cache, Row row) {
    const std::size_t n = arrays->n;
    const std::size_t threads = n - row.offset;
    const auto writes = [=](std::size_t i) {
        return row.first_lane <= i % 32 && i % 32 <= row.last_lane;
    };
    std::size_t written = 0;
    for (std::size_t i = 0; i < threads; ++i) written += writes(i);
    std::string name = lab::variant_name(row.kernel, {{"offset", row.offset}});
    if (!row.lanes.empty()) name += "/lanes:" + row.lanes;
    const std::size_t working_set = row.accesses * sizeof(float) * n;
    return {
        .name = lab::variant_name(name, {{"block", block}, {"n", n}, {"cache", lab::text(cache)}}),
        .bytes = static_cast<double>(row.accesses * sizeof(float) * written),
        .flops = row.accesses == 3 ? static_cast<double>(written) : 0,
        .working_set_bytes = working_set,
        .sets = experiment.sets(cache, working_set),
        .prepare = [=] { arrays->set(0).c.poison(); },
        .launch = [=](std::size_t index) { row.launch(arrays->set(index), n); },
        .check =
            [=] {
                const std::vector<float> c = arrays->set(0).c.to_host();
                std::vector<float> actual, expected, untouched;
                for (std::size_t k = 0; k < n; ++k) {
                    const std::size_t i = k - row.shift;  // wraps around below the offset
                    if (i < threads && writes(i)) {
                        actual.push_back(c[k]);
                        expected.push_back(row.value(*arrays, i));
                    } else {
                        untouched.push_back(c[k]);
                    }
                }
                lab::expect_equal<float>(actual, expected);
                lab::expect_untouched<float>(untouched);
            },
    };
}

Row write_row(std::size_t offset) {
    return {.kernel = "write_offset",
            .offset = offset,
            .shift = offset,
            .value = [](const Arrays& arrays, std::size_t i) { return arrays.a[i] + arrays.b[i]; },
            .launch =
                [=](Arrays::Set& set, std::size_t n) {
                    lab::launch(write_offset, lab::blocks_for(n, block), block)(
                        set.a.get(), set.b.get(), set.c.get(), n, offset);
                }};
}

Row fill_row(std::size_t offset) {
    return {.kernel = "fill_offset",
            .offset = offset,
            .shift = offset,
            .accesses = 1,
            .value = [](const Arrays&, std::size_t) { return fill_value; },
            .launch =
                [=](Arrays::Set& set, std::size_t n) {
                    lab::launch(fill_offset, lab::blocks_for(n, block), block)(
                        fill_value, set.c.get(), n, offset);
                }};
}

Row lanes_row(std::size_t offset, unsigned first, unsigned last) {
    Row row = write_row(offset);
    row.kernel = "write_lanes";
    row.lanes = std::to_string(first) + "-" + std::to_string(last);
    row.first_lane = first;
    row.last_lane = last;
    row.launch = [=](Arrays::Set& set, std::size_t n) {
        lab::launch(write_lanes, lab::blocks_for(n, block), block)(
            set.a.get(), set.b.get(), set.c.get(), n, offset, first, last);
    };
    return row;
}

// Chapter 02's kernel: the same offset on the other side.
Row read_row(std::size_t offset) {
    return {.kernel = "read_offset",
            .offset = offset,
            .value = [=](const Arrays& arrays,
                         std::size_t i) { return arrays.a[i + offset] + arrays.b[i + offset]; },
            .launch =
                [=](Arrays::Set& set, std::size_t n) {
                    lab::launch(read_offset, lab::blocks_for(n, block), block)(
                        set.a.get(), set.b.get(), set.c.get(), n, offset);
                }};
}

std::vector<Row> rows(const std::vector<std::size_t>& write_offsets) {
    std::vector<Row> rows = {lanes_row(0, 0, 7), lanes_row(11, 0, 20), lanes_row(11, 21, 31)};
    for (const std::size_t offset : write_offsets) rows.push_back(write_row(offset));
    for (const std::size_t offset : {0, 8, 11, 128}) rows.push_back(fill_row(offset));
    for (const std::size_t offset : {0, 11, 128}) rows.push_back(read_row(offset));
    return rows;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("05_misaligned_writes", argc, argv);
    std::vector<std::size_t> sweep(33);
    std::iota(sweep.begin(), sweep.end(), 0);
    sweep.insert(sweep.end(), {64, 128});
    const std::vector<std::size_t> source_offsets = {0, 11, 128};

    const auto add = [&](const auto& arrays, lab::Cache cache, const auto& write_offsets) {
        for (const Row& row : rows(write_offsets)) {
            experiment.add(variant(experiment, arrays, cache, row));
        }
        experiment.add_memcpy(arrays->n * sizeof(float), cache);
    };
    const auto small = std::make_shared<Arrays>(1 << 20);
    add(small, lab::Cache::cold, sweep);
    if (!experiment.device().emulated) {
        add(small, lab::Cache::warm, source_offsets);
        add(std::make_shared<Arrays>(1 << 26), lab::Cache::cold, sweep);
    }
    // Ragged: n is no multiple of a warp, the last block is nearly empty, n - offset crosses a
    // block.
    for (const std::size_t n : {std::size_t{1}, std::size_t{31}, std::size_t{1000003}}) {
        const auto arrays = std::make_shared<Arrays>(n);
        for (const Row& row : rows(source_offsets)) {
            if (row.offset >= n) continue;
            experiment.add_validation(variant(experiment, arrays, lab::Cache::warm, row));
        }
    }
    return experiment.run();
}

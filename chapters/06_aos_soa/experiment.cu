// Chapter 06: does an array of structures waste the bandwidth of the unused fields?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Array of
// structures versus structure of arrays". There: structures of two floats, blocks of 128, Fermi.
//
// Variants: sum_into_one_field, the book's example, into an array of structures (record:8) and
//           into a plain array (record:4); one field and all fields as an array of structures and
//           as a structure of arrays; whole records of a declared alignment. Records of 2, 3 and 4
//           bytes (fields of one byte) and of 8, 12 and 16 (floats); 3 and 12 cannot be aligned to
//           their size, and there is no aos_whole_record of them. n = 2^20; also 2^22 (the
//           source's record alone; cold, and warm where a structure of arrays fits an L2 of 60 MB
//           that an array of structures does not) and 2^24 (not on Fermi), whose time alone an emulated
//           GPU predicts. aos_field_twice, soa_field_twice: one field
//           read twice, of as many records as make it 60 % of the L2.
// Model:    an element is a load and a store of each field that is written; what a kernel does not
//           ask for is no part of its bytes, so a wasted byte shows as bandwidth lost. An addition
//           a field of floats. The working set counts whole records: they are what is touched.
// Differs:  indices are 64 bits wide; the source prints no kernel that also loads one field of a
//           structure: aos_one_field is the application that its text describes.
#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "kernels.cuh"
#include "lab/device_buffer.hpp"
#include "lab/device_validation.hpp"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/random_values.hpp"
#include "lab/repeated_values.hpp"
#include "lab/validation.hpp"
#include "lab/variant_name.hpp"

namespace {

constexpr unsigned block = 128;

// How many values the fields repeat, one after another. A prime, so that they come back in the same
// fields after as many records, whatever the layout; lab::period would make that too large.
constexpr std::size_t period = 65521;

enum class Layout { structures, arrays };

// Bytes are below 200: neither they nor a sum with an increment is the poison.
template <class Field>
Field as_field(float value) {
    if constexpr (std::is_same_v<Field, float>) return value;
    return static_cast<Field>((value + 1) * 100);
}

// `n` records of `fields` fields, one run of fields whatever the layout; in as many sets as the
// launches rotate through.
template <class Field, int fields>
class Records {
  public:
    struct Set {
        lab::DeviceBuffer<Field> data, result;
    };

    explicit Records(std::size_t records, lab::Emulation emulation = lab::Emulation::whole)
        : n(records), emulation_(emulation), values_(period) {
        std::ranges::transform(lab::random_floats(period, 1), values_.begin(), as_field<Field>);
    }

    const std::size_t n;

    Field value(std::size_t at) const { return values_[at % period]; }
    // Where the layout has field k of record i.
    std::size_t position(Layout layout, std::size_t k, std::size_t i) const {
        return layout == Layout::structures ? i * fields + k : k * n + i;
    }

    Set& set(std::size_t index) {
        while (sets_.size() <= index && emulation_ == lab::Emulation::sampled) {
            sets_.push_back({lab::unfilled<Field>(n * fields), lab::unfilled<Field>(n * fields)});
        }
        while (sets_.size() <= index) {
            sets_.push_back(
                {lab::repeated(values_, n * fields), lab::DeviceBuffer<Field>(n * fields)});
        }
        return sets_[index];
    }

    // Of each record the first `written` fields must be `reference(k, i)`, and the others left
    // alone. The reference repeats after `period` records.
    template <class Reference>
    void check(std::size_t written, Layout layout, Reference reference) {
        const lab::DeviceBuffer<Field>& result = set(0).result;
        if (layout == Layout::structures) {
            const auto records = image(0, fields, written, reference);
            return lab::expect_repeats(result, {0, n * fields}, records);
        }
        for (std::size_t k = 0; k < written; ++k) {
            const auto array = image(k, 1, 1, reference);
            lab::expect_repeats(result, {position(layout, k, 0), n}, array);
        }
        lab::expect_untouched(result, {written * n, (fields - written) * n});
    }

  private:
    // What the fields from `first` on have to be until it repeats: `each` of them a record,
    // poison where they are not written.
    template <class Reference>
    lab::DeviceBuffer<Field> image(std::size_t first, std::size_t each, std::size_t written,
                                   Reference reference) const {
        std::vector<Field> expected(each * std::min(n, period), lab::poison_value<Field>());
        for (std::size_t i = 0; i * each < expected.size(); ++i) {
            for (std::size_t k = 0; k < written; ++k) {
                expected[i * each + k] = reference(first + k, i);
            }
        }
        return lab::DeviceBuffer<Field>(expected);
    }

    lab::Emulation emulation_;
    std::vector<Field> values_;
    std::vector<Set> sets_;
};

// The variants of one record, one problem size and one cache state.
template <class Field, int fields>
std::vector<lab::Variant> variants_of(const lab::Experiment& experiment,
                                      std::shared_ptr<Records<Field, fields>> records,
                                      lab::Cache cache) {
    using Set = typename Records<Field, fields>::Set;
    using Aos = Record<Field, fields>;
    using Aligned = AlignedRecord<Field, fields>;
    constexpr bool is_of_floats = std::is_same_v<Field, float>;
    const std::size_t n = records->n;
    const unsigned grid = lab::blocks_for(n, block);
    std::vector<lab::Variant> variants;
    // Of each record, `used` fields are loaded or stored, `written` of them stored, and the sectors
    // of `touched` fields move.
    struct Traffic {
        std::size_t used, written, touched;
    };
    // Of one type each, whatever the kernel: the compiler makes the variants of a record once.
    using Launch = std::function<void(Set&)>;
    using Reference = std::function<Field(std::size_t k, std::size_t i)>;
    const auto add = [&](const char* kernel, std::size_t record_bytes, Traffic traffic,
                         const Launch& launch, Layout layout, const Reference& reference) {
        const std::size_t working_set = traffic.touched * n * sizeof(Field);
        variants.push_back({
            .name = lab::variant_name(kernel, {{"record", record_bytes},
                                               {"block", block},
                                               {"n", n},
                                               {"cache", lab::text(cache)}}),
            .bytes = static_cast<double>(traffic.used * n * sizeof(Field)),
            .flops = is_of_floats ? static_cast<double>(traffic.written * n) : 0,
            .working_set_bytes = working_set,
            .sets = experiment.sets(cache, working_set),
            .prepare = [records] { records->set(0).result.poison(); },
            .launch = [=](std::size_t index) { launch(records->set(index)); },
            .check = [=] { records->check(traffic.written, layout, reference); },
        });
    };
    // A kernel that adds 10 * (k + 1) to field k.
    const auto add_growing = [&](const char* kernel, Traffic traffic, const Launch& launch,
                                 Layout layout) {
        add(kernel, sizeof(Aos), traffic, launch, layout, [=](std::size_t k, std::size_t i) {
            return static_cast<Field>(records->value(records->position(layout, k, i)) +
                                      static_cast<Field>(10 * (k + 1)));
        });
    };
    const auto aos = [](auto& buffer) { return reinterpret_cast<Aos*>(buffer.get()); };
    const auto aligned = [](auto& buffer) { return reinterpret_cast<Aligned*>(buffer.get()); };
    const Traffic all_fields = {2 * fields, fields, 2 * fields};

    add_growing(
        "aos_one_field", {2, 1, 2 * fields},
        [=](Set& set) {
            lab::launch(aos_one_field<Aos>, grid, block)(aos(set.data), aos(set.result), n);
        },
        Layout::structures);
    add_growing(
        "soa_one_field", {2, 1, 2},
        [=](Set& set) {
            lab::launch(soa_one_field<Field>, grid, block)(set.data.get(), set.result.get(), n);
        },
        Layout::arrays);
    add_growing(
        "aos_all_fields", all_fields,
        [=](Set& set) {
            lab::launch(aos_all_fields<Field, fields>, grid, block)(aos(set.data), aos(set.result),
                                                                    n);
        },
        Layout::structures);
    add_growing(
        "soa_all_fields", all_fields,
        [=](Set& set) {
            lab::launch(soa_all_fields<Field, fields>, grid, block)(set.data.get(),
                                                                    set.result.get(), n);
        },
        Layout::arrays);
    if constexpr (std::has_single_bit(sizeof(Aos))) {
        add_growing(
            "aos_whole_record", all_fields,
            [=](Set& set) {
                lab::launch(aos_whole_record<Field, fields>, grid, block)(aligned(set.data),
                                                                          aligned(set.result), n);
            },
            Layout::structures);
    }
    if constexpr (is_of_floats && fields == 2) {
        const auto sum = [=](std::size_t, std::size_t i) {
            return records->value(i) + records->value(n + i);
        };
        // a and b are the halves of the data.
        add(
            "sum_into_one_field", sizeof(Aos), {3, 1, 4},
            [=](Set& set) {
                lab::launch(sum_into_one_field<Aos>, grid, block)(
                    set.data.get(), set.data.get() + n, aos(set.result), n);
            },
            Layout::structures, sum);
        using Alone = Record<float, 1>;
        add(
            "sum_into_one_field", sizeof(Alone), {3, 1, 3},
            [=](Set& set) {
                lab::launch(sum_into_one_field<Alone>, grid, block)(
                    set.data.get(), set.data.get() + n, reinterpret_cast<Alone*>(set.result.get()),
                    n);
            },
            Layout::arrays, sum);
    }
    return variants;
}

// One record at one size: cold and warm as asked, or to be validated alone where nothing is asked.
template <class Field, int fields>
void add_record(lab::Experiment& experiment, std::size_t n, const std::vector<lab::Cache>& caches) {
    const lab::Emulation emulation = experiment.emulation(n <= 1 << 20);
    const auto records = std::make_shared<Records<Field, fields>>(n, emulation);
    for (const lab::Cache cache : caches) {
        for (auto& variant : variants_of(experiment, records, cache))
            experiment.add(std::move(variant), emulation);
    }
    if (!caches.empty()) return;
    for (auto& variant : variants_of(experiment, records, lab::Cache::warm)) {
        experiment.add_validation(std::move(variant));
    }
}

void add_all_records(lab::Experiment& experiment, std::size_t n,
                     const std::vector<lab::Cache>& caches) {
    add_record<unsigned char, 2>(experiment, n, caches);
    add_record<unsigned char, 3>(experiment, n, caches);
    add_record<unsigned char, 4>(experiment, n, caches);
    add_record<float, 2>(experiment, n, caches);
    add_record<float, 3>(experiment, n, caches);
    add_record<float, 4>(experiment, n, caches);
    if (!caches.empty()) experiment.add_memcpy(2 * sizeof(float) * n, lab::Cache::cold);
}

// As many records as make one field fill 60 % of the L2, and both of them more than all of it.
std::size_t records_beyond_l2(const lab::Experiment& experiment) {
    constexpr std::size_t whole = fields_per_thread * block;
    return experiment.device().l2_bytes * 6 / 10 / sizeof(float) / whole * whole;
}

// Small whole numbers: sums are exact in any order.
template <class Structure>
lab::Variant twice_variant(const char* name, std::size_t n) {
    constexpr std::size_t width = sizeof(Structure) / sizeof(float);
    struct Buffers {
        lab::DeviceBuffer<float> data, sums;
    };
    const auto buffers = std::make_shared<Buffers>();
    const auto value = [](std::size_t record) { return static_cast<float>(record % 61); };
    const unsigned grid = 2 * lab::blocks_for(n / fields_per_thread, block);
    return {.name = lab::variant_name(name, {{"record", sizeof(Structure)}, {"n", n}}),
            .bytes = 2.0 * sizeof(float) * n,
            .working_set_bytes = n * sizeof(Structure),
            .prepare =
                [=] {
                    std::vector<float> data(n * width);
                    for (std::size_t i = 0; i < n; ++i) data[i * width] = value(i);
                    buffers->data = lab::DeviceBuffer<float>(data);
                    buffers->sums = lab::DeviceBuffer<float>(std::size_t{grid} * block);
                },
            .launch =
                [=](std::size_t) {
                    lab::launch(sum_field_twice<Structure>, grid, block)(
                        reinterpret_cast<const Structure*>(buffers->data.get()),
                        buffers->sums.get());
                },
            .check =
                [=] {
                    std::vector<float> expected(std::size_t{grid} * block);
                    for (std::size_t i = 0; i < expected.size(); ++i) {
                        const std::size_t in_block = i / block % (grid / 2);
                        for (std::size_t k = 0; k < fields_per_thread; ++k) {
                            expected[i] +=
                                value((in_block * fields_per_thread + k) * block + i % block);
                        }
                    }
                    lab::expect_equal<float>(buffers->sums.to_host(), expected);
                }};
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("06_aos_soa", argc, argv);
    add_all_records(experiment, 1 << 20, {lab::Cache::cold});
    const std::size_t source_n = 1 << 22;
    add_record<float, 2>(experiment, source_n, {lab::Cache::cold, lab::Cache::warm});
    experiment.add_memcpy(2 * sizeof(float) * source_n, lab::Cache::cold);
    experiment.add_memcpy(2 * sizeof(float) * source_n, lab::Cache::warm);
    if (lab::blocks_for(1 << 24, block) <= experiment.device().max_grid_x) {
        add_all_records(experiment, 1 << 24, {lab::Cache::cold});
    }
    const std::size_t n = records_beyond_l2(experiment);
    for (lab::Variant variant : {twice_variant<Record<float, 2>>("aos_field_twice", n),
                                 twice_variant<Record<float, 1>>("soa_field_twice", n)}) {
        // An emulated L2 displaces nothing: there is nothing to count.
        if (experiment.device().emulated) {
            experiment.add_validation(std::move(variant));
        } else {
            experiment.add(std::move(variant));
        }
    }
    // Ragged: n is no multiple of a warp, and the arrays of a structure of arrays begin anywhere.
    for (const std::size_t ragged : {std::size_t{1}, std::size_t{31}, std::size_t{100003}}) {
        add_all_records(experiment, ragged, {});
    }
    return experiment.run();
}

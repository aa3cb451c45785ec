// Chapter 06: does an array of structures waste the bandwidth of the fields that nobody asks for?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Array of
// structures versus structure of arrays". There: structures of two floats, blocks of 128, Fermi.
//
// Variants: sum_into_one_field, the source's example, into an array of structures (record:8) and
// into
//           a plain array (record:4); one field and all fields as an array of structures and as a
//           structure of arrays; whole records of a declared alignment. Records of 2, 3 and 4 bytes
//           (fields of one byte) and of 8, 12 and 16 (floats); 3 and 12 cannot be aligned to their
//           size, and there is no aos_whole_record of them.
//           n = 2^20; on a GPU also 2^22 (the source's record alone; cold, and warm where a
//           structure of arrays fits an L2 of 60 MB that an array of structures does not) and 2^24.
// Model:    an element is a load and a store of each field that is written; what a kernel does not
//           ask for is no part of its bytes, so a wasted byte shows as bandwidth lost. An addition
//           a field of floats. The working set counts whole records: they are what is touched.
// Differs:  indices are 64 bits wide; the source's kernels set both fields only, one field is ours.
#include <bit>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "kernels.cuh"
#include "lab/device_buffer.hpp"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/random_values.hpp"
#include "lab/validation.hpp"
#include "lab/variant_name.hpp"

namespace {

constexpr unsigned block = 128;

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

    explicit Records(std::size_t records) : n(records), values_(records * fields) {
        const std::vector<float> random = lab::random_floats(values_.size(), 1);
        for (std::size_t at = 0; at < random.size(); ++at)
            values_[at] = as_field<Field>(random[at]);
    }

    const std::size_t n;

    Field value(std::size_t at) const { return values_[at]; }

    Set& set(std::size_t index) {
        while (sets_.size() <= index) {
            sets_.push_back(
                {lab::DeviceBuffer<Field>(values_), lab::DeviceBuffer<Field>(values_.size())});
        }
        return sets_[index];
    }

    // `expected(at)` is what the field at `at` must be; nothing where it must be left alone.
    template <class Expected>
    void check(Expected expected) {
        const std::vector<Field> result = set(0).result.to_host();
        std::vector<float> written, reference;
        std::vector<Field> untouched;
        for (std::size_t at = 0; at < result.size(); ++at) {
            if (const std::optional<Field> right = expected(at)) {
                written.push_back(result[at]);
                reference.push_back(*right);
            } else {
                untouched.push_back(result[at]);
            }
        }
        lab::expect_equal<float>(written, reference);
        lab::expect_untouched<Field>(untouched);
    }

  private:
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
    // Of each record, `used` fields are loaded or stored, and the sectors of `touched` fields move.
    const auto add = [&](const char* kernel, std::size_t record_bytes, std::size_t used,
                         std::size_t touched, auto launch, auto expected) {
        variants.push_back({
            .name = lab::variant_name(kernel, {{"record", record_bytes},
                                               {"block", block},
                                               {"n", n},
                                               {"cache", lab::text(cache)}}),
            .bytes = static_cast<double>(used * n * sizeof(Field)),
            .flops = is_of_floats ? static_cast<double>(used / 2 * n) : 0,
            .working_set_bytes = touched * n * sizeof(Field),
            .sets = experiment.sets(cache, touched * n * sizeof(Field)),
            .prepare = [records] { records->set(0).result.poison(); },
            .launch = [=](std::size_t index) { launch(records->set(index)); },
            .check = [=] { records->check(expected); },
        });
    };
    const auto aos = [](auto& buffer) { return reinterpret_cast<Aos*>(buffer.get()); };
    const auto aligned = [](auto& buffer) { return reinterpret_cast<Aligned*>(buffer.get()); };
    // The field k of a record grows by 10 * (k + 1), where k is below `written`.
    const auto grown = [=](std::size_t at, std::size_t k,
                           std::size_t written) -> std::optional<Field> {
        if (k >= written) return std::nullopt;
        return static_cast<Field>(records->value(at) + static_cast<Field>(10 * (k + 1)));
    };
    const auto aos_grown = [=](std::size_t written) {
        return [=](std::size_t at) { return grown(at, at % fields, written); };
    };
    const auto soa_grown = [=](std::size_t written) {
        return [=](std::size_t at) { return grown(at, at / n, written); };
    };

    add(
        "aos_one_field", sizeof(Aos), 2, 2 * fields,
        [=](Set& set) {
            lab::launch(aos_one_field<Aos>, grid, block)(aos(set.data), aos(set.result), n);
        },
        aos_grown(1));
    add(
        "soa_one_field", sizeof(Aos), 2, 2,
        [=](Set& set) {
            lab::launch(soa_one_field<Field>, grid, block)(set.data.get(), set.result.get(), n);
        },
        soa_grown(1));
    add(
        "aos_all_fields", sizeof(Aos), 2 * fields, 2 * fields,
        [=](Set& set) {
            lab::launch(aos_all_fields<Field, fields>, grid, block)(aos(set.data), aos(set.result),
                                                                    n);
        },
        aos_grown(fields));
    add(
        "soa_all_fields", sizeof(Aos), 2 * fields, 2 * fields,
        [=](Set& set) {
            lab::launch(soa_all_fields<Field, fields>, grid, block)(set.data.get(),
                                                                    set.result.get(), n);
        },
        soa_grown(fields));
    if constexpr (std::has_single_bit(sizeof(Aos))) {
        add(
            "aos_whole_record", sizeof(Aos), 2 * fields, 2 * fields,
            [=](Set& set) {
                lab::launch(aos_whole_record<Field, fields>, grid, block)(aligned(set.data),
                                                                          aligned(set.result), n);
            },
            aos_grown(fields));
    }
    if constexpr (is_of_floats && fields == 2) {
        const auto add_sum = [&]<int result_fields>() {
            using Result = Record<float, result_fields>;
            add(
                "sum_into_one_field", sizeof(Result), 3, 2 + result_fields,
                [=](Set& set) {
                    lab::launch(sum_into_one_field<Result>, grid, block)(
                        set.data.get(), set.data.get() + n,
                        reinterpret_cast<Result*>(set.result.get()), n);
                },
                [=](std::size_t at) -> std::optional<float> {
                    const std::size_t i = at / result_fields;
                    if (at % result_fields != 0 || i >= n) return std::nullopt;
                    return records->value(i) + records->value(n + i);
                });
        };
        add_sum.template operator()<2>();
        add_sum.template operator()<1>();
    }
    return variants;
}

// One record at one size: cold and warm as asked, or to be validated alone where nothing is asked.
template <class Field, int fields>
void add_record(lab::Experiment& experiment, std::size_t n, const std::vector<lab::Cache>& caches) {
    const auto records = std::make_shared<Records<Field, fields>>(n);
    for (const lab::Cache cache : caches) {
        for (auto& variant : variants_of(experiment, records, cache))
            experiment.add(std::move(variant));
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

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("06_aos_soa", argc, argv);
    add_all_records(experiment, 1 << 20, {lab::Cache::cold});
    if (!experiment.device().emulated) {
        const std::size_t source_n = 1 << 22;
        add_record<float, 2>(experiment, source_n, {lab::Cache::cold, lab::Cache::warm});
        experiment.add_memcpy(2 * sizeof(float) * source_n, lab::Cache::cold);
        experiment.add_memcpy(2 * sizeof(float) * source_n, lab::Cache::warm);
        add_all_records(experiment, 1 << 24, {lab::Cache::cold});
    }
    // Ragged: n is no multiple of a warp, and the arrays of a structure of arrays begin anywhere.
    for (const std::size_t n : {std::size_t{1}, std::size_t{31}, std::size_t{100003}}) {
        add_all_records(experiment, n, {});
    }
    return experiment.run();
}

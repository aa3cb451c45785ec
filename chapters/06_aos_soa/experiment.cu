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
//           that an array of structures does not) and 2^24. aos_field_twice, soa_field_twice: one field
//           read twice, of as many records as make it 60 % of the L2.
// Model:    an element is a load and a store of each field that is written; what a kernel does not
//           ask for is no part of its bytes, so a wasted byte shows as bandwidth lost. An addition
//           a field of floats. The working set counts whole records: they are what is touched.
// Differs:  indices are 64 bits wide; the source prints no kernel that also loads one field of a
//           structure: aos_one_field is the application that its text describes.
#include <algorithm>
#include <bit>
#include <iterator>
#include <type_traits>

#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"

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

    explicit Records(std::size_t records) : n(records), values_(period) {
        std::ranges::transform(lab::random_floats(period, 1), values_.begin(), as_field<Field>);
    }

    const std::size_t n;

    Field value(std::size_t at) const { return values_[at % period]; }
    // Where the layout has field k of record i.
    std::size_t position(Layout layout, std::size_t k, std::size_t i) const {
        return layout == Layout::structures ? i * fields + k : k * n + i;
    }

    Set& set(std::size_t index) {
        return lab::set_of(sets_, index, [&] {
            return Set{lab::repeated(values_, n * fields), lab::DeviceBuffer<Field>(n * fields)};
        });
    }

    // The first `written` fields of each record must be `reference(k, i)`, and the others left
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
    // The expected fields from `first` on until they repeat: `each` of them a record,
    // poison where they are not written.
    template <class Reference>
    lab::DeviceBuffer<Field> image(std::size_t first, std::size_t each, std::size_t written,
                                   Reference reference) const {
        const auto expected = [&](std::size_t at) {
            const std::size_t k = at % each;
            return k < written ? reference(first + k, at / each) : lab::poison_value<Field>();
        };
        return lab::DeviceBuffer<Field>(lab::tabulated(each * std::min(n, period), expected));
    }

    std::vector<Field> values_;
    std::vector<Set> sets_;
};

// Fields of each record: `used` are loaded or stored, `written` are stored, and the sectors of `touched`
// move.
struct Traffic {
    std::size_t used, written, touched;
};

// A row of `records` whose fields have to become `reference(k, i)`. Launches are of one type, whatever the kernel: the
// compiler makes the rows of a record once.
template <class Field, int fields>
lab::Variant record_row(const std::shared_ptr<Records<Field, fields>>& records, const char* kernel,
                        std::size_t record_bytes, lab::Cache cache, Traffic traffic, Layout layout,
                        std::function<void(Field* in, Field* out)> launch,
                        std::function<Field(std::size_t k, std::size_t i)> reference) {
    const std::size_t n = records->n;
    lab::LaunchShape shape;
    shape.grid[0] = lab::blocks_for(n, block);
    return {
        .name = lab::variant_name(
            kernel,
            {{"record", record_bytes}, {"block", block}, {"n", n}, {"cache", lab::text(cache)}}),
        .bytes = static_cast<double>(traffic.used * n * sizeof(Field)),
        .flops = std::is_same_v<Field, float> ? static_cast<double>(traffic.written * n) : 0,
        .working_set_bytes = traffic.touched * n * sizeof(Field),
        .cache = cache,
        .prepare = [=] { records->set(0).result.poison(); },
        .launch =
            [=](std::size_t index) {
                auto& [data, result] = records->set(index);
                launch(data.get(), result.get());
            },
        .check = [=] { records->check(traffic.written, layout, reference); },
        // Counts of a request do not change with n: beyond the first size only times are of interest.
        .evidence = n > 1 << 20 ? lab::Evidence::predicted : lab::Evidence::by_size,
        .shape = shape,
        .buffers = records.get()};
}

// The rows of one record, one problem size and one cache state.
template <class Field, int fields>
std::vector<lab::Variant> rows_of(std::shared_ptr<Records<Field, fields>> records,
                                  lab::Cache cache) {
    using Aos = Record<Field, fields>;
    using Aligned = AlignedRecord<Field, fields>;
    const std::size_t n = records->n;
    const auto launch = [n]<class... Parameters>(void (*kernel)(Parameters...)) {
        return lab::launch(kernel, lab::blocks_for(n, block), block);
    };
    std::vector<lab::Variant> rows;
    // A kernel of `Data` that adds 10 * (k + 1) to field k.
    const auto add_growing = [&]<class Data>(const char* kernel, Traffic traffic, Layout layout,
                                             void (*code)(const Data*, Data*, std::size_t)) {
        rows.push_back(record_row<Field, fields>(
            records, kernel, sizeof(Aos), cache, traffic, layout,
            [=, grow = launch(code)](Field* in, Field* out) {
                grow(reinterpret_cast<const Data*>(in), reinterpret_cast<Data*>(out), n);
            },
            [=](std::size_t k, std::size_t i) {
                return static_cast<Field>(records->value(records->position(layout, k, i)) +
                                          static_cast<Field>(10 * (k + 1)));
            }));
    };
    const Traffic all_fields = {2 * fields, fields, 2 * fields};
    add_growing("aos_one_field", {2, 1, 2 * fields}, Layout::structures, aos_one_field<Aos>);
    add_growing("soa_one_field", {2, 1, 2}, Layout::arrays, soa_one_field<Field>);
    add_growing("aos_all_fields", all_fields, Layout::structures, aos_all_fields<Field, fields>);
    add_growing("soa_all_fields", all_fields, Layout::arrays, soa_all_fields<Field, fields>);
    if constexpr (std::has_single_bit(sizeof(Aos))) {
        add_growing("aos_whole_record", all_fields, Layout::structures,
                    aos_whole_record<Field, fields>);
    }
    if constexpr (std::is_same_v<Field, float> && fields == 2) {
        // a and b are the halves of the data.
        const auto add_sum = [&]<class Result>(Traffic traffic, Layout layout, Result*) {
            rows.push_back(record_row<Field, fields>(
                records, "sum_into_one_field", sizeof(Result), cache, traffic, layout,
                [=, sum = launch(sum_into_one_field<Result>)](Field* in, Field* out) {
                    sum(in, in + n, reinterpret_cast<Result*>(out), n);
                },
                [=](std::size_t, std::size_t i) {
                    return records->value(i) + records->value(n + i);
                }));
        };
        add_sum({3, 1, 4}, Layout::structures, static_cast<Aos*>(nullptr));
        add_sum({3, 1, 3}, Layout::arrays, static_cast<Record<float, 1>*>(nullptr));
    }
    return rows;
}

using Caches = std::initializer_list<lab::Cache>;

template <class Field, int fields>
void add_rows(std::vector<lab::Variant>& rows, std::size_t n, Caches caches) {
    const auto records = std::make_shared<Records<Field, fields>>(n);
    for (const lab::Cache cache : caches) {
        std::ranges::move(rows_of(records, cache), std::back_inserter(rows));
    }
}

std::vector<lab::Variant> rows_of_all_records(std::size_t n, lab::Cache cache) {
    std::vector<lab::Variant> rows;
    add_rows<unsigned char, 2>(rows, n, {cache});
    add_rows<unsigned char, 3>(rows, n, {cache});
    add_rows<unsigned char, 4>(rows, n, {cache});
    add_rows<float, 2>(rows, n, {cache});
    add_rows<float, 3>(rows, n, {cache});
    add_rows<float, 4>(rows, n, {cache});
    return rows;
}

// The book's record.
std::vector<lab::Variant> rows_of_book(std::size_t n) {
    std::vector<lab::Variant> rows;
    add_rows<float, 2>(rows, n, {lab::Cache::cold, lab::Cache::warm});
    return rows;
}

// As many records as make one field fill 60 % of the L2, and both of them more than all of it.
std::size_t records_beyond_l2(const lab::Experiment& experiment) {
    constexpr std::size_t whole = fields_per_thread * block;
    return experiment.device().l2_bytes * 6 / 10 / sizeof(float) / whole * whole;
}

// Small whole numbers: sums are exact in any order. Times alone tell whether the L2 kept a field.
template <class Structure>
lab::Variant twice_row(const char* name, std::size_t n) {
    constexpr std::size_t width = sizeof(Structure) / sizeof(float);
    const auto value = [](std::size_t record) { return static_cast<float>(record % 61); };
    const unsigned grid = 2 * lab::blocks_for(n / fields_per_thread, block);
    const std::size_t threads = std::size_t{grid} * block;
    const auto in = [=](std::size_t i) { return i % width == 0 ? value(i / width) : 0; };
    const auto expected = [=](std::size_t thread) {
        const std::size_t first = thread / block % (grid / 2) * fields_per_thread;
        float sum = 0;
        for (std::size_t k = 0; k < fields_per_thread; ++k) {
            sum += value((first + k) * block + thread % block);
        }
        return sum;
    };
    return lab::with_buffers<float, float>(
        {.name = lab::variant_name(name, {{"record", sizeof(Structure)}, {"n", n}}),
         .bytes = 2.0 * sizeof(float) * n,
         .working_set_bytes = n * sizeof(Structure)},
        n * width, in, threads,
        [=](const float* data, float* sums) {
            lab::launch(sum_field_twice<Structure>, grid, block)(
                reinterpret_cast<const Structure*>(data), sums);
        },
        expected);
}

}  // namespace

int main(int argc, char** argv) {
    using enum lab::Cache;
    lab::Experiment experiment("06_aos_soa", argc, argv);
    constexpr std::size_t small = 1 << 20, book_size = 1 << 22, large = 1 << 24;
    experiment.add(rows_of_all_records(small, cold));
    experiment.add(rows_of_book(book_size));
    experiment.add(rows_of_all_records(large, cold));
    for (const std::size_t n : {small, book_size, large}) {
        experiment.add_memcpy(2 * sizeof(float) * n, cold);
    }
    experiment.add_memcpy(2 * sizeof(float) * book_size, warm);

    const std::size_t n = records_beyond_l2(experiment);
    for (const lab::Variant& row : {twice_row<Record<float, 2>>("aos_field_twice", n),
                                    twice_row<Record<float, 1>>("soa_field_twice", n)}) {
        experiment.add_validation(row);
        experiment.add(row, lab::Evidence::measured);
    }
    // Ragged: n is no multiple of a warp, and the arrays of a structure of arrays begin anywhere.
    for (const std::size_t ragged : {1, 31, 100003}) {
        experiment.add_validation(rows_of_all_records(ragged, warm));
    }
    return experiment.run();
}

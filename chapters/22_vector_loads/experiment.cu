// Chapter 22: does a float4 make a copy faster?
//
// Source: NVIDIA's blog, "CUDA Pro Tip: Increase Performance with Vectorized Memory Access" (2013), and later courses:
//         claims.toml names them. There: a copy of ints, by a loop over the grid, on a Tesla K20X; courses copy and add
//         2^20 to 2^28 floats.
//
// Variants: copy, add          4, 8 and 16 bytes an access; blocks of 256 threads, of a copy 128 and 1024, too
//           copy_unrolled      2, 4 and 8 floats a thread, each by an access of its own
//           copy_neighbours    4 neighbouring floats a thread, each by an access of its own
//           copy_struct        4 floats in a struct, aligned to 4 or 16 bytes
//           copy_striding      8 to 32 warps an SM, which loop over the arrays
//           copy_offset        reads that begin 0 to 4 elements further on, as wide as that allows
//           n = 2^20 floats, from DRAM and from the L2, and 2^26.
// Model:    a copied element is a 4-byte load and a 4-byte store; an added one two loads and a store.
// Differs:  NVIDIA's copy loops over the grid; here that is a variant of its own, as it fixes the warps an SM has.
#include <string>

#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "problems/array_sum.hpp"

namespace {

using Rows = std::vector<lab::Variant>;
using lab::ArraySum;
using lab::Cache;

constexpr unsigned usual_block = 256;

// A row that copies from `a` to `c`: out[i] = in[i + offset].
template <class Launch>
lab::Variant copy_row(const ArraySum& arrays, const std::string& name, Cache cache,
                      const Launch& launch, std::size_t offset = 0) {
    lab::Variant row = arrays.row_on_sets(
        name, cache, [=](ArraySum::Set& set) { launch(set.a.get(), set.c.get()); });
    const std::size_t copied = arrays.size() - offset;
    row.bytes = 2.0 * sizeof(float) * static_cast<double>(copied);
    row.working_set_bytes = 2 * sizeof(float) * arrays.size();
    row.check = [=] { arrays.check_repeats(arrays.values_of_a(), offset, {0, copied}); };
    return row;
}

// A row of a kernel whose threads copy `per_thread` elements each.
lab::Variant copy_row(const ArraySum& arrays, const std::string& name, Cache cache,
                      void (*kernel)(const float*, float*, std::size_t), unsigned per_thread,
                      unsigned block = usual_block) {
    const std::size_t n = arrays.size();
    const auto launch = lab::launch(kernel, lab::blocks_for(n, block * per_thread), block);
    lab::Variant row = copy_row(arrays, lab::variant_name(name, {{"block", block}}), cache,
                                [=](const float* in, float* out) { launch(in, out, n); });
    row.shape = launch.shape();
    return row;
}

template <class Word>
std::string name_of(const char* kernel) {
    return lab::variant_name(kernel, {{"access", sizeof(Word)}});
}

template <class Word>
lab::Variant add_row(const ArraySum& arrays, Cache cache) {
    const std::size_t n = arrays.size();
    const auto launch =
        lab::launch(add<Word>, lab::blocks_for(n, usual_block * sizeof(Word) / 4), usual_block);
    lab::Variant row =
        arrays.row(lab::variant_name(name_of<Word>("add"), {{"block", usual_block}}), 0, cache,
                   [=](const float* a, const float* b, float* c, std::size_t, std::size_t) {
                       launch(a, b, c, n);
                   });
    row.shape = launch.shape();
    return row;
}

template <class Word>
lab::Variant striding_row(const ArraySum& arrays, Cache cache, unsigned warps, unsigned sms) {
    const std::size_t n = arrays.size();
    const auto launch =
        lab::launch(copy_striding<Word>, sms * warps * 32 / usual_block, usual_block);
    return copy_row(arrays, lab::variant_name(name_of<Word>("copy_striding"), {{"warps", warps}}),
                    cache, [=](const float* in, float* out) { launch(in, out, n); });
}

template <class Word>
lab::Variant offset_row(const ArraySum& arrays, Cache cache, std::size_t offset) {
    const std::size_t n = arrays.size();
    const auto launch = lab::launch(
        copy_offset<Word>, lab::blocks_for(n, usual_block * sizeof(Word) / 4), usual_block);
    lab::Variant row = copy_row(
        arrays, lab::variant_name(name_of<Word>("copy_offset"), {{"offset", offset}}), cache,
        [=](const float* in, float* out) { launch(in, out, n, offset); }, offset);
    row.shape = launch.shape();
    return row;
}

template <class Word>
Rows rows_of_width(const ArraySum& arrays, Cache cache, unsigned sms) {
    Rows rows = {add_row<Word>(arrays, cache)};
    for (const unsigned block : {128u, usual_block, 1024u}) {
        rows.push_back(copy_row(arrays, name_of<Word>("copy"), cache, copy<Word>,
                                sizeof(Word) / sizeof(float), block));
    }
    for (const unsigned warps : {8, 16, 32}) {
        rows.push_back(striding_row<Word>(arrays, cache, warps, sms));
    }
    for (const std::size_t offset : {0, 1, 2, 4}) {
        if (offset > arrays.size() || offset * sizeof(float) % sizeof(Word) != 0) continue;
        rows.push_back(offset_row<Word>(arrays, cache, offset));
    }
    return rows;
}

Rows rows_of(const ArraySum& arrays, Cache cache, unsigned sms) {
    Rows rows;
    for (const Rows& of_width :
         {rows_of_width<float>(arrays, cache, sms), rows_of_width<float2>(arrays, cache, sms),
          rows_of_width<float4>(arrays, cache, sms)}) {
        rows.insert(rows.end(), of_width.begin(), of_width.end());
    }
    rows.push_back(copy_row(arrays, "copy_unrolled/unroll:2", cache, copy_unrolled<2>, 2));
    rows.push_back(copy_row(arrays, "copy_unrolled/unroll:4", cache, copy_unrolled<4>, 4));
    rows.push_back(copy_row(arrays, "copy_unrolled/unroll:8", cache, copy_unrolled<8>, 8));
    rows.push_back(copy_row(arrays, "copy_neighbours", cache, copy_neighbours, 4));
    rows.push_back(copy_row(arrays, "copy_struct/align:4", cache, copy_struct<4>, 4));
    rows.push_back(copy_row(arrays, "copy_struct/align:16", cache, copy_struct<16>, 4));
    return rows;
}

}  // namespace

int main(int argc, char** argv) {
    using enum lab::Cache;
    lab::Experiment experiment("22_vector_loads", argc, argv);
    const unsigned sms = static_cast<unsigned>(experiment.device().sm_count);
    const ArraySum small(1 << 20), large(1 << 26);
    experiment.add(rows_of(small, cold, sms));
    // Counts do not depend on the cache's state.
    experiment.add(rows_of(small, warm, sms), lab::Evidence::measured);
    experiment.add(rows_of(large, cold, sms));
    for (const ArraySum& arrays : {small, large}) {
        experiment.add_memcpy(arrays.size() * sizeof(float), cold);
    }
    // Ragged: n is a multiple of no width, one block is nearly empty.
    for (const std::size_t n : {1, 3, 31, 1000003}) {
        experiment.add_validation(rows_of(ArraySum(n), warm, sms));
    }
    return experiment.run();
}

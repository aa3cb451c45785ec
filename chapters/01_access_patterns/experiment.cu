// Chapter 01: what does a warp's pattern of addresses cost?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Global
// memory reads" and "Global memory writes". There: diagrams of one warp's requests, with the share of
// the fetched bytes that is used; a Fermi GPU; no sizes and no times.
//
// Variants: loads through the L1 (l1:on) and past it (l1:off), stores always coalesced: copy_strided
//           (strides 1...64; 1 is aligned and coalesced), copy_permuted (within a line),
//           copy_misaligned (offsets 8, 11, 32), copy_broadcast (one address a warp), copy_scattered (a
//           warp's words over 1...32 lines), copy_segments (1 to 4 segments of 32 bytes), copy_bytes
//           (one byte a lane, 1 and 128 apart). store_segments: all lanes load, and store 4, 3 or 2
//           segments of 32 bytes, in one store or (stores:2) in one for each segment.
// Model:    bytes are those that the threads use, each once: 4 read and 4 written a thread, but one
//           word a warp for copy_broadcast, and written what is stored for store_segments.
// Sizes:    n = 2^20 threads, warm: a launch asks for 38 MB of sectors at most, less than an H200's L2; it
//           keeps fewer of them where each lies in a line of its own.
//           2^22 threads, cold: launches rotate through regions of one input and through outputs that
//           together exceed four times the L2.
// Differs:  each pattern is repeated by every warp, on memory of its own, so that it can be timed.
#include <algorithm>
#include <cstdint>
#include <set>

#include "kernels.cuh"
#include "l1.hpp"
#include "lab/experiment/chapter.hpp"

namespace {

using Rows = std::vector<lab::Variant>;
using Map = std::function<std::size_t(std::size_t i)>;
using Parameters = std::vector<unsigned>;

constexpr unsigned block = 256;
constexpr std::size_t nowhere = SIZE_MAX;
// The input repeats after so many lines of 32 words. Every pattern moves on by whole lines from warp
// to warp, so the output repeats after as many warps; not before, because this is a prime.
constexpr std::size_t period_lines = 8191;

// The arrays of one number of threads. Nothing is allocated before the first launch: by then all
// rows have said how much of the input they need.
class Arrays {
  public:
    explicit Arrays(std::size_t threads) : n(threads), warps((threads + 31) / 32) {}

    const std::size_t n, warps;

    void need(std::size_t words) { words_ = std::max(words_, words); }
    const float* in() {
        if (in_.size() < words_) in_ = lab::repeated(values(), words_);
        return in_.get();
    }
    // Two words a thread: what store_segments spreads its stores over.
    lab::DeviceBuffer<float>& out(std::size_t set) {
        return lab::set_of(outs_, set, [&] { return lab::DeviceBuffer<float>(64 * warps); });
    }
    static const std::vector<float>& values() {
        static const std::vector<float> values = lab::random_floats(32 * period_lines, 1);
        return values;
    }

  private:
    std::size_t words_ = 0;
    lab::DeviceBuffer<float> in_;
    std::vector<lab::DeviceBuffer<float>> outs_;
};

// Thread i copies word `source(i)` of the input to word `destination(i)` of the output; nothing, if
// that is `nowhere`. All warps do what the first does, each further on.
struct Pattern {
    Map source, destination;
    bool all_lanes_load = false;  // those that store nothing, too
    std::size_t warp_words() const { return destination(32) - destination(0); }

    // The output of the threads from `begin` to `end`, whose warps begin at `begin`.
    lab::DeviceBuffer<float> image(std::size_t begin, std::size_t end) const {
        std::vector<float> out((end - begin + 31) / 32 * warp_words(), lab::poison_value<float>());
        for (std::size_t i = begin; i < end; ++i) {
            if (destination(i) == nowhere) continue;
            out[destination(i) - destination(begin)] =
                Arrays::values()[source(i) % (32 * period_lines)];
        }
        return lab::DeviceBuffer<float>(out);
    }
    void check(const lab::DeviceBuffer<float>& out, std::size_t n) const {
        const std::size_t whole = n / 32 * 32;
        const std::size_t whole_words = whole / 32 * warp_words();
        const std::size_t end = (n + 31) / 32 * warp_words();
        if (whole > 0) {
            lab::expect_repeats(out, {0, whole_words},
                                image(0, std::min(whole, 32 * period_lines)));
        }
        if (whole < n) lab::expect_repeats(out, {whole_words, warp_words()}, image(whole, n));
        lab::expect_untouched(out, {end, out.size() - end});
    }
};

lab::Variant pattern_row(const std::shared_ptr<Arrays>& arrays, lab::Cache cache,
                         const std::string& name, const Pattern& pattern,
                         std::function<void(const float* in, float* out)> launch) {
    std::set<std::size_t> words, sectors;
    std::size_t stored = 0;
    for (std::size_t lane = 0; lane < 32; ++lane) {
        const bool stores = pattern.destination(lane) != nowhere;
        if (stores) ++stored;
        if (!stores && !pattern.all_lanes_load) continue;
        words.insert(pattern.source(lane));
        sectors.insert(pattern.source(lane) / 8);
    }
    // A warp's share once more than there are warps: a misaligned last one reads into it.
    const std::size_t region = (arrays->warps + 1) * (pattern.source(32) - pattern.source(0));
    const std::size_t working_set = arrays->warps * (32 * sectors.size() + 4 * stored);
    arrays->need(lab::sets_of(cache, working_set) * region);
    return {
        .name = lab::variant_name(name, {{"n", arrays->n}, {"cache", lab::text(cache)}}),
        .bytes = static_cast<double>(arrays->warps * 4 * (words.size() + stored)),
        .working_set_bytes = working_set,
        .cache = cache,
        .prepare = [=] { arrays->out(0).poison(); },
        .launch =
            [=](std::size_t set) { launch(arrays->in() + set * region, arrays->out(set).get()); },
        .check = [=] { pattern.check(arrays->out(0), arrays->n); },
        .buffers = arrays.get(),
    };
}

// The word of the input that thread i loads.
std::size_t strided(std::size_t i, std::size_t stride) { return i * stride; }
std::size_t permuted(std::size_t i, std::size_t mask) { return i ^ mask; }
std::size_t misaligned(std::size_t i, std::size_t offset) { return i + offset; }
std::size_t broadcast(std::size_t i, std::size_t word) { return i - i % 32 + word; }
std::size_t in_segments(std::size_t i, std::size_t) { return i; }
std::size_t scattered(std::size_t i, std::size_t lines) {
    return 32 * (i / 32 * lines + i % 32 % lines) + i % 32 / lines;
}

const struct Loads {
    const char *kernel, *key;
    LoadKernel LoadKernels::* code;
    std::size_t (*source)(std::size_t i, std::size_t parameter);
    Parameters usual, ragged, between = {};
} all_loads[] = {
    {"copy_strided",
     "stride",
     &LoadKernels::strided,
     strided,
     {1, 2, 3, 4, 8, 16, 32, 64},
     {1, 3, 64},
     {5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 20, 24, 28, 40, 48, 56}},
    {"copy_permuted", "mask", &LoadKernels::permuted, permuted, {21, 31}, {21}},
    {"copy_misaligned", "offset", &LoadKernels::misaligned, misaligned, {8, 11, 32}, {11}},
    {"copy_broadcast", "word", &LoadKernels::broadcast, broadcast, {0}, {0}},
    {"copy_segments", "segments", &LoadKernels::segments, in_segments, {1, 2, 3, 4}, {1, 2, 3, 4}},
    {"copy_scattered",
     "lines",
     &LoadKernels::scattered,
     scattered,
     {1, 2, 4, 8, 16, 32},
     {2, 3, 32},
     {3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 20, 24, 28}}};

Rows loads(const std::shared_ptr<Arrays>& arrays, lab::Cache cache, bool through_l1,
           Parameters Loads::* selection) {
    const LoadKernels kernels = through_l1 ? l1_on::load_kernels() : l1_off::load_kernels();
    Rows rows;
    for (const Loads& pattern : all_loads) {
        for (const unsigned parameter : pattern.*selection) {
            // Segments are of 8 lanes.
            const bool is_part = pattern.code == &LoadKernels::segments;
            const unsigned lanes = is_part ? 8 * parameter : 32;
            rows.push_back(pattern_row(
                arrays, cache,
                lab::variant_name(pattern.kernel,
                                  {{"l1", through_l1 ? "on" : "off"}, {pattern.key, parameter}}),
                {[=, source = pattern.source](std::size_t i) { return source(i, parameter); },
                 [=](std::size_t i) { return i % 32 < lanes ? i : nowhere; }},
                [=, n = arrays->n, code = kernels.*pattern.code](const float* in, float* out) {
                    lab::launch(code, lab::blocks_for(n, block), block)(in, out, n, parameter);
                }));
        }
    }
    return rows;
}

Rows stores(const std::shared_ptr<Arrays>& arrays, lab::Cache cache) {
    constexpr struct {
        unsigned segments, spacing, stores;
    } patterns[] = {{4, 1, 1},   // 128 bytes, aligned
                    {3, 2, 1},   // within 192 bytes
                    {2, 1, 1},   // 64 bytes, aligned
                    {2, 2, 1},   // in one 128-byte line, but not in 64 aligned bytes
                    {2, 2, 2}};  // the same, one after the other
    Rows rows;
    for (const auto& [segments, spacing, stores] : patterns) {
        const auto destination = [=](std::size_t i) {
            const std::size_t segment = i % 32 / 8;
            return segment < segments ? i / 32 * 64 + segment * spacing * 8 + i % 8 : nowhere;
        };
        std::string name =
            lab::variant_name("store_segments", {{"segments", segments}, {"spacing", spacing}});
        if (stores > 1) name += "/stores:" + std::to_string(stores);
        rows.push_back(
            pattern_row(arrays, cache, name, {[](std::size_t i) { return i; }, destination, true},
                        [=, n = arrays->n](const float* in, float* out) {
                            lab::launch(store_segments, lab::blocks_for(n, block), block)(
                                in, out, n, segments, spacing, segments / stores);
                        }));
    }
    return rows;
}

// One byte a lane, in arrays of their own.
lab::Variant bytes_row(bool through_l1, unsigned stride, std::size_t n) {
    using Byte = unsigned char;
    const auto value = [](std::size_t i) { return static_cast<Byte>(i * 167 + i / 256); };
    const auto kernels = through_l1 ? l1_on::load_kernels() : l1_off::load_kernels();
    return lab::with_buffers<Byte, Byte>(
        {.name = lab::variant_name(
             "copy_bytes",
             {{"l1", through_l1 ? "on" : "off"}, {"stride", stride}, {"n", n}, {"cache", "warm"}}),
         .bytes = 2.0 * n,
         .working_set_bytes = n * (stride + 1)},
        n * stride, value, n,
        [=](const Byte* in, Byte* out) {
            lab::launch(kernels.bytes, lab::blocks_for(n, block), block)(in, out, n, stride);
        },
        [=](std::size_t i) { return value(i * stride); });
}

}  // namespace

int main(int argc, char** argv) {
    using enum lab::Evidence;
    lab::Experiment experiment("01_access_patterns", argc, argv);
    const auto add_all = [&](std::size_t n, lab::Cache cache, lab::Evidence evidence,
                             lab::Evidence evidence_between) {
        const auto arrays = std::make_shared<Arrays>(n);
        experiment.add(loads(arrays, cache, true, &Loads::usual), evidence);
        // Through the L1 densely where the sectors of a request change with every step.
        experiment.add(loads(arrays, cache, true, &Loads::between), evidence_between);
        experiment.add(loads(arrays, cache, false, &Loads::usual), evidence);
        experiment.add(stores(arrays, cache), evidence);
        experiment.add_memcpy(n * sizeof(float), cache);
    };
    add_all(1 << 20, lab::Cache::warm, by_size, by_size);
    for (const bool through_l1 : {true, false}) {
        for (const unsigned stride : {1, 128}) {
            experiment.add(bytes_row(through_l1, stride, 1 << 18));
            experiment.add_validation(bytes_row(through_l1, stride, 1009));
        }
    }
    // Counts are those of 2^20: the times are of interest.
    add_all(1 << 22, lab::Cache::cold, predicted, measured);
    // Ragged: n is no multiple of a warp, and the last block is nearly empty.
    for (const std::size_t n : {1, 31, 100003}) {
        const auto arrays = std::make_shared<Arrays>(n);
        for (const bool through_l1 : {true, false}) {
            experiment.add_validation(loads(arrays, lab::Cache::warm, through_l1, &Loads::ragged));
        }
        experiment.add_validation(stores(arrays, lab::Cache::warm));
    }
    return experiment.run();
}

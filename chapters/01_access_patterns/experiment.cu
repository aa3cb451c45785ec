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
//           (one byte a lane, 1 and 128 apart). store_segments: 4, 3 and 2 segments of 32 bytes.
// Model:    bytes are those that the threads use, each once: 4 read and 4 written a thread, but one
//           word a warp for copy_broadcast, and the active lanes' alone for store_segments.
// Sizes:    n = 2^20 threads, warm: a launch asks for 38 MB of sectors at most, less than an H200's L2; it
//           keeps fewer of them where each lies in a line of its own.
//           2^22 threads, cold: launches rotate through regions of one input and through outputs that
//           together exceed four times the L2. An emulated GPU predicts these times, with l1:on at the
//           strides and lines of l1:off.
// Differs:  each pattern is repeated by every warp, on memory of its own, so that it can be timed.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels.cuh"
#include "l1.hpp"
#include "lab/device_buffer.hpp"
#include "lab/device_validation.hpp"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/random_values.hpp"
#include "lab/repeated_values.hpp"
#include "lab/validation.hpp"
#include "lab/variant_name.hpp"

namespace {

constexpr unsigned block = 256;
constexpr std::size_t nowhere = SIZE_MAX;
// The input repeats after so many lines of 32 words. Every pattern moves on by whole lines from warp
// to warp, so the output repeats after as many warps; not before, because this is a prime.
constexpr std::size_t period_lines = 8191;

// The arrays of one number of threads. Nothing is allocated before the first launch: by then all
// variants have said how much of the input they need.
class Arrays {
  public:
    explicit Arrays(std::size_t threads, lab::Emulation emulation = lab::Emulation::whole)
        : n(threads), warps((threads + 31) / 32), emulation_(emulation) {}

    const std::size_t n, warps;

    void need(std::size_t words) { words_ = std::max(words_, words); }
    const float* in() {
        const bool is_sampled = emulation_ == lab::Emulation::sampled;
        if (in_.size() < words_) {
            in_ = is_sampled ? lab::unfilled<float>(words_) : lab::repeated(values(), words_);
        }
        return in_.get();
    }
    // Two words a thread: what store_segments spreads its stores over.
    lab::DeviceBuffer<float>& out(std::size_t set) {
        while (outs_.size() <= set) outs_.emplace_back(64 * warps);
        return outs_[set];
    }
    static const std::vector<float>& values() {
        static const std::vector<float> values = lab::random_floats(32 * period_lines, 1);
        return values;
    }

  private:
    lab::Emulation emulation_;
    std::size_t words_ = 0;
    lab::DeviceBuffer<float> in_;
    std::vector<lab::DeviceBuffer<float>> outs_;
};

// Thread i copies word `source(i)` of the input to word `destination(i)` of the output; nothing, if
// that is `nowhere`. All warps do what the first does, each further on.
template <class Source, class Destination>
lab::Variant variant(const lab::Experiment& experiment, std::shared_ptr<Arrays> arrays,
                     lab::Cache cache, std::string name, Source source, Destination destination,
                     std::function<void(const float* in, float* out)> launch) {
    std::set<std::size_t> words, sectors;
    std::size_t stored = 0;
    for (std::size_t lane = 0; lane < 32; ++lane) {
        if (destination(lane) == nowhere) continue;
        words.insert(source(lane));
        sectors.insert(source(lane) / 8);
        ++stored;
    }
    // A warp's share once more than there are warps: a misaligned last one reads into it.
    const std::size_t region = (arrays->warps + 1) * (source(32) - source(0));
    const std::size_t working_set = arrays->warps * (32 * sectors.size() + 4 * stored);
    const std::size_t sets = experiment.sets(cache, working_set);
    arrays->need(sets * region);

    // What the threads from `begin` to `end` make of the output, whose warps begin at `begin`.
    const std::size_t warp_words = destination(32) - destination(0);
    const auto image = [=](std::size_t begin, std::size_t end) {
        std::vector<float> out((end - begin + 31) / 32 * warp_words, lab::poison_value<float>());
        for (std::size_t i = begin; i < end; ++i) {
            if (destination(i) == nowhere) continue;
            out[destination(i) - destination(begin)] =
                Arrays::values()[source(i) % (32 * period_lines)];
        }
        return lab::DeviceBuffer<float>(out);
    };
    const auto check = [=] {
        const lab::DeviceBuffer<float>& out = arrays->out(0);
        const std::size_t whole = arrays->n / 32 * 32;
        const std::size_t whole_words = whole / 32 * warp_words;
        const std::size_t end = arrays->warps * warp_words;
        if (whole > 0) {
            const auto expected = image(0, std::min(whole, 32 * period_lines));
            lab::expect_repeats(out, {0, whole_words}, expected);
        }
        if (whole < arrays->n) {
            lab::expect_repeats(out, {whole_words, warp_words}, image(whole, arrays->n));
        }
        lab::expect_untouched(out, {end, out.size() - end});
    };
    return {
        .name = lab::variant_name(name, {{"n", arrays->n}, {"cache", lab::text(cache)}}),
        .bytes = static_cast<double>(arrays->warps * 4 * (words.size() + stored)),
        .working_set_bytes = working_set,
        .sets = sets,
        .prepare = [=] { arrays->out(0).poison(); },
        .launch =
            [=](std::size_t set) { launch(arrays->in() + set * region, arrays->out(set).get()); },
        .check = check,
    };
}

// What of the patterns is run.
struct Selection {
    std::vector<unsigned> strides, masks, offsets, lines;
};

using Add = std::function<void(lab::Variant)>;

void add_loads(const lab::Experiment& experiment, std::shared_ptr<Arrays> arrays, lab::Cache cache,
               bool through_l1, const Selection& selection, const Add& add) {
    const LoadKernels kernels = through_l1 ? l1_on::load_kernels() : l1_off::load_kernels();
    const auto add_load = [&](const char* kernel, const char* key, unsigned parameter,
                              LaunchLoad launch, auto source, unsigned lanes = 32) {
        const std::size_t n = arrays->n;
        const std::string name =
            lab::variant_name(kernel, {{"l1", through_l1 ? "on" : "off"}, {key, parameter}});
        add(variant(
            experiment, arrays, cache, name, source,
            [=](std::size_t i) { return i % 32 < lanes ? i : nowhere; },
            [=](const float* in, float* out) {
                launch(lab::blocks_for(n, block), block, in, out, n, parameter);
            }));
    };
    for (const unsigned stride : selection.strides) {
        add_load("copy_strided", "stride", stride, kernels.strided,
                 [=](std::size_t i) { return i * stride; });
    }
    for (const unsigned mask : selection.masks) {
        add_load("copy_permuted", "mask", mask, kernels.permuted,
                 [=](std::size_t i) { return i ^ mask; });
    }
    for (const unsigned offset : selection.offsets) {
        add_load("copy_misaligned", "offset", offset, kernels.misaligned,
                 [=](std::size_t i) { return i + offset; });
    }
    add_load("copy_broadcast", "word", 0, kernels.broadcast,
             [](std::size_t i) { return i - i % 32; });
    for (const unsigned segments : {1, 2, 3, 4}) {
        add_load(
            "copy_segments", "segments", segments, kernels.segments,
            [](std::size_t i) { return i; }, 8 * segments);
    }
    for (const unsigned lines : selection.lines) {
        add_load("copy_scattered", "lines", lines, kernels.scattered, [=](std::size_t i) {
            return 32 * (i / 32 * lines + i % 32 % lines) + i % 32 / lines;
        });
    }
}

void add_stores(const lab::Experiment& experiment, std::shared_ptr<Arrays> arrays, lab::Cache cache,
                const Add& add) {
    const auto add_store = [&](unsigned segments, unsigned spacing) {
        const std::size_t n = arrays->n;
        add(variant(
            experiment, arrays, cache,
            lab::variant_name("store_segments", {{"segments", segments}, {"spacing", spacing}}),
            [](std::size_t i) { return i; },
            [=](std::size_t i) {
                const std::size_t segment = i % 32 / 8;
                return segment < segments ? i / 32 * 64 + segment * spacing * 8 + i % 8 : nowhere;
            },
            [=](const float* in, float* out) {
                lab::launch(store_segments, lab::blocks_for(n, block), block)(in, out, n, segments,
                                                                              spacing);
            }));
    };
    add_store(4, 1);  // 128 bytes, aligned
    add_store(3, 2);  // within 192 bytes
    add_store(2, 1);  // 64 bytes, aligned
    add_store(2, 2);  // in one 128-byte line, but not in 64 aligned bytes
}

// One byte a lane, in arrays of their own.
lab::Variant bytes_variant(bool through_l1, unsigned stride, std::size_t n) {
    struct Buffers {
        lab::DeviceBuffer<unsigned char> in, out;
    };
    const auto buffers = std::make_shared<Buffers>();
    const auto value = [](std::size_t i) { return static_cast<unsigned char>(i * 167 + i / 256); };
    const auto kernels = through_l1 ? l1_on::load_kernels() : l1_off::load_kernels();
    return {
        .name = lab::variant_name(
            "copy_bytes",
            {{"l1", through_l1 ? "on" : "off"}, {"stride", stride}, {"n", n}, {"cache", "warm"}}),
        .bytes = 2.0 * n,
        .working_set_bytes = n * (stride + 1),
        .prepare =
            [=] {
                std::vector<unsigned char> in(n * stride);
                for (std::size_t i = 0; i < in.size(); ++i) in[i] = value(i);
                buffers->in = lab::DeviceBuffer<unsigned char>(in);
                buffers->out = lab::DeviceBuffer<unsigned char>(n);
            },
        .launch =
            [=](std::size_t) {
                kernels.bytes(lab::blocks_for(n, block), block, buffers->in.get(),
                              buffers->out.get(), n, stride);
            },
        .check =
            [=] {
                std::vector<unsigned char> expected(n);
                for (std::size_t i = 0; i < n; ++i) expected[i] = value(i * stride);
                lab::expect_equal<unsigned char>(buffers->out.to_host(), expected);
            }};
}

std::vector<unsigned> range(unsigned first, unsigned last, unsigned step = 1) {
    std::vector<unsigned> values;
    for (unsigned value = first; value <= last; value += step) values.push_back(value);
    return values;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("01_access_patterns", argc, argv);
    const Add validate = [&](lab::Variant row) { experiment.add_validation(std::move(row)); };

    // Densely where the sectors of a request change with every step.
    const auto swept = [](unsigned last) {
        std::vector<unsigned> values = range(1, 16);
        for (const unsigned value : range(20, 32, 4)) values.push_back(value);
        for (const unsigned value : range(40, last, 8)) values.push_back(value);
        return values;
    };
    const Selection through = {swept(64), {21, 31}, {8, 11, 32}, swept(32)};
    const Selection past = {
        {1, 2, 3, 4, 8, 16, 32, 64}, {21, 31}, {8, 11, 32}, {1, 2, 4, 8, 16, 32}};
    const auto add_all = [&](std::size_t n, lab::Cache cache) {
        const lab::Emulation emulation = experiment.emulation(n == 1 << 20);
        const Add measure = [&](lab::Variant row) { experiment.add(std::move(row), emulation); };
        const auto arrays = std::make_shared<Arrays>(n, emulation);
        const bool is_sampled = emulation == lab::Emulation::sampled;
        add_loads(experiment, arrays, cache, true, is_sampled ? past : through, measure);
        add_loads(experiment, arrays, cache, false, past, measure);
        add_stores(experiment, arrays, cache, measure);
        experiment.add_memcpy(n * sizeof(float), cache);
    };
    add_all(1 << 20, lab::Cache::warm);
    for (const bool through_l1 : {true, false}) {
        for (const unsigned stride : {1, 128}) {
            experiment.add(bytes_variant(through_l1, stride, 1 << 18));
            validate(bytes_variant(through_l1, stride, 1009));
        }
    }
    add_all(1 << 22, lab::Cache::cold);
    // Ragged: n is no multiple of a warp, and the last block is nearly empty.
    const Selection few = {{1, 3, 64}, {21}, {11}, {2, 3, 32}};
    for (const std::size_t n : {1, 31, 100003}) {
        const auto arrays = std::make_shared<Arrays>(n);
        for (const bool through_l1 : {true, false}) {
            add_loads(experiment, arrays, lab::Cache::warm, through_l1, few, validate);
        }
        add_stores(experiment, arrays, lab::Cache::warm, validate);
    }
    return experiment.run();
}

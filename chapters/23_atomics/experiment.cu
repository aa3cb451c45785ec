// Chapter 23: what do atomics cost, and what makes them cheap?
//
// Sources: A. Adinetz: CUDA Pro Tip: Optimized Filtering with Warp-Aggregated Atomics (2014, 2017); N. Sakharnykh: GPU Pro
//          Tip: Fast Histograms Using Shared Atomics on Maxwell (2015); Hwu, Kirk, El Hajj: Programming Massively
//          Parallel Processors, 4th ed., chapter 9. Each claim of claims.toml has its own.
//
// Variants: add_global             2^22 additions to 1 to 2^16 counters: int, float, 64-bit integers, doubles; lanes of a
//                                  warp at neighbouring counters, or a warp at one
//           add_global_returning   the same, the old values are used
//           add_known_counter, add_aggregated, add_matched   one addition a warp: by ptxas, by hand, by hand for
//                                  any counters
//           add_shared             a block's counters in shared memory
//           append_...             a filter that keeps every second word: an addition a word, a warp, a block
//           histogram_global, ..._shared, ..._copies, ..._lanes   bytes, random or all the same
//           cub_histogram          by CUB
// Model:    items are additions, or words and bytes that are read; a filter reads its words and writes those it
//           keeps, a histogram reads its bytes.
// Differs:  counters are not cleared between timed launches, but for the filter, whose launches clear its counter first.
#include <algorithm>
#include <cstdint>

#include "additions.hpp"
#include "cub_histogram.hpp"
#include "filter.hpp"
#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"

namespace {

constexpr lab::Cache warm = lab::Cache::warm, cold = lab::Cache::cold;
constexpr unsigned block = 512;

// Bytes without a pattern, or one value alone; and their histogram.
class Bytes {
  public:
    struct Set {
        lab::DeviceBuffer<std::uint8_t> in;
        lab::DeviceBuffer<unsigned> bins;
    };

    Bytes(std::size_t n, bool random) : size_(n), values_(std::min(n, lab::period), 7) {
        if (!random) return;
        const std::vector<float> floats = lab::random_floats(values_.size(), 23);
        // Squared, so that small values are more frequent.
        for (std::size_t i = 0; i < floats.size(); ++i) {
            values_[i] = static_cast<std::uint8_t>(255.99f * floats[i] * floats[i]);
        }
    }
    std::size_t size() const { return size_; }

    Set& set(std::size_t index) {
        while (sets_.size() <= index) {
            sets_.push_back({lab::repeated(values_, size_), atomics::zeros<unsigned>(bin_count)});
        }
        return sets_[index];
    }
    // CUB's, for any set.
    lab::DeviceBuffer<unsigned char>& memory() {
        if (memory_.size() == 0) {
            memory_ = lab::DeviceBuffer<unsigned char>(cub_histogram_bytes(int(size_)));
        }
        return memory_;
    }
    void prepare() { set(0).bins = atomics::zeros<unsigned>(bin_count); }
    void check() {
        std::vector<unsigned> expected(bin_count);
        for (std::size_t i = 0; i < size_; ++i) ++expected[values_[i % values_.size()]];
        lab::expect_equal<unsigned>(set(0).bins.to_host(), expected);
    }

  private:
    std::size_t size_;
    std::vector<std::uint8_t> values_;
    std::vector<Set> sets_;
    lab::DeviceBuffer<unsigned char> memory_;
};

lab::Variant histogram_row(const std::string& name, const char* values,
                           const std::shared_ptr<Bytes>& bytes, lab::Cache cache,
                           std::function<void(Bytes::Set&)> launch) {
    const std::size_t n = bytes->size();
    return {.name = lab::variant_name(name,
                                      {{"values", values}, {"n", n}, {"cache", lab::text(cache)}}),
            .bytes = double(n),
            .items = double(n),
            .working_set_bytes = n + sizeof(unsigned) * bin_count,
            .cache = cache,
            .prepare = [=] { bytes->prepare(); },
            .launch = [=](std::size_t index) { launch(bytes->set(index)); },
            .check = [=] { bytes->check(); },
            .buffers = bytes.get()};
}

std::vector<lab::Variant> histogram_rows(unsigned sms, std::size_t n, bool random,
                                         lab::Cache cache) {
    const auto bytes = std::make_shared<Bytes>(n, random);
    const char* const values = random ? "random" : "same";
    const struct {
        const char* name;
        void (*kernel)(const uint4*, std::size_t, unsigned*);
    } kernels[] = {{"histogram_global", histogram_global},
                   {"histogram_shared", histogram_shared},
                   {"histogram_copies/copies:4", histogram_copies<4>},
                   {"histogram_copies/copies:16", histogram_copies<16>},
                   {"histogram_lanes", histogram_lanes}};
    std::vector<lab::Variant> rows;
    for (const auto& [name, kernel] : kernels) {
        const auto launch = lab::launch(kernel, 4 * sms, block);
        rows.push_back(histogram_row(name, values, bytes, cache, [=](Bytes::Set& set) {
            launch(reinterpret_cast<const uint4*>(set.in.get()), n / sizeof(uint4), set.bins.get());
        }));
        rows.back().shape = launch.shape();
    }
    lab::Variant cub = histogram_row("cub_histogram", values, bytes, cache, [=](Bytes::Set& set) {
        auto& memory = bytes->memory();
        cub_histogram(set.in.get(), int(n), set.bins.get(), memory.get(), memory.size());
    });
    cub.kernels = 2;
    rows.push_back(cub);
    return rows;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("23_atomics", argc, argv);
    const unsigned sms = experiment.device().sm_count;
    atomics::add_global_rows(experiment);
    atomics::add_shared_rows(experiment);
    experiment.add(atomics::append_rows(1 << 22, warm));
    // These times depend on the data, so an emulated GPU would have to execute every block.
    experiment.add(atomics::append_rows(1 << 25, cold), lab::Evidence::measured);
    for (const bool random : {true, false}) {
        experiment.add(histogram_rows(sms, 1 << 22, random, warm));
        experiment.add(histogram_rows(sms, 1 << 28, random, cold), lab::Evidence::measured);
    }
    experiment.add_launch_overhead(block);
    // Ragged: less than a warp, and no multiple of a block.
    for (const std::size_t n : {1, 33, 100003}) {
        experiment.add_validation(atomics::append_rows(n, warm));
    }
    for (const std::size_t n : {16, 16 * 1009}) {
        experiment.add_validation(histogram_rows(sms, n, true, warm));
    }
    return experiment.run();
}

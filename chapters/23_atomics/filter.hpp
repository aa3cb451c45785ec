// Rows of the filter: words with their highest bit set are appended to an output.
#pragma once

#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"

namespace atomics {

// Words without a pattern, each another one: multiplied by the inverse of the factor they give their index back.
constexpr unsigned factor = 2654435761u;
constexpr unsigned inverse_of(unsigned odd) {
    unsigned inverse = odd;  // right in the lowest 3 bits; each step doubles how many are
    for (int step = 0; step < 4; ++step) inverse *= 2 - odd * inverse;
    return inverse;
}
static_assert(factor * inverse_of(factor) == 1u);

class Words {
  public:
    struct Set {
        lab::DeviceBuffer<unsigned> in, out, counter;
    };

    explicit Words(std::size_t n) : size_(n) {}
    std::size_t size() const { return size_; }
    static unsigned word(std::size_t i) { return static_cast<unsigned>(i) * factor; }

    Set& set(std::size_t index) {
        while (sets_.size() <= index) {
            std::vector<unsigned> words(size_);
            for (std::size_t i = 0; i < size_; ++i) words[i] = word(i);
            sets_.push_back({lab::DeviceBuffer<unsigned>(std::span<const unsigned>(words)),
                             lab::DeviceBuffer<unsigned>(size_), lab::DeviceBuffer<unsigned>(1)});
        }
        return sets_[index];
    }
    void prepare() {
        set(0).out.poison();
        clear(set(0));
    }
    static void clear(Set& set) {
        LAB_CUDA_CHECK(cudaMemsetAsync(set.counter.get(), 0, sizeof(unsigned)));
    }

    // The counter and each word that is kept, once, in any order; what lies behind is untouched.
    void check() {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < size_; ++i) kept += word(i) >> 31;
        lab::expect_equal<unsigned>(set(0).counter.to_host(),
                                    std::vector{static_cast<unsigned>(kept)});
        std::vector<unsigned> out = set(0).out.to_host();
        std::vector<bool> is_found(size_);
        for (std::size_t place = 0; place < kept; ++place) {
            const std::size_t i = out[place] * inverse_of(factor);
            if (i >= size_ || out[place] >> 31 == 0 || is_found[i]) {
                throw lab::ValidationError("out[" + std::to_string(place) + "] is " +
                                           std::to_string(out[place]) +
                                           ", which is not kept or stands twice");
            }
            is_found[i] = true;
        }
        lab::expect_untouched(set(0).out, {kept, size_ - kept});
    }

  private:
    std::size_t size_;
    std::vector<Set> sets_;
};

// A launch clears the counter first.
inline lab::Variant append_row(const char* name, const std::shared_ptr<Words>& words,
                               lab::Cache cache, std::function<void(Words::Set&)> launch) {
    const std::size_t n = words->size();
    return {.name = lab::variant_name(name, {{"n", n}, {"cache", lab::text(cache)}}),
            .bytes = 1.5 * sizeof(unsigned) * n,  // every second word is kept
            .items = double(n),
            .working_set_bytes = 2 * sizeof(unsigned) * n,
            .cache = cache,
            .prepare = [=] { words->prepare(); },
            .launch =
                [=](std::size_t index) {
                    auto& set = words->set(index);
                    Words::clear(set);
                    launch(set);
                },
            .check = [=] { words->check(); },
            .kernels = 2,
            .buffers = words.get()};
}

inline std::vector<lab::Variant> append_rows(std::size_t n, lab::Cache cache) {
    const auto words = std::make_shared<Words>(n);
    const unsigned size = static_cast<unsigned>(n), grid = lab::blocks_for(n, 256);
    std::vector<lab::Variant> rows = {append_row("append_each", words, cache, [=](Words::Set& set) {
        lab::launch(append_each, grid, 256)(set.in.get(), size, set.out.get(), set.counter.get(),
                                            0);
    })};
    using Append = void (*)(const unsigned*, unsigned, unsigned*, unsigned*);
    const std::pair<const char*, Append> kernels[] = {
        {"append_known_counter", append_known_counter},
        {"append_aggregated", append_aggregated},
        {"append_by_block", append_by_block}};
    for (const auto& [name, kernel] : kernels) {
        rows.push_back(append_row(name, words, cache, [=, kernel = kernel](Words::Set& set) {
            lab::launch(kernel, grid, 256)(set.in.get(), size, set.out.get(), set.counter.get());
        }));
    }
    return rows;
}

}  // namespace atomics

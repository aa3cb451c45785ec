// The rows of latency: each step of a chase needs the step before.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>

#include "kernels.cuh"
#include "lab/device/cuda_check.hpp"
#include "lab/experiment/chapter.hpp"

namespace hierarchy {

// The numbers 0 to n - 1, and the same in an order without a pattern, the same everywhere.
inline std::vector<std::uint32_t> numbers(std::size_t n) {
    return lab::tabulated(n, [](std::size_t i) { return static_cast<std::uint32_t>(i); });
}
inline std::vector<std::uint32_t> shuffled(std::size_t n) {
    std::vector<std::uint32_t> order = numbers(n);
    std::mt19937_64 random(n);
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    return order;
}

// Cells in device memory, `spacing` bytes apart, each with the address of another: a ring through all
// of them in random order.
class Ring {
  public:
    Ring(std::size_t cells, std::size_t spacing)
        : order_(shuffled(cells)), spacing_(spacing), memory_(cells * spacing), position_(1) {
        // Half a million cells take seconds one by one; cells in as many pages would fill the host.
        std::vector<std::byte> image(spacing > 4096 ? 0 : cells * spacing);
        for (std::size_t i = 0; i < cells; ++i) {
            const std::uint64_t next = address(i + 1);
            const std::size_t at = order_[i] * spacing;
            if (!image.empty()) std::memcpy(image.data() + at, &next, sizeof next);
            if (image.empty()) lab::backend::copy_to_device(memory_.get() + at, &next, sizeof next);
        }
        if (!image.empty()) {
            lab::backend::copy_to_device(memory_.get(), image.data(), image.size());
        }
        restart();
    }

    void restart() { position_ = lab::DeviceBuffer<std::uint64_t>(std::vector{address(0)}); }
    std::uint64_t* position() { return position_.get(); }
    // Where a chase of this many steps ends.
    std::uint64_t address(std::size_t step) const {
        return reinterpret_cast<std::uint64_t>(memory_.get()) +
               order_[step % order_.size()] * spacing_;
    }
    void check(std::size_t steps) const {
        lab::expect_equal<unsigned>(halves(position_.to_host()), halves({address(steps)}));
    }

  private:
    // The comparison knows no 64-bit integers.
    static std::vector<unsigned> halves(const std::vector<std::uint64_t>& values) {
        return {static_cast<unsigned>(values[0]), static_cast<unsigned>(values[0] >> 32)};
    }

    std::vector<std::uint32_t> order_;
    std::size_t spacing_;
    lab::DeviceBuffer<std::byte> memory_;
    lab::DeviceBuffer<std::uint64_t> position_;
};

// A chase runs through `cells` cells, `spacing` bytes apart.
struct Path {
    std::size_t cells, spacing;
    unsigned steps;
    bool through_l1 = false;
    lab::Cache cache = lab::Cache::warm;
};

inline lab::Variant chase_row(std::string name, Path path) {
    const auto rings = std::make_shared<std::vector<Ring>>();
    const auto ring = [=](std::size_t set) -> Ring& {
        return lab::set_of(*rings, set, [=] { return Ring(path.cells, path.spacing); });
    };
    const auto chase = lab::launch(path.through_l1 ? chase_through_l1 : chase_past_l1, 1, 1);
    return {.name = std::move(name),
            .items = static_cast<double>(path.steps),
            .working_set_bytes = path.cells * path.spacing,
            .cache = path.cache,
            .prepare = [=] { ring(0).restart(); },
            .launch = [=](std::size_t set) { chase(ring(set).position(), path.steps); },
            .check = [=] { ring(0).check(path.steps); }};
}

// A ring of this many bytes in global memory, one cell in each line of 128. What fits the L2 is run
// through whole, so that it is there the next time; each launch goes on where the last one ended.
inline lab::Variant chase_footprint(std::size_t bytes, bool through_l1, lab::Cache cache) {
    constexpr std::size_t line = 128;
    const std::size_t cells = bytes / line;
    // Every launch finds the L1 empty: 64 rounds make little of the misses of the first.
    const bool may_stay_in_l1 = through_l1 && bytes <= 256 << 10;
    const std::size_t steps =
        cache == lab::Cache::cold ? 16384
        : may_stay_in_l1
            ? std::max<std::size_t>(64 * cells, 4096)
            : std::clamp<std::size_t>(4 * cells, 4096, std::max<std::size_t>(cells, 16384));
    return chase_row(
        lab::variant_name("chase", {{"path", through_l1 ? "l1" : "l2"}, {"footprint", bytes}}),
        {cells, line, static_cast<unsigned>(steps), through_l1, cache});
}

// One cell in each of these pages of 2 MiB: the cells stay in the L2, their addresses may leave the
// TLBs. A line more between two, so that they do not meet in one set of the L2.
inline lab::Variant chase_pages(std::size_t pages) {
    return chase_row(lab::variant_name("chase_pages", {{"pages", pages}}),
                     {.cells = pages, .spacing = (2 << 20) + 128, .steps = 16384});
}

// One line over and over. Lines are not equally far from the SM that runs the chase.
inline lab::Variant chase_line(unsigned line) {
    return chase_row(lab::variant_name("chase_line", {{"line", line}}),
                     {.cells = 1, .spacing = 128, .steps = 4096});
}

// Each word is the offset of the next in bytes: a ring through all of them in random order.
inline std::vector<unsigned> chain_of(std::size_t words) {
    const std::vector<std::uint32_t> order = shuffled(words);
    std::vector<unsigned> next(words);
    for (std::size_t i = 0; i < words; ++i) next[order[i]] = 4 * order[(i + 1) % words];
    return next;
}
// Where a chase from offset 0 on ends.
inline unsigned end_of(const std::vector<unsigned>& chain, unsigned steps) {
    unsigned at = 0;
    for (unsigned step = 0; step < steps; ++step) at = chain[at / 4];
    return at;
}

// A chain in one of the small memories.
class Chain {
  public:
    static const std::vector<unsigned>& words() {
        static const std::vector<unsigned> words = chain_of(chain_words);
        return words;
    }
    static unsigned after(unsigned steps) { return end_of(words(), steps); }
    Chain()
        : in_device_(words()),
          indices_(lab::tabulated(chain_words, [](std::size_t i) { return words()[i] / 4; })) {
        LAB_CUDA_CHECK(cudaMemcpyToSymbol(constant_chain, words().data(), 4 * words().size()));
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeLinear;
        resource.res.linear.devPtr = indices_.get();
        resource.res.linear.desc = cudaCreateChannelDesc<unsigned>();
        resource.res.linear.sizeInBytes = 4 * words().size();
        cudaTextureDesc read{};
        read.readMode = cudaReadModeElementType;
        LAB_CUDA_CHECK(cudaCreateTextureObject(&texture_, &resource, &read, nullptr));
    }
    const unsigned* in_device() const { return in_device_.get(); }
    cudaTextureObject_t texture() const { return texture_; }

  private:
    lab::DeviceBuffer<unsigned> in_device_, indices_;
    cudaTextureObject_t texture_{};
};

// A chase by `threads` threads, all from position 0 on or lane l from l, to where `after` says.
inline lab::Variant small_chase(const char* memory, unsigned threads,
                                std::function<unsigned(unsigned thread, unsigned steps)> after,
                                std::function<void(unsigned* position, unsigned steps)> launch,
                                unsigned words = chain_words) {
    constexpr unsigned steps = 4096;
    const auto positions = std::make_shared<lab::DeviceBuffer<unsigned>>();
    const auto last = [=](std::size_t thread) { return after(unsigned(thread), steps); };
    return {.name = lab::variant_name("chase", {{"path", memory}, {"footprint", 4 * words}}),
            .items = steps,
            .working_set_bytes = 4 * words,
            .prepare = [=] { *positions = lab::DeviceBuffer<unsigned>(numbers(threads)); },
            .launch = [=](std::size_t) { launch(positions->get(), steps); },
            .check =
                [=] {
                    lab::expect_equal<unsigned>(positions->to_host(),
                                                lab::tabulated(threads, last));
                }};
}

inline lab::Variant local_chase() {
    const auto chain = std::make_shared<lab::DeviceBuffer<unsigned>>();
    const auto words = chain_of(local_words);
    return small_chase(
        "local", 1, [=](unsigned, unsigned steps) { return end_of(words, steps); },
        [=](unsigned* position, unsigned steps) {
            if (chain->size() == 0) *chain = lab::DeviceBuffer<unsigned>(words);
            lab::launch(chase_local, 1, 1)(chain->get(), position, steps);
        },
        local_words);
}

inline std::vector<lab::Variant> small_chases() {
    const auto made = std::make_shared<std::unique_ptr<Chain>>();
    const auto chain = [=]() -> const Chain& {
        if (!*made) *made = std::make_unique<Chain>();
        return **made;
    };
    const auto after_chain = [](unsigned, unsigned steps) { return Chain::after(steps); };
    const auto after_indices = [](unsigned, unsigned steps) { return Chain::after(steps) / 4; };
    const auto after_shuffles = [](unsigned lane, unsigned steps) {
        for (unsigned step = 0; step < steps; ++step) lane = (lane * 5 + 1) % 32;
        return lane;
    };
    const auto shared = [=](unsigned* position, unsigned steps) {
        lab::launch(chase_shared, 1, 1)(chain().in_device(), position, steps);
    };
    const auto constant = [=](unsigned* position, unsigned steps) {
        chain();
        lab::launch(chase_constant, 1, 1)(position, steps);
    };
    const auto texture = [=](unsigned* position, unsigned steps) {
        lab::launch(chase_texture, 1, 1)(chain().texture(), position, steps);
    };
    return {small_chase("shared", 1, after_chain, shared),
            small_chase("constant", 1, after_chain, constant),
            small_chase("texture", 1, after_indices, texture),
            small_chase("shuffle", 32, after_shuffles, lab::launch(chase_shuffle, 1, 32)),
            local_chase()};
}

}  // namespace hierarchy

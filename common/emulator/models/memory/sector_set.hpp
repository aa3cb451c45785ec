// A set of 32-byte sectors of device memory, as bitmaps: what a launch has touched at least once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "emulator/models/memory/coalescing.hpp"
#include "emulator/models/memory/page_table.hpp"

namespace emulator {

class SectorSet {
  public:
    void insert(LineSectors touched) {
        const Address number = touched.line() / line_bytes;
        const Address line = number % lines_in_page;
        pages_[number / lines_in_page][line / 16] |= std::uint64_t{touched.sectors()}
                                                     << (4 * (line % 16));
    }
    bool contains(Address sector) const;
    void merge(const SectorSet& other);
    void clear() { pages_.clear(); }

    std::uint64_t sectors() const;
    std::uint64_t lines() const;                           // with at least one of them
    std::uint64_t lines_in(const SectorSet& other) const;  // that have a sector in both
    std::uint64_t lines_between(Address begin, Address end) const;
    // Any sector of both sets for which `wanted(address)`.
    std::optional<Address> find_in(const SectorSet& other,
                                   const std::function<bool(Address)>& wanted) const;
    // Aligned 64-byte granules with at least one of the sectors: what DRAM is read in.
    std::uint64_t granules() const;

  private:
    static constexpr std::size_t lines_in_page = 8192;           // 1 MiB of device memory
    using Page = std::array<std::uint64_t, lines_in_page / 16>;  // a bit a sector

    template <class Count>
    std::uint64_t sum(const Count& count) const;

    PageTable<Page> pages_;
};

}  // namespace emulator

// How often a launch's requests update a line by atomic operations: what all SMs do to a line beside what one does.
// Counted by a hash of lines, so that two lines seldom count as one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/models/memory/coalescing.hpp"

namespace emulator {

class LineUpdates {
  public:
    static constexpr std::size_t places = 1 << 16;
    static std::size_t place_of(Address line) {
        const std::uint64_t number = line / line_bytes * 0x9e3779b97f4a7c15u;
        return static_cast<std::size_t>(number >> (64 - std::bit_width(places - 1)));
    }
    void note(std::span<const LineSectors> lines) {
        if (counts_.empty()) counts_.resize(places);
        for (const LineSectors each : lines) ++counts_[place_of(each.line())];
    }
    void merge(const LineUpdates& other) {
        if (counts_.empty()) counts_.resize(other.counts_.size());
        for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
    }
    // Counts the lines of a place.
    std::uint64_t at(std::size_t place) const { return counts_.empty() ? 0 : counts_[place]; }
    bool empty() const { return counts_.empty(); }

  private:
    std::vector<std::uint32_t> counts_;
};

}  // namespace emulator

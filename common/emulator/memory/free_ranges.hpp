// Ranges of addresses that are free, taken first-fit: always the lowest address where the size fits, so that a
// program gets the same addresses in every run.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>

#include "emulator/memory/address_range.hpp"

namespace emulator {

class FreeRanges {
  public:
    // Joins it with the free ranges that it touches, and returns the whole.
    AddressRange add(AddressRange range);
    // The lowest `bytes` bytes that are free; nothing where no range is as large.
    std::optional<Address> take(std::size_t bytes);
    // Takes exactly a range that add() returned.
    void remove(AddressRange range);

  private:
    void insert(AddressRange range);
    std::optional<Address> lowest_of(std::size_t bytes) const;

    std::map<Address, std::size_t> by_address_;
    // Entry n: the ranges of 2^n bytes or more, and less than 2^(n+1). The search looks at the first of each entry
    // and not at every range.
    std::array<std::set<Address>, 64> by_size_;
};

}  // namespace emulator

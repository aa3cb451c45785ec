// The bytes of device memory that stores of less than a sector have written.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/models/memory/coalescing.hpp"
#include "emulator/models/memory/page_table.hpp"
#include "emulator/models/memory/sector_set.hpp"

namespace emulator {

// A sector and which of its bytes a request touches, not all of them: bit i is byte i.
struct PartialSector {
    Address sector = 0;  // of its first byte
    std::uint32_t bytes = 0;
    bool operator==(const PartialSector&) const = default;
};

// Those of a request, ascending.
std::vector<PartialSector> partial_sectors_of(const WarpRequest& request);
// Those of bytes that lie side by side: at most the first sector and the last one.
std::vector<PartialSector> partial_sectors_of(Address begin, Address end);

class PartialSectors {
  public:
    void insert(const PartialSector& part) {
        const Address number = part.sector / sector_bytes;
        pages_[number / sectors_in_page][number % sectors_in_page] |= part.bytes;
    }
    void merge(const PartialSectors& other);
    // The bytes that such stores have written of the sector that holds `address`; 0: it has none.
    std::uint32_t bytes_of(Address address) const;
    // Sectors that all these stores together leave partly written, and that are not in `known`.
    std::uint64_t incomplete(const SectorSet& known) const;

  private:
    static constexpr std::size_t sectors_in_page = 32768;  // 1 MiB of device memory
    using Page = std::array<std::uint32_t, sectors_in_page>;

    PageTable<Page> pages_;
};

}  // namespace emulator

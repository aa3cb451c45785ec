// The bytes that stores have written: whole sectors, and parts of others.
#pragma once

#include <optional>

#include "emulator/models/memory/partial_sectors.hpp"
#include "emulator/models/memory/sector_set.hpp"

namespace emulator {

struct WrittenBytes {
    SectorSet sectors;  // with at least one byte
    PartialSectors parts;

    void merge(const WrittenBytes& other) {
        sectors.merge(other.sectors);
        parts.merge(other.parts);
    }
    bool contains(Address byte) const {
        const std::uint32_t bytes = parts.bytes_of(byte);
        return bytes == 0 ? sectors.contains(byte) : (bytes >> byte % sector_bytes & 1) != 0;
    }
    // Any sector that is written as a whole and that `touched` has a part of: the same bytes in any case.
    std::optional<Address> whole_sector_in(const SectorSet& touched) const {
        return sectors.find_in(touched, [&](Address sector) {
            const std::uint32_t bytes = parts.bytes_of(sector);
            return bytes == 0 || bytes == 0xffffffffu;
        });
    }
};

}  // namespace emulator

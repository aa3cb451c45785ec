#include "emulator/models/memory/partial_sectors.hpp"

#include <algorithm>
#include <bit>

namespace emulator {
namespace {

constexpr std::uint32_t all_bytes = 0xffffffffu;

std::uint32_t bytes_between(Address begin, Address end) {
    const Address count = end - begin;
    const std::uint32_t low = count >= sector_bytes ? all_bytes : (1u << count) - 1;
    return low << (begin % sector_bytes);
}

// Adds the bytes from `begin` to `end`, behind or in the last sector of the list.
void add(Address begin, Address end, std::vector<PartialSector>& parts) {
    while (begin < end) {
        const Address sector = begin / sector_bytes * sector_bytes;
        const Address until = std::min(end, sector + sector_bytes);
        if (parts.empty() || parts.back().sector != sector) parts.push_back({sector, 0});
        parts.back().bytes |= bytes_between(begin, until);
        begin = until;
    }
}

void drop_whole(std::vector<PartialSector>& parts) {
    std::erase_if(parts, [](const PartialSector& part) { return part.bytes == all_bytes; });
}

}  // namespace

std::vector<PartialSector> partial_sectors_of(const WarpRequest& request) {
    std::array<Address, warp_size> addresses;
    std::size_t count = 0;
    for (std::uint32_t mask = request.active_mask; mask != 0; mask &= mask - 1)
        addresses[count++] = request.addresses[static_cast<std::size_t>(std::countr_zero(mask))];
    std::sort(addresses.begin(), addresses.begin() + count);
    std::vector<PartialSector> parts;
    for (std::size_t i = 0; i < count; ++i) {
        const Address end = addresses[i] + request.bytes_per_lane;
        // Sectors beyond this lane's first one that a lane before has touched are there already.
        const Address known = parts.empty() ? 0 : parts.back().sector;
        if (known > addresses[i] && known < end)
            parts.back().bytes |= bytes_between(known, std::min(end, known + sector_bytes));
        if (known <= addresses[i]) add(addresses[i], end, parts);
    }
    drop_whole(parts);
    return parts;
}

std::vector<PartialSector> partial_sectors_of(Address begin, Address end) {
    std::vector<PartialSector> parts;
    const Address first_whole = (begin + sector_bytes - 1) / sector_bytes * sector_bytes;
    const Address last_whole = end / sector_bytes * sector_bytes;
    add(begin, std::min(end, first_whole), parts);
    add(std::max({begin, last_whole, first_whole}), end, parts);
    drop_whole(parts);
    return parts;
}

void PartialSectors::merge(const PartialSectors& other) {
    other.pages_.each([this](Address number, const Page& theirs) {
        Page& mine = pages_[number];
        for (std::size_t i = 0; i < theirs.size(); ++i) mine[i] |= theirs[i];
    });
}

std::uint32_t PartialSectors::bytes_of(Address address) const {
    const Address number = address / sector_bytes;
    const Page* const page = pages_.find(number / sectors_in_page);
    return page == nullptr ? 0 : (*page)[number % sectors_in_page];
}

std::uint64_t PartialSectors::incomplete(const SectorSet& known) const {
    std::uint64_t count = 0;
    pages_.each([&](Address number, const Page& page) {
        for (std::size_t i = 0; i < page.size(); ++i) {
            const std::uint32_t bytes = page[i];
            if (bytes == 0 || bytes == all_bytes) continue;
            count += !known.contains((number * sectors_in_page + i) * sector_bytes);
        }
    });
    return count;
}

}  // namespace emulator

#include "emulator/models/memory/coalescing.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace emulator {
namespace {

// Counts the units of `unit` bytes that non-descending accesses touch, without looking back further
// than one: an access touches first...last, and all up to the last one seen are counted already.
class UnitCount {
  public:
    explicit UnitCount(std::uint32_t unit) : shift_(std::countr_zero(unit)) {}
    void touch(Address begin, Address end) {
        const Address beyond_last = ((end - 1) >> shift_) + 1;
        const Address first_new = std::max(begin >> shift_, counted_to_);
        count_ += static_cast<std::uint32_t>(beyond_last - first_new);
        counted_to_ = beyond_last;
    }
    std::uint32_t count() const { return count_; }

  private:
    int shift_;
    Address counted_to_ = 0;  // every touched unit below this one is counted
    std::uint32_t count_ = 0;
};

// The addresses of the active lanes, ascending.
struct SortedAddresses {
    std::array<Address, warp_size> address;
    std::size_t count = 0;
};

SortedAddresses sorted_addresses(const WarpRequest& request) {
    SortedAddresses sorted;
    bool ascending = true;
    for (std::uint32_t mask = request.active_mask; mask != 0; mask &= mask - 1) {
        const Address address = request.addresses[static_cast<std::size_t>(std::countr_zero(mask))];
        ascending &= sorted.count == 0 || sorted.address[sorted.count - 1] <= address;
        sorted.address[sorted.count++] = address;
    }
    if (!ascending) std::sort(sorted.address.begin(), sorted.address.begin() + sorted.count);
    return sorted;
}

}  // namespace

Transactions coalesce(const WarpRequest& request) {
    const SortedAddresses sorted = sorted_addresses(request);
    UnitCount bytes(1), sectors(sector_bytes), lines(line_bytes);
    for (std::size_t i = 0; i < sorted.count; ++i) {
        const Address begin = sorted.address[i];
        const Address end = begin + request.bytes_per_lane;
        bytes.touch(begin, end);
        sectors.touch(begin, end);
        lines.touch(begin, end);
    }
    return {sectors.count(), lines.count(), bytes.count(),
            static_cast<std::uint32_t>(sorted.count) * request.bytes_per_lane};
}

LineList lines_of(const WarpRequest& request) {
    const SortedAddresses sorted = sorted_addresses(request);
    LineList list;
    for (std::size_t i = 0; i < sorted.count; ++i) {
        const Address last = sorted.address[i] + request.bytes_per_lane - 1;
        for (Address sector = sorted.address[i] / sector_bytes; sector <= last / sector_bytes;
             ++sector) {
            const LineSectors touched(sector / 4 * line_bytes, 1u << (sector % 4));
            const bool same_line =
                list.count > 0 && list.line[list.count - 1].line() == touched.line();
            if (same_line) {
                LineSectors& known = list.line[list.count - 1];
                known = LineSectors(known.line(), known.sectors() | touched.sectors());
            } else {
                list.line[list.count++] = touched;
            }
        }
    }
    return list;
}

std::uint32_t atomic_sectors(const WarpRequest& request) {
    const SortedAddresses sorted = sorted_addresses(request);
    std::uint32_t sectors = 0, of_sector = 0, of_address = 0;
    for (std::size_t i = 0; i < sorted.count; ++i) {
        const bool same_sector =
            i > 0 && sorted.address[i] / sector_bytes == sorted.address[i - 1] / sector_bytes;
        const bool same_address = i > 0 && sorted.address[i] == sorted.address[i - 1];
        if (!same_sector) {
            sectors += of_sector;
            of_sector = 0;
        }
        of_address = same_address ? of_address + 1 : 1;
        of_sector = std::max(of_sector, of_address);
    }
    return sectors + of_sector;
}

}  // namespace emulator

#include "emulator/coalescing.hpp"

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

}  // namespace

Transactions coalesce(const WarpRequest& request) {
    std::array<Address, warp_size> addresses;
    int lanes = 0;
    bool ascending = true;
    for (std::uint32_t mask = request.active_mask; mask != 0; mask &= mask - 1) {
        const Address address = request.addresses[static_cast<std::size_t>(std::countr_zero(mask))];
        ascending &= lanes == 0 || addresses[static_cast<std::size_t>(lanes - 1)] <= address;
        addresses[static_cast<std::size_t>(lanes++)] = address;
    }
    if (!ascending) std::sort(addresses.begin(), addresses.begin() + lanes);

    UnitCount bytes(1), sectors(sector_bytes), lines(line_bytes);
    for (int i = 0; i < lanes; ++i) {
        const Address begin = addresses[static_cast<std::size_t>(i)];
        const Address end = begin + request.bytes_per_lane;
        bytes.touch(begin, end);
        sectors.touch(begin, end);
        lines.touch(begin, end);
    }
    return {sectors.count(), lines.count(), bytes.count(),
            static_cast<std::uint32_t>(lanes) * request.bytes_per_lane};
}

}  // namespace emulator

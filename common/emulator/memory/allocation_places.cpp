#include "emulator/memory/allocation_places.hpp"

#include <algorithm>
#include <iterator>
#include <new>

namespace emulator {
namespace {

constexpr std::size_t granule = 4096;   // of allocations with pages of their own
constexpr std::size_t alignment = 512;  // cudaMalloc's, of those in slabs
constexpr std::size_t min_slab_bytes = 16 << 20;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

std::size_t own_bytes(std::size_t bytes) {
    return rounded_up(std::max<std::size_t>(bytes, 1), granule);
}

// With the gap behind it, which is as large as the allocation within limits.
std::size_t shared_bytes(std::size_t bytes) {
    const std::size_t size = rounded_up(std::max<std::size_t>(bytes, 1), alignment);
    return size + std::min(size, AllocationPlaces::guard_bytes);
}

}  // namespace

AllocationPlaces::AllocationPlaces(AddressRange range, std::size_t page_bytes)
    : page_bytes_(page_bytes) {
    free_.add(range);
}

AllocationPlaces::Taken AllocationPlaces::take(std::size_t bytes, std::size_t max_own) {
    // No range is as large, and sums with it may overflow.
    constexpr std::size_t too_large = std::size_t{1} << 62;
    if (bytes > too_large) throw std::bad_alloc();
    return own_ < max_own ? take_own(bytes) : take_shared(bytes);
}

AllocationPlaces::Taken AllocationPlaces::take_own(std::size_t bytes) {
    const std::optional<Address> gap = free_.take(own_bytes(bytes) + 2 * guard_bytes);
    if (!gap) throw std::bad_alloc();
    ++own_;
    const Address begin = *gap + guard_bytes;
    return {begin, pages_of({begin, own_bytes(bytes)})};
}

AllocationPlaces::Taken AllocationPlaces::take_shared(std::size_t bytes) {
    const std::size_t span = shared_bytes(bytes);
    if (const std::optional<Address> begin = free_in_slabs_.take(span)) return {*begin, {}};
    const std::size_t slab_bytes = rounded_up(std::max(span, min_slab_bytes), granule);
    const std::optional<Address> gap = free_.take(slab_bytes + 2 * guard_bytes);
    if (!gap) throw std::bad_alloc();
    const AddressRange slab{*gap + guard_bytes, slab_bytes};
    slabs_.emplace(slab.begin, slab.bytes);
    free_in_slabs_.add(slab);
    return {*free_in_slabs_.take(span), pages_of(slab)};
}

bool AllocationPlaces::shares_pages(Address begin) const {
    const auto after = slabs_.upper_bound(begin);
    return after != slabs_.begin() && begin < std::prev(after)->first + std::prev(after)->second;
}

AddressRange AllocationPlaces::give_back(AddressRange allocation) {
    const auto after = slabs_.upper_bound(allocation.begin);
    if (!shares_pages(allocation.begin)) {
        const AddressRange own{allocation.begin, own_bytes(allocation.bytes)};
        free_.add({own.begin - guard_bytes, own.bytes + 2 * guard_bytes});
        --own_;
        return pages_of(own);
    }
    const AddressRange slab{std::prev(after)->first, std::prev(after)->second};
    const AddressRange joined =
        free_in_slabs_.add({allocation.begin, shared_bytes(allocation.bytes)});
    if (joined.bytes != slab.bytes) return {};
    free_in_slabs_.remove(slab);
    slabs_.erase(slab.begin);
    free_.add({slab.begin - guard_bytes, slab.bytes + 2 * guard_bytes});
    return pages_of(slab);
}

AddressRange AllocationPlaces::pages_of(AddressRange range) const {
    const Address begin = range.begin / page_bytes_ * page_bytes_;
    const Address end = (range.end() + page_bytes_ - 1) / page_bytes_ * page_bytes_;
    return {begin, end - begin};
}

}  // namespace emulator

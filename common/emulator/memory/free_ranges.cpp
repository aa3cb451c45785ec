#include "emulator/memory/free_ranges.hpp"

#include <bit>
#include <iterator>

namespace emulator {
namespace {

std::size_t entry_of(std::size_t bytes) {
    return static_cast<std::size_t>(std::bit_width(bytes)) - 1;
}

}  // namespace

AddressRange FreeRanges::add(AddressRange range) {
    const auto above = by_address_.lower_bound(range.begin);
    if (above != by_address_.begin()) {
        const auto [begin, bytes] = *std::prev(above);
        if (begin + bytes == range.begin) {
            remove({begin, bytes});
            range = {begin, bytes + range.bytes};
        }
    }
    if (above != by_address_.end() && range.end() == above->first) {
        const AddressRange neighbour{above->first, above->second};
        remove(neighbour);
        range.bytes += neighbour.bytes;
    }
    insert(range);
    return range;
}

std::optional<Address> FreeRanges::take(std::size_t bytes) {
    const std::optional<Address> begin = lowest_of(bytes);
    if (!begin) return std::nullopt;
    const std::size_t available = by_address_.at(*begin);
    remove({*begin, available});
    if (available != bytes) insert({*begin + bytes, available - bytes});
    return begin;
}

std::optional<Address> FreeRanges::lowest_of(std::size_t bytes) const {
    std::optional<Address> lowest;
    for (std::size_t entry = entry_of(bytes); entry < by_size_.size(); ++entry) {
        for (const Address begin : by_size_[entry]) {
            if (lowest && begin > *lowest) break;
            if (by_address_.at(begin) < bytes) continue;
            lowest = begin;
            break;
        }
    }
    return lowest;
}

void FreeRanges::insert(AddressRange range) {
    by_address_.emplace(range.begin, range.bytes);
    by_size_[entry_of(range.bytes)].insert(range.begin);
}

void FreeRanges::remove(AddressRange range) {
    by_address_.erase(range.begin);
    by_size_[entry_of(range.bytes)].erase(range.begin);
}

}  // namespace emulator

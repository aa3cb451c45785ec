// Takes down the accesses of lanes: what happens at every load and store of a kernel, and therefore
// as little as can be. What is uncommon is the tracer's business.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "emulator/thread_state.hpp"
#include "emulator/tracer.hpp"

namespace emulator {

constexpr std::size_t cached_sites = 1024;
// The sites of the running launch by the low bits of their return address; empty places hold a site
// of no place, never null. A site is found here only while its kernel runs, and recorded only
// within the array it accessed last: host code has neither, so nothing asks whether a kernel runs.
extern constinit thread_local std::array<Site*, cached_sites> site_cache;

inline Site*& site_at(const void* return_address) {
    return site_cache[reinterpret_cast<std::uintptr_t>(return_address) % cached_sites];
}

void forget_sites();

inline void append(Site& site, std::uint32_t row, Address address) {
    const std::size_t lane = thread_state.lane;
    site.next_row[lane] = row + Site::row_places;
    site.addresses[row + lane] = address;
}

// The number of the element at `offset`, and something very large if an element begins elsewhere.
template <std::uint32_t bytes>
inline Address element(Address offset) {
    return std::rotr(offset, std::countr_zero(bytes));
}

// Both leave the fast path through a tail call, so that it needs no stack frame.
void record_uncommon(Address address, std::uint32_t bytes, AccessKind kind,
                     CacheOperator cache_operator, const void* return_address);
void open_request(Site& site, Address address);

template <std::uint32_t bytes>
inline void record(Address address, AccessKind kind, CacheOperator cache_operator,
                   const void* return_address) {
    static_assert((bytes & (bytes - 1)) == 0, "the hardware accesses 1, 2, 4, 8 or 16 bytes");
    Site& site = *site_at(return_address);
    if (site.return_address != return_address ||
        element<bytes>(address - site.low) >= site.elements) [[unlikely]] {
        return record_uncommon(address, bytes, kind, cache_operator, return_address);
    }
    const std::uint32_t row = site.next_row[thread_state.lane];
    if (row == site.end_row) [[unlikely]]
        return open_request(site, address);
    append(site, row, address);
}

}  // namespace emulator

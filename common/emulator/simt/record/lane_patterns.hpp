// Properties of a request, beside its lines, that the time model reads.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/models/memory/coalescing.hpp"
#include "emulator/simt/state/memory.hpp"
#include "timing/machine/trace.hpp"

namespace emulator::simt {

// `in_loop`: its basic block is a loop by itself.
timing::Access::Update update_of(const MemoryDetail& detail, bool in_loop);
std::uint16_t distinct_addresses(const std::array<Address, warp_size>& addresses,
                                 std::uint32_t mask);
// Lanes at the address that has the most.
std::uint16_t lanes_at_one_address(std::array<Address, warp_size> addresses, std::uint32_t mask);
bool is_in(Address window, Address address);
// The lines of an access to local memory by the SM's `warp`-th resident warp, at `addresses` of its window.
void note_local(const std::array<Address, warp_size>& addresses, std::uint32_t mask, unsigned bytes,
                std::uint64_t warp, timing::LaunchTrace& trace, timing::Access& access);

}  // namespace emulator::simt

// The range of addresses that the emulated GPU's memory lies in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace emulator {

using Address = std::uint64_t;

struct AddressRange {
    Address begin = 0;
    std::size_t bytes = 0;
    Address end() const { return begin + bytes; }
};

// Maps `bytes` bytes without access: at `wanted` or nowhere, where that is not 0. Returns where, or 0.
using MapRange = std::function<Address(Address wanted, std::size_t bytes)>;
Address map_without_access(Address wanted, std::size_t bytes);

// Reserves `bytes` bytes at the first of a few fixed addresses that this system has: kernels give a process 2^47 bytes
// of addresses (x86-64), or 2^48, 2^42 or 2^39 (arm64). Elsewhere, if all are taken. Throws std::runtime_error.
AddressRange reserve_addresses(std::size_t bytes, const MapRange& map = map_without_access);

}  // namespace emulator

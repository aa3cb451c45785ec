// wmma.load and wmma.store: what the machine code makes of them, addresses of rows and single loads and stores.
#pragma once

#include <array>

#include "emulator/simt/state/launch_record.hpp"
#include "emulator/simt/state/operation.hpp"

namespace emulator::simt {

// The address of each lane: base + offset + (row x stride + column) elements of `bits` bits. Destination: 64-bit lanes.
struct MatrixAddressDetail {
    RegisterOffset base = no_register;
    bool base_is_64_bit = true;
    std::int64_t offset = 0;
    RegisterOffset stride = no_register;  // 32-bit lanes: elements
    unsigned bits = 16;
    std::array<std::uint16_t, warp_size> row{}, column{};
};
void execute_matrix_address(Warp& warp, const Operation& operation);

// The low bytes of four 32-bit registers, as one.
void execute_join_bytes(Warp& warp, const Operation& operation);

}  // namespace emulator::simt

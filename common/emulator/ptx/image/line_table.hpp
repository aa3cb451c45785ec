// The line table of machine code: which line of the PTX each instruction comes from.
// Source: DWARF 2, section 6.2; ptxas writes it to .nv_debug_line_sass with -lineinfo.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace emulator::ptx {

struct LineRow {
    std::uint64_t address = 0;
    std::uint32_t line = 0;  // of the instructions from this address up to the next row's
};

// One function's rows, in order of addresses. `address_field`: where the table has the address of its code, which
// a relocation fills in.
struct LineSequence {
    std::uint64_t address_field = 0;
    std::vector<LineRow> rows;

    std::uint32_t line_at(std::uint64_t address) const;  // 0: unknown
    // The next line behind an address that is not its own; its own where there is none.
    std::uint32_t other_line_behind(std::uint64_t address) const;
};

// Throws FatbinError where the table is damaged.
std::vector<LineSequence> read_line_table(std::span<const std::byte> table);

}  // namespace emulator::ptx

// The functions of a cubin that have machine code of their own, each with its line table.
// Source: .nv_debug_line_sass and .symtab of cubins built with -lineinfo.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emulator/ptx/image/elf.hpp"
#include "emulator/ptx/image/line_table.hpp"

namespace emulator::ptx {

constexpr std::uint64_t machine_instruction_bytes = 16;  // from Volta on

struct MachineText {
    // A function that ptxas put into the code of this one: one that is called, or a subroutine of its own for the rare
    // cases of an instruction, "$__internal_0_$__cuda_sm20_sqrt_rn_f32_slowpath".
    struct Inner {
        std::string name;
        std::uint64_t address = 0;
    };

    std::string name;
    CubinReader code;
    LineSequence lines;
    std::vector<Inner> inner;
};

// They refer to the bytes of `cubin`. Throws FatbinError where it is damaged.
std::vector<MachineText> read_machine_texts(std::span<const std::byte> cubin);

}  // namespace emulator::ptx

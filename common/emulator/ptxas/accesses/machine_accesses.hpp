// The access of a load or store of the PTX, and those of the machine's instructions of its line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/ptx/code/machine_code.hpp"
#include "emulator/ptx/parse/module.hpp"
#include "emulator/ptxas/accesses/issued_piece.hpp"

namespace emulator::ptx {

constexpr std::int64_t word_bytes = 4;

// Volatile, or ordered with others' accesses.
bool is_ordered(const Instruction& instruction);
// Neither load nor store, and none may be moved or joined across it.
bool may_order_memory(const Instruction& instruction);
Space space_of(const Instruction& instruction);
// The type and how many of it, as text.
std::string type_text(const Instruction& instruction);
// All elements of a vector.
std::uint32_t bytes_of_lane(const Instruction& instruction);

// Whether the machine code loads or stores anything at the instruction's line.
bool is_issued(const std::vector<MachineAccess>& code, const Instruction& instruction);

// Whether the machine code loads or stores there without knowing the space (LD, ST).
bool is_generic(const std::vector<MachineAccess>& code, const Instruction& instruction);

// How many bytes each of the machine's instructions loads or stores; nothing where they differ or there are none.
std::optional<std::uint32_t> bytes_issued(const std::vector<MachineAccess>& code,
                                          const Instruction& instruction);

// Pieces of aligned 16 bytes (8 where `is_half`) for the words in `mask`.
std::vector<IssuedPiece> pieces_of(std::uint32_t mask, bool is_store, bool is_half);

}  // namespace emulator::ptx

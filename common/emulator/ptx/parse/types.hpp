// Names of PTX' fundamental types and state spaces.
// Source: NVIDIA, PTX ISA, sections 5.1 (state spaces) and 5.2 (types).
#pragma once

#include <optional>
#include <string_view>

#include "emulator/ptx/parse/module.hpp"

namespace emulator::ptx {

// "b32" and the like; Type::none for other names.
Type type_named(std::string_view name);

// "global" and the like, "shared::cta" included.
std::optional<Space> space_named(std::string_view name);

// Whether the instruction is written with a modifier, without its dot: "volatile", "v4".
bool has(const Instruction& instruction, std::string_view modifier);

}  // namespace emulator::ptx

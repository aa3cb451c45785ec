#include "emulator/ptxas/accesses/machine_accesses.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "emulator/ptx/parse/types.hpp"

namespace emulator::ptx {

bool is_ordered(const Instruction& instruction) {
    static constexpr std::array<std::string_view, 6> orders = {"volatile", "relaxed", "acquire",
                                                               "release",  "mmio",    "cv"};
    return std::ranges::any_of(orders,
                               [&](std::string_view order) { return has(instruction, order); });
}

bool may_order_memory(const Instruction& instruction) {
    static constexpr std::array<std::string_view, 13> opcodes = {
        "atom", "red",      "bar",  "barrier", "membar",    "fence",         "call",
        "cp",   "mbarrier", "sust", "suld",    "nanosleep", "griddepcontrol"};
    return std::ranges::find(opcodes, instruction.opcode) != opcodes.end();
}

Space space_of(const Instruction& instruction) {
    for (const std::string& modifier : instruction.modifiers) {
        if (modifier.starts_with("param::")) return Space::param;
        if (modifier.starts_with("shared")) return Space::shared;
        if (const auto space = space_named(modifier)) return *space;
    }
    return Space::generic;
}

std::uint32_t bytes_of_lane(const Instruction& instruction) {
    const Operand& values = instruction.operands[instruction.opcode == "ld" ? 0 : 1];
    std::uint32_t bytes = 0;
    for (const std::string& modifier : instruction.modifiers) {
        if (type_named(modifier) != Type::none) bytes = bytes_of(type_named(modifier));
    }
    const bool is_vector = values.kind == OperandKind::vector;
    return is_vector ? bytes * static_cast<std::uint32_t>(values.elements.size()) : bytes;
}

std::string type_text(const Instruction& instruction) {
    std::string text;
    for (const std::string& modifier : instruction.modifiers) {
        if (type_named(modifier) != Type::none || modifier == "v2" || modifier == "v4")
            text += modifier;
    }
    return text;
}

bool is_issued(const std::vector<MachineAccess>& code, const Instruction& instruction) {
    const auto kind =
        instruction.opcode == "ld" ? MachineAccessKind::load : MachineAccessKind::store;
    return std::ranges::any_of(
        std::ranges::equal_range(code, instruction.text_line, {}, &MachineAccess::line),
        [&](const MachineAccess& access) { return access.kind == kind; });
}

bool is_generic(const std::vector<MachineAccess>& code, const Instruction& instruction) {
    return std::ranges::any_of(
        std::ranges::equal_range(code, instruction.text_line, {}, &MachineAccess::line),
        &MachineAccess::is_generic);
}

std::optional<std::uint32_t> bytes_issued(const std::vector<MachineAccess>& code,
                                          const Instruction& instruction) {
    const auto kind =
        instruction.opcode == "ld" ? MachineAccessKind::load : MachineAccessKind::store;
    std::optional<std::uint32_t> bytes;
    for (const MachineAccess& access :
         std::ranges::equal_range(code, instruction.text_line, {}, &MachineAccess::line)) {
        if (access.kind != kind) continue;
        if (bytes && *bytes != access.bytes) return {};
        bytes = access.bytes;
    }
    return bytes;
}

std::vector<IssuedPiece> pieces_of(std::uint32_t mask, bool is_store, bool is_half) {
    const bool is_whole = is_store ? mask == 0xf : std::popcount(mask) >= 3;
    if (is_whole && !is_half) return {{0, 16}};
    std::vector<IssuedPiece> pieces;
    for (std::int64_t half = 0; half < 2; ++half) {
        const std::uint32_t words = mask >> (2 * half) & 3;
        if (words == 3) pieces.push_back({8 * half, 8});
        if (words == 1) pieces.push_back({8 * half, 4});
        if (words == 2) pieces.push_back({8 * half + word_bytes, 4});
    }
    return pieces;
}

}  // namespace emulator::ptx

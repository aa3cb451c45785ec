// array[index], as nvcc computes it: the index is widened and scaled to 64 bits, the array's address added.
// Where array and index are known, the memory operation does without: 32-bit arithmetic is half the work.
#include <algorithm>

#include "emulator/simt/decode/decode.hpp"

namespace emulator::simt {
namespace {

constexpr std::uint32_t max_scale = 4096;

bool is(const ptx::Instruction& instruction, std::string_view opcode,
        std::initializer_list<std::string_view> modifiers) {
    return instruction.opcode == opcode && std::ranges::equal(instruction.modifiers, modifiers);
}

}  // namespace

unsigned FunctionDecoder::version_of(RegisterOffset offset) const {
    const auto found = versions_.find(offset);
    return found == versions_.end() ? 0 : found->second;
}

void FunctionDecoder::note_definitions(const ptx::Instruction& instruction) {
    if (instruction.operands.empty()) return;
    const auto note = [&](const auto& self, const ptx::Operand& operand) -> void {
        if (operand.kind == ptx::OperandKind::reg) ++versions_[register_offsets_[operand.index]];
        for (const ptx::Operand& inner : operand.elements) self(self, inner);
    };
    note(note, instruction.operands[0]);
}

// A register that is written once holds its value wherever it is read; others as long as the block lasts and
// does not write them again.
bool FunctionDecoder::still_holds(const ScaledIndex& scaled) const {
    const auto unchanged = [&](RegisterOffset offset, unsigned version) {
        if (const auto found = definitions_.find(offset);
            found == definitions_.end() || found->second == 1) {
            return true;
        }
        return scaled.block + 1 == blocks_.size() && version_of(offset) == version;
    };
    return unchanged(scaled.index, scaled.index_version) &&
           unchanged(scaled.result, scaled.version);
}

const FunctionDecoder::ScaledIndex* FunctionDecoder::scaled_index(RegisterOffset offset) const {
    const auto found = scaled_by_result_.find(offset);
    if (found == scaled_by_result_.end()) return nullptr;
    const ScaledIndex& scaled = scaled_[found->second];
    return still_holds(scaled) ? &scaled : nullptr;
}

// `operation` was just emitted for `instruction`, at the end of the block at hand.
void FunctionDecoder::note_address(const ptx::Instruction& instruction,
                                   const Operation& operation) {
    if (instruction.guard.reg >= 0 || operation.destination == no_register) return;
    const bool has_immediate = instruction.operands.back().kind == ptx::OperandKind::immediate;
    const auto value = static_cast<std::int64_t>(operation.immediate);
    ScaledIndex scaled;
    const bool adds = is(instruction, "add", {"s64"}) || is(instruction, "add", {"u64"});
    if (has_immediate &&
        (is(instruction, "mul", {"wide", "s32"}) || is(instruction, "mul", {"wide", "u32"}))) {
        if (value <= 0 || value > max_scale) return;
        scaled.index = operation.source[0];
        scaled.scale = static_cast<std::uint32_t>(value);
        scaled.is_signed = instruction.modifiers[1] == "s32";
    } else if (is(instruction, "cvt", {"s64", "s32"}) || is(instruction, "cvt", {"u64", "u32"})) {
        scaled.index = operation.source[0];
        scaled.is_signed = instruction.modifiers[1] == "s32";
    } else if (has_immediate && (is(instruction, "shl", {"b64"}) || adds)) {
        const ScaledIndex* const from = scaled_index(operation.source[0]);
        if (from == nullptr) return;
        scaled = *from;
        scaled.from = operation.source[0];
        if (adds) {
            scaled.offset += value;
        } else {
            if (from->array != no_register || value > 12 || scaled.scale << value > max_scale)
                return;
            scaled.scale <<= value;
            scaled.offset *= std::int64_t{1} << value;
        }
    } else if (adds) {
        const std::size_t array = is_uniform(operation.source[0]) ? 0 : 1;
        const RegisterOffset rest = operation.source[1 - array];
        if (!is_uniform(operation.source[array])) return;
        const ScaledIndex* const from = scaled_index(rest);
        if (from == nullptr || from->array != no_register) return;
        scaled = *from;
        scaled.from = rest;
        scaled.array = operation.source[array];
    } else {
        return;
    }
    if (scaled.index == no_register) return;
    scaled.result = operation.destination;
    scaled.block = blocks_.size() - 1;
    scaled.operation = blocks_.back().operations.size() - 1;
    scaled.index_version = version_of(scaled.index);
    scaled.version = version_of(scaled.result) + 1;  // which the instruction at hand makes
    scaled_by_result_[scaled.result] = scaled_.size();
    scaled_.push_back(scaled);
}

void FunctionDecoder::use_array_address(MemoryDetail& detail) {
    if (detail.base == no_register || !detail.base_is_64_bit) return;
    const ScaledIndex* const scaled = scaled_index(detail.base);
    if (scaled == nullptr || scaled->array == no_register) return;
    ++replaced_uses_[detail.base];
    detail.base = scaled->index;
    detail.base_is_64_bit = false;
    detail.array = scaled->array;
    detail.scale = scaled->scale;
    detail.index_is_signed = scaled->is_signed;
    detail.offset += scaled->offset;
}

// Operations whose results nothing reads any more.
void FunctionDecoder::drop_unused_addresses() {
    for (auto scaled = scaled_.rbegin(); scaled != scaled_.rend(); ++scaled) {
        const auto definitions = definitions_.find(scaled->result);
        if (definitions == definitions_.end() || definitions->second != 1) continue;
        if (replaced_uses_[scaled->result] < use_counts_[scaled->result]) continue;
        blocks_[scaled->block].operations[scaled->operation].execute = nullptr;
        if (scaled->from != no_register) ++replaced_uses_[scaled->from];
    }
    for (OpenBlock& block : blocks_) {
        std::erase_if(block.operations,
                      [](const Operation& operation) { return operation.execute == nullptr; });
    }
}

}  // namespace emulator::simt

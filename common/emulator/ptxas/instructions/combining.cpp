#include "emulator/ptxas/instructions/combining.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "emulator/ptxas/instructions/instruction_kinds.hpp"

namespace timing {
namespace {

namespace ptx = emulator::ptx;
using ptx::OperandKind;

bool is_plain(const ptx::Instruction& instruction, std::string_view opcode) {
    return instruction.opcode == opcode && instruction.guard.reg < 0;
}

bool is_register(const ptx::Operand& operand, std::uint32_t index) {
    return operand.kind == OperandKind::reg && operand.index == index;
}

// By register: the instructions that write it.
using Definitions = std::unordered_map<std::uint32_t, std::vector<const ptx::Instruction*>>;

Definitions definitions_of(const ptx::Function& function) {
    Definitions definitions;
    for (const ptx::Instruction& instruction : function.instructions) {
        if (instruction.operands.empty() || !writes_its_first_operand(instruction)) continue;
        const ptx::Operand& target = instruction.operands[0];
        if (target.kind == OperandKind::reg) definitions[target.index].push_back(&instruction);
        for (const ptx::Operand& element : target.elements) {
            if (element.kind == OperandKind::reg)
                definitions[element.index].push_back(&instruction);
        }
    }
    return definitions;
}

// The only writer of the register; null where there are several.
const ptx::Instruction* only_definition(const Definitions& definitions,
                                        const ptx::Operand& operand) {
    if (operand.kind != OperandKind::reg) return nullptr;
    const auto found = definitions.find(operand.index);
    return found != definitions.end() && found->second.size() == 1 ? found->second[0] : nullptr;
}

bool is_move_of(const ptx::Instruction* instruction, OperandKind kind) {
    return instruction != nullptr && instruction->opcode == "mov" &&
           instruction->operands[1].kind == kind;
}

// A machine instruction adds something to these while it does its own work.
enum class Addend : std::uint8_t { none, product, shifted, shifted_word, sum };

bool is_32_bit_sum(const ptx::Instruction& instruction) {
    return is_plain(instruction, "add") && has_any(instruction, {"s32", "u32"});
}

bool is_64_bit_sum(const ptx::Instruction& instruction) {
    return instruction.opcode == "add" && is_64_bit_integer(instruction);
}

Addend addend_of(const ptx::Instruction& instruction) {
    if (instruction.opcode == "mul" && has(instruction, "wide")) return Addend::product;
    if (instruction.opcode == "shl" && is_64_bit_integer(instruction)) return Addend::shifted;
    if (is_plain(instruction, "shl") && has(instruction, "b32")) return Addend::shifted_word;
    return is_32_bit_sum(instruction) ? Addend::sum : Addend::none;
}

// Whether a sum takes it in: of 64 bits IMAD.WIDE, or LEA and LEA.HI; of 32 bits LEA, or IADD3 of three numbers.
bool takes_in(const ptx::Instruction& sum, Addend addend) {
    if (is_64_bit_sum(sum)) return addend == Addend::product || addend == Addend::shifted;
    return is_32_bit_sum(sum) && (addend == Addend::shifted_word || addend == Addend::sum);
}

// A product, shift or sum whose only use is the sum behind it is no instruction of its own.
void fuse_sums(const ptx::Function& function, std::span<const std::uint32_t> block,
               std::vector<Instruction>& lowered) {
    std::unordered_map<Register, std::size_t> definition;
    std::unordered_map<Register, unsigned> uses;
    for (const Instruction& instruction : lowered) {
        for (const Register each : instruction.sources) ++uses[each];
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
        const ptx::Instruction& instruction = function.instructions[block[i]];
        bool is_fused = false;
        for (const Register each : lowered[i].sources) {
            const auto found = definition.find(each);
            if (found == definition.end() || uses[each] != 1) continue;
            const Addend addend = addend_of(function.instructions[block[found->second]]);
            if (lowered[i].slots == 0 || !takes_in(instruction, addend)) continue;
            lowered[found->second].slots = 0;
            lowered[i].slots = addend == Addend::shifted ? 2 : 1;
            lowered[i].unit = addend == Addend::product ? Unit::fp32 : Unit::integer;
            is_fused = true;
            break;
        }
        for (const Register each : lowered[i].destinations) definition.erase(each);
        if (!is_fused && addend_of(instruction) != Addend::none && !lowered[i].destinations.empty())
            definition[lowered[i].destinations[0]] = i;
    }
}

bool is_wide_product(const ptx::Instruction& instruction) {
    return is_plain(instruction, "mul") && has(instruction, "wide");
}

// The wide product that a sum takes in wherever that is made (IMAD.WIDE): one of them.
const ptx::Instruction* taken_in_by(const Definitions& definitions, const ptx::Instruction& sum) {
    if (!is_64_bit_sum(sum)) return nullptr;
    for (const ptx::Operand& operand : std::span(sum.operands).subspan(1)) {
        const ptx::Instruction* const definition = only_definition(definitions, operand);
        if (definition != nullptr && is_wide_product(*definition)) return definition;
    }
    return nullptr;
}

// Whether sums take in a product wherever it is read.
bool is_taken_in(const ptx::Function& function, const Definitions& definitions,
                 const ptx::Instruction& product) {
    const std::uint32_t index = product.operands[0].index;
    const auto is_it = [&](const ptx::Operand& operand) { return is_register(operand, index); };
    return std::ranges::all_of(function.instructions, [&](const ptx::Instruction& instruction) {
        if (&instruction == &product) return true;
        const bool reads = std::ranges::any_of(instruction.operands, [&](const auto& operand) {
            return is_it(operand) || std::ranges::any_of(operand.elements, is_it);
        });
        return !reads || taken_in_by(definitions, instruction) == &product;
    });
}

// A product that all sums which read it take in is no instruction of its own.
void take_in_products(const ptx::Function& function, std::span<const std::uint32_t> block,
                      const Definitions& definitions, std::vector<Instruction>& lowered) {
    for (std::size_t i = 0; i < block.size(); ++i) {
        const ptx::Instruction& instruction = function.instructions[block[i]];
        if (lowered[i].slots == 0 || instruction.operands.empty()) continue;
        if (is_wide_product(instruction)) {
            if (only_definition(definitions, instruction.operands[0]) == &instruction &&
                is_taken_in(function, definitions, instruction))
                lowered[i].slots = 0;
        } else if (taken_in_by(definitions, instruction) != nullptr) {
            lowered[i].slots = 1;
            lowered[i].unit = Unit::fp32;
        }
    }
}

// A constant in a register that gets others, too, is moved there: nothing that reads it can have it as an operand.
void keep_constants(const ptx::Function& function, std::span<const std::uint32_t> block,
                    const Definitions& definitions, std::vector<Instruction>& lowered) {
    for (std::size_t i = 0; i < block.size(); ++i) {
        const ptx::Instruction& instruction = function.instructions[block[i]];
        if (instruction.opcode != "mov" || has(instruction, "pred") ||
            only_definition(definitions, instruction.operands[0]) != nullptr)
            continue;
        const ptx::Operand& source = instruction.operands[1];
        if (source.kind == OperandKind::immediate ||
            is_move_of(only_definition(definitions, source), OperandKind::immediate))
            lowered[i].slots = 1;
    }
}

}  // namespace

void combine(const ptx::Function& function, std::span<const std::uint32_t> block,
             std::vector<Instruction>& lowered) {
    const Definitions definitions = definitions_of(function);
    fuse_sums(function, block, lowered);
    take_in_products(function, block, definitions, lowered);
    keep_constants(function, block, definitions, lowered);
}

}  // namespace timing

#include "emulator/ptx/flow/address_values.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/ptx/flow/register_facts.hpp"

namespace emulator::ptx {
namespace {

// Their results depend on their operands alone.
bool is_computation(const Instruction& instruction) {
    static constexpr std::array<std::string_view, 14> opcodes = {"mov", "add", "sub", "mul", "mad",
                                                                 "shl", "shr", "and", "or",  "xor",
                                                                 "not", "cvt", "neg", "cvta"};
    return instruction.guard.reg < 0 && std::ranges::count(opcodes, instruction.opcode) != 0 &&
           std::ranges::count(instruction.modifiers, "cc") == 0;
}

// A thread reads the same value of these wherever it reads it.
bool is_constant(std::string_view special) {
    static constexpr std::array<std::string_view, 5> names = {"%tid", "%ntid", "%ctaid", "%nctaid",
                                                              "%laneid"};
    return std::ranges::any_of(names, [&](auto name) { return special.starts_with(name); });
}

class Numbers {
  public:
    explicit Numbers(std::vector<AddressValue>& values)
        : values_(values), next_(static_cast<std::uint32_t>(values.size())) {}

    std::optional<AddressValue> result_of(const Instruction& instruction) {
        std::vector<AddressValue> operands;
        for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
            const auto value = value_of(instruction.operands[i]);
            if (!value) return {};
            operands.push_back(*value);
        }
        if (instruction.opcode == "mov" && operands.size() == 1) return operands[0];
        std::string key = instruction.opcode;
        for (const std::string& modifier : instruction.modifiers) key += "." + modifier;
        std::int64_t offset = 0;
        if (instruction.opcode == "add" && operands.size() == 2) {
            offset = operands[0].offset + operands[1].offset;
            operands[0].offset = operands[1].offset = 0;
            if (operands[1].root == number("")) return AddressValue{operands[0].root, offset};
            if (operands[0].root == number("")) return AddressValue{operands[1].root, offset};
            if (operands[0].root > operands[1].root) std::swap(operands[0], operands[1]);
        }
        for (const AddressValue& operand : operands)
            key += " " + std::to_string(operand.root) + "+" + std::to_string(operand.offset);
        return AddressValue{number(key), offset};
    }

  private:
    // Constants are offsets from the root of no name.
    std::optional<AddressValue> value_of(const Operand& operand) {
        switch (operand.kind) {
            case OperandKind::reg:
                return values_[operand.index];
            case OperandKind::immediate:
                return AddressValue{number(""), static_cast<std::int64_t>(operand.bits)};
            case OperandKind::symbol:
                return AddressValue{number(operand.symbol), operand.offset};
            case OperandKind::special:
                if (is_constant(operand.symbol)) return AddressValue{number(operand.symbol), 0};
                return {};
            default:
                return {};
        }
    }

    std::uint32_t number(const std::string& key) {
        const auto [found, is_new] = numbers_.try_emplace(key, next_);
        next_ += is_new;
        return found->second;
    }

    std::vector<AddressValue>& values_;
    std::uint32_t next_;
    std::map<std::string, std::uint32_t> numbers_;
};

}  // namespace

AddressValues::AddressValues(const Function& function) {
    std::vector<unsigned> writes(function.registers.size());
    for (const Instruction& instruction : function.instructions) {
        for (const std::uint32_t reg : written_registers(instruction)) ++writes[reg];
    }
    for (std::uint32_t reg = 0; reg < writes.size(); ++reg) values_.push_back({reg, 0});
    Numbers numbers(values_);
    for (const Instruction& instruction : function.instructions) {
        const auto written = written_registers(instruction);
        if (written.size() != 1 || writes[written[0]] != 1 || !is_computation(instruction))
            continue;
        if (const auto value = numbers.result_of(instruction)) values_[written[0]] = *value;
    }
}

}  // namespace emulator::ptx

// The facts of a function's registers that hold whatever its threads do: the low bits of their values, and
// whether all lanes of a warp hold the same one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emulator/ptx/flow/control_flow.hpp"
#include "emulator/ptx/parse/module.hpp"

namespace emulator::ptx {

// A value modulo 2^bits.
struct LowBits {
    static constexpr unsigned max_bits = 16;
    unsigned bits = 0;
    std::uint32_t value = 0;

    bool operator==(const LowBits&) const = default;
};

// Where a .shared variable begins, and how a .const one lies in aligned words of 8 bytes; nothing for other symbols.
using VariableOffset = std::function<std::optional<std::uint64_t>(const std::string&)>;

class RegisterFacts {
  public:
    RegisterFacts(const Function& function, const ControlFlow& flow,
                  VariableOffset variable_offset);

    LowBits low_bits(const Operand& operand) const;  // of registers, immediates and symbols
    bool is_uniform(const Operand& operand) const;
    std::optional<std::uint64_t> variable_offset(const std::string& symbol) const {
        return variable_offset_(symbol);
    }

  private:
    bool update(const Instruction& instruction);
    bool lose_where_lanes_part(const ControlFlow& flow);
    LowBits result_of(const Instruction& instruction) const;
    bool is_result_uniform(const Instruction& instruction) const;

    const Function& function_;
    VariableOffset variable_offset_;
    std::vector<std::optional<LowBits>> low_bits_;  // by register; nothing: not written yet
    std::vector<bool> is_uniform_;
};

// The registers that an instruction writes.
std::vector<std::uint32_t> written_registers(const Instruction& instruction);

}  // namespace emulator::ptx

// An instruction's form as `find_arithmetic` is asked for it, and the families that know some opcodes each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "emulator/simt/state/operation.hpp"

namespace emulator::simt {

struct OperandShape {
    std::uint8_t register_bytes = 0;  // 2, 4 or 8; 0: a predicate, or an immediate
    bool is_immediate = false;
    bool is_negated_predicate = false;  // !%p as a source
};

struct Arithmetic {
    Handler execute = nullptr;  // null: `opcode` is no arithmetic, or has a form that is not known
    // Whether the operation reads (writes) the carry flag of the lanes, which the decoder then appends
    // as the last source (as second destination): a predicate.
    bool reads_carry = false, writes_carry = false;
    std::uint16_t variant = 0;  // goes to Operation::variant
};

struct Form {
    std::string_view opcode;
    std::span<const std::string> modifiers;
    std::span<const OperandShape> shapes;
    std::size_t destinations = 1;

    std::size_t sources() const { return shapes.size() - destinations; }
    const OperandShape& source(std::size_t index) const { return shapes[destinations + index]; }
    bool has(std::string_view modifier) const;
    // The type that the instruction ends with; `from_end` 1: the one before it; "" where there is none.
    std::string_view type(std::size_t from_end = 0) const;
    // Whether all modifiers are types or in the list: a form with any other is not known.
    bool only(std::initializer_list<std::string_view> modifiers) const;
};

bool is_type(std::string_view modifier);

// Families; each returns no handler for what it does not know.
Arithmetic find_integer(const Form& form);
Arithmetic find_integer_product(const Form& form);
Arithmetic find_carry(const Form& form);
Arithmetic find_packed_integer(const Form& form);
Arithmetic find_logic(const Form& form);
Arithmetic find_bits(const Form& form);
Arithmetic find_float(const Form& form);
Arithmetic find_float_function(const Form& form);
Arithmetic find_half(const Form& form);
Arithmetic find_half_float(const Form& form);
Arithmetic find_comparison(const Form& form);
Arithmetic find_half_set(const Form& form);
Arithmetic find_video(const Form& form);
Arithmetic find_selection(const Form& form);
Arithmetic find_move(const Form& form);
Arithmetic find_integer_conversion(const Form& form);
Arithmetic find_float_conversion(const Form& form);
Arithmetic find_narrow_conversion(const Form& form);

// Calls f.operator()<T>() for the C++ type of an integer type of PTX; bits count as unsigned.
template <class F>
auto with_integer(std::string_view type, F&& f) {
    if (type == "s16") return f.template operator()<std::int16_t>();
    if (type == "u16" || type == "b16") return f.template operator()<std::uint16_t>();
    if (type == "s32") return f.template operator()<std::int32_t>();
    if (type == "u32" || type == "b32") return f.template operator()<std::uint32_t>();
    if (type == "s64") return f.template operator()<std::int64_t>();
    if (type == "u64" || type == "b64") return f.template operator()<std::uint64_t>();
    return decltype(f.template operator()<std::int16_t>()) {};
}

}  // namespace emulator::simt

// Asks the families of arithmetic for a handler.
#include "emulator/simt/alu/arithmetic.hpp"

#include <algorithm>
#include <array>

namespace emulator::simt {

bool is_type(std::string_view modifier) {
    static constexpr std::string_view types[] = {
        "pred", "b8",     "b16",  "b32",   "b64",   "b128",   "u8",     "u16",  "u32",
        "u64",  "s8",     "s16",  "s32",   "s64",   "f16",    "f32",    "f64",  "f16x2",
        "bf16", "bf16x2", "tf32", "u16x2", "s16x2", "e4m3x2", "e5m2x2", "e4m3", "e5m2"};
    return std::ranges::find(types, modifier) != std::end(types);
}

bool Form::has(std::string_view modifier) const {
    return std::ranges::find(modifiers, modifier) != modifiers.end();
}

std::string_view Form::type(std::size_t from_end) const {
    if (from_end >= modifiers.size()) return {};
    const std::string_view found = modifiers[modifiers.size() - 1 - from_end];
    return is_type(found) ? found : std::string_view{};
}

bool Form::only(std::initializer_list<std::string_view> allowed) const {
    return std::ranges::all_of(modifiers, [&](std::string_view modifier) {
        return is_type(modifier) || std::ranges::find(allowed, modifier) != allowed.end();
    });
}

Arithmetic find_arithmetic(const std::string& opcode, std::span<const std::string> modifiers,
                           std::span<const OperandShape> shapes, std::size_t destinations) {
    if (shapes.size() <= destinations || destinations == 0) return {};
    const Form form{opcode, modifiers, shapes, destinations};
    constexpr std::array families = {find_integer,
                                     find_integer_product,
                                     find_carry,
                                     find_packed_integer,
                                     find_logic,
                                     find_bits,
                                     find_float,
                                     find_float_function,
                                     find_half,
                                     find_half_float,
                                     find_comparison,
                                     find_half_set,
                                     find_video,
                                     find_selection,
                                     find_move,
                                     find_integer_conversion,
                                     find_float_conversion,
                                     find_narrow_conversion};
    for (const auto family : families) {
        if (const Arithmetic found = family(form); found.execute != nullptr) return found;
    }
    return {};
}

}  // namespace emulator::simt

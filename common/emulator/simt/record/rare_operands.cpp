#include "emulator/simt/record/rare_operands.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "emulator/simt/decode/decode.hpp"
#include "emulator/simt/state/launch.hpp"

namespace emulator::simt {
namespace {

// Where both fit into 32 bits, they are divided as such.
bool is_wide(std::uint64_t dividend, std::uint64_t divisor) {
    return (dividend | divisor) >> 32 != 0;
}

// FCHK tells where the quotient, or the remainder from which it is corrected, leaves the range of normal numbers. Its
// rule is not published: it is taken to be that of the correction.
bool is_out_of_range(std::uint64_t dividend, std::uint64_t divisor) {
    constexpr int mantissa_bits = 23, lowest = 1, highest = 253;
    const auto exponent = [](std::uint64_t bits) {
        return static_cast<int>(bits >> mantissa_bits & 0xff);
    };
    const int above = exponent(dividend), below = exponent(divisor);
    const int quotient = above - below + 127;
    return above <= mantissa_bits || below < lowest || below >= highest || quotient <= lowest ||
           quotient >= highest;
}

// As the machine code tests the high words, taken as floats.
bool is_double_out_of_range(std::uint64_t dividend, std::uint64_t divisor) {
    constexpr float min_dividend = 6.5827683646048100446e-37f,
                    min_quotient = 1.469367938527859385e-39f;
    const auto high_word = [](std::uint64_t bits) {
        return std::abs(std::bit_cast<float>(static_cast<std::uint32_t>(bits >> 32)));
    };
    const double quotient = std::bit_cast<double>(dividend) / std::bit_cast<double>(divisor);
    return high_word(dividend) < min_dividend ||
           !(high_word(std::bit_cast<std::uint64_t>(quotient)) > min_quotient);
}

}  // namespace

std::optional<RareOperandsDetail> rare_operands_of(const ptx::Instruction& instruction) {
    const bool divides = instruction.opcode == "div";
    if (!divides && instruction.opcode != "rem") return std::nullopt;
    if (has(instruction, "u64") || has(instruction, "s64"))
        return RareOperandsDetail{0, is_wide, 8};
    if (!divides || !has(instruction, "rn")) return std::nullopt;
    if (has(instruction, "f32")) return RareOperandsDetail{0, is_out_of_range, 4};
    return RareOperandsDetail{0, is_double_out_of_range, 8};
}

void count_rare_operands(Warp& warp, const Operation& operation) {
    const auto& detail = *static_cast<const RareOperandsDetail*>(operation.detail);
    const auto value = [&](std::size_t source, int lane) {
        std::uint64_t bits = 0;
        std::memcpy(&bits,
                    warp.registers + operation.source[source] +
                        static_cast<std::size_t>(lane) * detail.bytes,
                    detail.bytes);
        return bits;
    };
    std::uint32_t rare = 0;
    for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        if (detail.is_rare(value(0, lane), value(1, lane))) rare |= 1u << lane;
    }
    RareOperandsCount& count = context_of(warp).execution->rare_operands[detail.number];
    count.warps += rare != 0;
    count.parted_warps += rare != 0 && rare != warp.mask;
}

}  // namespace emulator::simt

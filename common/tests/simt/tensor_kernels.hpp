// A kernel around one product of a warp, and small whole numbers in the types of tensor cores.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "emulator/simt/alu/values/half_values.hpp"

namespace simt_test {

// Whole numbers as bits of a type, and back.
struct Number {
    unsigned bits = 0;
    std::uint64_t (*encode)(int) = nullptr;
    double (*decode)(std::uint64_t) = nullptr;
};

inline Number numbers_of(const std::string& type) {
    using emulator::simt::BrainHalf;
    using emulator::simt::Half;
    using Bits = std::uint64_t;
    if (type == "f64")
        return {64, [](int number) { return std::bit_cast<Bits>(static_cast<double>(number)); },
                [](Bits bits) { return std::bit_cast<double>(bits); }};
    if (type == "f32")
        return {32,
                [](int number) {
                    return Bits{std::bit_cast<std::uint32_t>(static_cast<float>(number))};
                },
                [](Bits bits) {
                    return double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))};
                }};
    if (type == "f16")
        return {16, [](int number) { return Bits{Half::from_float(static_cast<float>(number))}; },
                [](Bits bits) { return double{Half::to_float(static_cast<std::uint16_t>(bits))}; }};
    if (type == "bf16")
        return {16,
                [](int number) { return Bits{BrainHalf::from_float(static_cast<float>(number))}; },
                nullptr};
    if (type == "e4m3")  // 1, 2 and 3: exponents with the bias 7, then three fraction bits
        return {8,
                [](int number) {
                    constexpr std::uint8_t magnitudes[] = {0, 0x38, 0x40, 0x44};
                    return Bits{magnitudes[number < 0 ? -number : number]} |
                           (number < 0 ? 0x80u : 0u);
                },
                nullptr};
    const unsigned bits = type == "s8" ? 8 : 32;
    return {bits,
            bits == 8 ? [](int number) { return Bits{static_cast<std::uint8_t>(number)}; }
                      : [](int number) { return Bits{static_cast<std::uint32_t>(number)}; },
            [](Bits word) { return static_cast<double>(static_cast<std::int32_t>(word)); }};
}

inline std::string list(const std::string& name, unsigned first, unsigned count) {
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i)
        text += (i == 0 ? "" : ", ") + ("%" + name) + std::to_string(first + i);
    return text + "}";
}

// Each lane loads its fragments of A, B and C from `in` (8 words each), executes one product, and stores D into `out`.
// `letter`: of the registers of C and D, r or f or d (pairs of words).
inline std::string product_kernel(const std::string& instruction, unsigned a, unsigned b,
                                  unsigned d, const std::string& letter,
                                  const std::string& operands = "r") {
    std::string text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry product(.param .u64 in, .param .u64 out) {
  .reg .b32 %r<40>; .reg .f32 %f<40>; .reg .f64 %d<40>; .reg .b64 %x<8>;
  ld.param.u64 %x1, [in]; ld.param.u64 %x2, [out];
  mov.u32 %r39, %tid.x;
  mul.wide.u32 %x3, %r39, 96; add.s64 %x1, %x1, %x3;
  mul.wide.u32 %x4, %r39, 32; add.s64 %x2, %x2, %x4;
)";
    const auto access = [&](const std::string& what, const std::string& name, unsigned first,
                            unsigned count, unsigned offset) {
        const bool wide = name == "d";
        const std::string type = name == "r" ? "b32" : name == "f" ? "f32" : "f64";
        for (unsigned i = 0; i < count; ++i) {
            const std::string reg = "%" + name + std::to_string(first + i);
            const std::string at = std::to_string(offset + (wide ? 8 : 4) * i);
            text += what == "ld" ? "  ld.global." + type + " " + reg + ", [%x1+" + at + "];\n"
                                 : "  st.global." + type + " [%x2+" + at + "], " + reg + ";\n";
        }
    };
    access("ld", operands, 0, a, 0);
    access("ld", operands, 8, b, 32);
    access("ld", letter, 16, d, 64);
    text += "  " + instruction + " " + list(letter, 24, d) + ", " + list(operands, 0, a) + ", " +
            list(operands, 8, b) + ", " + list(letter, 16, d) + ";\n";
    access("st", letter, 24, d, 0);
    return text + "  ret;\n}\n";
}

}  // namespace simt_test

// SIMD video instructions that CUDA's intrinsics still become: vabsdiff4 (__vabsdiffu4, __vsadu4), vabsdiff2.
// Source: PTX ISA, "SIMD Video Instructions".
#include "emulator/simt/alu/lanes.hpp"

namespace emulator::simt {

namespace {

// Absolute differences of the parts of a and b; with `sum`, all added to c, else each in its place.
template <class Part, bool sum>
struct AbsoluteDifference {
    std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
        constexpr int bits = 8 * sizeof(Part);
        std::uint32_t result = sum ? c : 0;
        for (int at = 0; at < 32; at += bits) {
            const auto x = static_cast<std::int32_t>(static_cast<Part>(a >> at));
            const auto y = static_cast<std::int32_t>(static_cast<Part>(b >> at));
            const auto difference = static_cast<std::uint32_t>(x < y ? y - x : x - y);
            constexpr std::uint32_t ones = (1u << bits) - 1;
            result += sum ? difference : (difference & ones) << at;
        }
        return result;
    }
};

template <class Part>
Handler choose(const Form& form) {
    using U = std::uint32_t;
    return form.has("add") ? pick_rare<AbsoluteDifference<Part, true>, U, U, U, U>(form)
                           : pick_rare<AbsoluteDifference<Part, false>, U, U, U, U>(form);
}

}  // namespace

Arithmetic find_video(const Form& form) {
    const auto& types = form.modifiers;
    if (types.size() < 3 || !form.only({"add"}) || types[1] != types[2]) return {};
    const bool is_signed = types[1] == "s32";
    if (!is_signed && types[1] != "u32") return {};
    if (form.opcode == "vabsdiff4") {
        return {is_signed ? choose<std::int8_t>(form) : choose<std::uint8_t>(form)};
    }
    if (form.opcode == "vabsdiff2") {
        return {is_signed ? choose<std::int16_t>(form) : choose<std::uint16_t>(form)};
    }
    return {};
}

}  // namespace emulator::simt

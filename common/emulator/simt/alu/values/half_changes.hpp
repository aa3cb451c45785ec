// The effect of modifiers of instructions of halves on operands (.ftz) and results (.ftz, .relu, .sat).
#pragma once

#include <cstdint>

#include "emulator/simt/alu/values/half_values.hpp"

namespace emulator::simt {

struct NoChange {
    template <class Format>
    static std::uint16_t apply(std::uint16_t half) {
        return half;
    }
};
// Negative results and NaN become +0 (NaN stays NaN with .relu).
struct Relu {
    template <class Format>
    static std::uint16_t apply(std::uint16_t half) {
        return static_cast<std::uint16_t>(
            choose_bits((half & 0x8000) != 0 && !Format::is_nan(half), 0, half));
    }
};
struct Saturate {
    template <class Format>
    static std::uint16_t apply(std::uint16_t half) {
        const bool is_zero = half & 0x8000 || Format::is_nan(half);
        const std::uint16_t limited = half > Format::one ? Format::one : half;
        return is_zero ? std::uint16_t{0} : limited;
    }
};
struct Flush {
    template <class Format>
    static std::uint16_t apply(std::uint16_t half) {
        return Format::flush(half);
    }
};

}  // namespace emulator::simt

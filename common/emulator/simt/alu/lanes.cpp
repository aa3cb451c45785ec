// Blending of results into registers: inactive lanes keep their values.
#include "emulator/simt/alu/lanes.hpp"

namespace emulator::simt {

void blend(std::uint16_t* to, const std::uint16_t* from, std::uint32_t mask) {
    static constexpr std::uint16_t bits[16] = {1,       1 << 1,  1 << 2,  1 << 3, 1 << 4,  1 << 5,
                                               1 << 6,  1 << 7,  1 << 8,  1 << 9, 1 << 10, 1 << 11,
                                               1 << 12, 1 << 13, 1 << 14, 1 << 15};
    for (int half = 0; half < 2; ++half) {
        const auto of_half = static_cast<std::uint16_t>(mask >> 16 * half);
#pragma GCC ivdep
        for (int i = 0; i < 16; ++i) {
            to[16 * half + i] = of_half & bits[i] ? from[16 * half + i] : to[16 * half + i];
        }
    }
}

void blend(std::uint32_t* to, const std::uint32_t* from, std::uint32_t mask) {
#pragma GCC ivdep
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        to[lane] = mask >> lane & 1 ? from[lane] : to[lane];
    }
}

void blend(std::uint64_t* to, const std::uint64_t* from, std::uint32_t mask) {
    const std::uint64_t wide = mask;
#pragma GCC ivdep
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
        to[lane] = wide >> lane & 1 ? from[lane] : to[lane];
    }
}

}  // namespace emulator::simt

#include "lab/validate/random_values.hpp"

#include <random>

namespace lab {

std::vector<float> random_floats(std::size_t n, std::uint32_t seed) {
    std::mt19937 generator(seed);
    std::vector<float> values(n);
    // 24 random bits scaled by hand: std::uniform_real_distribution differs between libraries.
    for (float& value : values) {
        value = static_cast<float>(generator() >> 8) * 0x1p-23f - 1.0f;
    }
    return values;
}

}  // namespace lab

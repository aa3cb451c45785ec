// Inputs: seeded, the same on every device and in every run, without symmetry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lab {

// `n` floats, uniform in [-1, 1).
std::vector<float> random_floats(std::size_t n, std::uint32_t seed);

}  // namespace lab

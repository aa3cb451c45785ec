// Random numbers that are always the same.
#pragma once

#include <cmath>
#include <cstdint>

namespace timing {

// SplitMix64.
constexpr std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

// Of numbers that `mixed` has made: above 0, at most 1, uniformly distributed.
constexpr double fraction(std::uint64_t mixed) {
    return static_cast<double>((mixed >> 11) + 1) * 0x1p-53;
}

// Exponentially distributed, where `fraction` is uniform above 0 and at most 1.
inline double exponential(double mean, double fraction) { return -mean * std::log(fraction); }

}  // namespace timing

// Pseudo-random numbers: the same in every run.
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

// A uniformly distributed number above 0 and at most 1, of a number that `mixed` has made.
constexpr double uniform(std::uint64_t mixed) {
    return static_cast<double>((mixed >> 11) + 1) * 0x1p-53;
}

// Exponentially distributed, where `uniform` is above 0 and at most 1.
inline double exponential(double mean, double uniform) { return -mean * std::log(uniform); }

}  // namespace timing

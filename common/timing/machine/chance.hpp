// What the model takes to happen by chance, as good as random and always the same.
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

// Of numbers that `mixed` has made: above 0, at most 1, each as likely.
constexpr double fraction(std::uint64_t mixed) {
    return static_cast<double>((mixed >> 11) + 1) * 0x1p-53;
}

// One of so many simulations of a launch, each with other luck; there is an odd number of them.
struct Draw {
    unsigned number = 0, of = 1;
};

// A number as `fraction` has it, for something that all draws of a launch have: each of them finds it in another one of
// as many equal parts of the range, so that their mean tells more than that of independent ones (Latin hypercube
// sampling; McKay, Beckman and Conover 1979). Where a thing begins is its own; its parts then come in one of a few orders,
// as powers of two have them modulo an odd number: 20 of 25 draws, four of five.
constexpr double stratified(std::uint64_t thing, Draw draw) {
    const std::uint64_t luck = mixed(thing);
    const std::uint64_t part = (std::uint64_t{draw.number} << mixed(luck) % 20) % draw.of;
    const double sum = fraction(luck) + static_cast<double>(part) / draw.of;
    return sum > 1 ? sum - 1 : sum;
}

// Of an exponential distribution, where `fraction` is above 0 and at most 1, each as likely.
inline double exponential(double mean, double fraction) { return -mean * std::log(fraction); }

}  // namespace timing

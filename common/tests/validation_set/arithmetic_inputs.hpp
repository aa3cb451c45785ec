// Inputs of arithmetic_outputs: combinations of the values at which instructions differ, then random bits,
// random small integers and random numbers of moderate exponents.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "arithmetic_cases.hpp"

namespace arithmetic_outputs {

inline std::uint64_t random_bits(std::uint64_t index) {
    std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

constexpr int edges_per_type = 32;

// 32 patterns of each width: integers at limits and shift counts, and floating-point numbers.
inline const std::uint64_t* edges(std::uint16_t) {
    static constexpr std::uint64_t values[edges_per_type] = {
        0x0000, 0x0001, 0x0002, 0x0003, 0x0007, 0x000f, 0x0010, 0x0011, 0x001f, 0x0020, 0x7fff,
        0x8000, 0x8001, 0xffff, 0xfffe, 0x00ff, 0xff00, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e01,
        0xfc01, 0x03ff, 0x0400, 0x7bff, 0x3f80, 0xbf80, 0x7f80, 0x7f81, 0x4049, 0x3555};
    return values;
}
inline const std::uint64_t* edges(std::uint32_t) {
    static constexpr std::uint64_t values[edges_per_type] = {
        0,          1,          2,          3,          7,          15,         16,
        31,         32,         33,         63,         64,         255,        256,
        0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x0000ffff, 0xffff0000,
        0x00ffffff, 0xff000000, 0x55555555, 0x3c00bc00, 0x7c007e01, 0x000183ff, 0x7bff0400,
        0x3f80bf80, 0x12345678, 0x00003210, 0x0000fedc};
    return values;
}
inline const std::uint64_t* edges(std::uint64_t) {
    static constexpr std::uint64_t values[edges_per_type] = {0,
                                                             1,
                                                             2,
                                                             3,
                                                             31,
                                                             32,
                                                             63,
                                                             64,
                                                             255,
                                                             0x7fffffff,
                                                             0x80000000,
                                                             0xffffffff,
                                                             0x100000000,
                                                             0x7fffffffffffffff,
                                                             0x8000000000000000,
                                                             0x8000000000000001,
                                                             0xffffffffffffffff,
                                                             0xfffffffffffffffe,
                                                             0xffffffff00000000,
                                                             0xffffffff80000000,
                                                             0xffffffff7fffffff,
                                                             0x0000ffff0000ffff,
                                                             0x5555555555555555,
                                                             0x001fffffffffffff,
                                                             0x0020000000000001,
                                                             0x0040000000000003,
                                                             0x7ffffffffffffc00,
                                                             0x8000000000000400,
                                                             0xfffffffffffffbff,
                                                             0x0123456789abcdef,
                                                             0x000000ff00000000,
                                                             0x7fffff8000000001};
    return values;
}
inline const std::uint64_t* edges(float) {
    static constexpr std::uint64_t values[edges_per_type] = {
        0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
        0x80800000, 0x3f800000, 0xbf800000, 0x3f000000, 0x3fc00000, 0x40200000, 0xc0200000,
        0x40490fdb, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
        0x7f800001, 0x4b000001, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000,
        0x5f800000, 0x7e800001, 0x33800000, 0x3eaaaaab};
    return values;
}
inline const std::uint64_t* edges(double) {
    static constexpr std::uint64_t values[edges_per_type] = {
        0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x800fffffffffffff,
        0x0010000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000,
        0x3ff8000000000000, 0x4004000000000000, 0xc004000000000000, 0x400921fb54442d18,
        0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
        0x7ff8000000000000, 0xfff8000000000123, 0x7ff0000000000001, 0x41dfffffffc00000,
        0x41e0000000000000, 0xc1e0000000000000, 0x41f0000000000000, 0x43e0000000000000,
        0xc3e0000000000000, 0x43f0000000000000, 0x47efffffe0000000, 0x47effffff0000000,
        0x3690000000000000, 0x3810000000000000, 0x3ff0000010000000, 0x3fd5555555555555};
    return values;
}

// Random numbers whose exponents are near each other, so that sums round.
inline std::uint64_t moderate(std::uint16_t, std::uint64_t random) { return random & 0x1f; }
inline std::uint64_t moderate(std::uint32_t, std::uint64_t random) { return random & 0x3f; }
inline std::uint64_t moderate(std::uint64_t, std::uint64_t random) { return random & 0x7f; }
inline std::uint64_t moderate(float, std::uint64_t random) {
    return (random & 0x807fffff) | ((120 + (random >> 32) % 16) << 23);
}
inline std::uint64_t moderate(double, std::uint64_t random) {
    return (random & 0x800fffffffffffff) | ((1015 + (random >> 53) % 20) << 52);
}

template <class T>
const std::vector<T>& host_inputs(int position) {
    static std::vector<T> inputs[4];
    std::vector<T>& values = inputs[position];
    if (!values.empty()) return values;
    for (int i = 0; i < elements; ++i) {
        const std::uint64_t random = random_bits(static_cast<std::uint64_t>(4 * i + position));
        const int chosen[4] = {i % 32, i / 32 % 32, (7 * i + i / 32) % 32, (i / 32 + 11 * i) % 32};
        std::uint64_t bits = random;
        if (i < edge_elements)
            bits = edges(T{})[chosen[position]];
        else if (i % 2 == 0)
            bits = moderate(T{}, random);
        T value;
        std::memcpy(&value, &bits, sizeof value);
        values.push_back(value);
    }
    return values;
}

}  // namespace arithmetic_outputs

// Runs one arithmetic instruction of PTX on registers of a warp of its own.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "emulator/simt/alu/arithmetic.hpp"
#include "emulator/simt/state/operation.hpp"

namespace arithmetic_test {

using emulator::simt::Arithmetic;
using emulator::simt::no_register;
using emulator::simt::OperandShape;
using emulator::simt::Operation;
using emulator::simt::RegisterOffset;
using emulator::simt::Warp;

template <class T>
using Lanes = std::array<T, 32>;

// A predicate of each lane.
struct Predicate {
    std::uint32_t bits;
    bool negated = false;
};

template <class T>
struct Literal {
    T value;
};
template <class T>
Literal<T> literal(T value) {
    return {value};
}

template <class T>
Lanes<T> same(T value) {
    Lanes<T> lanes;
    lanes.fill(value);
    return lanes;
}

class Machine {
  public:
    std::uint32_t mask = 0xffffffff;

    // Executes "add.s32" with sources that are Lanes, Literals or Predicates; the result's lanes start
    // as 0xa5 bytes.
    template <class R, class... A>
    Lanes<R> run(const std::string& instruction, const A&... sources) {
        Lanes<R> result;
        execute(instruction, {sizeof(R)}, sources...);
        std::memcpy(result.data(), at(0), sizeof result);
        return result;
    }

    // Of an instruction that writes a predicate.
    template <class... A>
    std::uint32_t test(const std::string& instruction, const A&... sources) {
        execute(instruction, {0}, sources...);
        return predicate(0);
    }

    // With two predicates, or with the lanes that `second` reads afterwards.
    template <class... A>
    void run_two(const std::string& instruction, std::size_t first_bytes, std::size_t second_bytes,
                 const A&... sources) {
        execute(instruction, {first_bytes, second_bytes}, sources...);
    }

    template <class T>
    Lanes<T> destination(int index) {
        Lanes<T> result;
        std::memcpy(result.data(), at(index), sizeof result);
        return result;
    }
    std::uint32_t predicate(int index) {
        std::uint32_t bits;
        std::memcpy(&bits, at(index), sizeof bits);
        return bits;
    }

    // Whether there is a handler.
    static bool knows(const std::string& instruction, const std::vector<OperandShape>& shapes,
                      std::size_t destinations = 1) {
        return find(instruction, shapes, destinations).execute != nullptr;
    }

    std::uint32_t carry = 0;  // read before, written after

  private:
    static constexpr std::size_t slot_bytes = 256;
    alignas(64) std::array<std::byte, 12 * slot_bytes> registers_{};

    std::byte* at(int slot) { return registers_.data() + slot * slot_bytes; }

    static Arithmetic find(const std::string& instruction, const std::vector<OperandShape>& shapes,
                           std::size_t destinations) {
        std::vector<std::string> parts;
        std::size_t from = 0;
        while (from <= instruction.size()) {
            const std::size_t dot = std::min(instruction.find('.', from), instruction.size());
            parts.push_back(instruction.substr(from, dot - from));
            from = dot + 1;
        }
        return emulator::simt::find_arithmetic(parts[0], std::span(parts).subspan(1), shapes,
                                               destinations);
    }

    template <class T>
    void add_source(Operation& operation, std::vector<OperandShape>& shapes, int& index,
                    const T& source) {
        OperandShape shape;
        RegisterOffset offset = static_cast<RegisterOffset>((4 + index) * slot_bytes);
        if constexpr (std::is_same_v<T, Predicate>) {
            shape.is_negated_predicate = source.negated;
            std::memcpy(at(4 + index), &source.bits, sizeof source.bits);
        } else if constexpr (requires { source.value; }) {
            shape.is_immediate = true;
            offset = no_register;
            std::memcpy(&operation.immediate, &source.value, sizeof source.value);
            if constexpr (std::is_integral_v<decltype(source.value)>) {
                operation.immediate = static_cast<std::uint64_t>(std::int64_t(source.value));
            }
        } else {
            shape.register_bytes = sizeof source[0];
            std::memcpy(at(4 + index), source.data(), sizeof source);
        }
        shapes.push_back(shape);
        operation.source[static_cast<std::size_t>(index++)] = offset;
    }

    template <class... A>
    void execute(const std::string& instruction, const std::vector<std::size_t>& destination_bytes,
                 const A&... sources) {
        std::memset(registers_.data(), 0xa5, registers_.size());
        Operation operation;
        std::vector<OperandShape> shapes;
        for (const std::size_t bytes : destination_bytes) {
            shapes.push_back({.register_bytes = static_cast<std::uint8_t>(bytes)});
        }
        int index = 0;
        (add_source(operation, shapes, index, sources), ...);
        RegisterOffset* const destinations[4] = {&operation.destination,
                                                 &operation.second_destination,
                                                 &operation.source[2], &operation.source[3]};
        for (std::size_t i = 0; i < destination_bytes.size(); ++i) {
            *destinations[i] = static_cast<RegisterOffset>(i * slot_bytes);
        }
        const Arithmetic found = find(instruction, shapes, destination_bytes.size());
        ASSERT_NE(found.execute, nullptr) << instruction;
        if (found.reads_carry) add_source(operation, shapes, index, Predicate{carry});
        if (found.writes_carry) {
            operation.second_destination = 3 * slot_bytes;
            std::memcpy(at(3), &carry, sizeof carry);
        }
        operation.variant = found.variant;
        Warp warp{registers_.data(), mask};
        found.execute(warp, operation);
        if (found.writes_carry) carry = predicate(3);
    }
};

// Lane 0 of an instruction whose sources are the same in all lanes.
template <class R, class... A>
R one(const std::string& instruction, const A&... sources) {
    Machine machine;
    return machine.run<R>(instruction, same(sources)...)[0];
}

inline float f32(std::uint32_t bits) { return std::bit_cast<float>(bits); }
inline std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
inline std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

// Values at which integer arithmetic goes wrong first, and others.
template <class T>
std::vector<T> integer_values() {
    using U = std::make_unsigned_t<T>;
    std::vector<T> values;
    const U top = U(U(1) << (8 * sizeof(T) - 1));
    for (const U value :
         {U(0), U(1), U(2), U(7), top, U(top - 1), U(top + 1), U(~U(0)), U(~U(0) - 1)}) {
        values.push_back(static_cast<T>(value));
    }
    std::uint64_t state = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 23; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        values.push_back(static_cast<T>(state >> 20 >> (i % 4 * 5)));
    }
    return values;
}

inline std::vector<float> float_values() {
    std::vector<float> values;
    for (const std::uint32_t value :
         {0u,          0x80000000u, 1u,          0x80000001u, 0x007fffffu, 0x00800000u, 0x80800000u,
          0x3f800000u, 0xbf800000u, 0x7f7fffffu, 0xff7fffffu, 0x7f800000u, 0xff800000u, 0x7fc00000u,
          0xffc00001u, 0x3f000000u, 0x4b000001u, 0x4f000000u, 0x4effffffu, 0xcf000000u, 0x5f000000u,
          0x3fc00000u, 0x40200000u, 0xc0200000u, 0x3eaaaaabu, 0x33800000u}) {
        values.push_back(f32(value));
    }
    std::uint64_t state = 88172645463325252u;
    for (int i = 0; i < 38; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        values.push_back(f32(static_cast<std::uint32_t>(state >> 32)));
    }
    return values;
}

// Runs `check(a, b)` over all pairs, 32 at a time: check gets two Lanes.
template <class T, class F>
void for_pairs(const std::vector<T>& values, F&& check) {
    Lanes<T> a{}, b{};
    std::size_t filled = 0;
    for (const T x : values) {
        for (const T y : values) {
            a[filled] = x;
            b[filled] = y;
            if (++filled == 32) {
                check(a, b);
                filled = 0;
            }
        }
    }
    if (filled != 0) check(a, b);
}

}  // namespace arithmetic_test

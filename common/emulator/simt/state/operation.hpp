// A decoded instruction, and the warp state on which it works. Every operation is a function over the 32
// lanes of a warp, which the compiler turns into vector code.
//
// The register file of a warp holds each register as an array of one element a lane: 32 x 2, 4 or 8
// bytes for registers of 16, 32 and 64 bits (8-bit registers take 16 bits), aligned to 64 bytes; a
// predicate is one std::uint32_t, bit i for lane i.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "emulator/models/warp_request.hpp"

namespace emulator::simt {

struct Operation;
struct Warp;

// Executes one operation for the lanes in warp.mask; the registers of other lanes stay untouched.
using Handler = void (*)(Warp& warp, const Operation& operation);

using RegisterOffset = std::uint32_t;  // bytes from the start of the warp's register file
constexpr RegisterOffset no_register = 0xffffffffu;

struct Operation {
    Handler execute = nullptr;
    RegisterOffset destination = no_register;
    RegisterOffset second_destination = no_register;  // p|q of setp, shfl; carry-out
    std::array<RegisterOffset, 4> source{no_register, no_register, no_register, no_register};
    // The bits of the source that `find_arithmetic` treats as an immediate. That source's register is
    // no_register.
    std::uint64_t immediate = 0;
    // Anything an operation needs beyond that (memory accesses, branches, calls): the decoder's.
    const void* detail = nullptr;
    RegisterOffset guard = no_register;
    bool guard_negated = false;
    std::uint16_t variant = 0;  // Arithmetic::variant
};

// The part of a warp that operations see.
struct Warp {
    std::byte* registers = nullptr;
    std::uint32_t mask = 0;  // lanes that execute the operation at hand; never 0

    template <class T>
    T* lanes(RegisterOffset offset) {
        return reinterpret_cast<T*>(registers + offset);
    }
    std::uint32_t& predicate(RegisterOffset offset) {
        return *reinterpret_cast<std::uint32_t*>(registers + offset);
    }
};

}  // namespace emulator::simt

// Read-modify-write operations on global and shared memory.
#pragma once

#include <string>
#include <string_view>

#include "emulator/simt/state/memory.hpp"

namespace emulator::simt {

struct AtomicDetail : MemoryDetail {
    // For the lanes in `mask`, one after another: place = f(place, value), result = the old one.
    // `result` may be null (red). Whether any place holds something else now.
    bool (*apply)(std::byte* base, const std::uint32_t* offsets, std::uint32_t mask,
                  std::byte* result, const std::byte* value, const std::byte* compare) = nullptr;
    std::array<RegisterOffset, max_elements> values{};  // `registers` are the results
    RegisterOffset compare = no_register;               // cas
    // The loads of an operation of shared memory that is a loop in the machine code. Else null.
    const MemoryDetail* loop_load = nullptr;
};

// Null where there is no such operation: "add" on "f32". For elements of 2 to 8 bytes.
decltype(AtomicDetail::apply) find_atomic(std::string_view operation, std::string_view type);
// Whether ptxas makes a loop of it in shared memory (LDS, then ATOMS.CAST.SPIN, for sm_75 and sm_90). Other operations of 8
// bytes (and, or, xor, min, max) are loops, too; they end as soon as a word has its value, and are not modelled.
bool is_loop_in_shared(std::string_view operation, std::string_view type);
// Whether results depend on the order of the updates though nothing reads the old values.
bool depends_on_order(std::string_view operation, std::string_view type);

void execute_atomic_global(Warp& warp, const Operation& operation);
void execute_atomic_shared(Warp& warp, const Operation& operation);
void execute_atomic_generic(Warp& warp, const Operation& operation);

}  // namespace emulator::simt

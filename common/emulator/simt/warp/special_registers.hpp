// %tid, %laneid, %clock and the like.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/simt/state/execution.hpp"
#include "emulator/simt/state/operation.hpp"

namespace emulator::simt {

struct SpecialRegister {
    Handler execute = nullptr;  // null: not known
    std::uint8_t bytes = 4;
    std::uint16_t variant = 0;
    bool is_same_in_all_blocks =
        false;  // of a launch: depends on the thread's place in its block alone
    bool is_clock = false;
};
SpecialRegister find_special_register(const std::string& name);

// The address of a variable in the frame at hand, `immediate` bytes from its start.
template <class T>
void frame_address(Warp& warp, const Operation& operation) {
    const T value = static_cast<T>(context_of(warp).frame->local_base + operation.immediate);
    T* const to = warp.lanes<T>(operation.destination);
    for (int lane = 0; lane < warp_size; ++lane) {
        if ((warp.mask >> lane & 1) != 0) to[lane] = value;
    }
}

}  // namespace emulator::simt

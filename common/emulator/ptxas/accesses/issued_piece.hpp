// An access of the machine code that a PTX instruction is issued as.
#pragma once

#include <cstdint>

namespace emulator::ptx {

struct IssuedPiece {
    std::int64_t offset = 0;  // from the instruction's own address
    std::uint32_t bytes = 0;  // of a lane

    bool operator==(const IssuedPiece&) const = default;
};

}  // namespace emulator::ptx

// A copy of all memory that kernels can reach.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "emulator/memory/device_memory.hpp"

namespace emulator {

// The contents of all allocations and of added host memory, to execute a kernel again that neither allocates memory nor
// frees any.
class MemoryCopy {
  public:
    // Nothing where that is more than `max_bytes` bytes.
    static std::optional<MemoryCopy> of_all(std::size_t max_bytes);
    // Puts it back.
    void restore() const;

  private:
    struct Piece {
        Allocation place;
        std::vector<std::byte> bytes, initialised;
    };
    std::vector<Piece> pieces_;
};

}  // namespace emulator

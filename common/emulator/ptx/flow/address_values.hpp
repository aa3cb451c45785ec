// Registers that hold the same value but for a constant: addresses that a function computes twice, or one from another.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/ptx/parse/module.hpp"

namespace emulator::ptx {

// Equal roots: the values differ by the difference of the offsets.
struct AddressValue {
    std::uint32_t root = 0;
    std::int64_t offset = 0;
};

class AddressValues {
  public:
    explicit AddressValues(const Function& function);

    AddressValue of(std::uint32_t reg) const { return values_[reg]; }

  private:
    std::vector<AddressValue>
        values_;  // by register; of those that are written more than once: their own
};

}  // namespace emulator::ptx

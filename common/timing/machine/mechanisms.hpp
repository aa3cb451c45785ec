// The mechanisms of the time model. Each can be left out of a machine's description, to see what it is worth
// (scripts/timing_ablation.py, common/timing/mechanisms.md).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "timing/machine/machine.hpp"

namespace timing {

enum class Group : std::uint8_t { dram, l2, stores, sm, launch, ptxas };

struct Mechanism {
    std::string_view name;  // "dram_rows"
    Group group;
    void (*leave_out)(Machine&);
};
std::span<const Mechanism> mechanisms();

// The machine without mechanisms, their names separated by commas. Throws std::invalid_argument for an unknown name.
Machine without(Machine machine, std::string_view names);

}  // namespace timing

#include "emulator/models/architecture.hpp"

#include <algorithm>
#include <array>

namespace emulator {
namespace {

#include "architecture_table.inc"

}  // namespace

std::span<const Architecture> architectures() { return std::span(table).first(generations); }
std::span<const Architecture> gpus() { return std::span(table).subspan(generations); }

const Architecture* find_architecture(std::string_view name) {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const Architecture& entry) { return entry.name == name; });
    return found == table.end() ? nullptr : &*found;
}

}  // namespace emulator

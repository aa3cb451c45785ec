#include "emulator/models/architecture.hpp"

#include <algorithm>
#include <array>

namespace emulator {
namespace {

constexpr auto table = std::to_array<Architecture>({
#include "architecture_table.inc"
});

}  // namespace

std::span<const Architecture> architectures() { return table; }

const Architecture* find_architecture(std::string_view name) {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const Architecture& entry) { return entry.name == name; });
    return found == table.end() ? nullptr : &*found;
}

}  // namespace emulator

#include "emulator/models/hazards/hazards.hpp"

#include <algorithm>

namespace emulator {

HazardIdentity identity(const Hazard& hazard) {
    const auto [low, high] = std::minmax(hazard.site, hazard.other_site);
    const HazardKind kind =
        hazard.kind == HazardKind::write_after_read ? HazardKind::read_after_write : hazard.kind;
    return {kind, low, high};
}

}  // namespace emulator

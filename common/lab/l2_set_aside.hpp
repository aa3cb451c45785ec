// Variants that leave a part of the L2 to what is accessed as evict_last.
#pragma once

#include <algorithm>
#include <string>

#include "lab/experiment.hpp"

namespace lab {

inline bool has_l2_set_aside() { return backend::description().max_l2_set_aside_bytes > 0; }

// The same variant while `percent` of what the device can set aside are: "kernel/l2_set_aside:30/...".
inline Variant with_l2_set_aside(Variant variant, unsigned percent) {
    variant.name.insert(std::min(variant.name.find('/'), variant.name.size()),
                        "/l2_set_aside:" + std::to_string(percent));
    variant.l2_set_aside_bytes = backend::description().max_l2_set_aside_bytes * percent / 100;
    return variant;
}

}  // namespace lab

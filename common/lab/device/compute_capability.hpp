// Abilities of the device's generation, for kernels that older GPUs do not have.
#pragma once

#include <string>

#include "lab/device/variant.hpp"
#include "lab/program/errors.hpp"

namespace lab {

inline bool has(const Feature& feature) {
    const int here = backend::description().compute_capability;
    return feature.is_of_one_generation ? here == feature.compute_capability
                                        : here >= feature.compute_capability;
}

// "bulk copies need compute capability 9.0 or newer"; "... need compute capability 9.0"
inline std::string text(const Feature& feature) {
    return std::string(feature.name) + " need compute capability " +
           std::to_string(feature.compute_capability) + ".0" +
           (feature.is_of_one_generation ? "" : " or newer");
}

// Throws MissingError where the device lacks it.
inline void require(const Feature& feature) {
    if (!has(feature)) throw MissingError(text(feature));
}

}  // namespace lab

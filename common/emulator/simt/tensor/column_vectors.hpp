// The eight columns of a row side by side in the host's vector registers.
#pragma once

#include <cstdint>

namespace emulator::simt {

constexpr unsigned columns = 8;  // D's

using Floats = float __attribute__((vector_size(columns * sizeof(float)), may_alias));
using Integers =
    std::int32_t __attribute__((vector_size(columns * sizeof(std::int32_t)), may_alias));

template <class Vector, class Element>
Vector& as(Element (&row)[columns]) {
    return reinterpret_cast<Vector&>(row);
}

}  // namespace emulator::simt

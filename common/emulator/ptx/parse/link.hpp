// Links PTX modules into one, as nvlink does with the objects of -rdc=true.
#pragma once

#include <vector>

#include "emulator/ptx/parse/module.hpp"

namespace emulator::ptx {

class LinkError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Declarations are joined with the definitions of other modules; of weak definitions the first stays.
// A name that no module defines remains extern. Names without .visible or .weak are a module's own: where two
// modules have the same, they get different ones. Throws LinkError where a name has two definitions.
Module link(std::vector<Module> modules);

}  // namespace emulator::ptx

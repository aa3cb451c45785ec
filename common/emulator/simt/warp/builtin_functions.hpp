// Functions that every CUDA program can call and that no module defines: vprintf, __assertfail, malloc, free.
#pragma once

#include <string>

#include "emulator/simt/state/operation.hpp"

namespace emulator::simt {

struct BuiltinFunction {
    Handler execute = nullptr;  // `detail` is the CallDetail; null: not known
    bool depends_on_order = false;
};
BuiltinFunction find_builtin_function(const std::string& name);

}  // namespace emulator::simt

// The control-flow graph of a function.
#pragma once

#include <string>
#include <unordered_set>

#include "emulator/ptx/flow/basic_blocks.hpp"
#include "emulator/ptx/parse/module.hpp"

namespace emulator::ptx {

// Names of the module's functions that never return, for analyse_control_flow.
std::unordered_set<std::string> functions_without_return(const Module& module);

ControlFlow analyse_control_flow(const Function& function,
                                 const std::unordered_set<std::string>& without_return = {});

}  // namespace emulator::ptx

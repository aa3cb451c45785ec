// Loads that ptxas moves behind a branch, because only one of its sides takes what they load, as the places in the
// machine code show:
//
//     @!P0 BRA 0xf10           ld.global.f64 %fd1, [%rd17];
//     LDG R8, [R14]            @%p2 bra END;
//                              ... %fd1
#pragma once

#include <vector>

#include "emulator/ptx/parse/module.hpp"

namespace emulator::ptx {

void sink_loads(Function& function, const std::vector<MachineAccess>& code);

}  // namespace emulator::ptx

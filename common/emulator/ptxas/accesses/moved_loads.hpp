// Loads that ptxas moves or guards, as the machine code shows:
//
// - Both sides of a branch load from one address: one load stands before the branch.
// - A load whose value only one side of a selection takes is executed by the lanes that take it:
//
//     LDG R9, [R2+0x4]         ld.global.u32 %r14, [%rd4+4];
//     @P0 LDG R9, [R2+0x8]     ld.global.u32 %r15, [%rd4+8];
//                              selp.b32 %r16, %r14, %r15, %p3;
#pragma once

#include "emulator/ptx/parse/module.hpp"

namespace emulator::ptx {

// Rewrites the kernels so.
void move_loads(Module& module);

}  // namespace emulator::ptx

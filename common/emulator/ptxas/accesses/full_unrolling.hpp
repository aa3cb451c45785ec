// Loops of a constant number of rounds that ptxas unrolls whole, although the PTX has them as loops: their machine code
// has no branch back, and joins accesses of several rounds.
//
//     LOOP:                                             LDS.128 R4, [R0]
//         shl.b32 %r2, %r1, 2;                          LDS.128 R8, [R0+0x10]
//         add.s32 %r3, %r5, %r2;
//         ld.shared.f32 %f1, [%r3];
//         ...
//         add.s32 %r1, %r1, 1;
//         setp.ne.s32 %p1, %r1, 8;
//         @%p1 bra LOOP;
#pragma once

#include "emulator/ptx/parse/module.hpp"

namespace emulator::ptx {

// Rewrites the kernels so: all rounds behind one another, and addresses that grow by a constant as offsets from those of
// the first round.
void unroll_whole_loops(Module& module);

}  // namespace emulator::ptx

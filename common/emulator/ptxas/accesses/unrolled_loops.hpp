// Loops that ptxas unrolls although the PTX has them as loops: their machine code has each of the body's memory
// instructions several times. With a factor of four, lanes with four rounds or more left run four at a time while the
// others wait; then those with two or more run two; then those with one run the last. Which lanes share a
// request depends on that where lanes have different numbers of rounds.
//
//     while (end - i > 3 * step) four rounds        LDG ... x 4
//     if (end - i > step) two rounds                LDG ... x 2
//     if (i < end) one round                        LDG ... x 1
#pragma once

#include "emulator/ptx/parse/module.hpp"

namespace emulator::ptx {

// Rewrites the kernels' loops as their machine code has them: those that count by a constant up or down to a
// bound, and contain no other loop.
void unroll_loops(Module& module);

}  // namespace emulator::ptx

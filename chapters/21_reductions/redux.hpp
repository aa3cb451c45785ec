// The kernel of this chapter that needs compute capability 8.0: a warp's sum as one instruction.
#pragma once

#include "lab/device/variant.hpp"

constexpr lab::Feature warp_sums_in_hardware = {8, "warp sums of integers in one instruction"};

// repeat_shuffle_sums of kernels.cuh with __reduce_add_sync in the place of its five shuffles.
void (*repeat_redux_sums())(const unsigned* in, unsigned* out, int rounds);
// reduce_shuffle<8> of unsigned integers, by shuffles and by __reduce_add_sync.
using ReduceIntegers = void (*)(const unsigned* in, unsigned* sums);
ReduceIntegers reduce_integers_shuffle();
ReduceIntegers reduce_integers_redux();

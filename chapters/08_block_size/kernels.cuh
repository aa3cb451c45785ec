// Kernels of chapter 08: none of its own. What changes is the launch: how many threads a block has,
// and so how many blocks and warps an SM can hold at a time.
#pragma once

// read_offset: one element a thread.
#include "../02_misaligned_reads/kernels.cuh"
// read_offset_unrolled<4>: four elements a thread, so that a warp has more requests under way.
#include "../07_unroll4/kernels.cuh"

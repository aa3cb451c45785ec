// wgmma.mma_async: D = A B + D of four warps, with B, and A if wanted, in shared memory.
//
// Warp w of the group has the rows 16 w to 16 w + 15 of A and D, in fragments as those of mma: D is as many tiles of 16 x 8 as B has
// groups of eight columns. Each warp multiplies its rows when it issues the instruction: no program that waits as it must can tell,
// because none may change A and B before all four warps have come to wgmma.wait_group.
#pragma once

#include <vector>

#include "emulator/simt/state/memory.hpp"
#include "emulator/simt/tensor/matrix_product.hpp"

namespace emulator::simt {

struct WarpgroupProductDetail {
    MatrixProductDetail product;  // of a warp with eight columns; without its registers of C and D
    std::vector<RegisterOffset> sums;
    RegisterOffset a = no_register,
                   b = no_register;  // 64-bit lanes: descriptors; A may be in registers
    bool a_is_across_k = false, b_is_across_k = false;  // M-major, N-major
    bool is_negated = false;
    RegisterOffset adds = no_register;  // a predicate: whether D is added
    MemoryDetail shared;                // a piece of A or B
};
void execute_warpgroup_product(Warp& warp, const Operation& operation);

// wgmma.commit_group: what was issued so far is a group, for wgmma.wait_group.
void execute_warpgroup_commit(Warp& warp, const Operation& operation);

}  // namespace emulator::simt

// ldmatrix, stmatrix and movmatrix: matrices of 8 x 8 elements of 16 bits between shared memory and fragments.
//
// Lane 8 i + j has the address of row j of matrix i: 16 bytes. Lane 4 g + t holds elements 2 t and 2 t + 1 of row g, transposed of
// column g.
#pragma once

#include "emulator/simt/state/memory.hpp"

namespace emulator::simt {

// The access is that of the lanes with addresses, 16 bytes each; its registers are those of the matrices.
struct MatrixAccessDetail : MemoryDetail {
    bool is_generic = false;
    bool is_transposed = false;
};

void execute_matrix_access(Warp& warp, const Operation& operation);
void execute_matrix_transpose(Warp& warp, const Operation& operation);  // movmatrix

}  // namespace emulator::simt

// Elements of matrices, from the registers of a warp to numbers.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "emulator/simt/state/operation.hpp"
#include "emulator/simt/tensor/fused_sums.hpp"

namespace emulator::simt {

constexpr unsigned max_row_bytes = 128;  // 16 numbers of FP64

// Rows of A, or columns of B, as bytes.
template <unsigned count>
struct RowBytes {
    alignas(64) std::byte rows[count][max_row_bytes];

    // From fragments: `groups` of eight rows, `piece_bytes` of a row in each register.
    void gather(Warp& warp, std::span<const RegisterOffset> registers, unsigned groups,
                unsigned piece_bytes) {
        for (unsigned i = 0; i < registers.size(); ++i) {
            const std::byte* const lanes = warp.lanes<std::byte>(registers[i]);
            for (unsigned row = 0; row < 8; ++row) {
                std::byte* const to = rows[row + 8 * (i % groups)] + i / groups * piece_bytes;
                const std::byte* const from = lanes + row * piece_bytes;
                if (piece_bytes == 16) {
                    std::memcpy(to, from, 16);
                } else {
                    std::memcpy(to, from, 32);
                }
            }
        }
    }
};

// Columns of B by rows: element k of column n is element 8 k + n.
void to_rows(const RowBytes<columns>& from, unsigned element_bytes, unsigned inner, std::byte* to);

// Floating-point elements: rows of A, or `count` in a row.
void to_factors(MatrixType type, const RowBytes<max_rows>& from, unsigned rows, unsigned inner,
                RowFactors& to);
void to_factors(MatrixType type, const std::byte* from, unsigned count, ColumnFactors& to);
// Integers. Of 4 bits the low halves of all bytes, then the high ones: an order of k like others, as sums of integers are exact.
void to_integers(MatrixType type, const std::byte* elements, unsigned bytes, std::int32_t* values);

}  // namespace emulator::simt

// Matrices in shared memory as wgmma reads them: the descriptor's fields, and where its pieces of 16 bytes lie. Pure functions.
//
// The layouts are those of the PTX manual's chapter on shared memory matrix layouts: "core matrices" of eight rows of 16 bytes, or
// atoms of eight rows of 32, 64 or 128 bytes, whose pieces are swizzled.
#pragma once

#include <cstdint>

namespace emulator::simt {

// Where a byte lies, when pieces of 16 bytes change places by the row of 128 bytes that they lie in. `row_bytes`: 32, 64 or 128; else
// nothing moves. `first_row`: the row of 128 bytes, modulo 8, at which the pattern begins.
constexpr std::uint32_t swizzled(std::uint32_t offset, std::uint32_t row_bytes,
                                 std::uint32_t first_row = 0) {
    if (row_bytes < 32) return offset;
    return offset ^ ((((offset >> 7) - first_row) & (row_bytes / 16 - 1)) << 4);
}

struct MatrixDescriptor {
    std::uint32_t start = 0;      // bytes; of the block's shared memory
    std::uint32_t leading = 0;    // bytes: "leading dimension byte offset"
    std::uint32_t stride = 0;     // bytes: "stride dimension byte offset"
    std::uint32_t first_row = 0;  // "base offset" of the swizzle's pattern
    std::uint32_t row_bytes = 16;

    static constexpr MatrixDescriptor from_bits(std::uint64_t bits) {
        constexpr std::uint32_t row_bytes[] = {16, 128, 64, 32};
        const auto field = [&](unsigned at) {
            return static_cast<std::uint32_t>(bits >> at & 0x3fff) << 4;
        };
        return {field(0), field(16), field(32), static_cast<std::uint32_t>(bits >> 49 & 7),
                row_bytes[bits >> 62]};
    }

    // K-major: of a row of A (a column of B), the first or the second piece along k.
    constexpr std::uint32_t piece_along_k(std::uint32_t row, std::uint32_t piece) const {
        const std::uint32_t between_pieces = row_bytes == 16 ? leading : 16;
        return place(row % 8 * row_bytes + row / 8 * stride + piece * between_pieces);
    }
    // MN-major: at k, the piece of the elements 8 `group` to 8 `group` + 7 along m or n.
    constexpr std::uint32_t piece_across_k(std::uint32_t k, std::uint32_t group) const {
        if (row_bytes == 16) return place(group * stride + k % 8 * 16 + k / 8 * leading);
        const std::uint32_t groups = row_bytes / 16;
        return place(group % groups * 16 + group / groups * leading + k % 8 * row_bytes +
                     k / 8 * stride);
    }

  private:
    constexpr std::uint32_t place(std::uint32_t offset) const {
        return swizzled(start + offset, row_bytes, first_row);
    }
};

}  // namespace emulator::simt

// The general product, c = alpha a b + beta c, as BLAS has it but stored row by row; and the choice of
// its tile.
#pragma once

#include <array>
#include <cstdint>

namespace matmul {

// a has m rows of k elements, b k rows of n, c m rows of n; rows begin lda, ldb and ldc elements apart,
// at least their length. With beta = 0, c is not read.
struct Gemm {
    int m, n, k;
    float alpha;
    const float* a;
    int lda;
    const float* b;
    int ldb;
    float beta;
    float* c;
    int ldc;

    // All matrices and all their rows begin at multiples of 16 bytes.
    bool is_aligned() const {
        const auto at = [](const float* p) { return reinterpret_cast<std::uintptr_t>(p); };
        return (at(a) | at(b) | at(c)) % 16 == 0 && (lda | ldb | ldc) % 4 == 0;
    }
};

// The part of c that a block computes.
struct Tile {
    int rows, columns;
};
inline constexpr std::array<Tile, 3> tiles = {{{128, 128}, {128, 64}, {64, 64}}};

// The tile whose busiest SM has least to do: all SMs wait for the one with the most tiles. Smaller tiles
// reuse less, so that they have to save something: of equals, the larger one.
inline Tile picked_tile(int m, int n, int sm_count) {
    Tile best{};
    std::int64_t least = 0;
    for (const Tile tile : tiles) {
        const std::int64_t blocks =
            std::int64_t((m + tile.rows - 1) / tile.rows) * ((n + tile.columns - 1) / tile.columns);
        const std::int64_t elements = (blocks + sm_count - 1) / sm_count * tile.rows * tile.columns;
        if (best.rows == 0 || elements < least) {
            best = tile;
            least = elements;
        }
    }
    return best;
}

}  // namespace matmul

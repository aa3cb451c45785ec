// The general product, c = alpha a b + beta c, as BLAS has it but stored row by row; and the choice of
// its tile.
#pragma once

#include <array>
#include <cstddef>
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

// The cost of an element of c in each of these tiles, against the largest. Estimates: the order is certain,
// the sizes only have to keep a tile from being picked for a gain that it eats up.
struct Costs {
    std::array<double, 3> relative;
    // The factor of a tile that is alone on its SM: no other block's warps hide the latencies of its own.
    double alone;
};
inline constexpr Costs costs_of_bulk = {{1.0, 1.08, 1.12}, 1.0};
inline constexpr Costs costs_of_reuse = {{1.0, 1.05, 1.1}, 1.2};

// The tile whose busiest SM is done first: all SMs wait for the one with the most tiles.
constexpr Tile picked_tile(int m, int n, int sm_count, const Costs& costs) {
    Tile best{};
    double least = 0;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        const auto [rows, columns] = tiles[i];
        const std::int64_t blocks =
            std::int64_t{(m + rows - 1) / rows} * ((n + columns - 1) / columns);
        const std::int64_t most = (blocks + sm_count - 1) / sm_count;
        const double cost =
            costs.relative[i] * (most == 1 ? costs.alone : 1) * double(most) * rows * columns;
        if (i == 0 || cost < least) {
            best = tiles[i];
            least = cost;
        }
    }
    return best;
}
// 132 SMs: 64 tiles of 128 x 128 leave half of them idle; of 4096 tiles the busiest has 32, which 63 of
// half the size hardly undercut. Tiles of 128 x 64 would be alone, 128 of them; of 64 x 64 there are two.
static_assert(picked_tile(1024, 1024, 132, costs_of_bulk).rows == 128);
static_assert(picked_tile(1024, 1024, 132, costs_of_reuse).rows == 64);
static_assert(picked_tile(8192, 8192, 132, costs_of_reuse).columns == 128);

}  // namespace matmul

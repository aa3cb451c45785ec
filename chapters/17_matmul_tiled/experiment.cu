// Chapter 17: what do tiles in shared memory bring, and where have the sixteen times gone?
//
// Sources: Kirk, Hwu: Programming Massively Parallel Processors, 3rd ed., section 4.5 (tiles of 16 x
// 16, strip-mining, (150 GB/s / 4) x 16 = 600 GFLOP/s); NVIDIA cuda-samples, matrixMul (rectangular);
// NVIDIA developer training: CUDA on Arm, shared memory (bounds, int).
//
// Variants: matmul_naive           chapter 16's baseline, in blocks of 16 x 16 and 32 x 32
//           matmul_strip_mined     its loop in phases, still from global memory
//           matmul_tiled           the phases from tiles in shared memory
//           matmul_tiled_bounded   any shape; float and int
//           matmul_tiled_in_steps  indices by steps, as NVIDIA's samples have them
//           add_operands           one operation a load, nothing reused: bandwidth / 4
//           all in tiles of 16 and 32; 256, 1024 and 4096 cubed.
// Model:    2 m n k operations; a, b and c once each are the bytes that no kernel can do without.
//           add_operands: an addition for each element of a and b.
// Differs:  rectangles everywhere, where section 4.5 has squares; a shape that is no multiple of the
//           tile is refused where the kernel has no bounds. add_operands is timed at the largest size:
//           below it a GPU measures the launch, not the memory.
#include <algorithm>
#include <stdexcept>

#include "../16_matmul_naive/kernels.cuh"
#include "example.hpp"
#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "problems/product.hpp"

namespace {

using Floats = lab::Product<float>;
using Rows = std::vector<lab::Variant>;

// The kernels of whole tiles: matmul_strip_mined, matmul_tiled, matmul_tiled_in_steps.
lab::Variant whole_tiles(const Floats& product, const char* name, int tile,
                         void (*kernel)(const float*, const float*, float*, int, int)) {
    const auto [m, n, k] = product.shape();
    if (m % tile != 0 || n % tile != 0 || k % tile != 0) {
        throw std::invalid_argument(std::string(name) +
                                    ": m, n and k have to be multiples of the tile, " +
                                    std::to_string(tile));
    }
    const dim3 block(tile, tile);
    return product.row(lab::variant_name(name, {{"tile", tile}}),
                       lab::launch(kernel, product.grid(block), block), n, k);
}

template <int tile>
Rows all_whole_tiles(const Floats& product) {
    return {whole_tiles(product, "matmul_strip_mined", tile, matmul_strip_mined<tile>),
            whole_tiles(product, "matmul_tiled", tile, matmul_tiled<tile>),
            whole_tiles(product, "matmul_tiled_in_steps", tile, matmul_tiled_in_steps<tile>)};
}

template <int tile, class T>
lab::Variant bounded(const lab::Product<T>& product) {
    const char* const type = std::is_same_v<T, int> ? "int" : "float";
    return product.row(lab::variant_name("matmul_tiled_bounded", {{"type", type}, {"tile", tile}}),
                       matmul_tiled_bounded<T, tile>, dim3(tile, tile));
}

lab::Variant operands(const Floats& product) {
    const auto [m, n, k] = product.shape();
    const int a_size = m * k, b_size = k * n;
    const int threads = std::min(m * n, 1 << 18) / 256 * 256;
    lab::Variant row = product.row("add_operands/block:256",
                                   lab::launch(add_operands, threads / 256, 256), a_size, b_size);
    row.bytes = 4.0 * (double(a_size) + b_size + threads);
    row.flops = double(a_size) + b_size;
    row.check = [=] {
        std::vector<float> expected(threads, 0.0f);
        const auto& set = product.set(0);
        const std::vector<float> a = set.a.to_host(), b = set.b.to_host(), c = set.c.to_host();
        for (std::size_t i = 0; i < a.size(); ++i) expected[i % threads] += a[i];
        for (std::size_t i = 0; i < b.size(); ++i) expected[i % threads] += b[i];
        lab::expect_equal<float>(std::span(c).first(threads), expected);
        lab::expect_untouched<float>(std::span(c).subspan(threads));
    };
    return row;
}

void add_cube(lab::Experiment& experiment, int size) {
    const Floats cube(lab::cube(size));
    experiment.add({cube.row_in_blocks("matmul_naive", matmul_naive, dim3(16, 16)),
                    cube.row_in_blocks("matmul_naive", matmul_naive, dim3(32, 32))});
    experiment.add(all_whole_tiles<16>(cube));
    experiment.add(all_whole_tiles<32>(cube));
    experiment.add(
        {bounded<16>(cube), bounded<32>(cube), bounded<16>(lab::Product<int>(lab::cube(size)))});
    if (size == 4096 || (size == 256 && !experiment.measures())) experiment.add(operands(cube));
    experiment.add_memcpy(cube.bytes() / 2, lab::Cache::cold);
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("17_matmul_tiled", argc, argv);
    for (const int size : {256, 1024, 4096}) add_cube(experiment, size);

    constexpr lab::ProductShape oblong[] = {{32, 96, 64}, {96, 32, 160}, {64, 160, 32}};
    for (const lab::ProductShape shape : oblong) {
        experiment.add_validation(all_whole_tiles<16>(Floats(shape)));
        experiment.add_validation(all_whole_tiles<32>(Floats(shape)));
    }
    for (const lab::ProductShape shape : lab::ragged_products) {
        experiment.add_validation({bounded<16>(Floats(shape)), bounded<32>(Floats(shape)),
                                   bounded<16>(lab::Product<int>(shape))});
    }
    // The book's example.
    experiment.add_validation(bounded<8>(lab::Product<int>(lab::cube(16))));
    experiment.add_validation(example_indices());
    return experiment.run();
}

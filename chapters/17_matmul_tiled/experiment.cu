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
//           all in tiles of 16 and 32; 256, 1024 and 4096 cubed; an emulated GPU counts the first and
//           predicts the time of the others.
// Model:    2 m n k operations; a, b and c once each are the bytes that no kernel can do without.
//           add_operands: an addition for each element of a and b.
// Differs:  rectangles everywhere, where section 4.5 has squares; a shape that is no multiple of the
//           tile is refused where the kernel has no bounds. add_operands runs at the
//           largest size (an emulated GPU also counts it at 256): below it a GPU measures the launch,
//           not the memory.
#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../16_matmul_naive/kernels.cuh"
#include "example.hpp"
#include "kernels.cuh"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/validation.hpp"
#include "problems/product.hpp"

namespace {

template <class T>
using Matrices = std::shared_ptr<matmul::Product<T>>;

std::string tile_text(int tile) { return "/tile:" + std::to_string(tile); }

// The kernels of whole tiles: matmul_strip_mined, matmul_tiled, matmul_tiled_in_steps.
template <int tile>
lab::Variant whole_tiles(const lab::Experiment& experiment, const std::string& name,
                         void (*kernel)(const float*, const float*, float*, int, int),
                         const Matrices<float>& matrices) {
    const auto [m, n, k] = matrices->shape();
    if (m % tile != 0 || n % tile != 0 || k % tile != 0) {
        throw std::invalid_argument(name + ": m, n and k have to be multiples of the tile, " +
                                    std::to_string(tile));
    }
    const dim3 block(tile, tile);
    return matmul::product_variant<float>(experiment, name + tile_text(tile), matrices,
                                          [=](const float* a, const float* b, float* c) {
                                              lab::launch(kernel, matmul::grid_over(n, m, block),
                                                          block)(a, b, c, n, k);
                                          });
}

template <class T, int tile>
lab::Variant bounded(const lab::Experiment& experiment, const char* type,
                     const Matrices<T>& matrices) {
    const auto [m, n, k] = matrices->shape();
    const dim3 block(tile, tile);
    return matmul::product_variant<T>(
        experiment, std::string("matmul_tiled_bounded/type:") + type + tile_text(tile), matrices,
        [=](const T* a, const T* b, T* c) {
            lab::launch(matmul_tiled_bounded<T, tile>, matmul::grid_over(n, m, block), block)(
                a, b, c, m, n, k);
        });
}

template <int tile>
void add_whole_tiles(const lab::Experiment& experiment, const Matrices<float>& matrices,
                     const std::function<void(lab::Variant)>& add) {
    add(whole_tiles<tile>(experiment, "matmul_strip_mined", matmul_strip_mined<tile>, matrices));
    add(whole_tiles<tile>(experiment, "matmul_tiled", matmul_tiled<tile>, matrices));
    add(whole_tiles<tile>(experiment, "matmul_tiled_in_steps", matmul_tiled_in_steps<tile>,
                          matrices));
}

lab::Variant naive(const lab::Experiment& experiment, unsigned width,
                   const Matrices<float>& matrices) {
    const auto [m, n, k] = matrices->shape();
    const dim3 block(width, width);
    const std::string text = std::to_string(width);
    return matmul::product_variant<float>(
        experiment, "matmul_naive/block:" + text + "x" + text, matrices,
        [=](const float* a, const float* b, float* c) {
            lab::launch(matmul_naive, matmul::grid_over(n, m, block), block)(a, b, c, m, n, k);
        });
}

lab::Variant operands(const lab::Experiment& experiment, const Matrices<float>& matrices) {
    const auto [m, n, k] = matrices->shape();
    const int a_size = m * k;
    const int b_size = k * n;
    const int threads = std::min(m * n, 1 << 18) / 256 * 256;
    lab::Variant variant = matmul::product_variant<float>(
        experiment, "add_operands/block:256", matrices,
        [=](const float* a, const float* b, float* c) {
            lab::launch(add_operands, threads / 256, 256)(a, b, c, a_size, b_size);
        });
    variant.bytes = 4.0 * (double(a_size) + b_size + threads);
    variant.flops = double(a_size) + b_size;
    variant.check = [=] {
        std::vector<float> expected(threads, 0.0f);
        const auto& set = matrices->set(0);
        const std::vector<float> a = set.a.to_host();
        const std::vector<float> b = set.b.to_host();
        for (std::size_t i = 0; i < a.size(); ++i) expected[i % threads] += a[i];
        for (std::size_t i = 0; i < b.size(); ++i) expected[i % threads] += b[i];
        const std::vector<float> c = set.c.to_host();
        lab::expect_equal<float>(std::span(c).first(threads), expected);
        lab::expect_untouched<float>(std::span(c).subspan(threads));
    };
    return variant;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("17_matmul_tiled", argc, argv);
    const bool emulated = experiment.device().emulated;
    const auto validate = [&](lab::Variant variant) {
        experiment.add_validation(std::move(variant));
    };
    const auto floats = [](matmul::Shape shape, lab::Emulation emulation = lab::Emulation::whole) {
        return std::make_shared<matmul::Product<float>>(shape, emulation);
    };
    const auto ints = [](matmul::Shape shape, lab::Emulation emulation = lab::Emulation::whole) {
        return std::make_shared<matmul::Product<int>>(shape, emulation);
    };

    for (const int size : {256, 1024, 4096}) {
        const lab::Emulation emulation = experiment.emulation(size == 256);
        const auto cube = floats(matmul::cube(size), emulation);
        const auto add = [&](lab::Variant row) { experiment.add(std::move(row), emulation); };
        add(naive(experiment, 16, cube));
        add(naive(experiment, 32, cube));
        add_whole_tiles<16>(experiment, cube, add);
        add_whole_tiles<32>(experiment, cube, add);
        add(bounded<float, 16>(experiment, "float", cube));
        add(bounded<float, 32>(experiment, "float", cube));
        add(bounded<int, 16>(experiment, "int", ints(matmul::cube(size), emulation)));
        if (size == 4096 || (emulated && size == 256)) add(operands(experiment, cube));
        experiment.add_memcpy(cube->bytes() / 2, lab::Cache::cold);
    }

    constexpr matmul::Shape oblong[] = {{32, 96, 64}, {96, 32, 160}, {64, 160, 32}};
    for (const matmul::Shape shape : oblong) {
        add_whole_tiles<16>(experiment, floats(shape), validate);
        add_whole_tiles<32>(experiment, floats(shape), validate);
    }
    for (const matmul::Shape shape : matmul::ragged_shapes) {
        validate(bounded<float, 16>(experiment, "float", floats(shape)));
        validate(bounded<float, 32>(experiment, "float", floats(shape)));
        validate(bounded<int, 16>(experiment, "int", ints(shape)));
    }
    // The book's example.
    validate(bounded<int, 8>(experiment, "int", ints(matmul::cube(16))));
    validate(matmul::example_indices());
    return experiment.run();
}

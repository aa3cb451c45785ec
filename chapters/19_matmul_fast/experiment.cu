// Chapter 19: what does it take to multiply as fast as cuBLAS, in FP32 and without tensor cores?
//
// Sources: S. Boehm: How to optimize a CUDA matmul kernel (siboehm/SGEMM_CUDA), whose steps these are
// up to the vectorised one; NVIDIA's CUDA C++ Programming Guide, asynchronous bulk copies.
//
// Variants: matmul_tiled            chapter 17's, tiles of 32 x 32
//           matmul_thread_tiles     8 x 8 elements a thread
//           matmul_vectorised       accesses of 16 bytes
//           matmul_double_buffered  tiles and operands fetched ahead
//           matmul_bulk             tiles copied in bulk (compute capability 9.0 or newer)
//           matmul_reuse            multiply-adds ordered for the register file, shares of k in small tiles
//           matmul_balanced         its last wave of tiles divided among all SMs
//           cublas_sgemm            the reference, CUBLAS_PEDANTIC_MATH; also beside every other row
//           fma_chains              as many multiply-adds on registers: the peak
//           tile:picked is what a user of the last four gets, gemm.hpp's choice; the tiles beside it
//           show what it chooses from. 256 cubed, where the emulated GPU is compared with counters;
//           1024, 2048 and 4096 cubed, where it predicts the time; on a GPU also 8192 cubed and ragged,
//           tall and wide shapes; the slower steps only at 256, 2048 and 4096.
// Model:    2 m n k operations; a, b and c once each are the bytes that no kernel can do without.
// Differs:  the last four compute alpha a b + beta c with leading dimensions, for any m, n and k. Rows
//           that do not begin at multiples of 16 bytes cannot be copied in bulk: matmul_double_buffered
//           multiplies those, element by element.
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "balanced.hpp"
#include "bulk.hpp"
#include "ceiling.hpp"
#include "cublas.hpp"
#include "gemm.hpp"
#include "general_product.hpp"
#include "lab/experiment.hpp"
#include "multiply.hpp"
#include "problems/product.hpp"
#include "reuse.hpp"

namespace {

using matmul::Gemm;
using matmul::Tile;
using Matrices = std::shared_ptr<matmul::Product<float>>;
using Multiply = std::function<void(const Gemm&)>;

std::string text(Tile tile) {
    return "/tile:" + std::to_string(tile.rows) + "x" + std::to_string(tile.columns);
}

Gemm plain_product(const Matrices& matrices, std::size_t set) {
    const auto [m, n, k] = matrices->shape();
    auto& [a, b, c] = matrices->set(set);
    return {m, n, k, 1, a.get(), k, b.get(), n, 0, c.get(), n};
}

lab::Variant product(const lab::Experiment& experiment, const std::string& name,
                     const Matrices& matrices, const Multiply& multiply) {
    lab::Variant variant = matmul::product_variant<float>(experiment, name, matrices, nullptr);
    variant.launch = [=](std::size_t set) { multiply(plain_product(matrices, set)); };
    return variant;
}

// The same with cuBLAS beside each of its repetitions.
lab::Variant against_cublas(lab::Variant variant, const Matrices& matrices) {
    if (!cublas::is_available()) return variant;
    const auto launch = [=](std::size_t set) { cublas::multiply(plain_product(matrices, set)); };
    variant.reference = {.counter = "cublas_ratio",
                         .flops = variant.flops,
                         .sets = variant.sets,
                         .launch = launch,
                         .kernels = lab::cublas::max_kernels};
    return variant;
}

constexpr matmul::Scaling scalings[] = {{1, 0}, {-0.75f, 1.5f}};

// Of nine tiles the last ones are divided: into pieces longer than a tile, and one tile into four. Of seven all,
// into four pieces: two of them have a whole tile between parts of others.
void add_divided_tiles(lab::Experiment& experiment) {
    constexpr struct {
        matmul::Shape shape;
        int pieces;
    } divided[] = {
        {{300, 272, 500}, 4}, {{300, 268, 500}, 2}, {{300, 272, 2100}, 4}, {{880, 100, 500}, 4}};
    for (const auto [shape, pieces] : divided) {
        for (const matmul::Scaling scaling : scalings) {
            const std::string name = "matmul_balanced/pieces:" + std::to_string(pieces);
            experiment.add_validation(
                matmul::general(name, shape, scaling, {0, 4, 8},
                                [=](const Gemm& gemm) { balanced::multiply(gemm, pieces); }));
        }
    }
}

void add_validations(lab::Experiment& experiment) {
    constexpr matmul::Shape ragged[] = {{1, 1, 1},     {1, 37, 5},    {37, 1, 64},   {31, 17, 1},
                                        {101, 67, 83}, {129, 65, 33}, {132, 68, 252}};
    for (const matmul::Shape shape : ragged) {
        const auto matrices = std::make_shared<matmul::Product<float>>(shape);
        experiment.add_validation(
            product(experiment, "matmul_thread_tiles", matrices, matmul::thread_tiles));
        if (shape.n % 4 == 0 && shape.k % 4 == 0) {
            experiment.add_validation(
                product(experiment, "matmul_vectorised", matrices, matmul::vectorised));
        }
        const auto up = [](int size) { return (size + 3) / 4 * 4 - size; };
        const std::vector<int> aligned = {up(shape.k), up(shape.n) + 4, up(shape.n) + 8};
        for (const Tile tile : matmul::tiles) {
            const auto add = [&, tile](const std::string& name, const matmul::Scaling scaling,
                                       const std::vector<int>& apart, const auto& multiply) {
                experiment.add_validation(
                    matmul::general(name + text(tile), shape, scaling, apart,
                                    [=](const Gemm& gemm) { multiply(gemm, tile); }));
            };
            for (const matmul::Scaling scaling : scalings) {
                add("matmul_double_buffered/rows:aligned", scaling, aligned,
                    matmul::double_buffered);
                add("matmul_fast/rows:contiguous", scaling, {0, 0, 0}, matmul::fast);
                add("matmul_fast/rows:apart", scaling, {3, 1, 2}, matmul::fast);
                if (bulk::is_available()) {
                    add("matmul_bulk/rows:aligned", scaling, aligned, bulk::multiply);
                    add("matmul_reuse/rows:aligned", scaling, aligned, reuse::multiply);
                }
            }
        }
    }
    if (bulk::is_available()) add_divided_tiles(experiment);
}

std::vector<matmul::Shape> shapes_of(bool emulated) {
    std::vector<matmul::Shape> shapes;
    for (const int size : {256, 1024, 2048, 4096}) shapes.push_back(matmul::cube(size));
    if (emulated) return shapes;
    shapes.insert(shapes.end(), {matmul::cube(8192),
                                 {4000, 4100, 4200},
                                 {1000, 1000, 1000},
                                 {16384, 256, 4096},
                                 {256, 16384, 4096}});
    return shapes;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("19_matmul_fast", argc, argv);
    const bool emulated = experiment.device().emulated;
    for (const matmul::Shape shape : shapes_of(emulated)) {
        const lab::Emulation emulation = experiment.emulation(shape.m == 256 && shape.n == 256);
        const auto matrices = std::make_shared<matmul::Product<float>>(shape, emulation);
        const auto add = [&](const std::string& name, const Multiply& multiply) {
            experiment.add(against_cublas(product(experiment, name, matrices, multiply), matrices),
                           emulation);
        };
        const auto add_tile = [&](const std::string& name, Tile tile, const std::string& tile_name,
                                  void (*multiply)(const Gemm&, Tile)) {
            add(name + tile_name, [=](const Gemm& gemm) { multiply(gemm, tile); });
        };
        const bool square = shape.m == shape.n && shape.m % 256 == 0;
        const bool steps = square && (shape.m == 256 || shape.m == 2048 || shape.m == 4096);
        if (steps) add("matmul_tiled/tile:32", matmul::tiled);
        if (steps) add("matmul_thread_tiles/tile:128x128", matmul::thread_tiles);
        if (steps) add("matmul_vectorised/tile:128x128", matmul::vectorised);
        for (const Tile tile : matmul::tiles) {
            if (!square || shape.m > 2048) continue;
            add_tile("matmul_double_buffered", tile, text(tile), matmul::double_buffered);
            if (!bulk::is_available()) continue;
            add_tile("matmul_bulk", tile, text(tile), bulk::multiply);
            add_tile("matmul_reuse", tile, text(tile), reuse::multiply);
        }
        // The small one is counted by the tiles' names.
        if (emulated && emulation == lab::Emulation::whole) continue;
        const auto picked = [&](const matmul::Costs& costs) {
            return matmul::picked_tile(shape.m, shape.n, experiment.device().sm_count, costs);
        };
        const Tile tile = picked(matmul::costs_of_bulk);
        add_tile("matmul_double_buffered", tile, "/tile:picked", matmul::double_buffered);
        if (bulk::is_available()) {
            add_tile("matmul_bulk", tile, "/tile:picked", bulk::multiply);
            const Tile last = picked(matmul::costs_of_reuse);
            add_tile("matmul_reuse", last, "/tile:picked", reuse::multiply);
            // Its blocks wait for each other and are executed all: too long at 4096.
            if (!emulated || shape.m <= 2048) {
                add_tile("matmul_balanced", last, "/tile:picked", matmul::last_step);
            }
        }
        if (cublas::is_available()) {
            auto reference = product(experiment, "cublas_sgemm", matrices, cublas::multiply);
            reference.kind = lab::Kind::cublas;
            reference.kernels = lab::cublas::max_kernels;
            experiment.add(std::move(reference));
        }
        if (!emulated && square && shape.m >= 4096) {
            experiment.add(matmul::ceiling(experiment, shape));
        }
    }
    if (emulated) experiment.add_validation(matmul::ceiling(experiment, matmul::cube(64)));
    add_validations(experiment);
    return experiment.run();
}

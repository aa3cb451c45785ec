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
//           show what it chooses from. 256, 1024, 2048, 4096 and 8192 cubed and ragged, tall and wide
//           shapes; the slower steps only at 256, 2048 and 4096.
// Model:    2 m n k operations; a, b and c once each are the bytes that no kernel can do without.
// Differs:  the last four compute alpha a b + beta c with leading dimensions, for any m, n and k. Rows
//           that do not begin at multiples of 16 bytes cannot be copied in bulk: matmul_double_buffered
//           multiplies those, element by element.
#include <functional>

#include "bulk.hpp"
#include "ceiling.hpp"
#include "gemm.hpp"
#include "general_product.hpp"
#include "lab/device/cublas.hpp"
#include "lab/experiment/chapter.hpp"
#include "multiply.hpp"
#include "problems/product.hpp"

namespace {

using matmul::Gemm;
using matmul::Tile;
using Product = lab::Product<float>;
using Multiply = std::function<void(const Gemm&)>;

std::string text(Tile tile) {
    return std::to_string(tile.rows) + "x" + std::to_string(tile.columns);
}

// cuBLAS stores column by column: there, a row-major c = a b is the transpose of c, which is b's
// transpose times a's.
void multiply_by_cublas(const Gemm& g) {
    lab::cublas::sgemm(g.n, g.m, g.k, g.alpha, g.b, g.ldb, g.a, g.lda, g.beta, g.c, g.ldc);
}

lab::Variant row_of(const std::string& name, const Product& product, const Multiply& multiply) {
    const auto [m, n, k] = product.shape();
    return product.row(name, [=, m = m, n = n, k = k](const float* a, const float* b, float* c) {
        multiply({.m = m,
                  .n = n,
                  .k = k,
                  .alpha = 1,
                  .a = a,
                  .lda = k,
                  .b = b,
                  .ldb = n,
                  .beta = 0,
                  .c = c,
                  .ldc = n});
    });
}

lab::Variant cublas_row(const Product& product) {
    lab::Variant row = row_of("cublas_sgemm", product, multiply_by_cublas);
    row.kind = lab::Kind::cublas;
    row.kernels = lab::cublas::max_kernels;
    return row;
}

// A step of the chapter, with cuBLAS beside each of its repetitions.
lab::Variant step_row(const std::string& name, const Product& product, const Multiply& multiply) {
    lab::Variant row = row_of(name, product, multiply);
    if (!lab::cublas::is_available()) return row;
    row.reference = {.counter = "cublas_ratio",
                     .flops = row.flops,
                     .launch = cublas_row(product).launch,
                     .kernels = lab::cublas::max_kernels};
    return row;
}

// The steps with a choice of tiles.
constexpr struct Tiled {
    const char* name;
    void (*multiply)(const Gemm&, Tile);
    lab::Feature needs = {};
    matmul::Costs costs = matmul::costs_of_bulk;
} double_buffered{"matmul_double_buffered", matmul::double_buffered},
    bulk_copies{"matmul_bulk", bulk::multiply, bulk::copies},
    reused{"matmul_reuse", reuse::multiply, bulk::copies, matmul::costs_of_reuse},
    balanced_waves{"matmul_balanced", matmul::last_step, bulk::copies, matmul::costs_of_reuse};

lab::Variant tiled_row(const Tiled& step, Tile tile, const std::string& tile_name,
                       const Product& product) {
    lab::Variant row =
        step_row(lab::variant_name(step.name, {{"tile", tile_name}}), product,
                 [multiply = step.multiply, tile](const Gemm& gemm) { multiply(gemm, tile); });
    row.needs = step.needs;
    return row;
}

void add_shape(lab::Experiment& experiment, const lab::ProductShape shape) {
    const Product product(shape);
    const int size = shape.m == shape.n && shape.m % 256 == 0 ? shape.m : 0;  // of a cube
    // The largest cube and the other shapes are there for their time on a GPU.
    const bool is_measured = size == 0 || size > 4096;
    const auto add = [&](lab::Variant row) {
        if (is_measured) row.evidence = lab::Evidence::measured;
        experiment.add(std::move(row));
    };
    if (size == 256 || size == 2048 || size == 4096) {
        add(step_row("matmul_tiled/tile:32", product, matmul::tiled));
        add(step_row("matmul_thread_tiles/tile:128x128", product, matmul::thread_tiles));
        add(step_row("matmul_vectorised/tile:128x128", product, matmul::vectorised));
    }
    for (const Tile tile : matmul::tiles) {
        if (size == 0 || size > 2048) continue;
        for (const Tiled& step : {double_buffered, bulk_copies, reused}) {
            add(tiled_row(step, tile, text(tile), product));
        }
    }
    for (const Tiled& step : {double_buffered, bulk_copies, reused, balanced_waves}) {
        const Tile tile =
            matmul::picked_tile(shape.m, shape.n, experiment.device().sm_count, step.costs);
        lab::Variant row = tiled_row(step, tile, "picked", product);
        // The small one is counted by the tiles' names. Blocks that wait for each other have no sample: at 4096
        // all of them would take too long.
        const bool waits = step.multiply == matmul::last_step;
        if (size == 256 || (waits && size >= 4096)) row.evidence = lab::Evidence::measured;
        add(std::move(row));
    }
    if (lab::cublas::is_available()) experiment.add(cublas_row(product));
}

constexpr matmul::Scaling scalings[] = {{1, 0}, {-0.75f, 1.5f}};

void validate(lab::Experiment& experiment, lab::Variant shape, lab::Feature needs = {}) {
    shape.needs = needs;
    experiment.add_validation(std::move(shape));
}

// The last ones of nine tiles are divided: into pieces longer than a tile, and one tile into four. Of seven all,
// into four pieces: two of them have a whole tile between parts of others.
void add_divided_tiles(lab::Experiment& experiment) {
    constexpr struct Case {
        lab::ProductShape shape;
        int pieces;
    } cases[] = {
        {{300, 272, 500}, 4}, {{300, 268, 500}, 2}, {{300, 272, 2100}, 4}, {{880, 100, 500}, 4}};
    for (const auto [shape, pieces] : cases) {
        for (const matmul::Scaling scaling : scalings) {
            const std::string name = lab::variant_name("matmul_balanced", {{"pieces", pieces}});
            validate(experiment,
                     matmul::general(
                         name, shape, scaling, {0, 4, 8},
                         [pieces = pieces](const Gemm& gemm) { balanced::multiply(gemm, pieces); }),
                     bulk::copies);
        }
    }
}

// Any shape, scaling and distance of rows.
void add_general_shapes(lab::Experiment& experiment, lab::ProductShape shape) {
    const auto up = [](int size) { return (size + 3) / 4 * 4 - size; };
    const std::vector<int> aligned = {up(shape.k), up(shape.n) + 4, up(shape.n) + 8};
    const struct {
        const char* kernel;
        const char* rows;
        std::vector<int> apart;
        void (*multiply)(const Gemm&, Tile);
        lab::Feature needs = {};
    } cases[] = {{"matmul_double_buffered", "aligned", aligned, matmul::double_buffered},
                 {"matmul_fast", "contiguous", {0, 0, 0}, matmul::fast},
                 {"matmul_fast", "apart", {3, 1, 2}, matmul::fast},
                 {"matmul_bulk", "aligned", aligned, bulk::multiply, bulk::copies},
                 {"matmul_reuse", "aligned", aligned, reuse::multiply, bulk::copies}};
    for (const Tile tile : matmul::tiles) {
        for (const matmul::Scaling scaling : scalings) {
            for (const auto& [kernel, rows, apart, multiply, needs] : cases) {
                const std::string name =
                    lab::variant_name(kernel, {{"rows", rows}, {"tile", text(tile)}});
                validate(experiment,
                         matmul::general(name, shape, scaling, apart,
                                         [tile, multiply = multiply](const Gemm& gemm) {
                                             multiply(gemm, tile);
                                         }),
                         needs);
            }
        }
    }
}

void add_validations(lab::Experiment& experiment) {
    constexpr lab::ProductShape ragged[] = {{1, 1, 1},     {1, 37, 5},    {37, 1, 64},
                                            {31, 17, 1},   {101, 67, 83}, {129, 65, 33},
                                            {132, 68, 252}};
    for (const lab::ProductShape shape : ragged) {
        const Product product(shape);
        validate(experiment, row_of("matmul_thread_tiles", product, matmul::thread_tiles));
        if (shape.n % 4 == 0 && shape.k % 4 == 0) {
            validate(experiment, row_of("matmul_vectorised", product, matmul::vectorised));
        }
        add_general_shapes(experiment, shape);
    }
    add_divided_tiles(experiment);
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("19_matmul_fast", argc, argv);
    experiment.add_validation(matmul::ceiling(lab::cube(64), 2));
    for (const int size : {256, 1024, 2048, 4096, 8192}) add_shape(experiment, lab::cube(size));
    constexpr lab::ProductShape others[] = {
        {4000, 4100, 4200}, {1000, 1000, 1000}, {16384, 256, 4096}, {256, 16384, 4096}};
    for (const lab::ProductShape shape : others) add_shape(experiment, shape);
    for (const int size : {4096, 8192}) {
        experiment.add(matmul::ceiling(lab::cube(size), 8 * experiment.device().sm_count),
                       lab::Evidence::measured);
    }
    add_validations(experiment);
    return experiment.run();
}

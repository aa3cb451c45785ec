// Chapter 16: what does a product cost that loads both factors of every multiplication?
//
// Source: Kirk, Hwu: Programming Massively Parallel Processors, 3rd ed., section 4.2. There: square
// matrices, a 4 x 4 example in blocks of 2 x 2, blocks of 16 x 16.
//
// Variants: matmul_naive               the book's kernel, in four shapes of blocks
//           matmul_naive_down_columns  rows and columns of threads exchanged
//           matmul_grid_stride         grids of any size; grid:NxN of 16 x 16 threads
//           matmul_naive_in_parts      bands of rows of c, a launch each
//           multiply_add_in_registers  the same arithmetic without loads: the peak
//           The example (4), 256 and 1024 cubed and, of what is not too slow, 4096 cubed. Counts of an
//           element depend on k.
// Model:    2 m n k operations; a, b and c once each are the bytes that no kernel can do without.
// Differs:  any rectangle, where the source has squares; sums are checked against a product in
//           double precision, above 2^25 multiply-adds in a sample of 512 elements.
#include <algorithm>

#include "example.hpp"
#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "problems/product.hpp"

namespace {

using Product = lab::Product<float>;
using Rows = std::vector<lab::Variant>;

lab::Variant naive(const Product& product, dim3 block) {
    return product.row_in_blocks("matmul_naive", matmul_naive, block);
}

lab::Variant down_columns(const Product& product, dim3 block) {
    const auto [m, n, k] = product.shape();
    return product.row(lab::variant_name("matmul_naive_down_columns", {{"block", block}}),
                       lab::launch(matmul_naive_down_columns, lab::grid_over(m, n, block), block),
                       m, n, k);
}

lab::Variant grid_stride(const Product& product, dim3 grid) {
    const auto [m, n, k] = product.shape();
    return product.row(
        lab::variant_name("matmul_grid_stride", {{"grid", grid}, {"block", "16x16"}}),
        lab::launch(matmul_grid_stride, grid, dim3(16, 16)), m, n, k);
}

// For products that no grid covers: the host launches the kernel once for each band of rows of c, on the
// same band of a. The last band may be lower.
lab::Variant in_parts(const Product& product, int parts) {
    const int m = product.shape().m, n = product.shape().n, k = product.shape().k;
    lab::Variant row = product.row(
        lab::variant_name("matmul_naive_in_parts", {{"parts", parts}, {"block", "16x16"}}),
        [=](const float* a, const float* b, float* c) {
            const dim3 block(16, 16);
            const int band = (m + parts - 1) / parts;
            for (int first = 0; first < m; first += band) {
                const int rows = std::min(band, m - first);
                lab::launch(matmul_naive, lab::grid_over(n, rows, block), block)(
                    a + std::size_t(first) * k, b, c + std::size_t(first) * n, rows, n, k);
            }
        });
    row.kernels = parts;
    return row;
}

lab::Variant registers(const Product& product) {
    const int m = product.shape().m, n = product.shape().n, k = product.shape().k;
    constexpr float factor = 0.5f;
    const dim3 block(16, 16);
    const auto launch = lab::launch(multiply_add_in_registers, product.grid(block), block);
    lab::Variant row =
        product.row("multiply_add_in_registers/block:16x16",
                    [=](const float*, const float*, float* c) { launch(c, m, n, k, factor); });
    row.bytes = 4.0 * m * n;
    row.check = [=] {
        const auto expected = [=](std::size_t i) { return lab::halved(0, float(int(i)), k); };
        lab::expect_equal<float>(product.set(0).c.to_host(),
                                 lab::tabulated(std::size_t(m) * n, expected));
    };
    return row;
}

Rows rows_of(const Product& cube, bool is_small) {
    Rows rows;
    if (is_small) rows.push_back(naive(cube, dim3(8, 8)));
    for (const dim3 block : {dim3(16, 16), dim3(32, 8), dim3(32, 32)}) {
        rows.push_back(naive(cube, block));
    }
    rows.push_back(registers(cube));
    return rows;
}

// Blocks that go on with other tiles, several launches and columns: no sample of their blocks is quick.
Rows slow_rows_of(const Product& cube, bool is_small) {
    Rows rows = {grid_stride(cube, dim3(32, 32)), in_parts(cube, 4)};
    if (!is_small) return rows;
    for (const dim3 block : {dim3(16, 16), dim3(32, 32)}) rows.push_back(down_columns(cube, block));
    for (const dim3 grid : {dim3(8, 8), dim3(16, 16)}) rows.push_back(grid_stride(cube, grid));
    return rows;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("16_matmul_naive", argc, argv);
    experiment.add(naive(Product(lab::cube(4)), dim3(2, 2)));
    for (const int size : {256, 1024, 4096}) {
        const Product cube(lab::cube(size));
        experiment.add(rows_of(cube, size <= 1024));
        experiment.add(slow_rows_of(cube, size <= 1024),
                       size == 256 ? lab::Evidence::counted : lab::Evidence::measured);
        experiment.add_memcpy(cube.bytes() / 2, lab::Cache::cold);
    }
    for (const lab::ProductShape shape : lab::ragged_products) {
        const Product ragged(shape);
        experiment.add_validation({naive(ragged, dim3(16, 16)), naive(ragged, dim3(32, 8)),
                                   down_columns(ragged, dim3(16, 16)),
                                   grid_stride(ragged, dim3(1, 1)), grid_stride(ragged, dim3(3, 2)),
                                   in_parts(ragged, 3)});
    }
    experiment.add_validation(example_readers());
    // More rows than a grid of 16 x 16 blocks has threads in y.
    const Product tall({16 * 65535 + 1, 3, 2});
    experiment.add_validation(
        {naive(tall, dim3(1, 32)), grid_stride(tall, dim3(1, 64)), in_parts(tall, 2)});
    return experiment.run();
}

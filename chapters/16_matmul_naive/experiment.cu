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
//           The example (4) and 256 cubed, where the emulated GPU is compared with counters;
//           1024 cubed and, of what is not too slow, 4096 cubed, where it predicts the time of rows that
//           can be sampled. Counts of an element depend on k.
// Model:    2 m n k operations; a, b and c once each are the bytes that no kernel can do without.
// Differs:  any rectangle, where the source has squares; sums are checked against a product in
//           double precision, above 2^25 multiply-adds in a sample of 512 elements.
#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "example.hpp"
#include "kernels.cuh"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/validation.hpp"
#include "lab/variant_name.hpp"
#include "problems/product.hpp"

namespace {

using Matrices = std::shared_ptr<matmul::Product<float>>;
using Kernel = void (*)(const float*, const float*, float*, int, int, int);

std::string by(unsigned x, unsigned y) { return std::to_string(x) + "x" + std::to_string(y); }

lab::Variant product(const lab::Experiment& experiment, const std::string& name, Kernel kernel,
                     dim3 grid, dim3 block, const Matrices& matrices) {
    const auto [m, n, k] = matrices->shape();
    return matmul::product_variant<float>(experiment, name, matrices,
                                          [=](const float* a, const float* b, float* c) {
                                              lab::launch(kernel, grid, block)(a, b, c, m, n, k);
                                          });
}

lab::Variant naive(const lab::Experiment& experiment, dim3 block, const Matrices& matrices) {
    const auto [m, n, k] = matrices->shape();
    return product(experiment, "matmul_naive/block:" + by(block.x, block.y), matmul_naive,
                   matmul::grid_over(n, m, block), block, matrices);
}

lab::Variant down_columns(const lab::Experiment& experiment, dim3 block, const Matrices& matrices) {
    const auto [m, n, k] = matrices->shape();
    return product(experiment, "matmul_naive_down_columns/block:" + by(block.x, block.y),
                   matmul_naive_down_columns, matmul::grid_over(m, n, block), block, matrices);
}

lab::Variant grid_stride(const lab::Experiment& experiment, dim3 grid, const Matrices& matrices) {
    return product(experiment, "matmul_grid_stride/grid:" + by(grid.x, grid.y) + "/block:16x16",
                   matmul_grid_stride, grid, dim3(16, 16), matrices);
}

// For products that no grid covers: the host launches the kernel once for each band of rows of c, on the
// same band of a. The last band may be lower.
lab::Variant in_parts(const lab::Experiment& experiment, int parts, const Matrices& matrices) {
    const auto [m, n, k] = matrices->shape();
    const dim3 block(16, 16);
    const int band = (m + parts - 1) / parts;
    lab::Variant variant = matmul::product_variant<float>(
        experiment, "matmul_naive_in_parts/parts:" + std::to_string(parts) + "/block:16x16",
        matrices, [=](const float* a, const float* b, float* c) {
            for (int first = 0; first < m; first += band) {
                const int rows = std::min(band, m - first);
                lab::launch(matmul_naive, matmul::grid_over(n, rows, block), block)(
                    a + std::size_t(first) * k, b, c + std::size_t(first) * n, rows, n, k);
            }
        });
    variant.kernels = parts;
    return variant;
}

// Halving is exact, so the chain rounds alike everywhere: it is right to the bit.
lab::Variant registers(const lab::Experiment& experiment, const Matrices& matrices) {
    const auto [m, n, k] = matrices->shape();
    const float factor = 0.5f;
    const dim3 block(16, 16);
    lab::Variant variant = matmul::product_variant<float>(
        experiment, "multiply_add_in_registers/block:16x16", matrices,
        [=](const float*, const float*, float* c) {
            lab::launch(multiply_add_in_registers, matmul::grid_over(n, m, block), block)(
                c, m, n, k, factor);
        });
    variant.bytes = 4.0 * m * n;
    variant.check = [=] {
        std::vector<float> expected(std::size_t(m) * n);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const float addend = float(int(i));
            float sum = 0;
            // 0.5 sum + addend no longer changes after some 30 steps.
            for (int step = 0; step < std::min(k, 64); ++step) sum = sum * factor + addend;
            expected[i] = sum;
        }
        lab::expect_equal<float>(matrices->set(0).c.to_host(), expected);
    };
    return variant;
}

// More rows than a grid of 16 x 16 blocks has threads in y: the launch has to be refused.
lab::Variant refused(lab::Variant variant) {
    const auto was_refused = std::make_shared<bool>(false);
    variant.launch = [=, launch = variant.launch](std::size_t set) {
        try {
            launch(set);
        } catch (const std::exception&) {
            *was_refused = true;
        }
    };
    variant.check = [=] {
        if (!*was_refused) throw lab::ValidationError("65,536 rows of blocks were not refused");
    };
    return variant;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("16_matmul_naive", argc, argv);
    const auto matrices = [](matmul::Shape shape,
                             lab::Emulation emulation = lab::Emulation::whole) {
        return std::make_shared<matmul::Product<float>>(shape, emulation);
    };

    experiment.add(naive(experiment, dim3(2, 2), matrices(matmul::cube(4))));
    for (const int size : {256, 1024, 4096}) {
        const lab::Emulation emulation = experiment.emulation(size == 256);
        const Matrices cube = matrices(matmul::cube(size), emulation);
        const auto add = [&](lab::Variant row) { experiment.add(std::move(row), emulation); };
        const bool small = size <= 1024;
        if (small) add(naive(experiment, dim3(8, 8), cube));
        for (const dim3 block : {dim3(16, 16), dim3(32, 8), dim3(32, 32)}) {
            add(naive(experiment, block, cube));
        }
        // Not sampled: a few blocks that go on with other tiles, several launches, and columns,
        // which take too long.
        if (emulation == lab::Emulation::whole) {
            if (small) add(down_columns(experiment, dim3(16, 16), cube));
            if (small) add(down_columns(experiment, dim3(32, 32), cube));
            if (small) add(grid_stride(experiment, dim3(8, 8), cube));
            if (small) add(grid_stride(experiment, dim3(16, 16), cube));
            add(grid_stride(experiment, dim3(32, 32), cube));
            add(in_parts(experiment, 4, cube));
        }
        add(registers(experiment, cube));
        experiment.add_memcpy(cube->bytes() / 2, lab::Cache::cold);
    }

    for (const matmul::Shape shape : matmul::ragged_shapes) {
        const Matrices ragged = matrices(shape);
        experiment.add_validation(naive(experiment, dim3(16, 16), ragged));
        experiment.add_validation(naive(experiment, dim3(32, 8), ragged));
        experiment.add_validation(down_columns(experiment, dim3(16, 16), ragged));
        experiment.add_validation(grid_stride(experiment, dim3(1, 1), ragged));
        experiment.add_validation(grid_stride(experiment, dim3(3, 2), ragged));
        experiment.add_validation(in_parts(experiment, 3, ragged));
    }
    experiment.add_validation(matmul::example_readers());
    const Matrices tall = matrices({16 * 65535 + 1, 3, 2});
    experiment.add_validation(refused(naive(experiment, dim3(16, 16), tall)));
    experiment.add_validation(grid_stride(experiment, dim3(1, 64), tall));
    experiment.add_validation(in_parts(experiment, 2, tall));
    return experiment.run();
}

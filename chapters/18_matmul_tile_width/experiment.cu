// Chapter 18: how wide should a tile be, and what does its shared memory cost in occupancy?
//
// Sources: NVIDIA developer training: CUDA on Arm, shared memory, "choosing the size" (a P100 with
// 48 KB and 8 blocks an SM: 6 KB a block, 3 KB a tile, 3 x 16 x 16 x 4); Kirk, Hwu: Programming
// Massively Parallel Processors, 3rd ed., section 4.5 (traffic falls by the tile's width).
//
// Variants: matmul_tiled_bounded      chapter 17's kernel in squares of 4, 8, 16 and 32
//           matmul_rectangular_tiles  tile:RxCxD, rows x columns of c in phases of depth D
//                 16x16xD, 32x32xD    D from 8 up: shared memory a block is 4 D (R + C) bytes
//                 8x32, 32x8, 4x64, 64x4, 16x64: other forms of the block
//           192, 1024 and 2048 cubed; an emulated GPU counts the first and predicts the time of the others.
// Model:    2 m n k operations; a, b and c once each are the bytes that no kernel can do without.
// Differs:  the source states sizes and no measurement; its 3 KB a tile are tiles of 16 x 48.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../17_matmul_tiled/kernels.cuh"
#include "kernels.cuh"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "problems/product.hpp"

namespace {

using Matrices = std::shared_ptr<matmul::Product<float>>;
using Kernel = void (*)(const float*, const float*, float*, int, int, int);

lab::Variant product(const lab::Experiment& experiment, const std::string& name, Kernel kernel,
                     dim3 block, const Matrices& matrices) {
    const auto [m, n, k] = matrices->shape();
    return matmul::product_variant<float>(
        experiment, name, matrices, [=](const float* a, const float* b, float* c) {
            lab::launch(kernel, matmul::grid_over(n, m, block), block)(a, b, c, m, n, k);
        });
}

template <int tile>
lab::Variant square(const lab::Experiment& experiment, const Matrices& matrices) {
    return product(experiment, "matmul_tiled_bounded/type:float/tile:" + std::to_string(tile),
                   matmul_tiled_bounded<float, tile>, dim3(tile, tile), matrices);
}

template <int rows, int columns, int depth>
lab::Variant rectangle(const lab::Experiment& experiment, const Matrices& matrices) {
    return product(experiment,
                   "matmul_rectangular_tiles/tile:" + std::to_string(rows) + "x" +
                       std::to_string(columns) + "x" + std::to_string(depth),
                   matmul_rectangular_tiles<rows, columns, depth>, dim3(columns, rows), matrices);
}

template <class Add>
void add_all(const lab::Experiment& experiment, const Matrices& matrices, Add add) {
    add(square<4>(experiment, matrices));
    add(square<8>(experiment, matrices));
    add(square<16>(experiment, matrices));
    add(square<32>(experiment, matrices));

    add(rectangle<16, 16, 8>(experiment, matrices));
    add(rectangle<16, 16, 16>(experiment, matrices));
    add(rectangle<16, 16, 32>(experiment, matrices));
    add(rectangle<16, 16, 48>(experiment, matrices));  // the book's 6 KB a block
    add(rectangle<16, 16, 96>(experiment, matrices));
    add(rectangle<16, 16, 192>(experiment, matrices));
    add(rectangle<32, 32, 8>(experiment, matrices));
    add(rectangle<32, 32, 32>(experiment, matrices));
    add(rectangle<32, 32, 96>(experiment, matrices));

    add(rectangle<8, 32, 32>(experiment, matrices));
    add(rectangle<32, 8, 32>(experiment, matrices));
    add(rectangle<4, 64, 32>(experiment, matrices));
    add(rectangle<64, 4, 32>(experiment, matrices));
    add(rectangle<16, 64, 32>(experiment, matrices));
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("18_matmul_tile_width", argc, argv);
    const auto matrices = [](matmul::Shape shape,
                             lab::Emulation emulation = lab::Emulation::whole) {
        return std::make_shared<matmul::Product<float>>(shape, emulation);
    };
    for (const int size : {192, 1024, 2048}) {
        const lab::Emulation emulation = experiment.emulation(size == 192);
        const Matrices cube = matrices(matmul::cube(size), emulation);
        add_all(experiment, cube,
                [&](lab::Variant row) { experiment.add(std::move(row), emulation); });
        experiment.add_memcpy(cube->bytes() / 2, lab::Cache::cold);
    }
    constexpr matmul::Shape ragged[] = {
        {1, 1, 1}, {1, 37, 5}, {37, 1, 64}, {31, 17, 1}, {101, 67, 83}};
    for (const matmul::Shape shape : ragged) {
        add_all(experiment, matrices(shape),
                [&](lab::Variant variant) { experiment.add_validation(std::move(variant)); });
    }
    return experiment.run();
}

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
//           192, 1024 and 2048 cubed.
// Model:    2 m n k operations; a, b and c once each are the bytes that no kernel can do without.
// Differs:  the source states sizes and no measurement; its 3 KB a tile are tiles of 16 x 48.
#include "../17_matmul_tiled/kernels.cuh"
#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "problems/product.hpp"

namespace {

using Product = lab::Product<float>;

template <int tile>
lab::Variant square(const Product& product) {
    return product.row(
        lab::variant_name("matmul_tiled_bounded", {{"type", "float"}, {"tile", tile}}),
        matmul_tiled_bounded<float, tile>, dim3(tile, tile));
}

template <int rows, int columns, int depth>
lab::Variant rectangle(const Product& product) {
    const std::string tile =
        std::to_string(rows) + "x" + std::to_string(columns) + "x" + std::to_string(depth);
    return product.row(lab::variant_name("matmul_rectangular_tiles", {{"tile", tile}}),
                       matmul_rectangular_tiles<rows, columns, depth>, dim3(columns, rows));
}

std::vector<lab::Variant> rows_of(const Product& product) {
    return {
        square<4>(product),
        square<8>(product),
        square<16>(product),
        square<32>(product),
        rectangle<16, 16, 8>(product),
        rectangle<16, 16, 16>(product),
        rectangle<16, 16, 32>(product),
        rectangle<16, 16, 48>(product),  // the book's 6 KB a block
        rectangle<16, 16, 96>(product),
        rectangle<16, 16, 192>(product),
        rectangle<32, 32, 8>(product),
        rectangle<32, 32, 32>(product),
        rectangle<32, 32, 96>(product),
        rectangle<8, 32, 32>(product),
        rectangle<32, 8, 32>(product),
        rectangle<4, 64, 32>(product),
        rectangle<64, 4, 32>(product),
        rectangle<16, 64, 32>(product),
    };
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("18_matmul_tile_width", argc, argv);
    for (const int size : {192, 1024, 2048}) {
        const Product cube(lab::cube(size));
        experiment.add(rows_of(cube));
        experiment.add_memcpy(cube.bytes() / 2, lab::Cache::cold);
    }
    constexpr lab::ProductShape ragged[] = {
        {1, 1, 1}, {1, 37, 5}, {37, 1, 64}, {31, 17, 1}, {101, 67, 83}};
    for (const lab::ProductShape shape : ragged) experiment.add_validation(rows_of(Product(shape)));
    return experiment.run();
}

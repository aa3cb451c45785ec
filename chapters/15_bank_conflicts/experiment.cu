// Chapter 15: what does a bank conflict cost, and what removes it?
//
// Source: NVIDIA developer training: CUDA on Arm, shared memory: the row, column and padded examples
// (blocks of BLOCKSIZE x BLOCKSIZE), static and dynamic shared memory, broadcast and multicast, "the
// cost is the largest number of threads that meet in one bank".
//
// Variants: stage_rows, stage_columns      the book's examples; width 32 and 16, pitch from width up
//           stage_columns_dynamic          the same in dynamic shared memory
//           turn_tiles, ..._swizzled       stored by rows, loaded by columns: padding or permuting
//           load_strided                   elements of 2, 4, 8 and 16 bytes, strides 1 to 32; sharers:
//                                          neighbours that load the same element; banks:8 on a Kepler:
//                                          in its mode of 8-byte banks
//           combine_in_registers           the same number of operations without shared memory
//           copy_through_shared            4 to 48 KB of shared memory a block (shared_kb)
//           Matrices of 1024 and of 2048 squared; loads by one block of 1024 threads.
// Model:    matrices and copies: a 4-byte load and a 4-byte store an element. load_strided: what
//           the threads load from shared memory, 64 rounds of 32 elements each.
// Differs:  the source has its barrier inside `if (inside)`, which not all threads of a ragged block
//           reach; here it stands outside. The source prints no times.
#include <stdexcept>

#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "loads.hpp"
#include "problems/matrix_transpose.hpp"

namespace {

using Rows = std::vector<lab::Variant>;
using lab::MatrixTranspose;

// width x width threads and elements; rows begin `pitch` elements apart.
struct Tile {
    unsigned width, pitch;
};

std::string name_of(const char* kernel, Tile tile) {
    return lab::variant_name(kernel, {{"width", tile.width}, {"pitch", tile.pitch}});
}

// A matrix that passes through tiles and arrives as it was. `kernel` is called with in, out and `sizes`.
template <class... Sizes>
lab::Variant staged(const MatrixTranspose& matrix, const char* name, Tile tile,
                    std::size_t dynamic_shared_bytes,
                    void (*kernel)(const float*, float*, Sizes...),
                    std::type_identity_t<Sizes>... sizes) {
    const dim3 block(tile.width, tile.width);
    const auto launch = lab::launch(kernel, lab::grid_over(matrix.columns(), matrix.rows(), block),
                                    block, dynamic_shared_bytes);
    return matrix.copy_row(
        name_of(name, tile), lab::Cache::cold,
        [=](const float* in, float* out, std::size_t, std::size_t) { launch(in, out, sizes...); });
}

// The same with each tile transposed in its place.
lab::Variant turned(const MatrixTranspose& matrix, const char* name, Tile tile,
                    void (*kernel)(const float*, float*, int)) {
    const std::size_t width = tile.width, columns = matrix.columns();
    if (matrix.rows() % width != 0 || columns % width != 0) {
        throw std::invalid_argument(std::string(name) + " needs a matrix of whole tiles");
    }
    lab::Variant row = staged(matrix, name, tile, 0, kernel, int(columns));
    row.check = [=] {
        const std::vector<float> in = matrix.set(0).in.to_host();
        std::vector<float> expected(in.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const std::size_t row = i / columns, column = i % columns;
            const std::size_t from_row = row / width * width + column % width;
            const std::size_t from_column = column / width * width + row % width;
            expected[i] = in[from_row * columns + from_column];
        }
        lab::expect_equal<float>(matrix.set(0).out.to_host(), expected);
    };
    return row;
}

Rows stages(const MatrixTranspose& matrix) {
    const int rows = int(matrix.rows()), columns = int(matrix.columns());
    const auto dynamic = [&](unsigned pitch) {
        return staged(matrix, "stage_columns_dynamic", {32, pitch}, sizeof(float) * 32 * pitch,
                      stage_columns_dynamic, rows, columns, int(pitch));
    };
    return {staged(matrix, "stage_rows", {32, 32}, 0, stage_rows<32>, rows, columns),
            staged(matrix, "stage_rows", {16, 16}, 0, stage_rows<16>, rows, columns),
            staged(matrix, "stage_columns", {32, 32}, 0, stage_columns<32, 32>, rows, columns),
            staged(matrix, "stage_columns", {32, 33}, 0, stage_columns<32, 33>, rows, columns),
            staged(matrix, "stage_columns", {16, 16}, 0, stage_columns<16, 16>, rows, columns),
            staged(matrix, "stage_columns", {16, 17}, 0, stage_columns<16, 17>, rows, columns),
            staged(matrix, "stage_columns", {16, 18}, 0, stage_columns<16, 18>, rows, columns),
            dynamic(32),
            dynamic(33)};
}

Rows turns(const MatrixTranspose& matrix) {
    return {turned(matrix, "turn_tiles", {32, 32}, turn_tiles<32, 32>),
            turned(matrix, "turn_tiles", {32, 33}, turn_tiles<32, 33>),
            turned(matrix, "turn_tiles_swizzled", {32, 32}, turn_tiles_swizzled<32>),
            turned(matrix, "turn_tiles", {16, 16}, turn_tiles<16, 16>),
            turned(matrix, "turn_tiles", {16, 17}, turn_tiles<16, 17>),
            turned(matrix, "turn_tiles", {16, 18}, turn_tiles<16, 18>),
            turned(matrix, "turn_tiles_swizzled", {16, 16}, turn_tiles_swizzled<16>)};
}

lab::Variant copy_row(const MatrixTranspose& matrix, std::size_t kilobytes) {
    constexpr unsigned block = 256;
    const std::size_t n = matrix.rows() * matrix.columns();
    const auto copy =
        lab::launch(copy_through_shared, lab::blocks_for(n, block), block, kilobytes * 1024);
    lab::Variant row = matrix.copy_row(
        "", lab::Cache::cold,
        [=](const float* in, float* out, std::size_t, std::size_t) { copy(in, out, int(n)); });
    row.name = lab::variant_name(
        "copy_through_shared",
        {{"shared_kb", kilobytes}, {"block", block}, {"n", n}, {"cache", "cold"}});
    return row;
}

Rows rows_of_square(std::size_t side) {
    const MatrixTranspose matrix(side, side);
    Rows rows = stages(matrix);
    for (lab::Variant& row : turns(matrix)) rows.push_back(std::move(row));
    for (const std::size_t kilobytes : {4, 6, 8, 12, 16, 24, 32, 48}) {
        rows.push_back(copy_row(matrix, kilobytes));
    }
    return rows;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("15_bank_conflicts", argc, argv);
    // Conflicts of a request do not change with the size.
    experiment.add(rows_of_square(1024));
    experiment.add(rows_of_square(2048), lab::Evidence::measured);
    for (const std::size_t side : {1024, 2048}) {
        experiment.add_memcpy(sizeof(float) * side * side, lab::Cache::cold);
    }
    for (unsigned stride = 1; stride <= 32; ++stride) {
        experiment.add({strided_row<unsigned short>(stride, 1), strided_row<unsigned>(stride, 1),
                        strided_row<uint2>(stride, 1), strided_row<uint4>(stride, 1)});
    }
    for (const unsigned sharers : {2, 4, 8, 16, 32}) {
        experiment.add(strided_row<unsigned>(32, sharers));
    }
    if (has_eight_byte_banks()) {
        for (const unsigned stride : {1, 2, 6, 13, 32}) {
            experiment.add(in_eight_byte_banks(strided_row<unsigned>(stride, 1)));
        }
    }
    experiment.add(registers_row());
    for (const std::size_t shared : {0, 48 << 10}) experiment.add(reread_row(experiment, shared));

    // Ragged: blocks that are partly or nearly all outside; one element; a single row and column.
    constexpr std::pair<int, int> ragged[] = {{1, 1}, {1, 67}, {67, 1}, {37, 101}, {96, 33}};
    for (const auto& [rows, columns] : ragged) {
        const MatrixTranspose matrix(rows, columns);
        experiment.add_validation(stages(matrix));
        experiment.add_validation(copy_row(matrix, 4));
    }
    experiment.add_validation(turns(MatrixTranspose(32, 96)));
    experiment.add_validation(turns(MatrixTranspose(160, 64)));
    experiment.add_validation(
        turned(MatrixTranspose(40, 24), "turn_tiles_swizzled", {8, 8}, turn_tiles_swizzled<8>));
    return experiment.run();
}

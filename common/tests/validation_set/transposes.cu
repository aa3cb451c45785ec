// LAB_TRANSPOSES is the name of the function that this compilation defines (transposes.hpp).
#include "transposes.hpp"

#include "lab/device/launch.hpp"

namespace {
#include "transpose_kernels.cuh"
}

std::vector<Transpose> LAB_TRANSPOSES() {
    const auto in_blocks_of = [](auto kernel, int block_width, int block_height, int unroll) {
        return [=](const float* in, float* out, int width) {
            lab::launch(kernel, dim3(width / block_width / unroll, width / block_height),
                        dim3(block_width, block_height))(in, out, width);
        };
    };
    return {
        {"transpose_read_rows/block:16x16", in_blocks_of(transpose_read_rows, 16, 16, 1)},
        {"transpose_read_columns/block:16x16", in_blocks_of(transpose_read_columns, 16, 16, 1)},
        {"transpose_read_rows/block:32x8", in_blocks_of(transpose_read_rows, 32, 8, 1)},
        {"transpose_read_columns/block:32x8", in_blocks_of(transpose_read_columns, 32, 8, 1)},
        {"transpose_read_columns/block:8x32", in_blocks_of(transpose_read_columns, 8, 32, 1)},
        {"transpose_read_rows_unroll4/block:16x16",
         in_blocks_of(transpose_read_rows_unroll4, 16, 16, 4)},
        {"transpose_read_columns_unroll4/block:16x16",
         in_blocks_of(transpose_read_columns_unroll4, 16, 16, 4)},
        {"transpose_diagonal/block:16x16", in_blocks_of(transpose_diagonal, 16, 16, 1)},
        {"transpose_shared/tile:32/padding:0", in_blocks_of(transpose_shared<32, 0>, 32, 32, 1)},
        {"transpose_shared/tile:32/padding:1", in_blocks_of(transpose_shared<32, 1>, 32, 32, 1)},
        {"transpose_shared/tile:16/padding:0", in_blocks_of(transpose_shared<16, 0>, 16, 16, 1)},
        {"transpose_shared/tile:16/padding:1", in_blocks_of(transpose_shared<16, 1>, 16, 16, 1)},
    };
}

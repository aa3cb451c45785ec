#include <algorithm>
#include <stdexcept>
#include <utility>

#include "lab/device/compute_capability.hpp"
#include "lab/device/tensor_map.hpp"
#include "steps.hpp"
#include "wgmma_kernels.cuh"

namespace tensor {
namespace {

template <class T>
using Stage = warpgroups::Stage<T>;

template <class T>
constexpr CUtensorMapDataType data_type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
template <>
constexpr CUtensorMapDataType data_type<half> = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
template <>
constexpr CUtensorMapDataType data_type<nv_bfloat16> = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;

template <class T>
CUtensorMap boxes_of(const T* matrix, int rows, int columns, int box_rows) {
    return lab::tensor_map({.type = data_type<T>,
                            .data = matrix,
                            .rows = static_cast<cuuint64_t>(rows),
                            .columns = static_cast<cuuint64_t>(columns),
                            .stride_bytes = columns * sizeof(T),
                            .box_rows = static_cast<cuuint32_t>(box_rows),
                            .box_columns = Stage<T>::depth,
                            .swizzle = CU_TENSOR_MAP_SWIZZLE_128B});
}

template <class T>
void require_whole_pieces(lab::ProductShape shape) {
    constexpr int piece = 16 / sizeof(T);
    if (shape.n % piece != 0 || shape.k % piece != 0)
        throw std::invalid_argument("wgmma: rows of a and b have to be multiples of 16 bytes");
}

// Clusters of so many blocks cover c; their blocks' tiles lie beside each other along the left operand.
template <class T>
unsigned clusters_over(lab::ProductShape shape, unsigned blocks) {
    const dim3 tiles = lab::grid_over(std::size_t(shape.n), std::size_t(shape.m),
                                      dim3(Stage<T>::b_columns, Stage<T>::a_rows));
    const auto [left, right] =
        warpgroups::is_turned<T> ? std::pair{tiles.x, tiles.y} : std::pair{tiles.y, tiles.x};
    return lab::blocks_for(left, blocks) * right;
}

}  // namespace

template <class T>
void WarpgroupLaunch<T>::operator()(const T* a, const T* b, float* c, int m, int n, int k) const {
    lab::require(warpgroup_products);
    LAB_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        warpgroups::shared_bytes));
    lab::launch(kernel, grid, warpgroups::threads, warpgroups::shared_bytes)(
        boxes_of(a, m, k, 128), boxes_of(b, k, n, Stage<T>::depth), c, m, n, k);
}

template <class T>
lab::LaunchShape WarpgroupLaunch<T>::shape() const {
    return lab::launch(kernel, grid, warpgroups::threads, warpgroups::shared_bytes).shape();
}

template <class T>
WarpgroupLaunch<T> by_warpgroups(lab::ProductShape shape) {
    require_whole_pieces<T>(shape);
    return {warpgroups::matmul_wgmma<T>, dim3(clusters_over<T>(shape, 1))};
}

template <class T, int blocks>
WarpgroupLaunch<T> persistent(lab::ProductShape shape) {
    require_whole_pieces<T>(shape);
    const unsigned at_a_time =
        std::max(unsigned(lab::backend::description().sm_count) / blocks, 1u);
    const unsigned clusters = std::min(at_a_time, clusters_over<T>(shape, blocks));
    return {warpgroups::matmul_wgmma_persistent<T, blocks>, dim3(blocks * clusters)};
}

#define TENSOR_OF(T)                                                       \
    template struct WarpgroupLaunch<T>;                                    \
    template WarpgroupLaunch<T> by_warpgroups(lab::ProductShape shape);    \
    template WarpgroupLaunch<T> persistent<T, 1>(lab::ProductShape shape); \
    template WarpgroupLaunch<T> persistent<T, 2>(lab::ProductShape shape);
TENSOR_OF(half)
TENSOR_OF(nv_bfloat16)
TENSOR_OF(float)
#undef TENSOR_OF

}  // namespace tensor

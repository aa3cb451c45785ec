#include "steps.hpp"

#include <stdexcept>

#include "mma_kernels.cuh"

namespace tensor {
namespace {

dim3 grid_of(lab::ProductShape shape) {
    return lab::grid_over(std::size_t(shape.n), std::size_t(shape.m), dim3(tile, tile));
}

template <Layout layout>
Kernel<half> of_layout(lab::ProductShape shape) {
    if (shape.n % 8 != 0 || shape.k % 8 != 0)
        throw std::invalid_argument("matmul_mma: n and k have to be multiples of 8");
    return lab::launch(matmul_mma<layout>, grid_of(shape), threads);
}

template <class T, bool vectors>
Kernel<T> of_stages(lab::ProductShape shape) {
    constexpr int bytes = stages * Tiles<T, Layout::swizzled>::bytes;
    const auto kernel = matmul_mma_staged<T, vectors>;
    // Where blocks cannot have so much, the row is left out: such a GPU lacks the instructions, too.
    const cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (status == cudaErrorInvalidValue) {
        cudaGetLastError();
    } else {
        LAB_CUDA_CHECK(status);
    }
    return lab::launch(kernel, grid_of(shape), threads, bytes);
}

}  // namespace

Kernel<half> plain(lab::ProductShape shape) { return of_layout<Layout::plain>(shape); }
Kernel<half> padded(lab::ProductShape shape) { return of_layout<Layout::padded>(shape); }
Kernel<half> swizzled(lab::ProductShape shape) { return of_layout<Layout::swizzled>(shape); }

template <class T>
Kernel<T> staged(lab::ProductShape shape) {
    constexpr int piece = 16 / sizeof(T);
    return shape.n % piece == 0 && shape.k % piece == 0 ? of_stages<T, true>(shape)
                                                        : of_stages<T, false>(shape);
}
template Kernel<half> staged(lab::ProductShape shape);
template Kernel<nv_bfloat16> staged(lab::ProductShape shape);
template Kernel<float> staged(lab::ProductShape shape);

}  // namespace tensor

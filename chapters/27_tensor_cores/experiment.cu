// Chapter 27: what do tensor cores bring to the matrix product, and what is each step to them worth?
//
// Sources: NVIDIA, CUDA C++ Programming Guide, warp matrix functions; NVIDIA, PTX ISA, mma.sync and ldmatrix; Markidis et al.,
// NVIDIA Tensor Core Programmability, Performance & Precision (2018); Sun et al., Dissecting Tensor Cores via Microbenchmarks
// (2022).
//
// Variants: matmul_wmma         a warp a tile of 16 x 16, operands from global memory
//           matmul_wmma_tiled   tiles of 128 x 128 in shared memory
//           matmul_mma          the same with mma.sync and ldmatrix; rows plain, padded, swizzled
//           matmul_mma_staged   tiles fetched ahead by asynchronous copies, in four stages; FP16, BF16 and TF32
//           matmul_wgmma        Hopper: wgmma on tiles that one warpgroup has copied; FP16, BF16 and TF32
//           matmul_wgmma_persistent  as many blocks as the GPU holds go on to their next tile; cluster:2: pairs of blocks
//                               share copies
//           cublas_gemm_ex      the peer, for the same types; cublas_sgemm in FP32; cublas_gemm_ex_of_zeros
//           256, 1024, 4096 and 8192 cubed.
// Model:    2 m n k operations; a, b and c once each are the bytes that no kernel can do without. Sums and c are FP32.
// Differs:  the guide multiplies one tile; here the tiles cover c. Elements are random in [-1, 1).
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

#include "kernels.cuh"
#include "lab/device/cublas.hpp"
#include "lab/experiment/chapter.hpp"
#include "problems/product.hpp"
#include "steps.hpp"

namespace {

using Halves = lab::Product<float, half>;
using BrainHalves = lab::Product<float, nv_bfloat16>;
using Floats = lab::Product<float>;

constexpr lab::Feature tensor_cores = {7, "tensor cores"};

// Tensor cores add some products at a time and truncate: an error of up to 3 x 2^-24 for each product (at most six units of 2^-24
// for each four, on Volta; Khattak, Mikaitis: Accurate Models of NVIDIA Tensor Cores, 2025). FP32 data lose 13 bits each.
constexpr lab::ProductError of_products{.of_inputs = 0, .of_each_sum = 3 * 0x1p-24},
    of_tf32{.of_inputs = 2 * 0x1p-10, .of_each_sum = 3 * 0x1p-24};

template <class Product, class Launch>
lab::Variant tensor_row(const std::string& name, const Product& product, const Launch& launch,
                        lab::Feature needs = tensor::warp_products) {
    const auto [m, n, k] = product.shape();
    lab::Variant row = product.row(name, launch, m, n, k);
    row.needs = needs;
    return row;
}

lab::Variant wmma(const Halves& product) {
    const auto [m, n, k] = product.shape();
    if (m % 16 != 0 || n % 16 != 0 || k % 16 != 0)
        throw std::invalid_argument("matmul_wmma: m, n and k have to be multiples of 16");
    const dim3 grid(lab::blocks_for(n, 64), m / 16);
    return tensor_row("matmul_wmma/type:fp16", product, lab::launch(tensor::matmul_wmma, grid, 128),
                      tensor_cores);
}

lab::Variant wmma_tiled(const Halves& product) {
    const auto [m, n, k] = product.shape();
    if (m % 16 != 0 || n % 16 != 0 || k % 8 != 0) {
        throw std::invalid_argument(
            "matmul_wmma_tiled: m and n have to be multiples of 16, k of 8");
    }
    return tensor_row("matmul_wmma_tiled/type:fp16", product,
                      lab::launch(tensor::matmul_wmma_tiled, product.grid(dim3(128, 128)), 256),
                      tensor_cores);
}

std::vector<lab::Variant> of_layouts(const Halves& product) {
    const lab::ProductShape shape = product.shape();
    return {tensor_row("matmul_mma/layout:plain/type:fp16", product, tensor::plain(shape)),
            tensor_row("matmul_mma/layout:padded/type:fp16", product, tensor::padded(shape)),
            tensor_row("matmul_mma/layout:swizzled/type:fp16", product, tensor::swizzled(shape))};
}

// cuBLAS stores column by column: there, a row-major c = a b is the transpose of c, which is b's transpose times a's.
template <class Product>
lab::Variant cublas_row(const std::string& name, const Product& product, lab::cublas::Type number) {
    const auto [m, n, k] = product.shape();
    lab::Variant row =
        product.row(name, [=, m = m, n = n, k = k](const auto* a, const auto* b, float* c) {
            lab::cublas::gemm(number, n, m, k, 1, b, n, a, k, 0, c, n);
        });
    row.kind = lab::Kind::cublas;
    row.kernels = lab::cublas::max_kernels;
    return row;
}

lab::Variant sgemm_row(const Floats& product) {
    const auto [m, n, k] = product.shape();
    lab::Variant row = product.row("cublas_sgemm/type:fp32",
                                   [m = m, n = n, k = k](const float* a, const float* b, float* c) {
                                       lab::cublas::sgemm(n, m, k, 1, b, n, a, k, 0, c, n);
                                   });
    row.kind = lab::Kind::cublas;
    row.kernels = lab::cublas::max_kernels;
    return row;
}

// The row with cuBLAS beside each of its repetitions.
lab::Variant beside(lab::Variant row, const lab::Variant& cublas) {
    if (!lab::cublas::is_available()) return row;
    row.reference = {.counter = "cublas_ratio",
                     .flops = row.flops,
                     .launch = cublas.launch,
                     .kernels = lab::cublas::max_kernels};
    return row;
}

// Hopper's steps, for one type.
template <class T>
std::vector<lab::Variant> of_warpgroups(const std::string& type,
                                        const lab::Product<float, T>& product) {
    const lab::ProductShape shape = product.shape();
    return {tensor_row("matmul_wgmma/type:" + type, product, tensor::by_warpgroups<T>(shape),
                       tensor::warpgroup_products),
            tensor_row("matmul_wgmma_persistent/cluster:1/type:" + type, product,
                       tensor::persistent<T, 1>(shape), tensor::warpgroup_products),
            tensor_row("matmul_wgmma_persistent/cluster:2/type:" + type, product,
                       tensor::persistent<T, 2>(shape), tensor::warpgroup_products)};
}

// The row, and how far its result is from the product of the elements before they were rounded.
template <class Product>
lab::Variant with_error(lab::Variant row, const Product& product) {
    constexpr int largest = 4096;  // beyond it, the host takes seconds
    if (product.shape().k <= largest) {
        row.counters = [=]() -> lab::Counters {
            return {{"result_error", std::round(product.billionths_of_error())}};
        };
    }
    return row;
}

void add_cube(lab::Experiment& experiment, int size) {
    const lab::ProductShape shape = lab::cube(size);
    const Halves halves(shape, of_products);
    const BrainHalves brains(shape, of_products);
    const Floats tf32(shape, of_tf32);
    const lab::Variant of_halves =
        with_error(cublas_row("cublas_gemm_ex/type:fp16", halves, lab::cublas::Type::fp16), halves);
    const lab::Variant of_brains =
        with_error(cublas_row("cublas_gemm_ex/type:bf16", brains, lab::cublas::Type::bf16), brains);
    const lab::Variant of_floats =
        with_error(cublas_row("cublas_gemm_ex/type:tf32", tf32, lab::cublas::Type::tf32), tf32);
    const auto add = [&](lab::Variant row, const lab::Variant& cublas) {
        // Larger ones take minutes to emulate, a sample of their blocks too.
        if (size > 1024) row.evidence = lab::Evidence::measured;
        experiment.add(beside(std::move(row), cublas));
    };
    if (size <= 4096) {
        add(wmma(halves), of_halves);
        add(wmma_tiled(halves), of_halves);
        for (lab::Variant& row : of_layouts(halves)) add(std::move(row), of_halves);
    }
    const auto add_staged = [&](const std::string& type, const auto& product, const auto& launch,
                                const lab::Variant& cublas) {
        add(with_error(tensor_row("matmul_mma_staged/type:" + type, product, launch), product),
            cublas);
    };
    add_staged("fp16", halves, tensor::staged<half>(shape), of_halves);
    add_staged("bf16", brains, tensor::staged<nv_bfloat16>(shape), of_brains);
    add_staged("tf32", tf32, tensor::staged<float>(shape), of_floats);
    const auto add_warpgroups = [&](const std::string& type, const auto& product,
                                    const lab::Variant& cublas) {
        for (lab::Variant& row : of_warpgroups(type, product))
            add(with_error(std::move(row), product), cublas);
    };
    add_warpgroups("fp16", halves, of_halves);
    add_warpgroups("bf16", brains, of_brains);
    add_warpgroups("tf32", tf32, of_floats);
    if (!lab::cublas::is_available()) return;
    experiment.add({of_halves, of_brains, of_floats, with_error(sgemm_row(tf32), tf32)});
    if (size < 4096) return;
    const Halves zeros(shape, of_products, lab::Elements::zeros);
    experiment.add(cublas_row("cublas_gemm_ex_of_zeros/type:fp16", zeros, lab::cublas::Type::fp16));
}

void add_validations(lab::Experiment& experiment) {
    for (const lab::ProductShape shape :
         {lab::ProductShape{16, 32, 48}, lab::ProductShape{144, 272, 80}}) {
        const Halves halves(shape, of_products);
        experiment.add_validation({wmma(halves), wmma_tiled(halves)});
        experiment.add_validation(of_layouts(halves));
    }
    experiment.add_validation(of_layouts(Halves({101, 200, 72}, of_products)));
    const auto staged = [&](lab::ProductShape shape) {
        const Halves halves(shape, of_products);
        const BrainHalves brains(shape, of_products);
        const Floats floats(shape, of_tf32);
        experiment.add_validation(
            {tensor_row("matmul_mma_staged/type:fp16", halves, tensor::staged<half>(shape)),
             tensor_row("matmul_mma_staged/type:bf16", brains, tensor::staged<nv_bfloat16>(shape)),
             tensor_row("matmul_mma_staged/type:tf32", floats, tensor::staged<float>(shape))});
    };
    for (const lab::ProductShape shape : lab::ragged_products) staged(shape);
    staged({144, 272, 200});
    // Less than a tile, ragged ones, and more than one of each block.
    for (const lab::ProductShape shape :
         {lab::ProductShape{16, 32, 48}, lab::ProductShape{300, 600, 264},
          lab::ProductShape{1030, 4616, 72}}) {
        experiment.add_validation(of_warpgroups("fp16", Halves(shape, of_products)));
        experiment.add_validation(of_warpgroups("bf16", BrainHalves(shape, of_products)));
        experiment.add_validation(of_warpgroups("tf32", Floats(shape, of_tf32)));
    }
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("27_tensor_cores", argc, argv);
    for (const int size : {256, 1024, 4096, 8192}) add_cube(experiment, size);
    add_validations(experiment);
    return experiment.run();
}

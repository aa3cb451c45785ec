// Products by others, as functions that `scripts/lab peers` calls: cuBLAS's, and where their sources are
// (`--checkouts FOLDER`) those of SGEMM_CUDA (github.com/siboehm/SGEMM_CUDA) and of NVIDIA's samples.
#include <cublas_v2.h>

#include <cstddef>

#if __has_include("SGEMM_CUDA/src/runner.cu")
#include <stdexcept>

#include "SGEMM_CUDA/src/runner.cu"
#define HAS_SGEMM_CUDA
#endif

#if __has_include("cuda-samples/Samples/0_Introduction/matrixMul/matrixMul.cu")
#define main main_of_the_sample
#include "cuda-samples/Samples/0_Introduction/matrixMul/matrixMul.cu"
#undef main
#define HAS_CUDA_SAMPLES
#endif

// C = A B of matrices stored row after row. cuBLAS counts columns first and so sees each of them
// transposed: it is given B and A, whose product is the transpose of C.
extern "C" int cublas_sgemm(const float* a, const float* b, float* c, std::size_t rows,
                            std::size_t columns, std::size_t inner) {
    static cublasHandle_t handle = nullptr;
    if (handle == nullptr && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
    cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH);  // no tensor cores
    const float one = 1, zero = 0;
    const int m = static_cast<int>(rows), n = static_cast<int>(columns),
              k = static_cast<int>(inner);
    return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n);
}

#ifdef HAS_SGEMM_CUDA
// C = A B by one of its kernels, counted from 1. They ask for multiples of their tiles: of 128, and 16 of k.
extern "C" int sgemm_cuda(float* a, float* b, float* c, std::size_t rows, std::size_t columns,
                          std::size_t inner, std::size_t kernel) {
    run_kernel(static_cast<int>(kernel), static_cast<int>(rows), static_cast<int>(columns),
               static_cast<int>(inner), 1, a, b, 0, c, nullptr);
    return cudaGetLastError();
}
#endif

#ifdef HAS_CUDA_SAMPLES
// C = A B by tiles of 32 x 32. The sizes are multiples of 32.
extern "C" int samples_matrix_mul(float* a, float* b, float* c, std::size_t rows,
                                  std::size_t columns, std::size_t inner) {
    const dim3 block(32, 32);
    const dim3 grid(static_cast<unsigned>(columns / 32), static_cast<unsigned>(rows / 32));
    MatrixMulCUDA<32><<<grid, block>>>(c, a, b, static_cast<int>(inner), static_cast<int>(columns));
    return cudaGetLastError();
}
#endif

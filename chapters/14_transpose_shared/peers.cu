// Transposes by others, as functions that `scripts/lab peers` calls: cuBLAS's, and where its source is
// (`--checkouts FOLDER`) those of NVIDIA's samples.
#include <cublas_v2.h>

#include <cstddef>

#if __has_include("cuda-samples/Samples/6_Performance/transpose/transpose.cu")
#define main main_of_the_sample
#include "cuda-samples/Samples/6_Performance/transpose/transpose.cu"
#undef main
#define HAS_CUDA_SAMPLES
#endif

// cuBLAS counts columns first: `in`, rows x columns, is to it a matrix of columns x rows. The second
// operand, times 0, is not read.
extern "C" int cublas_sgeam(const float* in, float* out, std::size_t rows, std::size_t columns) {
    static cublasHandle_t handle = nullptr;
    if (handle == nullptr && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
    const float one = 1, zero = 0;
    const int m = static_cast<int>(rows), n = static_cast<int>(columns);
    return cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, in, n, &zero, out, m, out, m);
}

#ifdef HAS_CUDA_SAMPLES
namespace {

// The sample's width is the length of a row; its tiles are 32 x 32, and the sizes are multiples of 32.
int transpose_by(void (*kernel)(float*, float*, int, int), const float* in, float* out,
                 std::size_t rows, std::size_t columns) {
    const dim3 grid(static_cast<unsigned>(columns / TILE_DIM),
                    static_cast<unsigned>(rows / TILE_DIM));
    kernel<<<grid, dim3(TILE_DIM, BLOCK_ROWS)>>>(out, const_cast<float*>(in),
                                                 static_cast<int>(columns), static_cast<int>(rows));
    return cudaGetLastError();
}

}  // namespace

extern "C" int samples_padded(const float* in, float* out, std::size_t rows, std::size_t columns) {
    return transpose_by(transposeNoBankConflicts, in, out, rows, columns);
}

extern "C" int samples_diagonal(const float* in, float* out, std::size_t rows,
                                std::size_t columns) {
    return transpose_by(transposeDiagonal, in, out, rows, columns);
}
#endif

// cuBLAS's transpose, as a function that `scripts/lab peers` calls.
#include <cublas_v2.h>

#include <cstddef>

// cuBLAS counts columns first: `in`, rows x columns, is to it a matrix of columns x rows. The second
// operand, times 0, is not read.
extern "C" int cublas_sgeam(const float* in, float* out, std::size_t rows, std::size_t columns) {
    static cublasHandle_t handle = nullptr;
    if (handle == nullptr && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
    const float one = 1, zero = 0;
    const int m = static_cast<int>(rows), n = static_cast<int>(columns);
    return cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, in, n, &zero, out, m, out, m);
}

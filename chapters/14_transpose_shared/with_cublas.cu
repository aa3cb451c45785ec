#include <cublas_v2.h>

#include <stdexcept>
#include <string>

#include "geam.hpp"

namespace {

void check(cublasStatus_t status, const char* call) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw std::runtime_error(std::string(call) + ": " + cublasGetStatusString(status));
}

// Lives as long as the process: the driver may be gone when destructors of statics run.
cublasHandle_t new_handle() {
    cublasHandle_t handle = nullptr;
    check(cublasCreate(&handle), "cublasCreate");
    return handle;
}

// cuBLAS counts columns first, so that `in` is to it a matrix of columns x rows. The second
// operand, times 0, is not read.
void transpose(const float* in, float* out, std::size_t rows, std::size_t columns) {
    static const cublasHandle_t handle = new_handle();
    const float one = 1, zero = 0;
    const int m = static_cast<int>(rows), n = static_cast<int>(columns);
    check(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, in, n, &zero, out, m, out, m),
          "cublasSgeam");
}

}  // namespace

Geam cublas_sgeam() {
    return transpose;
}

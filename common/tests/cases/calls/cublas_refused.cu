// What cuBLAS computes beside SGEMM is refused by its name.
// needs: cublas_v2.h
// nvcc: -lcublas
// expect: emulated GPU: error: cublasDgemm_v2 is not supported
// expect: ! failed call: cublasDgemm_v2: operation not supported, cublas_refused.cu:16; the program did not check
// exit: 1
#include <cublas_v2.h>

int main() {
    cublasHandle_t handle;
    double *a, one = 1;
    cublasCreate(&handle);
    cudaMalloc(&a, 4 * sizeof(double));
    cublasOperation_t n = CUBLAS_OP_N;
    double *b = a, *c = a;
    cublasDgemm(handle, n, n, 2, 2, 2, &one, a, 2, b, 2, &one, c, 2);
    cudaFree(a);
    cublasDestroy(handle);
}

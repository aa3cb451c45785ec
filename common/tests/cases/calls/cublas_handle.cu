// A program that makes a cuBLAS handle and never multiplies runs as if it had none.
// needs: cublas_v2.h
// nvcc: -lcublas
// expect: 1 launch of 1 kernel
// expect-not: emulated GPU: error
// expect-not: note:
#include <cublas_v2.h>

__global__ void clear(float* values) { values[threadIdx.x] = 0; }

int main() {
    cublasHandle_t handle;
    cudaStream_t stream;
    float* values;
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 2;
    cudaStreamCreate(&stream);
    if (cublasSetStream(handle, stream) != CUBLAS_STATUS_SUCCESS) return 3;
    if (cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH) != CUBLAS_STATUS_SUCCESS) return 4;
    cudaMalloc(&values, 128);
    clear<<<1, 32, 0, stream>>>(values);
    cudaFree(values);
    return cublasDestroy(handle);
}

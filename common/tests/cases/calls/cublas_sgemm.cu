// c = 2 a b + 3 c with a 2 x 3, b 3 x 2 (given transposed), column by column, in columns of 4:
//   a = | 1 3 5 |   b = | 1 2 |   a b = | 35 44 |   c = | 1 1 |   result = | 73 91 |
//       | 2 4 6 |       | 3 4 |         | 44 56 |       | 1 1 |            | 91 115 |
//                       | 5 6 |
// needs: cublas_v2.h
// nvcc: -lcublas
// expect: result 73 91 91 115, beside it 9 9
// expect: note: cublasSgemm was executed by a loop of the CPU: it has neither counts nor time
#include <cublas_v2.h>

#include <cstdio>

int main() {
    const float a[] = {1, 2, 9, 9, 3, 4, 9, 9, 5, 6, 9, 9};
    const float b_transposed[] = {1, 2, 9, 9, 3, 4, 9, 9, 5, 6, 9, 9};
    float c[] = {1, 1, 9, 9, 1, 1, 9, 9};
    float *device_a, *device_b, *device_c;
    const float alpha = 2, beta = 3;
    cublasHandle_t handle;
    cublasCreate(&handle);
    cudaMalloc(&device_a, sizeof a);
    cudaMalloc(&device_b, sizeof b_transposed);
    cudaMalloc(&device_c, sizeof c);
    cublasSetMatrix(4, 3, sizeof(float), a, 4, device_a, 4);
    cublasSetMatrix(4, 3, sizeof(float), b_transposed, 4, device_b, 4);
    cublasSetMatrix(4, 2, sizeof(float), c, 4, device_c, 4);
    if (cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 3, &alpha, device_a, 4, device_b, 4,
                    &beta, device_c, 4) != CUBLAS_STATUS_SUCCESS)
        return 2;
    cublasGetMatrix(4, 2, sizeof(float), device_c, 4, c, 4);
    std::printf("result %g %g %g %g, beside it %g %g\n", c[0], c[1], c[4], c[5], c[2], c[7]);
    return cublasDestroy(handle);
}

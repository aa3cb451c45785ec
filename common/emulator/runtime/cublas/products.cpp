// SGEMM as a loop of the CPU: right, and neither counted nor timed.
#include <cstdint>
#include <vector>

#include "emulator/runtime/cublas/cublas.hpp"
#include "emulator/runtime/report/counters.h"

namespace emulator::cublas {
namespace {

// A matrix column by column, as BLAS stores them; `stride` elements from one column to the next.
struct Matrix {
    const float* values;
    std::int64_t stride;
    Operation operation;
    float at(std::int64_t row, std::int64_t column) const {
        return operation == Operation::none ? values[column * stride + row]
                                            : values[row * stride + column];
    }
};

bool is_valid(Operation operation) {
    return operation == Operation::none || operation == Operation::transpose ||
           operation == Operation::conjugate;
}

// Where the emulator has a matrix of the GPU; null where [matrix, its end) is no memory of the GPU.
float* storage(const float* matrix, std::int64_t stride, std::int64_t rows, std::int64_t columns,
               bool is_written = false) {
    const std::int64_t elements = stride * (columns - 1) + rows;
    return static_cast<float*>(
        emulatedGpuStorage(matrix, static_cast<std::size_t>(elements) * sizeof(float), is_written));
}

struct Product {
    Operation of_a, of_b;
    std::int64_t m, n, k;
    const float* alpha;
    const float* a;
    std::int64_t a_stride;
    const float* b;
    std::int64_t b_stride;
    const float* beta;
    float* c;
    std::int64_t c_stride;
};

Status multiply(void* handle, Product product) {
    const Context* const context = find_context(handle);
    if (context == nullptr) return Status::not_initialised;
    auto& [of_a, of_b, m, n, k, alpha, a, a_stride, b, b_stride, beta, c, c_stride] = product;
    if (!is_valid(of_a) || !is_valid(of_b) || m < 0 || n < 0 || k < 0 || alpha == nullptr ||
        beta == nullptr)
        return Status::invalid_value;
    if (m == 0 || n == 0) return Status::success;
    const bool a_is_plain = of_a == Operation::none, b_is_plain = of_b == Operation::none;
    const std::int64_t a_rows = a_is_plain ? m : k, b_rows = b_is_plain ? k : n;
    if (a_stride < a_rows || b_stride < b_rows || c_stride < m) return Status::invalid_value;
    if (context->pointer_mode != 0) {
        alpha = storage(alpha, 1, 1, 1);
        beta = storage(beta, 1, 1, 1);
    }
    const Matrix from_a{storage(a, a_stride, a_rows, a_is_plain ? k : m), a_stride, of_a};
    const Matrix from_b{storage(b, b_stride, b_rows, b_is_plain ? n : k), b_stride, of_b};
    float* const to = storage(c, c_stride, m, n, true);
    if (alpha == nullptr || beta == nullptr || to == nullptr ||
        (k != 0 && (from_a.values == nullptr || from_b.values == nullptr)))
        return Status::execution_failed;
    if (cudaStreamSynchronize(context->stream) != cudaSuccess) return Status::execution_failed;
    for (std::int64_t column = 0; column < n; ++column) {
        std::vector<float> sums(static_cast<std::size_t>(m));
        for (std::int64_t i = 0; i < k; ++i) {
            const float factor = from_b.at(i, column);
            for (std::int64_t row = 0; row < m; ++row)
                sums[static_cast<std::size_t>(row)] += from_a.at(row, i) * factor;
        }
        for (std::int64_t row = 0; row < m; ++row) {
            float& element = to[column * c_stride + row];
            // c is not read where beta is 0: it may be NaN.
            const float before = *beta == 0 ? 0 : *beta * element;
            element = *alpha * sums[static_cast<std::size_t>(row)] + before;
        }
    }
    emulatedGpuNote(
        "cublasSgemm was executed by a loop of the CPU: it has neither counts nor time");
    return Status::success;
}

}  // namespace
}  // namespace emulator::cublas

using namespace emulator::cublas;

extern "C" {

Status cublasSgemm_v2(void* handle, Operation of_a, Operation of_b, int m, int n, int k,
                      const float* alpha, const float* a, int a_stride, const float* b,
                      int b_stride, const float* beta, float* c, int c_stride) {
    return multiply(handle,
                    {of_a, of_b, m, n, k, alpha, a, a_stride, b, b_stride, beta, c, c_stride});
}

Status cublasSgemm_v2_64(void* handle, Operation of_a, Operation of_b, std::int64_t m,
                         std::int64_t n, std::int64_t k, const float* alpha, const float* a,
                         std::int64_t a_stride, const float* b, std::int64_t b_stride,
                         const float* beta, float* c, std::int64_t c_stride) {
    return multiply(handle,
                    {of_a, of_b, m, n, k, alpha, a, a_stride, b, b_stride, beta, c, c_stride});
}

}  // extern "C"

// Products of a sparse matrix and a vector, in four formats.
#include "../launches.hpp"
#include "../themes.hpp"

namespace ordinary {
namespace {

__global__ void spmv_csr_scalar(const int* row_starts, const int* columns, const float* elements,
                                const float* x, float* y, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int j = row_starts[row]; j < row_starts[row + 1]; ++j)
            sum += elements[j] * x[columns[j]];
        y[row] = sum;
    }
}

// A warp a row.
__global__ void spmv_csr_vector(const int* row_starts, const int* columns, const float* elements,
                                const float* x, float* y, int rows) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int j = row_starts[row] + lane; j < row_starts[row + 1]; j += 32) {
        sum += elements[j] * x[columns[j]];
    }
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0) y[row] = sum;
}

// Rows padded to one length, element j of all rows together.
__global__ void spmv_ell(const int* columns, const float* elements, const float* x, float* y,
                         int rows, int length) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int j = 0; j < length; ++j) {
        const int column = columns[j * rows + row];
        if (column >= 0) sum += elements[j * rows + row] * x[column];
    }
    y[row] = sum;
}

__global__ void spmv_coo(const int* rows, const int* columns, const float* elements, const float* x,
                         float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&y[rows[i]], elements[i] * x[columns[i]]);
}

// The transposed product: a thread a row, atomics to the columns.
__global__ void spmv_transposed(const int* __restrict__ row_starts, const int* __restrict__ columns,
                                const float* __restrict__ elements, const float* __restrict__ x,
                                float* y, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const int begin = row_starts[row], end = row_starts[row + 1];
    const float factor = x[row];
    for (int j = begin; j < end; ++j) atomicAdd(&y[columns[j]], elements[j] * factor);
}

struct Matrix {
    int rows = 1000;
    std::vector<int> starts{0}, row_of, columns;
    std::vector<float> elements, x;

    Matrix() {
        const auto lengths = values<int>(rows, 40, 7), places = values<int>(100000, rows, 8);
        const auto numbers = values<float>(100000, 9, 9);
        for (int row = 0; row < rows; ++row) {
            for (int j = 0; j < lengths[row]; ++j) {
                row_of.push_back(row);
                elements.push_back(numbers[columns.size()]);
                columns.push_back(places[columns.size()]);
            }
            starts.push_back(static_cast<int>(columns.size()));
        }
        x = values<float>(rows, 11, 10);
    }

    std::vector<float> product() const {
        std::vector<float> y(rows);
        for (std::size_t j = 0; j < columns.size(); ++j)
            y[row_of[j]] += elements[j] * x[columns[j]];
        return y;
    }
};

}  // namespace

void add_sparse_products(Launches& launches) {
    const Matrix m;
    launches.add("spmv_csr_scalar", [=](Outcome& outcome) {
        const Array<int> starts(m.starts), columns(m.columns);
        const Array<float> elements(m.elements), x(m.x), y(m.rows);
        spmv_csr_scalar<<<8, 128>>>(starts, columns, elements, x, y, m.rows);
        outcome.equal(y, m.product());
    });
    launches.add("spmv_csr_vector", [=](Outcome& outcome) {
        const Array<int> starts(m.starts), columns(m.columns);
        const Array<float> elements(m.elements), x(m.x), y(m.rows);
        spmv_csr_vector<<<250, 128>>>(starts, columns, elements, x, y, m.rows);
        outcome.equal(y, m.product());
    });
    launches.add("spmv_ell", [=](Outcome& outcome) {
        const int length = 40;
        std::vector<int> places(length * m.rows, -1);
        std::vector<float> numbers(length * m.rows);
        for (int row = 0; row < m.rows; ++row) {
            for (int j = m.starts[row]; j < m.starts[row + 1]; ++j) {
                places[(j - m.starts[row]) * m.rows + row] = m.columns[j];
                numbers[(j - m.starts[row]) * m.rows + row] = m.elements[j];
            }
        }
        const Array<int> columns(places);
        const Array<float> elements(numbers), x(m.x), y(m.rows);
        spmv_ell<<<8, 128>>>(columns, elements, x, y, m.rows, length);
        outcome.equal(y, m.product());
    });
    launches.add("spmv_coo", [=](Outcome& outcome) {
        const Array<int> rows(m.row_of), columns(m.columns);
        const Array<float> elements(m.elements), x(m.x), y(m.rows, 0);
        const int n = static_cast<int>(m.columns.size());
        spmv_coo<<<(n + 255) / 256, 256>>>(rows, columns, elements, x, y, n);
        outcome.equal(y, m.product());
    });
    launches.add("spmv_transposed", [=](Outcome& outcome) {
        const Array<int> starts(m.starts), columns(m.columns);
        const Array<float> elements(m.elements), x(m.x), y(m.rows, 0);
        spmv_transposed<<<8, 128>>>(starts, columns, elements, x, y, m.rows);
        std::vector<float> expected(m.rows);
        for (std::size_t j = 0; j < m.columns.size(); ++j) {
            expected[m.columns[j]] += m.elements[j] * m.x[m.row_of[j]];
        }
        outcome.equal(y, expected);
    });
}

}  // namespace ordinary

// Sparse products, small and tiled dense products, triangular solves, stencils and convolutions.
#include <cuda_fp16.h>

#include "../ordinary/launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

template <class V>
struct Csr {
    std::vector<int> offsets = {0}, columns;
    std::vector<V> values;

    int rows() const { return static_cast<int>(offsets.size()) - 1; }
};

// Rows of 0 to `longest` elements, their columns in ascending order.
template <class V>
Csr<V> random_csr(int rows, int columns, int longest, unsigned seed) {
    Csr<V> matrix;
    const auto lengths = values<int>(rows, longest + 1, seed);
    for (int r = 0; r < rows; ++r) {
        const auto places = values<int>(lengths[r], 1 << 20, seed + 1 + r);
        for (int k = 0; k < lengths[r]; ++k) {
            const int width = columns / lengths[r];
            matrix.columns.push_back(k * width + places[k] % width);
            matrix.values.push_back(static_cast<V>(places[k] / 1024 % 9 - 4));
        }
        matrix.offsets.push_back(static_cast<int>(matrix.columns.size()));
    }
    return matrix;
}

// Whole numbers around zero.
template <class V>
std::vector<V> signed_values(int n, int largest, unsigned seed) {
    std::vector<V> result(n);
    const auto numbers = values<int>(n, 2 * largest + 1, seed);
    for (int i = 0; i < n; ++i) result[i] = static_cast<V>(numbers[i] - largest);
    return result;
}

template <class R, class V, class X>
std::vector<R> product(const Csr<V>& matrix, const std::vector<X>& x) {
    std::vector<R> y(matrix.rows());
    for (int r = 0; r < matrix.rows(); ++r) {
        for (int i = matrix.offsets[r]; i < matrix.offsets[r + 1]; ++i) {
            y[r] += static_cast<R>(matrix.values[i]) * static_cast<R>(x[matrix.columns[i]]);
        }
    }
    return y;
}

// A block for each of a few long rows.
__global__ void csr_rows_by_blocks(const int* __restrict__ offsets, const int* __restrict__ columns,
                                   const double* __restrict__ matrix, const double* __restrict__ x,
                                   double* __restrict__ y) {
    __shared__ double warps[3];
    int row = blockIdx.x;
    double sum = 0.0;
    for (int i = offsets[row] + threadIdx.x; i < offsets[row + 1]; i += blockDim.x) {
        sum += matrix[i] * x[columns[i]];
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(ALL_LANES, sum, d);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) y[row] = warps[0] + warps[1] + warps[2];
}

void run_csr_rows_by_blocks(Outcome& outcome) {
    const int rows = 200, size = 5000;
    const auto a = random_csr<double>(rows, size, 700, 1);
    const auto vector = signed_values<double>(size, 6, 2);
    const Array<int> offsets(a.offsets), columns(a.columns);
    const Array<double> matrix(a.values), x(vector), y(rows);
    csr_rows_by_blocks<<<rows, 96>>>(offsets, columns, matrix, x, y);
    outcome.equal(y, product<double>(a, vector));
}

template <class Index>
__global__ void csr_with_narrow_columns(const int* offsets, const Index* columns,
                                        const float* matrix, const float* x, float* y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    int end = offsets[row + 1];
#pragma unroll 2
    for (int i = offsets[row]; i < end; ++i) sum += matrix[i] * __ldg(&x[columns[i]]);
    y[row] = sum;
}

void run_csr_with_narrow_columns(Outcome& outcome) {
    const int rows = 5003, size = 3000;
    const auto a = random_csr<float>(rows, size, 14, 3);
    const auto vector = signed_values<float>(size, 6, 4);
    const Array<int> offsets(a.offsets);
    const Array<unsigned short> columns(
        std::vector<unsigned short>(a.columns.begin(), a.columns.end()));
    const Array<float> matrix(a.values), x(vector), y(rows);
    csr_with_narrow_columns<unsigned short>
        <<<blocks_for(rows, 112), 112>>>(offsets, columns, matrix, x, y, rows);
    outcome.equal(y, product<float>(a, vector));
}

// Column by column; -1 ends a row.
__global__ void ell_until_end(const int* __restrict__ columns, const int* __restrict__ matrix,
                              const int* __restrict__ x, int* __restrict__ y, int rows, int width) {
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += gridDim.x * blockDim.x) {
        int sum = 0;
        for (int k = 0; k < width; ++k) {
            int c = columns[k * rows + r];
            if (c < 0) break;
            sum += matrix[k * rows + r] * x[c];
        }
        y[r] = sum;
    }
}

void run_ell_until_end(Outcome& outcome) {
    const int rows = 6001, size = 4000, width = 12;
    const auto a = random_csr<int>(rows, size, width, 5);
    const auto vector = signed_values<int>(size, 20, 6);
    std::vector<int> ell_columns(rows * width, -1), ell_values(rows * width);
    for (int r = 0; r < rows; ++r) {
        for (int i = a.offsets[r]; i < a.offsets[r + 1]; ++i) {
            const int k = i - a.offsets[r];
            ell_columns[k * rows + r] = a.columns[i];
            ell_values[k * rows + r] = a.values[i];
        }
    }
    const Array<int> columns(ell_columns), matrix(ell_values), x(vector), y(rows);
    ell_until_end<<<17, 160>>>(columns, matrix, x, y, rows, width);
    outcome.equal(y, product<int>(a, vector));
}

struct Entry {
    int row, column, value;
};

// A thread adds up eight neighbours and writes at the ends of rows.
__global__ void coo_in_runs(const Entry* entries, const int* x, int* y, int n) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    if (first >= n) return;
    int last = min(first + 8, n), row = entries[first].row, sum = 0;
    for (int i = first; i < last; ++i) {
        Entry entry = entries[i];
        if (entry.row != row) {
            atomicAdd(&y[row], sum);
            row = entry.row;
            sum = 0;
        }
        sum += entry.value * x[entry.column];
    }
    atomicAdd(&y[row], sum);
}

void run_coo_in_runs(Outcome& outcome) {
    const int rows = 4000, size = 2500;
    const auto a = random_csr<int>(rows, size, 15, 7);
    const auto vector = signed_values<int>(size, 30, 8);
    std::vector<Entry> list;
    for (int r = 0; r < rows; ++r) {
        for (int i = a.offsets[r]; i < a.offsets[r + 1]; ++i) {
            list.push_back({r, a.columns[i], a.values[i]});
        }
    }
    const int n = static_cast<int>(list.size());
    const Array<Entry> entries(list);
    const Array<int> x(vector), y(rows, 0);
    coo_in_runs<<<blocks_for(n, 8 * 64), 64>>>(entries, x, y, n);
    outcome.equal(y, product<int>(a, vector));
}

// A thread for each row of the 3 x 3 blocks.
__global__ void bsr_of_threes(const int* offsets, const int* columns, const float* blocks,
                              const float* x, float* y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int block_row = row / 3, r = row % 3;
    float sum = 0.0f;
    for (int b = offsets[block_row]; b < offsets[block_row + 1]; ++b) {
        const float* part = x + 3 * columns[b];
#pragma unroll
        for (int c = 0; c < 3; ++c) sum += blocks[b * 9 + r * 3 + c] * part[c];
    }
    y[row] = sum;
}

void run_bsr_of_threes(Outcome& outcome) {
    const int block_rows = 901, block_columns = 700;
    const auto pattern = random_csr<float>(block_rows, block_columns, 9, 9);
    const int n = static_cast<int>(pattern.columns.size());
    const auto elements = signed_values<float>(n * 9, 5, 10);
    const auto vector = signed_values<float>(block_columns * 3, 7, 11);
    std::vector<float> expected(block_rows * 3);
    for (int row = 0; row < block_rows; ++row) {
        for (int b = pattern.offsets[row]; b < pattern.offsets[row + 1]; ++b) {
            for (int e = 0; e < 9; ++e) {
                expected[row * 3 + e / 3] +=
                    elements[b * 9 + e] * vector[pattern.columns[b] * 3 + e % 3];
            }
        }
    }
    const Array<int> offsets(pattern.offsets), columns(pattern.columns);
    const Array<float> blocks(elements), x(vector), y(block_rows * 3);
    bsr_of_threes<<<blocks_for(block_rows * 3, 129), 129>>>(offsets, columns, blocks, x, y,
                                                            block_rows * 3);
    outcome.equal(y, expected);
}

// Rows in order of falling length: diagonal d holds the d-th elements of the rows that have one.
__global__ void jagged_diagonals(const int* __restrict__ starts, int diagonals,
                                 const int* __restrict__ columns, const short* __restrict__ matrix,
                                 const int* __restrict__ x, const int* __restrict__ rows_in_order,
                                 long long* __restrict__ y, int rows) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    long long sum = 0;
    for (int d = 0; d < diagonals; ++d) {
        int place = starts[d] + i;
        if (place >= starts[d + 1]) break;
        sum += static_cast<long long>(matrix[place]) * x[columns[place]];
    }
    y[rows_in_order[i]] = sum;
}

void run_jagged_diagonals(Outcome& outcome) {
    const int rows = 3500, size = 6000;
    const auto a = random_csr<short>(rows, size, 20, 12);
    const auto vector = signed_values<int>(size, 1000000, 13);
    std::vector<int> order(rows), diagonal_starts = {0}, jagged_columns;
    std::vector<short> jagged_values;
    for (int r = 0; r < rows; ++r) order[r] = r;
    const auto length = [&](int r) { return a.offsets[r + 1] - a.offsets[r]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](int p, int q) { return length(p) > length(q); });
    for (int d = 0; d < length(order[0]); ++d) {
        for (int i = 0; i < rows && length(order[i]) > d; ++i) {
            jagged_columns.push_back(a.columns[a.offsets[order[i]] + d]);
            jagged_values.push_back(a.values[a.offsets[order[i]] + d]);
        }
        diagonal_starts.push_back(static_cast<int>(jagged_columns.size()));
    }
    const Array<int> starts(diagonal_starts), columns(jagged_columns), x(vector), sorted(order);
    const Array<short> matrix(jagged_values);
    const Array<long long> y(rows);
    jagged_diagonals<<<blocks_for(rows, 128), 128>>>(
        starts, static_cast<int>(diagonal_starts.size()) - 1, columns, matrix, x, sorted, y, rows);
    outcome.equal(y, product<long long>(a, vector));
}

// A warp clears a row of the dense matrix and puts the elements in.
__global__ void expand_rows(const int* offsets, const int* columns, const float* matrix,
                            float* dense, int rows, int width) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    for (int c = threadIdx.x; c < width; c += 32) dense[row * width + c] = 0.0f;
    __syncwarp();
    for (int i = offsets[row] + threadIdx.x; i < offsets[row + 1]; i += 32) {
        dense[row * width + columns[i]] = matrix[i];
    }
}

void run_expand_rows(Outcome& outcome) {
    const int rows = 303, size = 500;
    const auto a = random_csr<float>(rows, size, 80, 14);
    std::vector<float> expected(rows * size);
    for (int r = 0; r < rows; ++r) {
        for (int i = a.offsets[r]; i < a.offsets[r + 1]; ++i) {
            expected[r * size + a.columns[i]] = a.values[i];
        }
    }
    const Array<int> offsets(a.offsets), columns(a.columns);
    const Array<float> matrix(a.values), dense(rows * size);
    expand_rows<<<blocks_for(rows, 4), dim3(32, 4)>>>(offsets, columns, matrix, dense, rows, size);
    outcome.equal(dense, expected);
}

// The right matrix is dense, of 24 columns.
__global__ void csr_times_narrow(const int* __restrict__ offsets, const int* __restrict__ columns,
                                 const int* __restrict__ matrix, const int* __restrict__ dense,
                                 int* __restrict__ out, int rows) {
    int row = blockIdx.x * blockDim.y + threadIdx.y, c = threadIdx.x;
    if (row >= rows) return;
    int sum = 0;
    for (int i = offsets[row]; i < offsets[row + 1]; ++i) {
        sum += matrix[i] * dense[columns[i] * 24 + c];
    }
    out[row * 24 + c] = sum;
}

void run_csr_times_narrow(Outcome& outcome) {
    const int rows = 900, size = 1000;
    const auto a = random_csr<int>(rows, size, 18, 15);
    const auto right = signed_values<int>(size * 24, 50, 16);
    std::vector<int> expected(rows * 24);
    for (int r = 0; r < rows; ++r) {
        for (int i = a.offsets[r]; i < a.offsets[r + 1]; ++i) {
            for (int c = 0; c < 24; ++c) {
                expected[r * 24 + c] += a.values[i] * right[a.columns[i] * 24 + c];
            }
        }
    }
    const Array<int> offsets(a.offsets), columns(a.columns), matrix(a.values), dense(right);
    const Array<int> out(rows * 24);
    csr_times_narrow<<<blocks_for(rows, 8), dim3(24, 8)>>>(offsets, columns, matrix, dense, out,
                                                           rows);
    outcome.equal(out, expected);
}

// Ten matrices a block, an element a thread.
__global__ void products_of_5x5(const double* a, const double* b, double* c, int matrices) {
    __shared__ double left[10][25], right[10][25];
    int m = threadIdx.x / 25, e = threadIdx.x % 25, row = e / 5, column = e % 5;
    int matrix = blockIdx.x * 10 + m;
    if (matrix < matrices) {
        left[m][e] = a[matrix * 25 + e];
        right[m][e] = b[matrix * 25 + e];
    }
    __syncthreads();
    if (matrix >= matrices) return;
    double sum = 0.0;
#pragma unroll
    for (int k = 0; k < 5; ++k) sum += left[m][row * 5 + k] * right[m][k * 5 + column];
    c[matrix * 25 + e] = sum;
}

template <class R, class T>
std::vector<R> dense_product(const std::vector<T>& a, const std::vector<T>& b, int rows,
                             int columns, int inner) {
    std::vector<R> c(rows * columns);
    for (int r = 0; r < rows; ++r) {
        for (int k = 0; k < inner; ++k) {
            const R v = static_cast<R>(a[r * inner + k]);
            for (int j = 0; j < columns; ++j) {
                c[r * columns + j] += v * static_cast<R>(b[k * columns + j]);
            }
        }
    }
    return c;
}

void run_products_of_5x5(Outcome& outcome) {
    const int matrices = 1003;
    const auto left = signed_values<double>(matrices * 25, 40, 17);
    const auto right = signed_values<double>(matrices * 25, 40, 18);
    std::vector<double> expected;
    for (int m = 0; m < matrices; ++m) {
        const std::vector<double> l(left.begin() + m * 25, left.begin() + m * 25 + 25);
        const std::vector<double> r(right.begin() + m * 25, right.begin() + m * 25 + 25);
        const auto p = dense_product<double>(l, r, 5, 5, 5);
        expected.insert(expected.end(), p.begin(), p.end());
    }
    const Array<double> a(left), b(right), c(matrices * 25);
    products_of_5x5<<<blocks_for(matrices, 10), 250>>>(a, b, c, matrices);
    outcome.equal(c, expected);
}

// Singular matrices become zero.
__global__ void inverses_of_2x2(const float4* __restrict__ in, float4* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 m = in[i];
    float determinant = m.x * m.w - m.y * m.z;
    float4 inverse = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (determinant != 0.0f) {
        float factor = 1.0f / determinant;
        inverse = make_float4(m.w * factor, -m.y * factor, -m.z * factor, m.x * factor);
    }
    out[i] = inverse;
}

void run_inverses_of_2x2(Outcome& outcome) {
    const int n = 10007;
    const auto numbers = signed_values<float>(4 * n, 3, 19);
    std::vector<float> expected(4 * n);
    for (int i = 0; i < n; ++i) {
        const float* m = &numbers[4 * i];
        const double determinant = m[0] * m[3] - m[1] * m[2];
        if (determinant == 0.0) continue;
        expected[4 * i] = static_cast<float>(m[3] / determinant);
        expected[4 * i + 1] = static_cast<float>(-m[1] / determinant);
        expected[4 * i + 2] = static_cast<float>(-m[2] / determinant);
        expected[4 * i + 3] = static_cast<float>(m[0] / determinant);
    }
    const Array<float> in(numbers), out(4 * n);
    inverses_of_2x2<<<blocks_for(n, 144), 144>>>(reinterpret_cast<const float4*>(in.data()),
                                                 reinterpret_cast<float4*>(out.data()), n);
    outcome.near(out, expected, 1e-5);
}

__global__ void gemm_tiles_of_24(const int* a, const int* b, int* c, int rows, int columns,
                                 int inner) {
    __shared__ int left[24][24], right[24][24];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 24 + ty, column = blockIdx.x * 24 + tx, sum = 0;
    for (int first = 0; first < inner; first += 24) {
        int ka = first + tx, kb = first + ty;
        left[ty][tx] = row < rows && ka < inner ? a[row * inner + ka] : 0;
        right[ty][tx] = kb < inner && column < columns ? b[kb * columns + column] : 0;
        __syncthreads();
        for (int k = 0; k < 24; ++k) sum += left[ty][k] * right[k][tx];
        __syncthreads();
    }
    if (row < rows && column < columns) c[row * columns + column] = sum;
}

void run_gemm_tiles_of_24(Outcome& outcome) {
    const int rows = 100, columns = 130, inner = 77;
    const auto left = signed_values<int>(rows * inner, 900, 20);
    const auto right = signed_values<int>(inner * columns, 900, 21);
    const Array<int> a(left), b(right), c(rows * columns);
    const dim3 grid(blocks_for(columns, 24), blocks_for(rows, 24));
    gemm_tiles_of_24<<<grid, dim3(24, 24)>>>(a, b, c, rows, columns, inner);
    outcome.equal(c, dense_product<int>(left, right, rows, columns, inner));
}

// Tiles of 40 x 48: five rows and three columns for each of 16 x 8 threads.
__global__ void gemm_five_by_three(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ c, int rows, int columns, int inner) {
    __shared__ float left[8][40], right[8][48];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    int first_row = blockIdx.y * 40, first_column = blockIdx.x * 48;
    float sums[5][3] = {};
    for (int first = 0; first < inner; first += 8) {
        for (int e = t; e < 8 * 40; e += 128) {
            int k = first + e % 8, row = first_row + e / 8;
            left[e % 8][e / 8] = k < inner && row < rows ? a[row * inner + k] : 0.0f;
        }
        for (int e = t; e < 8 * 48; e += 128) {
            int k = first + e / 48, column = first_column + e % 48;
            right[e / 48][e % 48] = k < inner && column < columns ? b[k * columns + column] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
#pragma unroll
            for (int i = 0; i < 5; ++i) {
#pragma unroll
                for (int j = 0; j < 3; ++j) {
                    sums[i][j] += left[k][ty + 8 * i] * right[k][tx + 16 * j];
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 5; ++i) {
#pragma unroll
        for (int j = 0; j < 3; ++j) {
            int row = first_row + ty + 8 * i, column = first_column + tx + 16 * j;
            if (row < rows && column < columns) c[row * columns + column] = sums[i][j];
        }
    }
}

void run_gemm_five_by_three(Outcome& outcome) {
    const int rows = 123, columns = 200, inner = 90;
    const auto left = signed_values<float>(rows * inner, 9, 22);
    const auto right = signed_values<float>(inner * columns, 9, 23);
    const Array<float> a(left), b(right), c(rows * columns);
    const dim3 grid(blocks_for(columns, 48), blocks_for(rows, 40));
    gemm_five_by_three<<<grid, dim3(16, 8)>>>(a, b, c, rows, columns, inner);
    outcome.equal(c, dense_product<float>(left, right, rows, columns, inner));
}

// Both matrices row by row, the second one transposed.
__global__ void halves_by_transposed(const __half* a, const __half* b, float* c, int rows,
                                     int columns, int inner) {
    __shared__ __half left[16][18], right[16][18];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    int right_row = blockIdx.x * 16 + ty;
    float sum = 0.0f;
    for (int first = 0; first < inner; first += 16) {
        int k = first + tx;
        __half zero = __float2half(0.0f);
        left[ty][tx] = row < rows && k < inner ? a[row * inner + k] : zero;
        right[ty][tx] = right_row < columns && k < inner ? b[right_row * inner + k] : zero;
        __syncthreads();
#pragma unroll 8
        for (int m = 0; m < 16; ++m) {
            sum += __half2float(left[ty][m]) * __half2float(right[tx][m]);
        }
        __syncthreads();
    }
    if (row < rows && column < columns) c[row * columns + column] = sum;
}

void run_halves_by_transposed(Outcome& outcome) {
    const int rows = 90, columns = 70, inner = 100;
    const auto left = signed_values<float>(rows * inner, 15, 24);
    const auto right = signed_values<float>(columns * inner, 15, 25);
    std::vector<__half> half_left, half_right;
    for (float v : left) half_left.push_back(__float2half(v));
    for (float v : right) half_right.push_back(__float2half(v));
    std::vector<float> expected(rows * columns);
    for (int i = 0; i < rows * columns; ++i) {
        for (int k = 0; k < inner; ++k) {
            expected[i] += left[i / columns * inner + k] * right[i % columns * inner + k];
        }
    }
    const Array<__half> a(half_left), b(half_right);
    const Array<float> c(rows * columns);
    const dim3 grid(blocks_for(columns, 16), blocks_for(rows, 16));
    halves_by_transposed<<<grid, dim3(16, 16)>>>(a, b, c, rows, columns, inner);
    outcome.equal(c, expected);
}

// A thread solves a system of seven unknowns in registers. Element e of all systems lies together.
__global__ void solve_lower_in_registers(const float* __restrict__ lower,
                                         const float* __restrict__ right, float* __restrict__ x,
                                         int systems) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    float solution[7];
    int e = 0;
#pragma unroll
    for (int r = 0; r < 7; ++r) {
        float v = right[r * systems + s];
#pragma unroll
        for (int c = 0; c < r; ++c) v -= lower[e++ * systems + s] * solution[c];
        solution[r] = v;
        x[r * systems + s] = v;
    }
}

void run_solve_lower_in_registers(Outcome& outcome) {
    const int systems = 3001;
    const auto triangles = signed_values<float>(21 * systems, 2, 26);
    const auto sides = signed_values<float>(7 * systems, 10, 27);
    std::vector<float> expected(7 * systems);
    for (int s = 0; s < systems; ++s) {
        for (int r = 0; r < 7; ++r) {
            int v = static_cast<int>(sides[r * systems + s]);
            for (int c = 0; c < r; ++c) {
                const int e = r * (r - 1) / 2 + c;
                v -= static_cast<int>(triangles[e * systems + s]) *
                     static_cast<int>(expected[c * systems + s]);
            }
            expected[r * systems + s] = static_cast<float>(v);
        }
    }
    const Array<float> lower(triangles), right(sides), x(7 * systems);
    solve_lower_in_registers<<<blocks_for(systems, 80), 80>>>(lower, right, x, systems);
    outcome.equal(x, expected);
}

// A block for each system of 48 unknowns with ones on the diagonal, modulo 2^32.
__global__ void solve_upper_by_columns(const unsigned* upper, const unsigned* right, unsigned* x) {
    __shared__ unsigned solved[48];
    int t = threadIdx.x;
    const unsigned* matrix = upper + blockIdx.x * 48 * 48;
    unsigned mine = right[blockIdx.x * 48 + t];
    for (int k = 47; k >= 0; --k) {
        if (t == k) solved[k] = mine;
        __syncthreads();
        if (t < k) mine -= matrix[t * 48 + k] * solved[k];
    }
    x[blockIdx.x * 48 + t] = mine;
}

void run_solve_upper_by_columns(Outcome& outcome) {
    const int systems = 70;
    const auto triangles = values<unsigned>(systems * 48 * 48, 1u << 22, 28);
    auto solutions = values<unsigned>(systems * 48, 1u << 22, 29);
    for (auto& v : solutions) v *= 2654435761u;
    // The right side belongs to a known solution.
    std::vector<unsigned> sides(solutions);
    for (int i = 0; i < systems * 48; ++i) {
        for (int c = i % 48 + 1; c < 48; ++c) {
            sides[i] += triangles[i * 48 + c] * solutions[i / 48 * 48 + c];
        }
    }
    const Array<unsigned> upper(triangles), right(sides), x(systems * 48);
    solve_upper_by_columns<<<systems, 48>>>(upper, right, x);
    outcome.equal(x, solutions);
}

__constant__ int radius_five_weights[11] = {-3, 1, 4, -1, 5, 9, -2, 6, 5, -3, 5};

__global__ void stencil_radius_five(const short* __restrict__ in, int* __restrict__ out, int n) {
    __shared__ short tile[200 + 10];
    int first = blockIdx.x * 200;
    for (int e = threadIdx.x; e < 210; e += 200) {
        tile[e] = in[min(max(first + e - 5, 0), n - 1)];
    }
    __syncthreads();
    int i = first + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 11; ++k) sum += radius_five_weights[k] * tile[threadIdx.x + k];
    out[i] = sum;
}

void run_stencil_radius_five(Outcome& outcome) {
    const int n = 90001, weights[11] = {-3, 1, 4, -1, 5, 9, -2, 6, 5, -3, 5};
    const auto numbers = signed_values<short>(n, 30000, 30);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        for (int d = -5; d <= 5; ++d) {
            expected[i] += weights[d + 5] * numbers[std::min(std::max(i + d, 0), n - 1)];
        }
    }
    const Array<short> in(numbers);
    const Array<int> out(n);
    stencil_radius_five<<<blocks_for(n, 200), 200>>>(in, out, n);
    outcome.equal(out, expected);
}

struct Weights9 {
    short w[3][3];
};

// Zero outside.
__global__ void stencil_nine_weights(const int* in, int* out, int width, int height,
                                     Weights9 weights) {
    __shared__ int tile[14][22];
    int x0 = blockIdx.x * 20, y0 = blockIdx.y * 12;
    for (int e = threadIdx.y * 20 + threadIdx.x; e < 14 * 22; e += 240) {
        int x = x0 + e % 22 - 1, y = y0 + e / 22 - 1;
        bool is_inside = x >= 0 && x < width && y >= 0 && y < height;
        tile[e / 22][e % 22] = is_inside ? in[y * width + x] : 0;
    }
    __syncthreads();
    int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x >= width || y >= height) return;
    int sum = 0;
#pragma unroll
    for (int dy = 0; dy < 3; ++dy) {
#pragma unroll
        for (int dx = 0; dx < 3; ++dx) {
            sum += weights.w[dy][dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
        }
    }
    out[y * width + x] = sum;
}

void run_stencil_nine_weights(Outcome& outcome) {
    const int width = 333, height = 150;
    const Weights9 weights = {{{1, -2, 3}, {5, 11, -7}, {-13, 4, 2}}};
    const auto numbers = signed_values<int>(width * height, 10000, 31);
    std::vector<int> expected(width * height);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            for (int k = 0; k < 9; ++k) {
                const int nx = x + k % 3 - 1, ny = y + k / 3 - 1;
                if (nx < 0 || nx >= width || ny < 0 || ny >= height) continue;
                expected[y * width + x] += weights.w[k / 3][k % 3] * numbers[ny * width + nx];
            }
        }
    }
    const Array<int> in(numbers), out(width * height);
    const dim3 grid(blocks_for(width, 20), blocks_for(height, 12));
    stencil_nine_weights<<<grid, dim3(20, 12)>>>(in, out, width, height, weights);
    outcome.equal(out, expected);
}

struct Extent {
    int x, y, z;
};

__device__ void load_plane(float (*plane)[18], const float* in, int z, const Extent& size) {
    for (int e = threadIdx.y * 16 + threadIdx.x; e < 10 * 18; e += 128) {
        int x = blockIdx.x * 16 + e % 18 - 1, y = blockIdx.y * 8 + e / 18 - 1;
        bool is_inside = x >= 0 && x < size.x && y >= 0 && y < size.y && z >= 0 && z < size.z;
        plane[e / 18][e % 18] = is_inside ? in[(z * size.y + y) * size.x + x] : 0.0f;
    }
}

// Upwards through the planes, three of them in shared memory.
__global__ void stencil_of_19(const float* __restrict__ in, float* __restrict__ out, Extent size) {
    __shared__ float planes[3][10][18];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    load_plane(planes[2], in, -1, size);
    load_plane(planes[0], in, 0, size);
    for (int z = 0; z < size.z; ++z) {
        load_plane(planes[(z + 1) % 3], in, z + 1, size);
        __syncthreads();
        if (x < size.x && y < size.y) {
            float (*below)[18] = planes[(z + 2) % 3], (*here)[18] = planes[z % 3];
            float (*above)[18] = planes[(z + 1) % 3];
            float faces = here[ty][tx - 1] + here[ty][tx + 1] + here[ty - 1][tx] +
                          here[ty + 1][tx] + below[ty][tx] + above[ty][tx];
            float edges = here[ty - 1][tx - 1] + here[ty - 1][tx + 1] + here[ty + 1][tx - 1] +
                          here[ty + 1][tx + 1] + below[ty][tx - 1] + below[ty][tx + 1] +
                          below[ty - 1][tx] + below[ty + 1][tx] + above[ty][tx - 1] +
                          above[ty][tx + 1] + above[ty - 1][tx] + above[ty + 1][tx];
            out[(z * size.y + y) * size.x + x] = 2.0f * faces + edges - 24.0f * here[ty][tx];
        }
        __syncthreads();
    }
}

void run_stencil_of_19(Outcome& outcome) {
    const Extent size = {50, 37, 21};
    const int n = size.x * size.y * size.z;
    const auto numbers = values<float>(n, 100, 32);
    std::vector<float> expected(n);
    const auto at = [&](int x, int y, int z) {
        const bool is_inside = x >= 0 && x < size.x && y >= 0 && y < size.y && z >= 0 && z < size.z;
        return is_inside ? numbers[(z * size.y + y) * size.x + x] : 0.0f;
    };
    for (int i = 0; i < n; ++i) {
        const int x = i % size.x, y = i / size.x % size.y, z = i / size.x / size.y;
        for (int k = 0; k < 27; ++k) {
            const int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
            const float weights[4] = {-24.0f, 2.0f, 1.0f, 0.0f};
            const int distance = dx * dx + dy * dy + dz * dz;
            expected[i] += weights[distance] * at(x + dx, y + dy, z + dz);
        }
    }
    const Array<float> in(numbers), out(n);
    const dim3 grid(blocks_for(size.x, 16), blocks_for(size.y, 8));
    stencil_of_19<<<grid, dim3(16, 8)>>>(in, out, size);
    outcome.equal(out, expected);
}

__constant__ signed char strided_weights[8 * 27];

// Three channels in, eight out, every second place of a picture with a border of zeros.
__global__ void convolve_stride_two(const unsigned char* in, int* out, int width, int height,
                                    int out_width, int out_height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int kernel = blockIdx.z;
    if (x >= out_width || y >= out_height) return;
    int sum = 0;
    for (int channel = 0; channel < 3; ++channel) {
#pragma unroll
        for (int k = 0; k < 9; ++k) {
            int in_x = 2 * x + k % 3 - 1, in_y = 2 * y + k / 3 - 1;
            if (in_x < 0 || in_x >= width || in_y < 0 || in_y >= height) continue;
            sum += strided_weights[kernel * 27 + channel * 9 + k] *
                   in[(channel * height + in_y) * width + in_x];
        }
    }
    out[(kernel * out_height + y) * out_width + x] = sum;
}

void run_convolve_stride_two(Outcome& outcome) {
    const int width = 81, height = 60, out_width = 41, out_height = 30;
    const auto picture = values<unsigned char>(3 * width * height, 256, 33);
    const auto weights = signed_values<signed char>(8 * 27, 100, 34);
    std::vector<int> expected(8 * out_width * out_height);
    for (int i = 0; i < 8 * out_width * out_height; ++i) {
        const int x = i % out_width, y = i / out_width % out_height;
        const int kernel = i / (out_width * out_height);
        for (int w = 0; w < 27; ++w) {
            const int in_x = 2 * x - 1 + w % 3, in_y = 2 * y - 1 + w / 3 % 3;
            if (in_x < 0 || in_x >= width || in_y < 0 || in_y >= height) continue;
            expected[i] +=
                weights[kernel * 27 + w] * picture[(w / 9 * height + in_y) * width + in_x];
        }
    }
    check(cudaMemcpyToSymbol(strided_weights, weights.data(), weights.size()));
    const Array<unsigned char> in(picture);
    const Array<int> out(8 * out_width * out_height);
    const dim3 grid(blocks_for(out_width, 32), blocks_for(out_height, 4), 8);
    convolve_stride_two<<<grid, dim3(32, 4)>>>(in, out, width, height, out_width, out_height);
    outcome.equal(out, expected);
}

// Five taps, `dilation` apart, of this element and earlier ones; four channels.
__global__ void convolve_dilated(const char4* __restrict__ in, int4* __restrict__ out,
                                 const short* __restrict__ taps, int n, int dilation) {
    extern __shared__ char4 dilated_tile[];
    int halo = 4 * dilation, first = blockIdx.x * blockDim.x;
    int length = blockDim.x + halo;
    for (int e = threadIdx.x; e < length; e += blockDim.x) {
        int i = first + e - halo;
        dilated_tile[e] = i >= 0 && i < n ? in[i] : make_char4(0, 0, 0, 0);
    }
    __syncthreads();
    int i = first + threadIdx.x;
    if (i >= n) return;
    int4 sum = make_int4(0, 0, 0, 0);
    for (int k = 0; k < 5; ++k) {
        char4 v = dilated_tile[threadIdx.x + halo - k * dilation];
        int tap = taps[k];
        sum.x += tap * v.x;
        sum.y += tap * v.y;
        sum.z += tap * v.z;
        sum.w += tap * v.w;
    }
    out[i] = sum;
}

void run_convolve_dilated(Outcome& outcome) {
    const int n = 20003, dilation = 3, threads = 150;
    const std::vector<short> weights = {300, -20, 17, 5, -111};
    const auto signal = signed_values<signed char>(4 * n, 127, 35);
    std::vector<int> expected(4 * n);
    for (int i = 0; i < 4 * n; ++i) {
        for (int k = 0; k < 5; ++k) {
            const int from = i - 4 * k * dilation;
            if (from >= 0) expected[i] += weights[k] * signal[from];
        }
    }
    const Array<signed char> in(signal);
    const Array<int> out(4 * n);
    const Array<short> taps(weights);
    convolve_dilated<<<blocks_for(n, threads), threads, (threads + 4 * dilation) * sizeof(char4)>>>(
        reinterpret_cast<const char4*>(in.data()), reinterpret_cast<int4*>(out.data()), taps, n,
        dilation);
    outcome.equal(out, expected);
}

}  // namespace

void add_more_sparse_dense(Launches& launches) {
    launches.add("csr_rows_by_blocks", run_csr_rows_by_blocks);
    launches.add("csr_with_narrow_columns", run_csr_with_narrow_columns);
    launches.add("ell_until_end", run_ell_until_end);
    launches.add("coo_in_runs", run_coo_in_runs);
    launches.add("bsr_of_threes", run_bsr_of_threes);
    launches.add("jagged_diagonals", run_jagged_diagonals);
    launches.add("expand_rows", run_expand_rows);
    launches.add("csr_times_narrow", run_csr_times_narrow);
    launches.add("products_of_5x5", run_products_of_5x5);
    launches.add("inverses_of_2x2", run_inverses_of_2x2);
    launches.add("gemm_tiles_of_24", run_gemm_tiles_of_24);
    launches.add("gemm_five_by_three", run_gemm_five_by_three);
    launches.add("halves_by_transposed", run_halves_by_transposed);
    launches.add("solve_lower_in_registers", run_solve_lower_in_registers);
    launches.add("solve_upper_by_columns", run_solve_upper_by_columns);
    launches.add("stencil_radius_five", run_stencil_radius_five);
    launches.add("stencil_nine_weights", run_stencil_nine_weights);
    launches.add("stencil_of_19", run_stencil_of_19);
    launches.add("convolve_stride_two", run_convolve_stride_two);
    launches.add("convolve_dilated", run_convolve_dilated);
}

}  // namespace ordinary

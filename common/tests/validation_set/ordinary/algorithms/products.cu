// Products of matrices and vectors: naive, tiled, register tiles of 4 x 4 and 8 x 8.
#include "../launches.hpp"
#include "../themes.hpp"

namespace ordinary {
namespace {

__global__ void matmul_naive(const float* a, const float* b, float* c, int m, int n, int k) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

// Ragged edges are filled with zeros.
__global__ void matmul_tiled(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float a_tile[16][16], b_tile[16][16];
    const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int start = 0; start < k; start += 16) {
        const int a_column = start + threadIdx.x, b_row = start + threadIdx.y;
        a_tile[threadIdx.y][threadIdx.x] = row < m && a_column < k ? a[row * k + a_column] : 0.0f;
        b_tile[threadIdx.y][threadIdx.x] = b_row < k && column < n ? b[b_row * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

// A tile of `size` x `size` results a thread, in registers; blocks of 16 x 16 threads.
template <int size>
__global__ void matmul_register_tiles(const float* a, const float* b, float* c, int n, int k) {
    constexpr int width = 16 * size, depth = 8;
    __shared__ float a_tile[depth][width], b_tile[depth][width];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    const int first_row = blockIdx.y * width, first_column = blockIdx.x * width;
    float sums[size][size] = {};
    for (int start = 0; start < k; start += depth) {
        for (int i = thread; i < width * depth; i += 256) {
            a_tile[i % depth][i / depth] = a[(first_row + i / depth) * k + start + i % depth];
            b_tile[i / width][i % width] = b[(start + i / width) * n + first_column + i % width];
        }
        __syncthreads();
        for (int i = 0; i < depth; ++i) {
            float column[size], row[size];
            for (int j = 0; j < size; ++j) {
                column[j] = a_tile[i][threadIdx.y * size + j];
                row[j] = b_tile[i][threadIdx.x + 16 * j];
            }
            for (int y = 0; y < size; ++y) {
                for (int x = 0; x < size; ++x) sums[y][x] += column[y] * row[x];
            }
        }
        __syncthreads();
    }
    for (int y = 0; y < size; ++y) {
        for (int x = 0; x < size; ++x) {
            c[(first_row + threadIdx.y * size + y) * n + first_column + threadIdx.x + 16 * x] =
                sums[y][x];
        }
    }
}

// Four results along a row a thread; vectors of 16 bytes.
__global__ void matmul_float4(const float* a, const float4* b, float4* c, int n4, int k) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int i = 0; i < k; ++i) {
        const float factor = a[row * k + i];
        const float4 v = b[i * n4 + column];
        sum.x += factor * v.x;
        sum.y += factor * v.y;
        sum.z += factor * v.z;
        sum.w += factor * v.w;
    }
    c[row * n4 + column] = sum;
}

__global__ void matvec_row_a_thread(const float* a, const float* x, float* y, int rows,
                                    int columns) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int i = 0; i < columns; ++i) sum += a[row * columns + i] * x[i];
    y[row] = sum;
}

__global__ void matvec_row_a_warp(const float* a, const float* x, float* y, int rows, int columns) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += 32) sum += a[row * columns + i] * x[i];
    for (int mask = 16; mask > 0; mask >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, mask);
    if (threadIdx.x == 0) y[row] = sum;
}

__global__ void outer_product(const float* x, const float* y, float* out, int rows, int columns) {
    __shared__ float of_rows[8];
    const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    if (threadIdx.x == 0 && row < rows) of_rows[threadIdx.y] = x[row];
    __syncthreads();
    if (row < rows && column < columns)
        out[row * columns + column] = of_rows[threadIdx.y] * y[column];
}

std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b, int m, int n,
                           int k) {
    std::vector<float> c(m * n);
    for (int row = 0; row < m; ++row) {
        for (int i = 0; i < k; ++i) {
            for (int column = 0; column < n; ++column) {
                c[row * n + column] += a[row * k + i] * b[i * n + column];
            }
        }
    }
    return c;
}

void add_matrices(Launches& launches) {
    const auto add = [&](const char* name, int m, int n, int k, auto launch) {
        launches.add(name, [=](Outcome& outcome) {
            const auto a = values<float>(m * k, 9, 1), b = values<float>(k * n, 9, 2);
            const Array<float> first(a), second(b), c(m * n);
            launch(first.data(), second.data(), c.data());
            outcome.equal(c, product(a, b, m, n, k));
        });
    };
    add("matmul_naive", 70, 90, 50, [](const float* a, const float* b, float* c) {
        matmul_naive<<<dim3(6, 5), dim3(16, 16)>>>(a, b, c, 70, 90, 50);
    });
    add("matmul_naive/block:32x8", 70, 90, 50, [](const float* a, const float* b, float* c) {
        matmul_naive<<<dim3(3, 9), dim3(32, 8)>>>(a, b, c, 70, 90, 50);
    });
    add("matmul_tiled", 70, 90, 50, [](const float* a, const float* b, float* c) {
        matmul_tiled<<<dim3(6, 5), dim3(16, 16)>>>(a, b, c, 70, 90, 50);
    });
    add("matmul_register_tiles/tile:4x4", 128, 128, 64,
        [](const float* a, const float* b, float* c) {
            matmul_register_tiles<4><<<dim3(2, 2), dim3(16, 16)>>>(a, b, c, 128, 64);
        });
    add("matmul_register_tiles/tile:8x8", 128, 256, 64,
        [](const float* a, const float* b, float* c) {
            matmul_register_tiles<8><<<dim3(2, 1), dim3(16, 16)>>>(a, b, c, 256, 64);
        });
    add("matmul_float4", 64, 128, 40, [](const float* a, const float* b, float* c) {
        matmul_float4<<<dim3(2, 8), dim3(16, 8)>>>(a, reinterpret_cast<const float4*>(b),
                                                   reinterpret_cast<float4*>(c), 32, 40);
    });
}

void add_vectors(Launches& launches) {
    const int rows = 300, columns = 130;
    const auto a = values<float>(rows * columns, 9, 1), x = values<float>(columns, 9, 2);
    launches.add("matvec_row_a_thread", [=](Outcome& outcome) {
        const Array<float> matrix(a), vector(x), y(rows);
        matvec_row_a_thread<<<3, 128>>>(matrix, vector, y, rows, columns);
        outcome.equal(y, product(a, x, rows, 1, columns));
    });
    launches.add("matvec_row_a_warp", [=](Outcome& outcome) {
        const Array<float> matrix(a), vector(x), y(rows);
        matvec_row_a_warp<<<75, dim3(32, 4)>>>(matrix, vector, y, rows, columns);
        outcome.equal(y, product(a, x, rows, 1, columns));
    });
    launches.add("outer_product", [=](Outcome& outcome) {
        const auto of_rows = values<float>(rows, 9, 3);
        const Array<float> first(of_rows), second(x), out(rows * columns);
        outer_product<<<dim3(5, 38), dim3(32, 8)>>>(first, second, out, rows, columns);
        outcome.equal(out, product(of_rows, x, rows, columns, 1));
    });
}

}  // namespace

void add_products(Launches& launches) {
    add_matrices(launches);
    add_vectors(launches);
}

}  // namespace ordinary

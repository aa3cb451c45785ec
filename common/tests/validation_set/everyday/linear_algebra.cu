// Factorisations, small batched systems, sparse and integer products.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include "../ordinary/launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

// Without pivots, a 16 x 16 matrix a block, a thread an element.
__global__ void lu_in_block(float* matrices) {
    __shared__ float a[16][17];
    int r = threadIdx.y, c = threadIdx.x;
    float* m = matrices + blockIdx.x * 256;
    a[r][c] = m[r * 16 + c];
    __syncthreads();
    for (int k = 0; k < 15; ++k) {
        if (r > k && c == k) a[r][k] /= a[k][k];
        __syncthreads();
        if (r > k && c > k) a[r][c] -= a[r][k] * a[k][c];
        __syncthreads();
    }
    m[r * 16 + c] = a[r][c];
}

__global__ void cholesky_in_block(double* matrices, int n) {
    extern __shared__ double lower[];
    double* m = matrices + blockIdx.x * n * n;
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) lower[i] = m[i];
    __syncthreads();
    for (int k = 0; k < n; ++k) {
        if (threadIdx.x == 0) lower[k * n + k] = sqrt(lower[k * n + k]);
        __syncthreads();
        for (int r = k + 1 + threadIdx.x; r < n; r += blockDim.x)
            lower[r * n + k] /= lower[k * n + k];
        __syncthreads();
        for (int r = k + 1 + threadIdx.x; r < n; r += blockDim.x) {
            for (int c = k + 1; c <= r; ++c)
                lower[r * n + c] -= lower[r * n + k] * lower[c * n + k];
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) m[i] = i % n <= i / n ? lower[i] : 0.0;
}

__global__ void invert_3x3(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float m[3][3];
    for (int k = 0; k < 9; ++k) m[k / 3][k % 3] = in[i * 9 + k];
    float d = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
              m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
              m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            int r1 = (c + 1) % 3, r2 = (c + 2) % 3, c1 = (r + 1) % 3, c2 = (r + 2) % 3;
            out[i * 9 + r * 3 + c] = (m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]) / d;
        }
    }
}

struct Matrix4 {
    double m[4][4];
};

__global__ void multiply_4x4(const Matrix4* a, const Matrix4* b, Matrix4* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Matrix4 x = a[i], y = b[i], z;
        for (int r = 0; r < 4; ++r) {
            for (int k = 0; k < 4; ++k) {
                double sum = 0.0;
                for (int j = 0; j < 4; ++j) sum += x.m[r][j] * y.m[j][k];
                z.m[r][k] = sum;
            }
        }
        c[i] = z;
    }
}

// Thomas' algorithm, a system a thread, systems interleaved.
__global__ void thomas(const float* a, const float* b, const float* c, const float* d, float* x,
                       int systems, int n) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    float cp[32], dp[32];
    cp[0] = c[s] / b[s];
    dp[0] = d[s] / b[s];
    for (int i = 1; i < n; ++i) {
        int k = i * systems + s;
        float m = 1.0f / (b[k] - a[k] * cp[i - 1]);
        cp[i] = c[k] * m;
        dp[i] = (d[k] - a[k] * dp[i - 1]) * m;
    }
    float last = dp[n - 1];
    x[(n - 1) * systems + s] = last;
    for (int i = n - 2; i >= 0; --i) {
        last = dp[i] - cp[i] * last;
        x[i * systems + s] = last;
    }
}

// Parallel cyclic reduction of one system a block.
__global__ void cyclic_reduction(const float* a, const float* b, const float* c, const float* d,
                                 float* x) {
    __shared__ float4 rows[128];
    int i = threadIdx.x, n = blockDim.x, at = blockIdx.x * n + i;
    rows[i] = make_float4(i > 0 ? a[at] : 0.0f, b[at], i < n - 1 ? c[at] : 0.0f, d[at]);
    __syncthreads();
    for (int step = 1; step < n; step *= 2) {
        float4 row = rows[i];
        float4 below = i - step >= 0 ? rows[i - step] : make_float4(0, 1, 0, 0);
        float4 above = i + step < n ? rows[i + step] : make_float4(0, 1, 0, 0);
        float k1 = row.x / below.y, k2 = row.z / above.y;
        __syncthreads();
        rows[i] = make_float4(-below.x * k1, row.y - below.z * k1 - above.x * k2, -above.z * k2,
                              row.w - below.w * k1 - above.w * k2);
        __syncthreads();
    }
    x[at] = rows[i].w / rows[i].y;
}

// Tiles of 32 x 32 by asynchronous copies, two of each in turn; a thread makes two rows.
__global__ void sgemm_pipelined(const float* a, const float* b, float* c, int n) {
    __shared__ float ta[2][32][32], tb[2][32][32];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
    auto fetch = [&](int tile, int buffer) {
        for (int h = 0; h < 32; h += 16) {
            __pipeline_memcpy_async(&ta[buffer][y + h][x], &a[(row + h) * n + tile * 32 + x], 4);
            __pipeline_memcpy_async(&tb[buffer][y + h][x], &b[(tile * 32 + y + h) * n + column], 4);
        }
        __pipeline_commit();
    };
    float sum0 = 0.0f, sum1 = 0.0f;
    fetch(0, 0);
    int tiles = n / 32;
    for (int t = 0; t < tiles; ++t) {
        if (t + 1 < tiles) {
            fetch(t + 1, (t + 1) % 2);
            __pipeline_wait_prior(1);
        } else {
            __pipeline_wait_prior(0);
        }
        __syncthreads();
        for (int k = 0; k < 32; ++k) {
            float v = tb[t % 2][k][x];
            sum0 += ta[t % 2][y][k] * v;
            sum1 += ta[t % 2][y + 16][k] * v;
        }
        __syncthreads();
    }
    c[row * n + column] = sum0;
    c[(row + 16) * n + column] = sum1;
}

// Eight lanes a row.
__global__ void csr_of_subwarps(const int* starts, const int* columns, const float* v,
                                const float* x, float* y, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    float sum = 0.0f;
    if (row < rows) {
        for (int k = starts[row] + lane; k < starts[row + 1]; k += 8) sum += v[k] * x[columns[k]];
    }
    for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d, 8);
    if (row < rows && lane == 0) y[row] = sum;
}

__global__ void ell_half(const int* columns, const __half* v, const __half* x, float* y, int rows,
                         int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int k = 0; k < width; ++k) {
        int c = columns[k * rows + row];
        if (c >= 0) sum += __half2float(v[k * rows + row]) * __half2float(x[c]);
    }
    y[row] = sum;
}

__global__ void coo_double(const int* row, const int* column, const double* v, const double* x,
                           double* y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        atomicAdd(&y[row[i]], v[i] * x[column[i]]);
    }
}

// Blocks of 4 x 4, four lanes a block row.
__global__ void bsr_product(const int* starts, const int* columns, const float4* v, const float4* x,
                            float* y, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, block_row = t / 4, r = t % 4;
    if (block_row >= n) return;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = starts[block_row]; k < starts[block_row + 1]; ++k) {
        float4 m = v[k * 4 + r], w = x[columns[k]];
        sum += m.x * w.x + m.y * w.y + m.z * w.z + m.w * w.w;
    }
    y[t] = sum;
}

__global__ void gemm_int8(const int* a, const int* b_transposed, int* c, int m, int n, int k4) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    int sum = 0;
    for (int k = 0; k < k4; ++k) sum = __dp4a(a[row * k4 + k], b_transposed[column * k4 + k], sum);
    c[row * n + column] = sum;
}

// The lower triangle of a product with its own transpose.
__global__ void rank_k_lower(const float* a, float* c, int n, int k) {
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j > i) return;
    float sum = 0.0f;
    for (int p = 0; p < k; ++p) sum = fmaf(a[i * k + p], a[j * k + p], sum);
    c[i * n + j] = sum;
}

struct Sparse {
    std::vector<int> starts{0}, columns, rows;
    std::vector<float> v;
};

Sparse sparse(int rows, int columns, unsigned longest) {
    Sparse s;
    auto lengths = values<int>(rows, longest, 5);
    auto random = values<int>(static_cast<std::size_t>(rows) * longest, columns, 6);
    for (int r = 0; r < rows; ++r) {
        for (int k = 0; k < lengths[r]; ++k) {
            s.columns.push_back(random[s.columns.size()]);
            s.rows.push_back(r);
            s.v.push_back(static_cast<float>(k % 7 + 1));
        }
        s.starts.push_back(static_cast<int>(s.columns.size()));
    }
    return s;
}

template <class T>
std::vector<T> dominant(int count, int n) {
    auto m = values<T>(static_cast<std::size_t>(count) * n * n, 9);
    for (int b = 0; b < count; ++b) {
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < i; ++j) m[(b * n + i) * n + j] = m[(b * n + j) * n + i];
            m[(b * n + i) * n + i] = static_cast<T>(10 * n);
        }
    }
    return m;
}

void add_systems(Launches& launches) {
    launches.add("lu_in_block", [](Outcome& outcome) {
        auto m = dominant<float>(5, 16);
        Array<float> d(m);
        lu_in_block<<<5, dim3(16, 16)>>>(d);
        for (int b = 0; b < 5; ++b) {
            float* a = &m[b * 256];
            for (int k = 0; k < 15; ++k) {
                for (int r = k + 1; r < 16; ++r) {
                    a[r * 16 + k] /= a[k * 16 + k];
                    for (int c = k + 1; c < 16; ++c) a[r * 16 + c] -= a[r * 16 + k] * a[k * 16 + c];
                }
            }
        }
        outcome.near(d, m, 1e-4);
    });
    launches.add("cholesky_in_block", [](Outcome& outcome) {
        const int n = 24;
        auto m = dominant<double>(4, n);
        Array<double> d(m);
        cholesky_in_block<<<4, 64, n * n * sizeof(double)>>>(d, n);
        for (int b = 0; b < 4; ++b) {
            double* a = &m[b * n * n];
            for (int k = 0; k < n; ++k) {
                a[k * n + k] = std::sqrt(a[k * n + k]);
                for (int r = k + 1; r < n; ++r) a[r * n + k] /= a[k * n + k];
                for (int r = k + 1; r < n; ++r) {
                    for (int c = k + 1; c <= r; ++c) a[r * n + c] -= a[r * n + k] * a[c * n + k];
                }
            }
            for (int i = 0; i < n * n; ++i) a[i] = i % n <= i / n ? a[i] : 0.0;
        }
        outcome.near(d, m, 1e-10);
    });
    launches.add("invert_3x3", [](Outcome& outcome) {
        auto m = dominant<float>(500, 3);
        Array<float> d(m), out(m.size());
        invert_3x3<<<4, 128>>>(d, out, 500);
        auto inverse = out.to_host();
        std::vector<float> products, unit;
        for (int i = 0; i < 500 * 9; ++i) {
            int r = i % 9 / 3, c = i % 3, base = i / 9 * 9;
            float sum = 0;
            for (int k = 0; k < 3; ++k) sum += inverse[base + r * 3 + k] * m[base + k * 3 + c];
            products.push_back(sum);
            unit.push_back(r == c ? 1.0f : 0.0f);
        }
        outcome.near(Array<float>(products), unit, 1e-4);
    });
    launches.add("thomas", [](Outcome& outcome) {
        const int systems = 200, n = 30;
        auto a = values<float>(systems * n, 5), c = values<float>(systems * n, 5, 2);
        auto x = values<float>(systems * n, 9, 3);
        std::vector<float> b(systems * n, 20.0f), d(systems * n);
        for (int i = 0; i < systems * n; ++i) {
            d[i] = b[i] * x[i];
            if (i >= systems) d[i] += a[i] * x[i - systems];
            if (i < systems * (n - 1)) d[i] += c[i] * x[i + systems];
        }
        Array<float> da(a), db(b), dc(c), dd(d), out(x.size());
        thomas<<<2, 128>>>(da, db, dc, dd, out, systems, n);
        outcome.near(out, x, 1e-3);
    });
    launches.add("cyclic_reduction", [](Outcome& outcome) {
        const int n = 128, systems = 4;
        auto a = values<float>(systems * n, 5), c = values<float>(systems * n, 5, 2);
        auto x = values<float>(systems * n, 9, 3);
        std::vector<float> b(systems * n, 20.0f), d(systems * n);
        for (int i = 0; i < systems * n; ++i) {
            d[i] = b[i] * x[i];
            if (i % n > 0) d[i] += a[i] * x[i - 1];
            if (i % n < n - 1) d[i] += c[i] * x[i + 1];
        }
        Array<float> da(a), db(b), dc(c), dd(d), out(x.size());
        cyclic_reduction<<<systems, n>>>(da, db, dc, dd, out);
        outcome.near(out, x, 1e-3);
    });
}

void add_dense_products(Launches& launches) {
    launches.add("multiply_4x4", [](Outcome& outcome) {
        auto numbers = values<double>(2 * 300 * 16, 50);
        std::vector<Matrix4> a(300), b(300), expected(300);
        for (int i = 0; i < 300 * 16; ++i) {
            a[i / 16].m[i % 16 / 4][i % 4] = numbers[i];
            b[i / 16].m[i % 16 / 4][i % 4] = numbers[300 * 16 + i];
        }
        for (int i = 0; i < 300 * 64; ++i) {
            int m = i / 64, r = i % 64 / 16, c = i % 16 / 4, k = i % 4;
            expected[m].m[r][c] += a[m].m[r][k] * b[m].m[k][c];
        }
        Array<Matrix4> da(a), db(b), dc(300);
        multiply_4x4<<<5, 64>>>(da, db, dc, 300);
        outcome.equal(dc, expected);
    });
    launches.add("sgemm_pipelined", [](Outcome& outcome) {
        const int n = 128;
        auto a = values<float>(n * n, 10), b = values<float>(n * n, 10, 2);
        Array<float> da(a), db(b), dc(n * n);
        sgemm_pipelined<<<dim3(4, 4), dim3(32, 16)>>>(da, db, dc, n);
        std::vector<float> expected(n * n);
        for (int i = 0; i < n * n; ++i) {
            for (int k = 0; k < n; ++k) expected[i] += a[i / n * n + k] * b[k * n + i % n];
        }
        outcome.equal(dc, expected);
    });
    launches.add("gemm_int8", [](Outcome& outcome) {
        const int m = 50, n = 70, k = 40;
        auto a = values<signed char>(m * k, 100), b = values<signed char>(n * k, 100, 2);
        for (auto& v : b) v = static_cast<signed char>(v - 50);
        Array<signed char> da(a), db(b);
        Array<int> dc(m * n);
        gemm_int8<<<dim3(5, 7), dim3(16, 8)>>>(reinterpret_cast<int*>(da.data()),
                                               reinterpret_cast<int*>(db.data()), dc, m, n, k / 4);
        std::vector<int> expected(m * n);
        for (int i = 0; i < m * n; ++i) {
            for (int p = 0; p < k; ++p) expected[i] += a[i / n * k + p] * b[i % n * k + p];
        }
        outcome.equal(dc, expected);
    });
    launches.add("rank_k_lower", [](Outcome& outcome) {
        const int n = 75, k = 33;
        auto a = values<float>(n * k, 20);
        Array<float> da(a), dc(std::vector<float>(n * n));
        rank_k_lower<<<dim3(5, 10), dim3(16, 8)>>>(da, dc, n, k);
        std::vector<float> expected(n * n);
        for (int i = 0; i < n * n; ++i) {
            for (int p = 0; p < k && i % n <= i / n; ++p)
                expected[i] += a[i / n * k + p] * a[i % n * k + p];
        }
        outcome.equal(dc, expected);
    });
}

}  // namespace

void add_linear_algebra(Launches& launches) {
    add_systems(launches);
    add_dense_products(launches);
    launches.add("csr_of_subwarps", [](Outcome& outcome) {
        Sparse s = sparse(400, 300, 30);
        auto x = values<float>(300);
        Array<int> starts(s.starts), columns(s.columns);
        Array<float> v(s.v), dx(x), y(400);
        csr_of_subwarps<<<25, 128>>>(starts, columns, v, dx, y, 400);
        std::vector<float> expected(400);
        for (std::size_t k = 0; k < s.v.size(); ++k)
            expected[s.rows[k]] += s.v[k] * x[s.columns[k]];
        outcome.equal(y, expected);
    });
    launches.add("ell_half", [](Outcome& outcome) {
        const int rows = 333, width = 9;
        auto columns = values<int>(rows * width, 250);
        for (int& c : columns) c = c < 40 ? -1 : c;
        auto v = values<int>(rows * width, 8), x = values<int>(250, 16, 2);
        std::vector<__half> hv, hx;
        for (int e : v) hv.push_back(__float2half(static_cast<float>(e)));
        for (int e : x) hx.push_back(__float2half(static_cast<float>(e)));
        Array<int> dc(columns);
        Array<__half> dv(hv), dx(hx);
        Array<float> y(rows);
        ell_half<<<6, 64>>>(dc, dv, dx, y, rows, width);
        std::vector<float> expected(rows);
        for (int i = 0; i < rows * width; ++i) {
            if (columns[i] >= 0) expected[i % rows] += static_cast<float>(v[i] * x[columns[i]]);
        }
        outcome.equal(y, expected);
    });
    launches.add("coo_double", [](Outcome& outcome) {
        Sparse s = sparse(200, 100, 20);
        auto x = values<double>(100);
        std::vector<double> v(s.v.begin(), s.v.end()), expected(200);
        Array<int> row(s.rows), column(s.columns);
        Array<double> dv(v), dx(x), y(200, 0);
        coo_double<<<6, 128>>>(row, column, dv, dx, y, static_cast<int>(v.size()));
        for (std::size_t k = 0; k < v.size(); ++k) expected[s.rows[k]] += v[k] * x[s.columns[k]];
        outcome.equal(y, expected);
    });
    launches.add("bsr_product", [](Outcome& outcome) {
        Sparse s = sparse(100, 60, 9);
        auto v = values<float>(s.columns.size() * 16, 20), x = values<float>(240, 20, 2);
        Array<int> starts(s.starts), columns(s.columns);
        Array<float> dv(v), dx(x), y(400);
        bsr_product<<<4, 128>>>(starts, columns, reinterpret_cast<float4*>(dv.data()),
                                reinterpret_cast<float4*>(dx.data()), y, 100);
        std::vector<float> expected(400);
        for (std::size_t i = 0; i < v.size(); ++i) {
            expected[s.rows[i / 16] * 4 + i % 16 / 4] += v[i] * x[s.columns[i / 16] * 4 + i % 4];
        }
        outcome.equal(y, expected);
    });
}

}  // namespace ordinary

// Products of dense and sparse matrices, factorisations and solvers of small systems.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cuda/pipeline>

#include "../ordinary/launches.hpp"
#include "device_functions.cuh"
#include "themes.hpp"

namespace ordinary {
namespace {

// Tiles of 64 x 64, four by four in the registers of each thread, any sizes.
__global__ void sgemm_registers(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, int m, int n, int k) {
    __shared__ __align__(16) float ta[16][68], tb[16][68];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    int row = blockIdx.y * 64, column = blockIdx.x * 64;
    float sums[4][4] = {};
    for (int base = 0; base < k; base += 16) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            int e = threadIdx.x + i * 256;
            int ar = row + e / 16, ak = base + e % 16, bk = base + e / 64, bc = column + e % 64;
            ta[e % 16][e / 16] = ar < m && ak < k ? a[ar * k + ak] : 0.0f;
            tb[e / 64][e % 64] = bk < k && bc < n ? b[bk * n + bc] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            float4 x = *reinterpret_cast<const float4*>(&ta[i][ty * 4]);
            float4 y = *reinterpret_cast<const float4*>(&tb[i][tx * 4]);
            float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int r = 0; r < 4; ++r) {
#pragma unroll
                for (int s = 0; s < 4; ++s) sums[r][s] = fmaf(xs[r], ys[s], sums[r][s]);
            }
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; ++r) {
        for (int s = 0; s < 4; ++s) {
            int y = row + ty * 4 + r, x = column + tx * 4 + s;
            if (y < m && x < n) c[y * n + x] = sums[r][s];
        }
    }
}

// The first factor is stored transposed.
__global__ void gemm_at_b(const double* a, const double* b, double* c, int m, int n, int k) {
    __shared__ double ta[16][16], tb[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    double sum = 0.0;
    for (int base = 0; base < k; base += 16) {
        int depth = base + threadIdx.y, ax = blockIdx.y * 16 + threadIdx.x;
        ta[threadIdx.y][threadIdx.x] = depth < k && ax < m ? a[depth * m + ax] : 0.0;
        tb[threadIdx.y][threadIdx.x] = depth < k && x < n ? b[depth * n + x] : 0.0;
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += ta[i][threadIdx.y] * tb[i][threadIdx.x];
        __syncthreads();
    }
    if (x < n && y < m) c[y * n + x] = sum;
}

// Two columns a thread.
__global__ void gemm_half2(const __half* a, const __half2* b, __half2* c, int m, int n2, int k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n2 || y >= m) return;
    __half2 sum = __float2half2_rn(0.0f);
    for (int i = 0; i < k; ++i) sum = __hfma2(__half2half2(a[y * k + i]), b[i * n2 + x], sum);
    c[y * n2 + x] = sum;
}

__global__ void gemv_bfloat162(const __nv_bfloat162* a, const __nv_bfloat162* x, float* y, int rows,
                               int columns2) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < columns2; c += 32) {
        float2 u = __bfloat1622float2(a[row * columns2 + c]), v = __bfloat1622float2(x[c]);
        sum += u.x * v.x + u.y * v.y;
    }
    sum = warp_sum(sum);
    if (threadIdx.x == 0) y[row] = sum;
}

// By columns, each block a range of them; the blocks' sums meet in atomics.
__global__ void gemv_split_columns(const float* a, const float* x, float* y, int rows, int columns,
                                   int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int first = blockIdx.y * width, last = min(first + width, columns);
    float sum = 0.0f;
#pragma unroll 4
    for (int c = first; c < last; ++c) sum += a[c * rows + row] * x[c];
    atomicAdd(&y[row], sum);
}

// A row of a product a thread, N threads a matrix.
template <int N>
__global__ void small_products(const double* a, const double* b, double* c, int batch) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, matrix = t / N, row = t % N;
    if (matrix >= batch) return;
    const double* mine = a + matrix * N * N + row * N;
    double left[N], sums[N] = {};
#pragma unroll
    for (int i = 0; i < N; ++i) left[i] = mine[i];
#pragma unroll
    for (int i = 0; i < N; ++i) {
#pragma unroll
        for (int j = 0; j < N; ++j) sums[j] += left[i] * b[matrix * N * N + i * N + j];
    }
#pragma unroll
    for (int j = 0; j < N; ++j) c[matrix * N * N + row * N + j] = sums[j];
}

// Three stages of cp.async, tiles of 32 x 32.
template <int STAGES>
__global__ void gemm_staged(const float* a, const float* b, float* c, int n) {
    __shared__ __align__(16) float ta[STAGES][32][16], tb[STAGES][16][32];
    auto pipe = cuda::make_pipeline();
    int t = threadIdx.x, row = blockIdx.y * 32, column = blockIdx.x * 32, steps = n / 16;
    auto fetch = [&](int step) {
        pipe.producer_acquire();
        if (step < steps) {
            int stage = step % STAGES;
            cuda::memcpy_async(&ta[stage][t / 4][t % 4 * 4],
                               &a[(row + t / 4) * n + step * 16 + t % 4 * 4],
                               cuda::aligned_size_t<16>(16), pipe);
            cuda::memcpy_async(&tb[stage][t / 8][t % 8 * 4],
                               &b[(step * 16 + t / 8) * n + column + t % 8 * 4],
                               cuda::aligned_size_t<16>(16), pipe);
        }
        pipe.producer_commit();
    };
    for (int step = 0; step < STAGES - 1; ++step) fetch(step);
    float sums[8] = {};
    for (int step = 0; step < steps; ++step) {
        fetch(step + STAGES - 1);
        cuda::pipeline_consumer_wait_prior<STAGES - 1>(pipe);
        __syncthreads();
        for (int i = 0; i < 16; ++i) {
            float left = ta[step % STAGES][t / 4][i];
            for (int j = 0; j < 8; ++j) sums[j] += left * tb[step % STAGES][i][t % 4 * 8 + j];
        }
        pipe.consumer_release();
        __syncthreads();
    }
    for (int j = 0; j < 8; ++j) c[(row + t / 4) * n + column + t % 4 * 8 + j] = sums[j];
}

__global__ void kronecker(const float* a, const float2* b, float2* c, int n, int m) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= n * m) return;
    float left = a[y / m * n + x / m];
    float2 right = b[y % m * m + x % m];
    c[y * n * m + x] = make_float2(left * right.x, left * right.y);
}

// Pairs of tiles change places; half of the blocks have nothing to do.
__global__ void transpose_in_place(float* a, int n) {
    __shared__ float upper[32][33], lower[32][33];
    if (blockIdx.x < blockIdx.y) return;
    int ux = blockIdx.x * 32 + threadIdx.x, uy = blockIdx.y * 32,
        lx = blockIdx.y * 32 + threadIdx.x, ly = blockIdx.x * 32;
    for (int r = threadIdx.y; r < 32; r += 8) {
        if (ux < n && uy + r < n) upper[r][threadIdx.x] = a[(uy + r) * n + ux];
        if (lx < n && ly + r < n) lower[r][threadIdx.x] = a[(ly + r) * n + lx];
    }
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8) {
        if (ux < n && uy + r < n) a[(uy + r) * n + ux] = lower[threadIdx.x][r];
        if (lx < n && ly + r < n) a[(ly + r) * n + lx] = upper[threadIdx.x][r];
    }
}

using Modular = unsigned long long;
constexpr Modular PRIME = 1000000007ull;

struct Matrix3 {
    Modular m[3][3];
};

__host__ __device__ Matrix3 product(const Matrix3& a, const Matrix3& b) {
    Matrix3 c;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            Modular sum = 0;
            for (int k = 0; k < 3; ++k) sum += a.m[i][k] * b.m[k][j] % PRIME;
            c.m[i][j] = sum % PRIME;
        }
    }
    return c;
}

// Terms of t(n) = t(n-1) + t(n-2) + t(n-3) by squaring.
__global__ void tribonacci(const unsigned* exponents, Modular* terms, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Matrix3 power = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
            square = {{{1, 1, 1}, {1, 0, 0}, {0, 1, 0}}};
    for (unsigned e = exponents[i]; e != 0; e >>= 1) {
        if (e & 1) power = product(power, square);
        square = product(square, square);
    }
    terms[i] = power.m[2][0];
}

struct Diagonals {
    int count;
    int offsets[7];
};

__global__ void spmv_diagonals(Diagonals diagonals, const double* values, const double* x,
                               double* y, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    double sum = 0.0;
    for (int d = 0; d < diagonals.count; ++d) {
        int column = row + diagonals.offsets[d];
        if (column >= 0 && column < n) sum += values[d * n + row] * x[column];
    }
    y[row] = sum;
}

// Slices of 32 rows, each as wide as its widest row.
__global__ void spmv_sliced(const int* slices, const int* columns, const float* values,
                            const float* __restrict__ x, float* y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int at = slices[row / 32] + row % 32; at < slices[row / 32 + 1]; at += 32) {
        int column = columns[at];
        if (column >= 0) sum += values[at] * __ldg(&x[column]);
    }
    y[row] = sum;
}

// Entries by row: a segmented sum in the warp, an atomic at the end of each segment.
__global__ void spmv_segmented(const int* rows, const int* columns, const float* values,
                               const float* x, float* y, int entries) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int row = i < entries ? rows[i] : -1;
    float sum = i < entries ? values[i] * x[columns[i]] : 0.0f;
    for (int d = 1; d < 32; d *= 2) {
        float other = __shfl_up_sync(0xffffffffu, sum, d);
        int other_row = __shfl_up_sync(0xffffffffu, row, d);
        if (lane >= d && other_row == row) sum += other;
    }
    int next = __shfl_down_sync(0xffffffffu, row, 1);
    if (row >= 0 && (lane == 31 || next != row)) atomicAdd(&y[row], sum);
}

// Rows of a sparse matrix times a dense one, four columns a lane.
__global__ void spmm_vectors(const int* offsets, const int* columns, const float* values,
                             const float4* dense, float4* out, int rows, int width4) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    for (int c = threadIdx.x; c < width4; c += blockDim.x) {
        float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        for (int e = offsets[row]; e < offsets[row + 1]; ++e) {
            float v = values[e];
            float4 d = dense[columns[e] * width4 + c];
            sum.x += v * d.x;
            sum.y += v * d.y;
            sum.z += v * d.z;
            sum.w += v * d.w;
        }
        out[row * width4 + c] = sum;
    }
}

// Products of dense rows, only where the sparse matrix has entries; eight lanes an entry.
__global__ void sampled_products(const int* rows, const int* columns, const float* values,
                                 const float* a, const float* b, float* out, int entries,
                                 int width) {
    int entry = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    float sum = 0.0f;
    if (entry < entries) {
        const float *left = a + rows[entry] * width, *right = b + columns[entry] * width;
        for (int i = lane; i < width; i += 8) sum += left[i] * right[i];
    }
    for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d, 8);
    if (lane == 0 && entry < entries) out[entry] = values[entry] * sum;
}

// How many entries each row of a sparse square has: a bit a column.
__global__ void count_product_entries(const int* offsets, const int* columns, int* counts,
                                      int words) {
    extern __shared__ unsigned bits[];
    __shared__ int total;
    for (int w = threadIdx.x; w < words; w += blockDim.x) bits[w] = 0;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    int row = blockIdx.x;
    for (int e = offsets[row] + threadIdx.x; e < offsets[row + 1]; e += blockDim.x) {
        int through = columns[e];
        for (int f = offsets[through]; f < offsets[through + 1]; ++f) {
            atomicOr(&bits[columns[f] / 32], 1u << columns[f] % 32);
        }
    }
    __syncthreads();
    int mine = 0;
    for (int w = threadIdx.x; w < words; w += blockDim.x) mine += __popc(bits[w]);
    atomicAdd(&total, mine);
    __syncthreads();
    if (threadIdx.x == 0) counts[row] = total;
}

__global__ void forward_substitution(const double* lower, const double* right, double* x, int n) {
    extern __shared__ double rest[];
    const double* l = lower + blockIdx.x * n * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) rest[i] = right[blockIdx.x * n + i];
    for (int c = 0; c < n; ++c) {
        __syncthreads();
        double solved = rest[c] / l[c * n + c];
        if (threadIdx.x == 0) x[blockIdx.x * n + c] = solved;
        for (int r = c + 1 + threadIdx.x; r < n; r += blockDim.x) {
            rest[r] -= l[r * n + c] * solved;
        }
    }
}

// A right side a thread, the matrix in constant memory.
constexpr int ORDER = 14;
__constant__ float upper_factor[ORDER][ORDER];

__global__ void back_substitution(const float* right, float* x, int sides) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= sides) return;
    float mine[ORDER];
#pragma unroll
    for (int r = ORDER - 1; r >= 0; --r) {
        float v = right[r * sides + s];
#pragma unroll
        for (int c = r + 1; c < ORDER; ++c) v -= upper_factor[r][c] * mine[c];
        mine[r] = v / upper_factor[r][r];
        x[r * sides + s] = mine[r];
    }
}

// One warp a matrix of 24 x 8, a row a lane; leaves R.
__global__ void householder(const float* in, float* r, int rows, int columns) {
    __shared__ float a[32][9];
    int lane = threadIdx.x;
    for (int c = 0; c < columns; ++c) {
        a[lane][c] = lane < rows ? in[(blockIdx.x * rows + lane) * columns + c] : 0.0f;
    }
    for (int k = 0; k < columns; ++k) {
        float v = lane >= k ? a[lane][k] : 0.0f;
        float length = sqrtf(warp_sum_all(v * v));
        float diagonal = __shfl_sync(0xffffffffu, v, k);
        float alpha = diagonal > 0.0f ? -length : length;
        if (lane == k) v -= alpha;
        float squares = warp_sum_all(v * v);
        for (int c = k; c < columns; ++c) {
            float dot = warp_sum_all(v * a[lane][c]);
            if (squares > 0.0f) a[lane][c] -= 2.0f * dot / squares * v;
        }
    }
    __syncwarp();
    for (int i = lane; i < columns * columns; i += 32) {
        int y = i / columns, x = i % columns;
        r[blockIdx.x * columns * columns + i] = x >= y ? a[y][x] : 0.0f;
    }
}

// Gauss with the largest pivot of the column; rows change places in local memory.
__global__ void solve_pivoted(const float* systems, float* solutions, int n) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    float a[4][5];
    for (int i = 0; i < 20; ++i) a[i / 5][i % 5] = systems[i * n + s];
    for (int k = 0; k < 4; ++k) {
        int pivot = k;
        for (int r = k + 1; r < 4; ++r) {
            if (fabsf(a[r][k]) > fabsf(a[pivot][k])) pivot = r;
        }
        if (pivot != k) {
            for (int c = k; c < 5; ++c) {
                float t = a[k][c];
                a[k][c] = a[pivot][c];
                a[pivot][c] = t;
            }
        }
        for (int r = k + 1; r < 4; ++r) {
            float factor = a[r][k] / a[k][k];
            for (int c = k; c < 5; ++c) a[r][c] -= factor * a[k][c];
        }
    }
    for (int r = 3; r >= 0; --r) {
        float v = a[r][4];
        for (int c = r + 1; c < 4; ++c) v -= a[r][c] * a[c][4];
        a[r][4] = v / a[r][r];
        solutions[r * n + s] = a[r][4];
    }
}

// A row a lane, all in registers and shuffles.
template <int N>
__global__ void cholesky_in_warp(const double* in, double* out) {
    int lane = threadIdx.x % 32, matrix = blockIdx.x * blockDim.y + threadIdx.y;
    double a[N];
#pragma unroll
    for (int c = 0; c < N; ++c) a[c] = lane < N ? in[(matrix * N + lane) * N + c] : 0.0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
        double pivot = sqrt(__shfl_sync(0xffffffffu, a[k], k));
        double l = lane == k ? pivot : a[k] / pivot;
        a[k] = lane >= k ? l : 0.0;
#pragma unroll
        for (int c = k + 1; c < N; ++c) a[c] -= l * __shfl_sync(0xffffffffu, l, c);
    }
    if (lane >= N) return;
#pragma unroll
    for (int c = 0; c < N; ++c) out[(matrix * N + lane) * N + c] = a[c];
}

__device__ void rotate(float (&a)[3][3], int p, int q) {
    if (a[p][q] == 0.0f) return;
    float theta = (a[q][q] - a[p][p]) / (2.0f * a[p][q]);
    float t = copysignf(1.0f, theta) / (fabsf(theta) + sqrtf(theta * theta + 1.0f));
    float c = rsqrtf(t * t + 1.0f), s = t * c;
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0.0f;
    int r = 3 - p - q;
    float rp = a[r][p], rq = a[r][q];
    a[r][p] = a[p][r] = c * rp - s * rq;
    a[r][q] = a[q][r] = s * rp + c * rq;
}

__global__ void eigenvalues_3x3(const float* in, float3* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float* m = in + 6 * i;
    float a[3][3] = {{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}};
    for (int sweep = 0; sweep < 12; ++sweep) {
        float off = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
        if (off < 1e-12f) break;
        rotate(a, 0, 1);
        rotate(a, 0, 2);
        rotate(a, 1, 2);
    }
    float low = fminf(a[0][0], fminf(a[1][1], a[2][2]));
    float high = fmaxf(a[0][0], fmaxf(a[1][1], a[2][2]));
    out[i] = make_float3(low, a[0][0] + a[1][1] + a[2][2] - low - high, high);
}

// A block a system with the diagonals -1, 4, -1.
__global__ void conjugate_gradient(const double* right, double* x, int n, int iterations) {
    __shared__ double direction[258], partial[8];
    int t = threadIdx.x;
    auto sum = [&](double v) {
        v = warp_sum(v);
        if (t % 32 == 0) partial[t / 32] = v;
        __syncthreads();
        double total = 0.0;
        for (int w = 0; w < 8; ++w) total += partial[w];
        __syncthreads();
        return total;
    };
    double solution = 0.0, residual = t < n ? right[blockIdx.x * n + t] : 0.0;
    direction[t + 1] = residual;
    if (t == 0) direction[0] = direction[257] = 0.0;
    double squares = sum(residual * residual);
    for (int i = 0; i < iterations; ++i) {
        double mine = direction[t + 1];
        double applied = t < n ? 4.0 * mine - direction[t] - direction[t + 2] : 0.0;
        double alpha = squares / sum(mine * applied);
        solution += alpha * mine;
        residual -= alpha * applied;
        double next = sum(residual * residual);
        direction[t + 1] = residual + next / squares * mine;
        squares = next;
        __syncthreads();
    }
    if (t < n) x[blockIdx.x * n + t] = solution;
}

struct Sparse {
    std::vector<int> offsets{0}, rows, columns;
    std::vector<float> values;
};

Sparse make_sparse(int rows, int columns, int most) {
    Sparse s;
    for (int r = 0; r < rows; ++r) {
        int wanted = static_cast<int>(pcg_hash(r) % (most + 1)), column = -1;
        for (int k = 0; k < wanted; ++k) {
            column += 1 + static_cast<int>(pcg_hash(r * 64 + k + 5) % (2 * columns / most));
            if (column >= columns) break;
            s.rows.push_back(r);
            s.columns.push_back(column);
            s.values.push_back(static_cast<float>(pcg_hash(column + 3 * r) % 9));
        }
        s.offsets.push_back(static_cast<int>(s.columns.size()));
    }
    return s;
}

std::vector<float> sparse_product(const Sparse& s, const std::vector<float>& x) {
    std::vector<float> y(s.offsets.size() - 1);
    for (std::size_t e = 0; e < s.values.size(); ++e) y[s.rows[e]] += s.values[e] * x[s.columns[e]];
    return y;
}

template <class T>
std::vector<T> dense_product(const std::vector<T>& a, const std::vector<T>& b, int m, int n,
                             int k) {
    std::vector<T> c(m * n);
    for (int y = 0; y < m; ++y) {
        for (int i = 0; i < k; ++i) {
            for (int x = 0; x < n; ++x) c[y * n + x] += a[y * k + i] * b[i * n + x];
        }
    }
    return c;
}

void add_dense(Launches& launches) {
    launches.add("sgemm_registers", [](Outcome& outcome) {
        const int m = 150, n = 133, k = 70;
        auto a = values<float>(m * k, 30), b = values<float>(k * n, 30, 2);
        Array<float> da(a), db(b), dc(m * n);
        sgemm_registers<<<dim3(3, 3), 256>>>(da, db, dc, m, n, k);
        outcome.equal(dc, dense_product(a, b, m, n, k));
    });
    launches.add("gemm_at_b", [](Outcome& outcome) {
        const int m = 50, n = 70, k = 45;
        auto a = values<double>(m * k), b = values<double>(k * n, 97, 2);
        Array<double> da(a), db(b), dc(m * n);
        gemm_at_b<<<dim3(5, 4), dim3(16, 16)>>>(da, db, dc, m, n, k);
        std::vector<double> expected(m * n);
        for (int i = 0; i < m * n; ++i) {
            for (int d = 0; d < k; ++d) expected[i] += a[d * m + i / n] * b[d * n + i % n];
        }
        outcome.equal(dc, expected);
    });
    launches.add("gemm_half2", [](Outcome& outcome) {
        const int m = 37, n = 90, k = 61;
        auto a = values<float>(m * k, 5), b = values<float>(k * n, 5, 2);
        Array<__half> da(std::vector<__half>(a.begin(), a.end())),
            db(std::vector<__half>(b.begin(), b.end())), dc(m * n);
        gemm_half2<<<dim3(2, 10), dim3(32, 4)>>>(da, reinterpret_cast<__half2*>(db.data()),
                                                 reinterpret_cast<__half2*>(dc.data()), m, n / 2,
                                                 k);
        auto c = dense_product(a, b, m, n, k);
        outcome.equal(dc, std::vector<__half>(c.begin(), c.end()));
    });
    launches.add("gemv_bfloat162", [](Outcome& outcome) {
        const int rows = 75, columns = 310;
        auto a = values<float>(rows * columns, 60), x = values<float>(columns, 60, 2);
        Array<__nv_bfloat16> da(std::vector<__nv_bfloat16>(a.begin(), a.end())),
            dx(std::vector<__nv_bfloat16>(x.begin(), x.end()));
        Array<float> y(rows);
        gemv_bfloat162<<<19, dim3(32, 4)>>>(reinterpret_cast<__nv_bfloat162*>(da.data()),
                                            reinterpret_cast<__nv_bfloat162*>(dx.data()), y, rows,
                                            columns / 2);
        outcome.equal(y, dense_product(a, x, rows, 1, columns));
    });
    launches.add("gemv_split_columns", [](Outcome& outcome) {
        const int rows = 500, columns = 130;
        auto a = values<float>(rows * columns), x = values<float>(columns, 40, 2);
        Array<float> da(a), dx(x), y(rows, 0);
        gemv_split_columns<<<dim3(4, 5), 128>>>(da, dx, y, rows, columns, 30);
        outcome.equal(y, dense_product(x, a, 1, rows, columns));
    });
    launches.add("small_products", [](Outcome& outcome) {
        const int batch = 333;
        auto a = values<double>(36 * batch), b = values<double>(36 * batch, 50, 2);
        Array<double> da(a), db(b), dc(36 * batch);
        small_products<6><<<ceil_div(6 * batch, 192), 192>>>(da, db, dc, batch);
        std::vector<double> expected(36 * batch);
        for (int i = 0; i < 36 * batch; ++i) {
            for (int k = 0; k < 6; ++k) {
                expected[i] += a[i / 6 * 6 + k] * b[i / 36 * 36 + k * 6 + i % 6];
            }
        }
        outcome.equal(dc, expected);
    });
    launches.add("gemm_staged", [](Outcome& outcome) {
        const int n = 96;
        auto a = values<float>(n * n, 30), b = values<float>(n * n, 30, 2);
        Array<float> da(a), db(b), dc(n * n);
        gemm_staged<3><<<dim3(3, 3), 128>>>(da, db, dc, n);
        outcome.equal(dc, dense_product(a, b, n, n, n));
    });
    launches.add("kronecker", [](Outcome& outcome) {
        const int n = 13, m = 11, size = n * m;
        auto a = values<float>(n * n), b = values<float>(2 * m * m, 60, 2);
        Array<float> da(a), db(b), dc(2 * size * size);
        kronecker<<<dim3(3, size), 64>>>(da, reinterpret_cast<float2*>(db.data()),
                                         reinterpret_cast<float2*>(dc.data()), n, m);
        std::vector<float> expected;
        for (int i = 0; i < 2 * size * size; ++i) {
            int y = i / 2 / size, x = i / 2 % size;
            expected.push_back(a[y / m * n + x / m] * b[2 * (y % m * m + x % m) + i % 2]);
        }
        outcome.equal(dc, expected);
    });
    launches.add("transpose_in_place", [](Outcome& outcome) {
        const int n = 117;
        auto in = values<float>(n * n, 10000), expected = in;
        Array<float> d(in);
        transpose_in_place<<<dim3(4, 4), dim3(32, 8)>>>(d, n);
        for (int i = 0; i < n * n; ++i) expected[i % n * n + i / n] = in[i];
        outcome.equal(d, expected);
    });
    launches.add("tribonacci", [](Outcome& outcome) {
        auto exponents = values<unsigned>(300, 4000);
        Array<unsigned> d(exponents);
        Array<Modular> terms(300);
        tribonacci<<<5, 64>>>(d, terms, 300);
        std::vector<Modular> all = {0, 0, 1}, expected;
        while (all.size() < 4100) {
            std::size_t n = all.size();
            all.push_back((all[n - 1] + all[n - 2] + all[n - 3]) % PRIME);
        }
        for (unsigned e : exponents) expected.push_back(all[e]);
        outcome.equal(terms, expected);
    });
}

void add_sparse(Launches& launches) {
    launches.add("spmv_diagonals", [](Outcome& outcome) {
        const int n = 1500;
        const Diagonals diagonals = {5, {-40, -1, 0, 1, 40, 0, 0}};
        auto a = values<double>(5 * n), x = values<double>(n, 50, 2);
        Array<double> da(a), dx(x), y(n);
        spmv_diagonals<<<ceil_div(n, 128), 128>>>(diagonals, da, dx, y, n);
        std::vector<double> expected(n);
        for (int r = 0; r < n; ++r) {
            for (int d = 0; d < 5; ++d) {
                int c = r + diagonals.offsets[d];
                if (c >= 0 && c < n) expected[r] += a[d * n + r] * x[c];
            }
        }
        outcome.equal(y, expected);
    });
    launches.add("spmv_sliced", [](Outcome& outcome) {
        const int rows = 700;
        Sparse s = make_sparse(rows, 400, 14);
        std::vector<int> slices = {0}, columns;
        std::vector<float> entries;
        for (int base = 0; base < rows; base += 32) {
            int width = 0, last = std::min(base + 32, rows);
            for (int r = base; r < last; ++r) {
                width = std::max(width, s.offsets[r + 1] - s.offsets[r]);
            }
            for (int i = 0; i < width * 32; ++i) {
                int r = base + i % 32, e = r < rows ? s.offsets[r] + i / 32 : 0;
                bool is_entry = r < rows && e < s.offsets[r + 1];
                columns.push_back(is_entry ? s.columns[e] : -1);
                entries.push_back(is_entry ? s.values[e] : 0.0f);
            }
            slices.push_back(static_cast<int>(columns.size()));
        }
        auto x = values<float>(400);
        Array<int> ds(slices), dc(columns);
        Array<float> dv(entries), dx(x), y(rows);
        spmv_sliced<<<ceil_div(rows, 96), 96>>>(ds, dc, dv, dx, y, rows);
        outcome.equal(y, sparse_product(s, x));
    });
    launches.add("spmv_segmented", [](Outcome& outcome) {
        Sparse s = make_sparse(600, 500, 20);
        const int entries = static_cast<int>(s.values.size());
        auto x = values<float>(500);
        Array<int> dr(s.rows), dc(s.columns);
        Array<float> dv(s.values), dx(x), y(600, 0);
        spmv_segmented<<<ceil_div(entries, 128), 128>>>(dr, dc, dv, dx, y, entries);
        outcome.equal(y, sparse_product(s, x));
    });
    launches.add("spmm_vectors", [](Outcome& outcome) {
        const int rows = 120, width = 72;
        Sparse s = make_sparse(rows, 90, 12);
        auto dense = values<float>(90 * width);
        Array<int> offsets(s.offsets), columns(s.columns);
        Array<float> dv(s.values), dd(dense), out(rows * width);
        spmm_vectors<<<30, dim3(16, 4)>>>(offsets, columns, dv,
                                          reinterpret_cast<float4*>(dd.data()),
                                          reinterpret_cast<float4*>(out.data()), rows, width / 4);
        std::vector<float> expected(rows * width);
        for (std::size_t e = 0; e < s.values.size(); ++e) {
            for (int c = 0; c < width; ++c) {
                expected[s.rows[e] * width + c] += s.values[e] * dense[s.columns[e] * width + c];
            }
        }
        outcome.equal(out, expected);
    });
    launches.add("sampled_products", [](Outcome& outcome) {
        const int width = 50;
        Sparse s = make_sparse(100, 80, 10);
        const int entries = static_cast<int>(s.values.size());
        auto a = values<float>(100 * width, 20), b = values<float>(80 * width, 20, 2);
        Array<int> dr(s.rows), dc(s.columns);
        Array<float> dv(s.values), da(a), db(b), out(entries);
        sampled_products<<<ceil_div(entries * 8, 128), 128>>>(dr, dc, dv, da, db, out, entries,
                                                              width);
        std::vector<float> expected(entries);
        for (int e = 0; e < entries; ++e) {
            for (int i = 0; i < width; ++i) {
                expected[e] += a[s.rows[e] * width + i] * b[s.columns[e] * width + i];
            }
            expected[e] *= s.values[e];
        }
        outcome.equal(out, expected);
    });
    launches.add("count_product_entries", [](Outcome& outcome) {
        const int n = 260, words = ceil_div(n, 32);
        Sparse s = make_sparse(n, n, 16);
        Array<int> offsets(s.offsets), columns(s.columns), counts(n);
        count_product_entries<<<n, 32, words * sizeof(unsigned)>>>(offsets, columns, counts, words);
        std::vector<int> expected(n);
        for (int r = 0; r < n; ++r) {
            std::vector<bool> is_entry(n);
            for (int e = s.offsets[r]; e < s.offsets[r + 1]; ++e) {
                int through = s.columns[e];
                for (int f = s.offsets[through]; f < s.offsets[through + 1]; ++f) {
                    is_entry[s.columns[f]] = true;
                }
            }
            expected[r] = static_cast<int>(std::count(is_entry.begin(), is_entry.end(), true));
        }
        outcome.equal(counts, expected);
    });
}

// Solves row-major lower or upper systems in double, in place.
void substitute(const std::vector<double>& a, std::vector<double>& x, int n, bool is_lower) {
    for (int k = 0; k < n; ++k) {
        int r = is_lower ? k : n - 1 - k;
        for (int c = is_lower ? 0 : r + 1; c < (is_lower ? r : n); ++c) x[r] -= a[r * n + c] * x[c];
        x[r] /= a[r * n + r];
    }
}

void add_solvers(Launches& launches) {
    launches.add("forward_substitution", [](Outcome& outcome) {
        const int n = 47, batch = 4;
        auto lower = values<double>(n * n * batch, 10), right = values<double>(n * batch, 100, 2);
        for (int i = 0; i < n * batch; ++i) lower[i * n + i % n] = 200 + i;
        Array<double> dl(lower), dr(right), x(n * batch);
        forward_substitution<<<batch, 64, n * sizeof(double)>>>(dl, dr, x, n);
        std::vector<double> expected;
        for (int b = 0; b < batch; ++b) {
            std::vector<double> l(lower.begin() + b * n * n, lower.begin() + (b + 1) * n * n);
            std::vector<double> v(right.begin() + b * n, right.begin() + (b + 1) * n);
            substitute(l, v, n, true);
            expected.insert(expected.end(), v.begin(), v.end());
        }
        outcome.near(x, expected, 1e-10);
    });
    launches.add("back_substitution", [](Outcome& outcome) {
        const int sides = 450;
        auto upper = values<float>(ORDER * ORDER, 10);
        for (int i = 0; i < ORDER; ++i) upper[i * ORDER + i] = static_cast<float>(50 + i);
        check(cudaMemcpyToSymbol(upper_factor, upper.data(), sizeof upper_factor));
        auto right = values<float>(ORDER * sides, 100, 2);
        Array<float> d(right), x(ORDER * sides);
        back_substitution<<<ceil_div(sides, 128), 128>>>(d, x, sides);
        std::vector<double> a(upper.begin(), upper.end()), v(ORDER);
        std::vector<float> expected(ORDER * sides);
        for (int s = 0; s < sides; ++s) {
            for (int r = 0; r < ORDER; ++r) v[r] = right[r * sides + s];
            substitute(a, v, ORDER, false);
            for (int r = 0; r < ORDER; ++r) expected[r * sides + s] = static_cast<float>(v[r]);
        }
        outcome.near(x, expected, 1e-5);
    });
    launches.add("householder", [](Outcome& outcome) {
        const int rows = 24, columns = 8, batch = 6;
        auto in = values<float>(rows * columns * batch, 20);
        for (float& v : in) v -= 10;
        Array<float> d(in), out(columns * columns * batch);
        householder<<<batch, 32>>>(d, out, rows, columns);
        std::vector<float> expected;
        for (int m = 0; m < batch; ++m) {
            std::vector<double> a(in.begin() + m * rows * columns,
                                  in.begin() + (m + 1) * rows * columns),
                v(rows);
            for (int k = 0; k < columns; ++k) {
                double length = 0, squares = 0;
                for (int r = 0; r < rows; ++r) v[r] = r >= k ? a[r * columns + k] : 0.0;
                for (double x : v) length += x * x;
                v[k] += v[k] > 0 ? std::sqrt(length) : -std::sqrt(length);
                for (double x : v) squares += x * x;
                for (int c = k; c < columns; ++c) {
                    double dot = 0;
                    for (int r = 0; r < rows; ++r) dot += v[r] * a[r * columns + c];
                    for (int r = 0; r < rows; ++r) a[r * columns + c] -= 2 * dot / squares * v[r];
                }
            }
            for (int i = 0; i < columns * columns; ++i) {
                bool is_upper = i % columns >= i / columns;
                expected.push_back(is_upper ? static_cast<float>(a[i]) : 0.0f);
            }
        }
        outcome.near(out, expected, 1e-3);
    });
    launches.add("solve_pivoted", [](Outcome& outcome) {
        const int n = 400;
        auto systems = values<float>(20 * n, 19);
        // Large elements away from the diagonal, so that rows change places.
        for (int s = 0; s < n; ++s) {
            for (int r = 0; r < 4; ++r) systems[(r * 5 + (r + s) % 4) * n + s] += 80;
        }
        Array<float> d(systems), out(4 * n);
        solve_pivoted<<<ceil_div(n, 96), 96>>>(d, out, n);
        std::vector<float> expected(4 * n);
        for (int s = 0; s < n; ++s) {
            // Rows in the order that puts the large elements on the diagonal need no pivots.
            std::vector<double> a(16), x(4);
            for (int r = 0; r < 4; ++r) {
                int to = (r + s) % 4;
                for (int c = 0; c < 4; ++c) a[to * 4 + c] = systems[(r * 5 + c) * n + s];
                x[to] = systems[(r * 5 + 4) * n + s];
            }
            for (int k = 0; k < 4; ++k) {
                for (int r = k + 1; r < 4; ++r) {
                    double factor = a[r * 4 + k] / a[k * 4 + k];
                    for (int c = k; c < 4; ++c) a[r * 4 + c] -= factor * a[k * 4 + c];
                    x[r] -= factor * x[k];
                }
            }
            substitute(a, x, 4, false);
            for (int r = 0; r < 4; ++r) expected[r * n + s] = static_cast<float>(x[r]);
        }
        outcome.near(out, expected, 1e-4);
    });
    launches.add("cholesky_in_warp", [](Outcome& outcome) {
        const int n = 24, batch = 6;
        std::vector<double> in, expected(n * n * batch);
        for (int m = 0; m < batch; ++m) {
            auto b = values<double>(n * n, 9, m + 1);
            for (int i = 0; i < n * n; ++i) {
                double sum = i / n == i % n ? n : 0;
                for (int k = 0; k < n; ++k) sum += b[i / n * n + k] * b[i % n * n + k];
                in.push_back(sum);
            }
            const double* a = &in[m * n * n];
            double* l = &expected[m * n * n];
            for (int r = 0; r < n; ++r) {
                for (int c = 0; c <= r; ++c) {
                    double v = a[r * n + c];
                    for (int k = 0; k < c; ++k) v -= l[r * n + k] * l[c * n + k];
                    l[r * n + c] = r == c ? std::sqrt(v) : v / l[c * n + c];
                }
            }
        }
        Array<double> d(in), out(in.size());
        cholesky_in_warp<n><<<batch / 2, dim3(32, 2)>>>(d, out);
        outcome.near(out, expected, 1e-9);
    });
    launches.add("eigenvalues_3x3", [](Outcome& outcome) {
        const int n = 300;
        auto in = values<float>(6 * n, 10);
        for (int i = 0; i < n; ++i) {
            in[6 * i + 3] += 12;
            in[6 * i + 5] += 30;
        }
        Array<float> d(in), out(3 * n);
        eigenvalues_3x3<<<ceil_div(n, 64), 64>>>(d, reinterpret_cast<float3*>(out.data()), n);
        std::vector<float> expected;
        for (int i = 0; i < n; ++i) {
            const float* m = &in[6 * i];
            double q = (m[0] + m[3] + m[5]) / 3.0, b0 = m[0] - q, b3 = m[3] - q, b5 = m[5] - q;
            double off = m[1] * m[1] + m[2] * m[2] + m[4] * m[4];
            double p = std::sqrt((b0 * b0 + b3 * b3 + b5 * b5 + 2 * off) / 6);
            double determinant = b0 * (b3 * b5 - m[4] * m[4]) - m[1] * (m[1] * b5 - m[4] * m[2]) +
                                 m[2] * (m[1] * m[4] - b3 * m[2]);
            double r = std::clamp(determinant / (2 * p * p * p), -1.0, 1.0);
            double angle = std::acos(r) / 3, third = 2.0943951023931953;
            double high = q + 2 * p * std::cos(angle), low = q + 2 * p * std::cos(angle + third);
            for (double v : {low, 3 * q - low - high, high}) {
                expected.push_back(static_cast<float>(v));
            }
        }
        outcome.near(out, expected, 3e-4);
    });
    launches.add("conjugate_gradient", [](Outcome& outcome) {
        const int n = 201, batch = 3;
        auto right = values<double>(n * batch);
        Array<double> d(right), x(n * batch);
        conjugate_gradient<<<batch, 256>>>(d, x, n, 40);
        std::vector<double> expected;
        for (int b = 0; b < batch; ++b) {
            // Elimination of the tridiagonal system.
            std::vector<double> diagonal(n, 4.0), v(&right[b * n], &right[b * n] + n);
            for (int i = 1; i < n; ++i) {
                diagonal[i] -= 1 / diagonal[i - 1];
                v[i] += v[i - 1] / diagonal[i - 1];
            }
            for (int i = n - 1; i >= 0; --i) {
                v[i] = (v[i] + (i + 1 < n ? v[i + 1] : 0)) / diagonal[i];
            }
            expected.insert(expected.end(), v.begin(), v.end());
        }
        outcome.near(x, expected, 1e-9);
    });
}

}  // namespace

void add_matrices(Launches& launches) {
    add_dense(launches);
    add_sparse(launches);
    add_solvers(launches);
}

}  // namespace ordinary

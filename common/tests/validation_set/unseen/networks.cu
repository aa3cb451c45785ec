// Neural networks: attention, norms, activations, quantised weights, convolutions, optimisers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cfloat>

#include "../ordinary/launches.hpp"
#include "device_functions.cuh"
#include "themes.hpp"

namespace ordinary {
namespace {

// A warp a query, two of 64 dimensions a lane; keys up to the query's own place.
__global__ void attention_causal(const __half2* q, const __half2* k, const __half2* v, __half2* out,
                                 int n, float scale) {
    int query = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (query >= n) return;
    float2 mine = __half22float2(q[query * 32 + lane]), sum = make_float2(0.0f, 0.0f);
    float highest = -FLT_MAX, total = 0.0f;
    for (int j = 0; j <= query; ++j) {
        float2 key = __half22float2(k[j * 32 + lane]), value = __half22float2(v[j * 32 + lane]);
        float score = scale * warp_sum_all(mine.x * key.x + mine.y * key.y);
        float higher = fmaxf(highest, score), shrink = __expf(highest - higher);
        float weight = __expf(score - higher);
        total = total * shrink + weight;
        sum.x = sum.x * shrink + weight * value.x;
        sum.y = sum.y * shrink + weight * value.y;
        highest = higher;
    }
    out[query * 32 + lane] = __floats2half2_rn(sum.x / total, sum.y / total);
}

// One new token: a block a head, `group` heads share keys and values in pages of 16.
__global__ void attention_paged(const float* q, const __nv_bfloat16* keys,
                                const __nv_bfloat16* values, const int* pages, float* out,
                                int length, int group) {
    extern __shared__ float scores[];
    __shared__ float warps[4];
    constexpr int DIM = 32;
    int head = blockIdx.x, shared_head = head / group, lane = threadIdx.x % 32,
        warp = threadIdx.x / 32, shared_heads = gridDim.x / group;
    float mine = q[head * DIM + lane], highest = -FLT_MAX;
    for (int t = warp; t < length; t += 4) {
        int row = (pages[t / 16] * 16 + t % 16) * shared_heads + shared_head;
        float score = warp_sum_all(mine * __bfloat162float(keys[row * DIM + lane]));
        if (lane == 0) scores[t] = score;
        highest = fmaxf(highest, score);
    }
    if (lane == 0) warps[warp] = highest;
    __syncthreads();
    highest = fmaxf(fmaxf(warps[0], warps[1]), fmaxf(warps[2], warps[3]));
    float total = 0.0f, sum = 0.0f;
    for (int t = 0; t < length; ++t) total += expf(scores[t] - highest);
    for (int t = warp; t < length; t += 4) {
        int row = (pages[t / 16] * 16 + t % 16) * shared_heads + shared_head;
        sum += expf(scores[t] - highest) * __bfloat162float(values[row * DIM + lane]);
    }
    __shared__ float sums[4][DIM];
    sums[warp][lane] = sum / total;
    __syncthreads();
    if (warp == 0) {
        out[head * DIM + lane] = sums[0][lane] + sums[1][lane] + sums[2][lane] + sums[3][lane];
    }
}

// The first half of a head's dimensions turns with the second; angles from a table.
__global__ void rotate_halves(__half* x, const float2* table, const int* positions, int heads,
                              int half_dim) {
    int token = blockIdx.x, head = threadIdx.y;
    __half* mine = x + (token * heads + head) * 2 * half_dim;
    for (int i = threadIdx.x; i < half_dim; i += blockDim.x) {
        float2 turn = table[positions[token] * half_dim + i];
        float a = __half2float(mine[i]), b = __half2float(mine[i + half_dim]);
        mine[i] = __float2half(a * turn.x - b * turn.y);
        mine[i + half_dim] = __float2half(a * turn.y + b * turn.x);
    }
}

__global__ void gelu_half2(const __half2* in, __half2* out, int n2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n2) return;
    float2 v = __half22float2(in[i]);
    auto gelu = [](float x) {
        return 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
    };
    out[i] = __floats2half2_rn(gelu(v.x), gelu(v.y));
}

// The gate and the value lie side by side in a row.
__global__ void gated_silu(const __nv_bfloat162* in, __nv_bfloat162* out, int width2) {
    int row = blockIdx.y, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width2) return;
    float2 gate = __bfloat1622float2(in[row * 2 * width2 + i]);
    float2 value = __bfloat1622float2(in[row * 2 * width2 + width2 + i]);
    gate.x = gate.x / (1.0f + __expf(-gate.x)) * value.x;
    gate.y = gate.y / (1.0f + __expf(-gate.y)) * value.y;
    out[row * width2 + i] = __float22bfloat162_rn(gate);
}

// Adds the residual, keeps the sum, and scales it by its root mean square.
__global__ void add_rms_norm(const float4* in, float4* residual, const float4* weight, float4* out,
                             int n4) {
    __shared__ float warps[4];
    extern __shared__ float4 row[];
    float squares = 0.0f;
    for (int i = threadIdx.x; i < n4; i += blockDim.x) {
        float4 v = in[blockIdx.x * n4 + i], r = residual[blockIdx.x * n4 + i];
        v = make_float4(v.x + r.x, v.y + r.y, v.z + r.z, v.w + r.w);
        residual[blockIdx.x * n4 + i] = v;
        row[i] = v;
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    squares = warp_sum(squares);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = squares;
    __syncthreads();
    squares = 0.0f;
    for (int w = 0; w < static_cast<int>(blockDim.x / 32); ++w) squares += warps[w];
    float scale = rsqrtf(squares / (4 * n4) + 1e-6f);
    for (int i = threadIdx.x; i < n4; i += blockDim.x) {
        float4 v = row[i], g = weight[i];
        out[blockIdx.x * n4 + i] =
            make_float4(v.x * scale * g.x, v.y * scale * g.y, v.z * scale * g.z, v.w * scale * g.w);
    }
}

__global__ void group_norm(const float* in, float* out, const float2* affine, int channels,
                           int area) {
    __shared__ float2 warps[5];
    __shared__ float2 moments;
    int per_group = channels / gridDim.x, n = per_group * area;
    const float* from = in + (blockIdx.y * gridDim.x + blockIdx.x) * n;
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sum += from[i];
        squares += from[i] * from[i];
    }
    sum = warp_sum(sum);
    squares = warp_sum(squares);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = make_float2(sum, squares);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 5; ++w) {
            sum += warps[w].x;
            squares += warps[w].y;
        }
        float mean = sum / n;
        moments = make_float2(mean, rsqrtf(squares / n - mean * mean + 1e-5f));
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float2 a = affine[blockIdx.x * per_group + i / area];
        out[(blockIdx.y * gridDim.x + blockIdx.x) * n + i] =
            (from[i] - moments.x) * moments.y * a.x + a.y;
    }
}

__global__ void softmax_backward(const float* y, const float* gradient, float* out, int rows,
                                 int columns) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float dot = 0.0f;
    for (int c = threadIdx.x; c < columns; c += 32) {
        dot += y[row * columns + c] * gradient[row * columns + c];
    }
    dot = warp_sum_all(dot);
    for (int c = threadIdx.x; c < columns; c += 32) {
        out[row * columns + c] = y[row * columns + c] * (gradient[row * columns + c] - dot);
    }
}

__global__ void gemv_int8(const int* weights, const int* x, const float* scales, float* y, int rows,
                          int words) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    int sum = 0;
    for (int w = threadIdx.x; w < words; w += 32) {
        sum = __dp4a(weights[row * words + w], x[w], sum);
    }
    sum = warp_sum(sum);
    if (threadIdx.x == 0) y[row] = static_cast<float>(sum) * scales[row];
}

// Eight weights of four bits a word, a scale and a zero for each 64 of them.
__global__ void gemv_int4(const unsigned* weights, const __half2* scales, const float* x, float* y,
                          int words) {
    __shared__ float warps[2];
    float sum = 0.0f;
    for (int w = threadIdx.x; w < words; w += blockDim.x) {
        unsigned packed = weights[blockIdx.x * words + w];
        float2 scale = __half22float2(scales[blockIdx.x * (words / 8) + w / 8]);
        const float4* at = reinterpret_cast<const float4*>(x + 8 * w);
        float4 a = at[0], b = at[1];
        float xs[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            sum += (static_cast<float>(packed >> (4 * k) & 15) - scale.y) * scale.x * xs[k];
        }
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) y[blockIdx.x] = warps[0] + warps[1];
}

// The mean of a bag's rows; bags may be empty.
__global__ void embedding_bag(const int* indices, const int* offsets, const float* table,
                              float* out, int width) {
    int first = offsets[blockIdx.x], last = offsets[blockIdx.x + 1];
    for (int c = threadIdx.x; c < width; c += blockDim.x) {
        float sum = 0.0f;
        for (int i = first; i < last; ++i) sum += __ldg(&table[indices[i] * width + c]);
        out[blockIdx.x * width + c] = last > first ? sum / (last - first) : 0.0f;
    }
}

__global__ void embedding_gradient(const int* tokens, const float* gradient, float* table,
                                   int width, int padding) {
    int token = tokens[blockIdx.x];
    if (token == padding) return;
    for (int c = threadIdx.x; c < width; c += blockDim.x) {
        atomicAdd(&table[token * width + c], gradient[blockIdx.x * width + c]);
    }
}

struct AdamW {
    float rate, beta1, beta2, epsilon, decay, correction1, correction2;
};

__device__ void adamw_step(float& w, float g, float& m, float& v, const AdamW& p) {
    m = p.beta1 * m + (1.0f - p.beta1) * g;
    v = p.beta2 * v + (1.0f - p.beta2) * g * g;
    w -= p.rate * (m / p.correction1 / (sqrtf(v / p.correction2) + p.epsilon) + p.decay * w);
}

__global__ void adamw_vectors(float4* weights, const float4* gradients, float4* first,
                              float4* second, int n4, AdamW p) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        float4 w = weights[i], g = gradients[i], m = first[i], v = second[i];
        adamw_step(w.x, g.x, m.x, v.x, p);
        adamw_step(w.y, g.y, m.y, v.y, p);
        adamw_step(w.z, g.z, m.z, v.z, p);
        adamw_step(w.w, g.w, m.w, v.w, p);
        weights[i] = w;
        first[i] = m;
        second[i] = v;
    }
}

// What is dropped is decided by a hash of the place; the choice goes out as bits.
__global__ void dropout(const float* in, float* out, unsigned* kept, int n, unsigned seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool keep = i < n && pcg_hash(seed ^ pcg_hash(i)) % 5 != 0;
    if (i < n) out[i] = keep ? in[i] * 1.25f : 0.0f;
    unsigned bits = __ballot_sync(0xffffffffu, keep);
    if (threadIdx.x % 32 == 0 && i < n) kept[i / 32] = bits;
}

// 3 x 3 over all channels, the weights of one output channel in shared memory.
__global__ void convolve_channels(const float* in, const float* weights, const float* bias,
                                  float* out, int channels, int w, int h) {
    extern __shared__ float filter[];
    int t = threadIdx.y * blockDim.x + threadIdx.x, to = blockIdx.z;
    for (int i = t; i < channels * 9; i += blockDim.x * blockDim.y) {
        filter[i] = weights[to * channels * 9 + i];
    }
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = bias[to];
    for (int c = 0; c < channels; ++c) {
#pragma unroll
        for (int k = 0; k < 9; ++k) {
            int u = x + k % 3 - 1, v = y + k / 3 - 1;
            if (u >= 0 && u < w && v >= 0 && v < h) {
                sum += filter[c * 9 + k] * in[(c * h + v) * w + u];
            }
        }
    }
    out[(to * h + y) * w + x] = fmaxf(sum, 0.0f);
}

// Each channel on its own, four channels of bytes a thread.
__global__ void depthwise_bytes(const char4* in, const char4* weights, int4* out, int w, int h,
                                int channels4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w * h * channels4) return;
    int c = i % channels4, x = i / channels4 % w, y = i / channels4 / w;
    int4 sum = make_int4(0, 0, 0, 0);
    for (int k = 0; k < 25; ++k) {
        int u = x + k % 5 - 2, v = y + k / 5 - 2;
        if (u < 0 || u >= w || v < 0 || v >= h) continue;
        char4 a = in[(v * w + u) * channels4 + c], b = weights[k * channels4 + c];
        sum.x += a.x * b.x;
        sum.y += a.y * b.y;
        sum.z += a.z * b.z;
        sum.w += a.w * b.w;
    }
    out[i] = sum;
}

// Winograd's four outputs of 3 x 3 by 16 products.
__global__ void winograd(const float* in, const float* filter, float* out, int w, int h) {
    int tx = blockIdx.x * blockDim.x + threadIdx.x, ty = blockIdx.y * blockDim.y + threadIdx.y;
    int to_w = w - 2, to_h = h - 2;
    if (2 * tx >= to_w || 2 * ty >= to_h) return;
    float d[4][4], g[4][3], u[4][4];
#pragma unroll
    for (int i = 0; i < 16; ++i) d[i / 4][i % 4] = in[(2 * ty + i / 4) * w + 2 * tx + i % 4];
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        float a = filter[c], b = filter[3 + c], e = filter[6 + c];
        g[0][c] = a;
        g[1][c] = 0.5f * (a + b + e);
        g[2][c] = 0.5f * (a - b + e);
        g[3][c] = e;
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        u[r][0] = g[r][0];
        u[r][1] = 0.5f * (g[r][0] + g[r][1] + g[r][2]);
        u[r][2] = 0.5f * (g[r][0] - g[r][1] + g[r][2]);
        u[r][3] = g[r][2];
    }
#pragma unroll
    for (int c = 0; c < 4; ++c) {
        float a = d[0][c], b = d[1][c], e = d[2][c], f = d[3][c];
        d[0][c] = a - e;
        d[1][c] = b + e;
        d[2][c] = e - b;
        d[3][c] = b - f;
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        float a = d[r][0], b = d[r][1], e = d[r][2], f = d[r][3];
        d[r][0] = (a - e) * u[r][0];
        d[r][1] = (b + e) * u[r][1];
        d[r][2] = (e - b) * u[r][2];
        d[r][3] = (b - f) * u[r][3];
    }
    float2 half[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        half[r] = make_float2(d[r][0] + d[r][1] + d[r][2], d[r][1] - d[r][2] - d[r][3]);
    }
    float* to = out + 2 * ty * to_w + 2 * tx;
    to[0] = half[0].x + half[1].x + half[2].x;
    to[1] = half[0].y + half[1].y + half[2].y;
    to[to_w] = half[1].x - half[2].x - half[3].x;
    to[to_w + 1] = half[1].y - half[2].y - half[3].y;
}

// 3 x 3 at every second place; what is outside does not count.
__global__ void average_pool(const float* in, float* out, int w, int h, int to_w, int to_h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, c = blockIdx.z;
    if (x >= to_w) return;
    int left = max(2 * x - 1, 0), right = min(2 * x + 2, w);
    int top = max(2 * y - 1, 0), bottom = min(2 * y + 2, h);
    float sum = 0.0f;
    for (int v = top; v < bottom; ++v) {
        for (int u = left; u < right; ++u) sum += in[(c * h + v) * w + u];
    }
    out[(c * to_h + y) * to_w + x] = sum / ((right - left) * (bottom - top));
}

// A token a thread: the two best of eight experts and their shares.
__global__ void choose_experts(const float4* logits, uchar2* chosen, float2* shares, int* load,
                               int tokens) {
    __shared__ int counts[8];
    if (threadIdx.x < 8) counts[threadIdx.x] = 0;
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < tokens) {
        float4 a = logits[2 * t], b = logits[2 * t + 1];
        float v[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
        int first = 0, second = -1;
#pragma unroll
        for (int e = 1; e < 8; ++e) {
            if (v[e] > v[first]) first = e;
        }
        for (int e = 0; e < 8; ++e) {
            if (e != first && (second < 0 || v[e] > v[second])) second = e;
        }
        float ratio = expf(v[second] - v[first]);
        chosen[t] =
            make_uchar2(static_cast<unsigned char>(first), static_cast<unsigned char>(second));
        shares[t] = make_float2(1.0f / (1.0f + ratio), ratio / (1.0f + ratio));
        atomicAdd(&counts[first], 1);
        atomicAdd(&counts[second], 1);
    }
    __syncthreads();
    if (threadIdx.x < 8) atomicAdd(&load[threadIdx.x], counts[threadIdx.x]);
}

struct Box {
    short left, top, right, bottom;
};

// Whether two boxes share more than half of what they cover.
__host__ __device__ bool overlap(const Box& a, const Box& b) {
    int w = (a.right < b.right ? a.right : b.right) - (a.left > b.left ? a.left : b.left);
    int h = (a.bottom < b.bottom ? a.bottom : b.bottom) - (a.top > b.top ? a.top : b.top);
    if (w <= 0 || h <= 0) return false;
    int both = w * h, all = (a.right - a.left) * (a.bottom - a.top) +
                            (b.right - b.left) * (b.bottom - b.top) - both;
    return 2 * both > all;
}

// A bit for each later box that overlaps, 64 boxes against 64 a block.
__global__ void suppress_boxes(const Box* boxes, unsigned long long* mask, int n) {
    __shared__ Box columns[64];
    int row = blockIdx.y * 64 + threadIdx.x, base = blockIdx.x * 64, width = min(n - base, 64);
    if (static_cast<int>(threadIdx.x) < width) columns[threadIdx.x] = boxes[base + threadIdx.x];
    __syncthreads();
    if (row >= n) return;
    Box mine = boxes[row];
    unsigned long long bits = 0;
    for (int i = blockIdx.x == blockIdx.y ? threadIdx.x + 1 : 0; i < width; ++i) {
        if (base + i > row && overlap(mine, columns[i])) bits |= 1ull << i;
    }
    mask[row * gridDim.x + blockIdx.x] = bits;
}

__device__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

__global__ void lstm_cell(const float* gates, float* cell, float* hidden, int batch, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch * width) return;
    const float* g = gates + i / width * 4 * width + i % width;
    float c = sigmoid(g[width]) * cell[i] + sigmoid(g[0]) * tanhf(g[2 * width]);
    cell[i] = c;
    hidden[i] = sigmoid(g[3 * width]) * tanhf(c);
}

std::vector<float> scaled(std::vector<float> numbers, float by, float less) {
    for (float& v : numbers) v = v * by - less;
    return numbers;
}

template <class T>
std::vector<float> floats_of(const Array<T>& array) {
    auto narrow = array.to_host();
    return {narrow.begin(), narrow.end()};
}

// The same values as the narrow type holds.
template <class T>
std::vector<float> rounded_to(const std::vector<float>& numbers) {
    std::vector<float> result;
    for (float v : numbers) result.push_back(static_cast<float>(static_cast<T>(v)));
    return result;
}

void add_attention(Launches& launches) {
    launches.add("attention_causal", [](Outcome& outcome) {
        const int n = 45, dim = 64;
        auto q = rounded_to<__half>(scaled(values<float>(n * dim, 40), 0.05f, 1.0f));
        auto k = rounded_to<__half>(scaled(values<float>(n * dim, 40, 2), 0.05f, 1.0f));
        auto v = rounded_to<__half>(scaled(values<float>(n * dim, 40, 3), 0.05f, 1.0f));
        using Halves = std::vector<__half>;
        Array<__half> dq(Halves(q.begin(), q.end())), dk(Halves(k.begin(), k.end())),
            dv(Halves(v.begin(), v.end())), out(n * dim);
        auto pairs = [](const Array<__half>& a) { return reinterpret_cast<__half2*>(a.data()); };
        attention_causal<<<12, dim3(32, 4)>>>(pairs(dq), pairs(dk), pairs(dv), pairs(out), n,
                                              0.125f);
        std::vector<float> expected(n * dim);
        for (int i = 0; i < n; ++i) {
            std::vector<double> weights;
            double total = 0;
            for (int j = 0; j <= i; ++j) {
                double score = 0;
                for (int d = 0; d < dim; ++d) score += q[i * dim + d] * k[j * dim + d];
                weights.push_back(std::exp(score * 0.125));
                total += weights.back();
            }
            for (int d = 0; d < dim; ++d) {
                double sum = 0;
                for (int j = 0; j <= i; ++j) sum += weights[j] * v[j * dim + d];
                expected[i * dim + d] = static_cast<float>(sum / total);
            }
        }
        outcome.near(Array<float>(floats_of(out)), expected, 2e-3);
    });
    launches.add("attention_paged", [](Outcome& outcome) {
        const int heads = 6, group = 3, dim = 32, length = 75, pages = 8, rows = pages * 16 * 2;
        auto q = scaled(values<float>(heads * dim, 40), 0.02f, 0.4f);
        auto k = rounded_to<__nv_bfloat16>(scaled(values<float>(rows * dim, 40, 2), 0.05f, 1.0f));
        auto v = rounded_to<__nv_bfloat16>(scaled(values<float>(rows * dim, 40, 3), 0.05f, 1.0f));
        using Narrow = std::vector<__nv_bfloat16>;
        const std::vector<int> table = {5, 0, 7, 2, 6};
        Array<float> dq(q), out(heads * dim);
        Array<__nv_bfloat16> dk(Narrow(k.begin(), k.end())), dv(Narrow(v.begin(), v.end()));
        Array<int> dt(table);
        attention_paged<<<heads, 128, length * sizeof(float)>>>(dq, dk, dv, dt, out, length, group);
        std::vector<float> expected;
        for (int head = 0; head < heads; ++head) {
            auto row_of = [&](int t) {
                return ((table[t / 16] * 16 + t % 16) * 2 + head / group) * dim;
            };
            std::vector<double> weights;
            double total = 0;
            for (int t = 0; t < length; ++t) {
                double score = 0;
                for (int d = 0; d < dim; ++d) score += q[head * dim + d] * k[row_of(t) + d];
                weights.push_back(std::exp(score));
                total += weights.back();
            }
            for (int d = 0; d < dim; ++d) {
                double sum = 0;
                for (int t = 0; t < length; ++t) sum += weights[t] * v[row_of(t) + d];
                expected.push_back(static_cast<float>(sum / total));
            }
        }
        outcome.near(out, expected, 1e-4);
    });
    launches.add("rotate_halves", [](Outcome& outcome) {
        const int tokens = 14, heads = 3, half_dim = 40, places = 50;
        auto x =
            rounded_to<__half>(scaled(values<float>(tokens * heads * 2 * half_dim), 0.02f, 1.0f));
        auto positions = values<int>(tokens, places, 4);
        std::vector<float2> table;
        for (int i = 0; i < places * half_dim; ++i) {
            double angle = i / half_dim * std::pow(10000.0, -(i % half_dim) / double(half_dim));
            table.push_back(
                {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))});
        }
        Array<__half> d(std::vector<__half>(x.begin(), x.end()));
        Array<float2> dt(table);
        Array<int> dp(positions);
        rotate_halves<<<tokens, dim3(32, heads)>>>(d, dt, dp, heads, half_dim);
        auto expected = x;
        for (int i = 0; i < tokens * heads * half_dim; ++i) {
            int row = i / half_dim, k = row * 2 * half_dim + i % half_dim;
            float2 turn = table[positions[row / heads] * half_dim + i % half_dim];
            expected[k] = x[k] * turn.x - x[k + half_dim] * turn.y;
            expected[k + half_dim] = x[k] * turn.y + x[k + half_dim] * turn.x;
        }
        outcome.near(Array<float>(floats_of(d)), expected, 1e-3);
    });
    launches.add("softmax_backward", [](Outcome& outcome) {
        const int rows = 26, columns = 71;
        auto y = scaled(values<float>(rows * columns), 0.0002f, 0.0f);
        auto gradient = scaled(values<float>(rows * columns, 97, 2), 0.1f, 5.0f);
        Array<float> dy(y), dg(gradient), out(rows * columns);
        softmax_backward<<<7, dim3(32, 4)>>>(dy, dg, out, rows, columns);
        std::vector<float> expected;
        for (int i = 0; i < rows * columns; ++i) {
            double dot = 0;
            for (int c = i / columns * columns; c < (i / columns + 1) * columns; ++c) {
                dot += static_cast<double>(y[c]) * gradient[c];
            }
            expected.push_back(static_cast<float>(y[i] * (gradient[i] - dot)));
        }
        outcome.near(out, expected, 1e-5);
    });
}

void add_activations(Launches& launches) {
    launches.add("gelu_half2", [](Outcome& outcome) {
        const int n = 1530;
        auto in = rounded_to<__half>(scaled(values<float>(n, 1000), 0.008f, 4.0f));
        Array<__half> d(std::vector<__half>(in.begin(), in.end())), out(n);
        gelu_half2<<<6, 128>>>(reinterpret_cast<__half2*>(d.data()),
                               reinterpret_cast<__half2*>(out.data()), n / 2);
        std::vector<float> expected;
        for (double x : in) {
            double t = std::tanh(0.7978845608 * (x + 0.044715 * x * x * x));
            expected.push_back(static_cast<float>(0.5 * x * (1 + t)));
        }
        outcome.near(Array<float>(floats_of(out)), expected, 1e-3);
    });
    launches.add("gated_silu", [](Outcome& outcome) {
        const int rows = 9, width = 150;
        auto in = rounded_to<__nv_bfloat16>(scaled(values<float>(rows * 2 * width), 0.1f, 5.0f));
        Array<__nv_bfloat16> d(std::vector<__nv_bfloat16>(in.begin(), in.end())), out(rows * width);
        gated_silu<<<dim3(2, rows), 64>>>(reinterpret_cast<__nv_bfloat162*>(d.data()),
                                          reinterpret_cast<__nv_bfloat162*>(out.data()), width / 2);
        std::vector<float> expected;
        for (int i = 0; i < rows * width; ++i) {
            const float* at = &in[i / width * 2 * width + i % width];
            expected.push_back(static_cast<float>(at[0] / (1 + std::exp(-at[0])) * at[width]));
        }
        outcome.near(Array<float>(floats_of(out)), expected, 8e-3);
    });
    launches.add("add_rms_norm", [](Outcome& outcome) {
        const int n = 300, rows = 8;
        auto in = values<float>(n * rows, 20), residual = values<float>(n * rows, 20, 2);
        auto weight = values<float>(n, 5, 3);
        Array<float> d(in), dr(residual), dw(weight), out(n * rows);
        auto vectors = [](const Array<float>& a) { return reinterpret_cast<float4*>(a.data()); };
        add_rms_norm<<<rows, 64, n * sizeof(float)>>>(vectors(d), vectors(dr), vectors(dw),
                                                      vectors(out), n / 4);
        std::vector<float> expected;
        for (int i = 0; i < n * rows; ++i) residual[i] += in[i];
        for (int i = 0; i < n * rows; ++i) {
            double squares = 0;
            for (int k = i / n * n; k < i / n * n + n; ++k) squares += residual[k] * residual[k];
            expected.push_back(
                static_cast<float>(residual[i] / std::sqrt(squares / n + 1e-6) * weight[i % n]));
        }
        outcome.equal(dr, residual);
        outcome.near(out, expected, 1e-5);
    });
    launches.add("group_norm", [](Outcome& outcome) {
        const int batch = 3, channels = 12, groups = 4, area = 77, n = channels / groups * area;
        auto in = values<float>(batch * channels * area, 30);
        auto affine = values<float>(2 * channels, 5, 2);
        Array<float> d(in), da(affine), out(in.size());
        group_norm<<<dim3(groups, batch), 160>>>(d, out, reinterpret_cast<float2*>(da.data()),
                                                 channels, area);
        std::vector<float> expected;
        for (int i = 0; i < batch * channels * area; ++i) {
            double sum = 0, squares = 0;
            for (int k = i / n * n; k < i / n * n + n; ++k) {
                sum += in[k];
                squares += in[k] * in[k];
            }
            double mean = sum / n, variance = squares / n - mean * mean;
            int c = i / area % channels;
            expected.push_back(static_cast<float>(
                (in[i] - mean) / std::sqrt(variance + 1e-5) * affine[2 * c] + affine[2 * c + 1]));
        }
        outcome.near(out, expected, 1e-4);
    });
    launches.add("dropout", [](Outcome& outcome) {
        const int n = 1999;
        auto in = values<float>(n);
        Array<float> d(in), out(n);
        Array<unsigned> kept(ceil_div(n, 32));
        dropout<<<ceil_div(n, 96), 96>>>(d, out, kept, n, 77u);
        std::vector<unsigned> bits(ceil_div(n, 32));
        for (int i = 0; i < n; ++i) {
            bool keep = pcg_hash(77u ^ pcg_hash(i)) % 5 != 0;
            in[i] = keep ? in[i] * 1.25f : 0.0f;
            bits[i / 32] |= static_cast<unsigned>(keep) << i % 32;
        }
        outcome.equal(out, in);
        outcome.equal(kept, bits);
    });
    launches.add("lstm_cell", [](Outcome& outcome) {
        const int batch = 7, width = 90;
        auto gates = scaled(values<float>(batch * 4 * width), 0.05f, 2.4f);
        auto cell = scaled(values<float>(batch * width, 97, 2), 0.02f, 1.0f);
        Array<float> dg(gates), dc(cell), hidden(batch * width);
        lstm_cell<<<10, 64>>>(dg, dc, hidden, batch, width);
        std::vector<float> expected;
        auto gate = [](double x) { return 1 / (1 + std::exp(-x)); };
        for (int i = 0; i < batch * width; ++i) {
            const float* g = &gates[i / width * 4 * width + i % width];
            double c = gate(g[width]) * cell[i] + gate(g[0]) * std::tanh(double(g[2 * width]));
            cell[i] = static_cast<float>(c);
            expected.push_back(static_cast<float>(gate(g[3 * width]) * std::tanh(c)));
        }
        outcome.near(dc, cell, 1e-5);
        outcome.near(hidden, expected, 1e-5);
    });
}

void add_weights(Launches& launches) {
    launches.add("gemv_int8", [](Outcome& outcome) {
        const int rows = 61, columns = 420;
        auto weights = values<signed char>(rows * columns, 256),
             x = values<signed char>(columns, 256, 2);
        auto scales = scaled(values<float>(rows, 97, 3), 0.001f, 0.0f);
        Array<signed char> dw(weights), dx(x);
        Array<float> ds(scales), y(rows);
        gemv_int8<<<16, dim3(32, 4)>>>(reinterpret_cast<int*>(dw.data()),
                                       reinterpret_cast<int*>(dx.data()), ds, y, rows, columns / 4);
        std::vector<float> expected;
        for (int r = 0; r < rows; ++r) {
            int sum = 0;
            for (int c = 0; c < columns; ++c) sum += weights[r * columns + c] * x[c];
            expected.push_back(static_cast<float>(sum) * scales[r]);
        }
        outcome.equal(y, expected);
    });
    launches.add("gemv_int4", [](Outcome& outcome) {
        const int rows = 30, words = 72;
        auto weights = values<unsigned>(rows * words, 1 << 23);
        for (unsigned& v : weights) v *= 977;
        auto scales =
            rounded_to<__half>(scaled(values<float>(rows * words / 4, 10, 2), 1.0f, 0.0f));
        auto x = values<float>(8 * words, 12, 3);
        Array<unsigned> dw(weights);
        Array<__half> ds(std::vector<__half>(scales.begin(), scales.end()));
        Array<float> dx(x), y(rows);
        gemv_int4<<<rows, 64>>>(dw, reinterpret_cast<__half2*>(ds.data()), dx, y, words);
        std::vector<float> expected(rows);
        for (int i = 0; i < rows * words * 8; ++i) {
            int word = i / 8, group = word / words * (words / 8) + word % words / 8;
            float weight = static_cast<float>(weights[word] >> i % 8 * 4 & 15);
            expected[word / words] +=
                (weight - scales[2 * group + 1]) * scales[2 * group] * x[i % (8 * words)];
        }
        outcome.equal(y, expected);
    });
    launches.add("embedding_bag", [](Outcome& outcome) {
        const int bags = 40, width = 50, entries = 120;
        std::vector<int> offsets = {0};
        for (int b = 0; b < bags; ++b) {
            offsets.push_back(offsets.back() + static_cast<int>(pcg_hash(b) % 9));
        }
        auto indices = values<int>(offsets[bags], entries);
        auto table = values<float>(entries * width, 97, 2);
        Array<int> di(indices), d(offsets);
        Array<float> dt(table), out(bags * width);
        embedding_bag<<<bags, 64>>>(di, d, dt, out, width);
        std::vector<float> expected;
        for (int i = 0; i < bags * width; ++i) {
            int first = offsets[i / width], last = offsets[i / width + 1];
            float sum = 0;
            for (int k = first; k < last; ++k) sum += table[indices[k] * width + i % width];
            expected.push_back(last > first ? sum / static_cast<float>(last - first) : 0.0f);
        }
        outcome.near(out, expected, 1e-6);
    });
    launches.add("embedding_gradient", [](Outcome& outcome) {
        const int tokens = 130, width = 48, entries = 25;
        auto ids = values<int>(tokens, entries);
        auto gradient = values<float>(tokens * width, 97, 2);
        Array<int> di(ids);
        Array<float> dg(gradient), table(entries * width, 0);
        embedding_gradient<<<tokens, 32>>>(di, dg, table, width, 3);
        std::vector<float> expected(entries * width);
        for (int i = 0; i < tokens * width; ++i) {
            int id = ids[i / width];
            if (id != 3) expected[id * width + i % width] += gradient[i];
        }
        outcome.equal(table, expected);
    });
    launches.add("adamw_vectors", [](Outcome& outcome) {
        const int n = 2052;
        const AdamW p = {0.01f, 0.9f, 0.999f, 1e-8f, 0.1f, 0.271f, 0.002997f};
        auto weights = scaled(values<float>(n), 0.02f, 1.0f);
        auto gradients = scaled(values<float>(n, 97, 2), 0.02f, 0.97f);
        auto first = scaled(values<float>(n, 97, 3), 0.001f, 0.05f);
        auto second = scaled(values<float>(n, 97, 4), 0.0001f, -0.0001f);
        Array<float> dw(weights), dg(gradients), dm(first), dv(second);
        auto vectors = [](const Array<float>& a) { return reinterpret_cast<float4*>(a.data()); };
        adamw_vectors<<<3, 128>>>(vectors(dw), vectors(dg), vectors(dm), vectors(dv), n / 4, p);
        for (int i = 0; i < n; ++i) {
            double g = gradients[i], m = 0.9 * first[i] + 0.1 * g;
            double v = 0.999 * second[i] + 0.001 * g * g;
            double step = m / 0.271 / (std::sqrt(v / 0.002997) + 1e-8) + 0.1 * weights[i];
            weights[i] = static_cast<float>(weights[i] - 0.01 * step);
            first[i] = static_cast<float>(m);
            second[i] = static_cast<float>(v);
        }
        outcome.near(dw, weights, 1e-5);
        outcome.near(dm, first, 1e-5);
        outcome.near(dv, second, 1e-5);
    });
    launches.add("choose_experts", [](Outcome& outcome) {
        const int tokens = 700;
        auto logits = scaled(values<float>(8 * tokens, 900), 0.01f, 4.0f);
        Array<float> d(logits), shares(2 * tokens);
        Array<uchar2> chosen(tokens);
        Array<int> load(8, 0);
        choose_experts<<<6, 128>>>(reinterpret_cast<float4*>(d.data()), chosen,
                                   reinterpret_cast<float2*>(shares.data()), load, tokens);
        std::vector<uchar2> experts;
        std::vector<float> expected;
        std::vector<int> counts(8);
        for (int t = 0; t < tokens; ++t) {
            const float* v = &logits[8 * t];
            std::vector<int> by_value = {0, 1, 2, 3, 4, 5, 6, 7};
            std::stable_sort(by_value.begin(), by_value.end(),
                             [v](int a, int b) { return v[a] > v[b]; });
            int a = by_value[0], b = by_value[1];
            experts.push_back({static_cast<unsigned char>(a), static_cast<unsigned char>(b)});
            double ratio = std::exp(static_cast<double>(v[b]) - v[a]);
            expected.push_back(static_cast<float>(1 / (1 + ratio)));
            expected.push_back(static_cast<float>(ratio / (1 + ratio)));
            ++counts[a];
            ++counts[b];
        }
        outcome.equal(chosen, experts);
        outcome.equal(load, counts);
        outcome.near(shares, expected, 1e-5);
    });
}

void add_convolutions_of_layers(Launches& launches) {
    launches.add("convolve_channels", [](Outcome& outcome) {
        const int channels = 5, to = 4, w = 37, h = 22;
        auto in = values<float>(channels * w * h, 20),
             weights = values<float>(to * channels * 9, 9, 2);
        for (float& v : weights) v -= 4;
        auto bias = values<float>(to, 30, 3);
        Array<float> d(in), dw(weights), db(bias), out(to * w * h);
        convolve_channels<<<dim3(3, 3, to), dim3(16, 8), channels * 9 * sizeof(float)>>>(
            d, dw, db, out, channels, w, h);
        std::vector<float> expected;
        for (int i = 0; i < to * w * h; ++i) {
            int x = i % w, y = i / w % h, o = i / w / h;
            float sum = bias[o];
            for (int k = 0; k < channels * 9; ++k) {
                int u = x + k % 3 - 1, v = y + k / 3 % 3 - 1;
                if (u < 0 || u >= w || v < 0 || v >= h) continue;
                sum += weights[o * channels * 9 + k] * in[(k / 9 * h + v) * w + u];
            }
            expected.push_back(std::max(sum, 0.0f));
        }
        outcome.equal(out, expected);
    });
    launches.add("depthwise_bytes", [](Outcome& outcome) {
        const int channels = 12, w = 21, h = 18;
        auto in = values<signed char>(channels * w * h, 256),
             weights = values<signed char>(25 * channels, 256, 2);
        Array<signed char> d(in), dw(weights);
        Array<int> out(channels * w * h);
        depthwise_bytes<<<ceil_div(w * h * 3, 128), 128>>>(
            reinterpret_cast<char4*>(d.data()), reinterpret_cast<char4*>(dw.data()),
            reinterpret_cast<int4*>(out.data()), w, h, 3);
        std::vector<int> expected(channels * w * h);
        for (int i = 0; i < channels * w * h; ++i) {
            int c = i % channels, x = i / channels % w, y = i / channels / w;
            for (int k = 0; k < 25; ++k) {
                int u = x + k % 5 - 2, v = y + k / 5 - 2;
                if (u < 0 || u >= w || v < 0 || v >= h) continue;
                expected[i] += in[(v * w + u) * channels + c] * weights[k * channels + c];
            }
        }
        outcome.equal(out, expected);
    });
    launches.add("winograd", [](Outcome& outcome) {
        const int w = 52, h = 36;
        auto in = values<float>(w * h), filter = values<float>(9, 15, 2);
        Array<float> d(in), df(filter), out((w - 2) * (h - 2));
        winograd<<<dim3(2, 5), dim3(16, 4)>>>(d, df, out, w, h);
        std::vector<float> expected((w - 2) * (h - 2));
        for (int i = 0; i < (w - 2) * (h - 2); ++i) {
            for (int k = 0; k < 9; ++k) {
                expected[i] += filter[k] * in[(i / (w - 2) + k / 3) * w + i % (w - 2) + k % 3];
            }
        }
        outcome.equal(out, expected);
    });
    launches.add("average_pool", [](Outcome& outcome) {
        const int channels = 4, w = 41, h = 27, to_w = 21, to_h = 14;
        auto in = values<float>(channels * w * h);
        Array<float> d(in), out(channels * to_w * to_h);
        average_pool<<<dim3(1, to_h, channels), 32>>>(d, out, w, h, to_w, to_h);
        std::vector<float> expected;
        for (int i = 0; i < channels * to_w * to_h; ++i) {
            double sum = 0, count = 0;
            for (int k = 0; k < 9; ++k) {
                int x = i % to_w * 2 + k % 3 - 1, y = i / to_w % to_h * 2 + k / 3 - 1;
                if (x < 0 || x >= w || y < 0 || y >= h) continue;
                sum += in[(i / to_w / to_h * h + y) * w + x];
                ++count;
            }
            expected.push_back(static_cast<float>(sum / count));
        }
        outcome.near(out, expected, 1e-6);
    });
    launches.add("suppress_boxes", [](Outcome& outcome) {
        const int n = 230, words = ceil_div(n, 64);
        auto numbers = values<int>(4 * n, 40);
        std::vector<Box> boxes;
        for (int i = 0; i < n; ++i) {
            int left = numbers[4 * i], top = numbers[4 * i + 1];
            boxes.push_back({static_cast<short>(left), static_cast<short>(top),
                             static_cast<short>(left + 20 + numbers[4 * i + 2]),
                             static_cast<short>(top + 20 + numbers[4 * i + 3])});
        }
        Array<Box> d(boxes);
        Array<unsigned long long> mask(n * words);
        suppress_boxes<<<dim3(words, words), 64>>>(d, mask, n);
        std::vector<unsigned long long> expected(n * words);
        for (int r = 0; r < n; ++r) {
            for (int c = r + 1; c < n; ++c) {
                if (overlap(boxes[r], boxes[c])) expected[r * words + c / 64] |= 1ull << c % 64;
            }
        }
        outcome.equal(mask, expected);
    });
}

}  // namespace

void add_networks(Launches& launches) {
    add_attention(launches);
    add_activations(launches);
    add_weights(launches);
    add_convolutions_of_layers(launches);
}

}  // namespace ordinary

// Layers of neural networks.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cfloat>

#include "../ordinary/launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

__device__ float warp_sum(float v) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

__device__ float warp_max(float v) {
    for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
    return v;
}

template <class Combine>
__device__ float over_block(float v, float* shared, float neutral, Combine combine) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = combine(v);
    if (lane == 0) shared[warp] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? shared[lane] : neutral;
    if (warp == 0) {
        v = combine(v);
        if (lane == 0) shared[0] = v;
    }
    __syncthreads();
    v = shared[0];
    __syncthreads();
    return v;
}

__global__ void softmax_rows(const float* in, float* out, int columns) {
    __shared__ float shared[32];
    const float* row = in + blockIdx.x * columns;
    float m = -FLT_MAX;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) m = fmaxf(m, row[c]);
    m = over_block(m, shared, -FLT_MAX, warp_max);
    float sum = 0.0f;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(row[c] - m);
    sum = over_block(sum, shared, 0.0f, warp_sum);
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        out[blockIdx.x * columns + c] = expf(row[c] - m) / sum;
    }
}

// One pass for maximum and sum, a warp a row.
__global__ void online_softmax(const float* in, float* out, int rows, int columns) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float m = -INFINITY, sum = 0.0f;
    for (int c = threadIdx.x; c < columns; c += 32) {
        float v = in[row * columns + c], larger = fmaxf(m, v);
        sum = sum * __expf(m - larger) + __expf(v - larger);
        m = larger;
    }
    for (int d = 16; d > 0; d >>= 1) {
        float m2 = __shfl_xor_sync(~0u, m, d), sum2 = __shfl_xor_sync(~0u, sum, d);
        float larger = fmaxf(m, m2);
        if (larger > -INFINITY) {
            sum = sum * __expf(m - larger) + sum2 * __expf(m2 - larger);
        }
        m = larger;
    }
    for (int c = threadIdx.x; c < columns; c += 32) {
        out[row * columns + c] = __expf(in[row * columns + c] - m) / sum;
    }
}

__global__ void layer_norm(const float4* in, const float4* gain, const float4* bias, float4* out,
                           int n4) {
    __shared__ float shared[32];
    const float4* row = in + blockIdx.x * n4;
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < n4; i += blockDim.x) {
        float4 v = row[i];
        sum += v.x + v.y + v.z + v.w;
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    float mean = over_block(sum, shared, 0.0f, warp_sum) / (4 * n4);
    float variance = over_block(squares, shared, 0.0f, warp_sum) / (4 * n4) - mean * mean;
    float scale = rsqrtf(variance + 1e-5f);
    for (int i = threadIdx.x; i < n4; i += blockDim.x) {
        float4 v = row[i], g = gain[i], b = bias[i];
        v.x = (v.x - mean) * scale * g.x + b.x;
        v.y = (v.y - mean) * scale * g.y + b.y;
        v.z = (v.z - mean) * scale * g.z + b.z;
        v.w = (v.w - mean) * scale * g.w + b.w;
        out[blockIdx.x * n4 + i] = v;
    }
}

__global__ void rms_norm_half(const __half2* in, const __half2* weight, __half2* out, int n2) {
    int lane = threadIdx.x, row = blockIdx.x * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int i = lane; i < n2; i += 32) {
        float2 v = __half22float2(in[row * n2 + i]);
        sum += v.x * v.x + v.y * v.y;
    }
    float scale = rsqrtf(warp_sum(sum) / (2 * n2) + 1e-6f);
    for (int i = lane; i < n2; i += 32) {
        float2 v = __half22float2(in[row * n2 + i]);
        out[row * n2 + i] = __hmul2(__floats2half2_rn(v.x * scale, v.y * scale), weight[i]);
    }
}

// A query a thread, tiles of keys and values in shared memory, the maximum kept as it goes.
template <int DIM>
__global__ void attention(const float* q, const float* k, const float* v, float* out, int n) {
    __shared__ float keys[32][DIM], rows[32][DIM];
    int query = blockIdx.x * blockDim.x + threadIdx.x;
    float mine[DIM], sums[DIM] = {}, m = -FLT_MAX, total = 0.0f;
    for (int d = 0; d < DIM; ++d) mine[d] = query < n ? q[query * DIM + d] : 0.0f;
    for (int base = 0; base < n; base += 32) {
        for (int i = threadIdx.x; i < 32 * DIM; i += blockDim.x) {
            bool inside = base + i / DIM < n;
            keys[i / DIM][i % DIM] = inside ? k[base * DIM + i] : 0.0f;
            rows[i / DIM][i % DIM] = inside ? v[base * DIM + i] : 0.0f;
        }
        __syncthreads();
        int last = min(32, n - base);
        for (int j = 0; j < last; ++j) {
            float score = 0.0f;
            for (int d = 0; d < DIM; ++d) score += mine[d] * keys[j][d];
            if (score > m) {
                float shrink = expf(m - score);
                total *= shrink;
                for (int d = 0; d < DIM; ++d) sums[d] *= shrink;
                m = score;
            }
            float weight = expf(score - m);
            total += weight;
            for (int d = 0; d < DIM; ++d) sums[d] += weight * rows[j][d];
        }
        __syncthreads();
    }
    if (query < n) {
        for (int d = 0; d < DIM; ++d) out[query * DIM + d] = sums[d] / total;
    }
}

__global__ void embed(const int* tokens, const float* table, const float* positions, float* out,
                      int width) {
    int t = blockIdx.x, token = tokens[t];
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        out[t * width + i] = token < 0 ? 0.0f : table[token * width + i] + positions[t * width + i];
    }
}

__global__ void cross_entropy(const float* logits, const int* labels, float* losses, int classes) {
    __shared__ float shared[32];
    const float* row = logits + blockIdx.x * classes;
    float m = -FLT_MAX, sum = 0.0f;
    for (int c = threadIdx.x; c < classes; c += blockDim.x) m = fmaxf(m, row[c]);
    m = over_block(m, shared, -FLT_MAX, warp_max);
    for (int c = threadIdx.x; c < classes; c += blockDim.x) sum += expf(row[c] - m);
    sum = over_block(sum, shared, 0.0f, warp_sum);
    if (threadIdx.x == 0) losses[blockIdx.x] = m + logf(sum) - row[labels[blockIdx.x]];
}

__global__ void gelu_bfloat16(const __nv_bfloat16* in, __nv_bfloat16* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = __bfloat162float(in[i]);
        out[i] = __float2bfloat16(0.5f * x * (1.0f + erff(x * 0.70710678f)));
    }
}

__global__ void quantise_rows(const float* in, signed char* out, float* scales, int columns) {
    float m = 0.0f;
    const float* row = in + blockIdx.x * columns;
    for (int c = threadIdx.x; c < columns; c += 32) m = fmaxf(m, fabsf(row[c]));
    m = warp_max(m);
    float scale = m > 0.0f ? 127.0f / m : 0.0f;
    for (int c = threadIdx.x; c < columns; c += 32) {
        out[blockIdx.x * columns + c] = static_cast<signed char>(__float2int_rn(row[c] * scale));
    }
    if (threadIdx.x == 0) scales[blockIdx.x] = scale;
}

// Eight values of four bits a word, groups of 32 share a scale.
__global__ void dequantise_4bit(const unsigned* packed, const float* scales, float* out,
                                int words) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words) return;
    unsigned word = packed[i];
    float scale = scales[i / 4];
#pragma unroll
    for (int k = 0; k < 8; ++k)
        out[i * 8 + k] = (static_cast<int>(word >> (4 * k) & 15) - 8) * scale;
}

__global__ void adam(float* __restrict__ weights, const float* __restrict__ gradients,
                     float* __restrict__ first, float* __restrict__ second, int n, float rate) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float g = gradients[i];
    float m = first[i] = 0.9f * first[i] + 0.1f * g;
    float v = second[i] = 0.999f * second[i] + 0.001f * g * g;
    weights[i] -= rate * (m / 0.1f) / (sqrtf(v / 0.001f) + 1e-8f);
}

// Pairs of a head's dimensions turned by the position.
__global__ void rotary(float2* x, int heads, int half) {
    int position = blockIdx.x;
    for (int i = threadIdx.x; i < heads * half; i += blockDim.x) {
        float angle = position * powf(10000.0f, -static_cast<float>(i % half) / half), s, c;
        sincosf(angle, &s, &c);
        float2 v = x[position * heads * half + i];
        x[position * heads * half + i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
    }
}

__global__ void max_pool(const float* in, float* out, unsigned char* which, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z;
    if (x >= w / 2 || y >= h / 2) return;
    const float* from = in + (z * h + 2 * y) * w + 2 * x;
    float best = -FLT_MAX;
    unsigned char at = 0;
    for (int k = 0; k < 4; ++k) {
        float v = from[k / 2 * w + k % 2];
        if (v > best) {
            best = v;
            at = static_cast<unsigned char>(k);
        }
    }
    out[(z * (h / 2) + y) * (w / 2) + x] = best;
    which[(z * (h / 2) + y) * (w / 2) + x] = at;
}

__global__ void batch_norm_channels(const float* x, float* mean, float* variance, int batch,
                                    int channels, int area) {
    __shared__ double sums[2][64];
    int channel = blockIdx.x;
    double s = 0.0, q = 0.0;
    for (int b = 0; b < batch; ++b) {
        for (int i = threadIdx.x; i < area; i += 64) {
            double v = x[(b * channels + channel) * area + i];
            s += v;
            q += v * v;
        }
    }
    sums[0][threadIdx.x] = s;
    sums[1][threadIdx.x] = q;
    for (int d = 32; d > 0; d >>= 1) {
        __syncthreads();
        if (threadIdx.x < d) {
            sums[0][threadIdx.x] += sums[0][threadIdx.x + d];
            sums[1][threadIdx.x] += sums[1][threadIdx.x + d];
        }
    }
    if (threadIdx.x == 0) {
        double m = sums[0][0] / (batch * area);
        mean[channel] = static_cast<float>(m);
        variance[channel] = static_cast<float>(sums[1][0] / (batch * area) - m * m);
    }
}

std::vector<float> softmax(const std::vector<float>& in, int columns) {
    std::vector<float> out;
    for (std::size_t r = 0; r < in.size(); r += columns) {
        double sum = 0, m = *std::max_element(&in[r], &in[r] + columns);
        for (int c = 0; c < columns; ++c) sum += std::exp(in[r + c] - m);
        for (int c = 0; c < columns; ++c)
            out.push_back(static_cast<float>(std::exp(in[r + c] - m) / sum));
    }
    return out;
}

void add_norms(Launches& launches) {
    launches.add("softmax_rows", [](Outcome& outcome) {
        auto in = values<float>(7 * 500, 12);
        Array<float> d(in), out(in.size());
        softmax_rows<<<7, 128>>>(d, out, 500);
        outcome.near(out, softmax(in, 500), 1e-5);
    });
    launches.add("online_softmax", [](Outcome& outcome) {
        auto in = values<float>(10 * 90, 12);
        Array<float> d(in), out(in.size());
        online_softmax<<<3, dim3(32, 4)>>>(d, out, 10, 90);
        outcome.near(out, softmax(in, 90), 1e-5);
    });
    launches.add("layer_norm", [](Outcome& outcome) {
        const int n = 400;
        auto in = values<float>(6 * n, 12), gain = values<float>(n, 5, 2),
             bias = values<float>(n, 5, 3);
        Array<float> d(in), dg(gain), db(bias), out(in.size());
        auto vectors = [](const Array<float>& a) { return reinterpret_cast<float4*>(a.data()); };
        layer_norm<<<6, 96>>>(vectors(d), vectors(dg), vectors(db), vectors(out), n / 4);
        std::vector<float> expected;
        for (int i = 0; i < 6 * n; ++i) {
            double sum = 0, squares = 0;
            for (int k = i / n * n; k < i / n * n + n; ++k) {
                sum += in[k];
                squares += in[k] * in[k];
            }
            double mean = sum / n, variance = squares / n - mean * mean;
            expected.push_back(static_cast<float>(
                (in[i] - mean) / std::sqrt(variance + 1e-5) * gain[i % n] + bias[i % n]));
        }
        outcome.near(out, expected, 1e-4);
    });
    launches.add("rms_norm_half", [](Outcome& outcome) {
        const int n = 200;
        auto in = values<int>(8 * n, 8), weight = values<int>(n, 4, 2);
        std::vector<__half> hin, hw;
        for (int v : in) hin.push_back(__float2half(static_cast<float>(v)));
        for (int v : weight) hw.push_back(__float2half(static_cast<float>(v)));
        Array<__half> d(hin), dw(hw), out(in.size());
        auto pairs = [](const Array<__half>& a) { return reinterpret_cast<__half2*>(a.data()); };
        rms_norm_half<<<2, dim3(32, 4)>>>(pairs(d), pairs(dw), pairs(out), n / 2);
        std::vector<float> got, expected;
        for (__half v : out.to_host()) got.push_back(__half2float(v));
        for (int i = 0; i < 8 * n; ++i) {
            double squares = 0;
            for (int k = i / n * n; k < i / n * n + n; ++k) squares += in[k] * in[k];
            expected.push_back(
                static_cast<float>(in[i] / std::sqrt(squares / n + 1e-6) * weight[i % n]));
        }
        outcome.near(Array<float>(got), expected, 5e-3);
    });
    launches.add("batch_norm_channels", [](Outcome& outcome) {
        const int batch = 3, channels = 5, area = 130;
        auto x = values<float>(batch * channels * area, 30);
        Array<float> d(x), mean(channels), variance(channels);
        batch_norm_channels<<<channels, 64>>>(d, mean, variance, batch, channels, area);
        std::vector<float> m(channels), v(channels);
        for (std::size_t i = 0; i < x.size(); ++i) m[i / area % channels] += x[i] / (batch * area);
        for (std::size_t i = 0; i < x.size(); ++i) {
            float e = x[i] - m[i / area % channels];
            v[i / area % channels] += e * e / (batch * area);
        }
        outcome.near(mean, m, 1e-4);
        outcome.near(variance, v, 1e-4);
    });
}

void add_conversions(Launches& launches) {
    launches.add("quantise_rows", [](Outcome& outcome) {
        auto in = values<float>(12 * 100, 64);
        for (float& v : in) v -= 32;
        Array<float> d(in), scales(12);
        Array<signed char> out(in.size());
        quantise_rows<<<12, 32>>>(d, out, scales, 100);
        std::vector<signed char> expected;
        for (int i = 0; i < 1200; ++i) {
            float m = 0;
            for (int k = i / 100 * 100; k < i / 100 * 100 + 100; ++k)
                m = std::max(m, std::fabs(in[k]));
            expected.push_back(static_cast<signed char>(std::nearbyint(in[i] * (127.0f / m))));
        }
        outcome.equal(out, expected);
    });
    launches.add("dequantise_4bit", [](Outcome& outcome) {
        auto packed = values<unsigned>(600, 1 << 23);
        for (unsigned& v : packed) v *= 613;
        auto scales = values<float>(150, 9, 2);
        Array<unsigned> d(packed);
        Array<float> ds(scales), out(4800);
        dequantise_4bit<<<5, 128>>>(d, ds, out, 600);
        std::vector<float> expected;
        for (int i = 0; i < 4800; ++i) {
            expected.push_back((static_cast<int>(packed[i / 8] >> (i % 8 * 4) & 15) - 8) *
                               scales[i / 32]);
        }
        outcome.equal(out, expected);
    });
    launches.add("gelu_bfloat16", [](Outcome& outcome) {
        auto in = values<int>(3000, 64);
        std::vector<__nv_bfloat16> x;
        for (int v : in) x.push_back(__float2bfloat16((v - 32) / 8.0f));
        Array<__nv_bfloat16> d(x), out(x.size());
        gelu_bfloat16<<<4, 256>>>(d, out, 3000);
        std::vector<float> got, expected;
        for (auto v : out.to_host()) got.push_back(__bfloat162float(v));
        for (int v : in) {
            double y = (v - 32) / 8.0;
            expected.push_back(static_cast<float>(0.5 * y * (1 + std::erf(y * 0.70710678))));
        }
        outcome.near(Array<float>(got), expected, 1e-2);
    });
}

}  // namespace

void add_learning(Launches& launches) {
    add_norms(launches);
    add_conversions(launches);
    launches.add("attention", [](Outcome& outcome) {
        const int n = 75, dim = 16;
        auto q = values<float>(n * dim, 3), k = values<float>(n * dim, 3, 2),
             v = values<float>(n * dim, 20, 3);
        for (float& e : q) e /= 4;
        Array<float> dq(q), dk(k), dv(v), out(n * dim);
        attention<dim><<<2, 64>>>(dq, dk, dv, out, n);
        std::vector<float> scores, expected(n * dim);
        for (int i = 0; i < n * n; ++i) {
            scores.push_back(0);
            for (int d = 0; d < dim; ++d) scores[i] += q[i / n * dim + d] * k[i % n * dim + d];
        }
        scores = softmax(scores, n);
        for (int i = 0; i < n * dim; ++i) {
            for (int j = 0; j < n; ++j)
                expected[i] += scores[i / dim * n + j] * v[j * dim + i % dim];
        }
        outcome.near(out, expected, 1e-4);
    });
    launches.add("embed", [](Outcome& outcome) {
        const int n = 40, width = 100;
        auto tokens = values<int>(n, 60);
        for (int& t : tokens) t = t < 10 ? -1 : t;
        auto table = values<float>(60 * width), positions = values<float>(n * width, 30, 2);
        Array<int> dt(tokens);
        Array<float> d(table), dp(positions), out(n * width);
        embed<<<n, 64>>>(dt, d, dp, out, width);
        for (int i = 0; i < n * width; ++i) {
            int token = tokens[i / width];
            positions[i] = token < 0 ? 0 : positions[i] + table[token * width + i % width];
        }
        outcome.equal(out, positions);
    });
    launches.add("cross_entropy", [](Outcome& outcome) {
        auto logits = values<float>(9 * 210, 10);
        auto labels = values<int>(9, 210, 2);
        Array<float> d(logits), losses(9);
        Array<int> dl(labels);
        cross_entropy<<<9, 64>>>(d, dl, losses, 210);
        auto shares = softmax(logits, 210);
        std::vector<float> expected;
        for (int i = 0; i < 9; ++i) expected.push_back(-std::log(shares[i * 210 + labels[i]]));
        outcome.near(losses, expected, 1e-4);
    });
    launches.add("adam", [](Outcome& outcome) {
        auto w = values<float>(2000), g = values<float>(2000, 9, 2);
        Array<float> dw(w), dg(g), first(2000, 0), second(2000, 0);
        adam<<<8, 256>>>(dw, dg, first, second, 2000, 0.01f);
        for (int i = 0; i < 2000; ++i) w[i] -= g[i] > 0 ? 0.01f : 0.0f;
        outcome.near(dw, w, 1e-4);
    });
    launches.add("rotary", [](Outcome& outcome) {
        const int heads = 3, half = 20, n = 11;
        auto x = values<float>(2 * n * heads * half, 10);
        Array<float> d(x);
        rotary<<<n, 64>>>(reinterpret_cast<float2*>(d.data()), heads, half);
        for (int i = 0; i < n * heads * half; ++i) {
            double angle =
                i / (heads * half) * std::pow(10000.0, -static_cast<double>(i % half) / half);
            double a = x[2 * i], b = x[2 * i + 1];
            x[2 * i] = static_cast<float>(a * std::cos(angle) - b * std::sin(angle));
            x[2 * i + 1] = static_cast<float>(a * std::sin(angle) + b * std::cos(angle));
        }
        outcome.near(d, x, 1e-4);
    });
    launches.add("max_pool", [](Outcome& outcome) {
        const int w = 50, h = 30, channels = 3;
        auto in = values<float>(w * h * channels, 1000);
        Array<float> d(in), out(in.size() / 4);
        Array<unsigned char> which(in.size() / 4);
        max_pool<<<dim3(2, 4, channels), dim3(16, 4)>>>(d, out, which, w, h);
        std::vector<float> expected;
        std::vector<unsigned char> at;
        for (int i = 0; i < w / 2 * h / 2 * channels; ++i) {
            int x = i % (w / 2), y = i / (w / 2) % (h / 2), z = i / (w / 2) / (h / 2), best = 0;
            auto pick = [&](int k) { return in[(z * h + 2 * y + k / 2) * w + 2 * x + k % 2]; };
            for (int k = 1; k < 4; ++k) best = pick(k) > pick(best) ? k : best;
            expected.push_back(pick(best));
            at.push_back(static_cast<unsigned char>(best));
        }
        outcome.equal(out, expected);
        outcome.equal(which, at);
    });
}

}  // namespace ordinary

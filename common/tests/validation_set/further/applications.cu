// Small kernels of applications: pictures, simulations, finance, text, networks.
#include <cuda_fp16.h>

#include <climits>

#include "../ordinary/launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

int clamped(int i, int n) { return std::min(std::max(i, 0), n - 1); }

__global__ void box_of_25(const uchar3* __restrict__ in, uchar3* __restrict__ out, int width,
                          int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int red = 0, green = 0, blue = 0;
#pragma unroll
    for (int dy = -2; dy <= 2; ++dy) {
#pragma unroll
        for (int dx = -2; dx <= 2; ++dx) {
            int u = min(max(x + dx, 0), width - 1), v = min(max(y + dy, 0), height - 1);
            uchar3 p = in[v * width + u];
            red += p.x;
            green += p.y;
            blue += p.z;
        }
    }
    out[y * width + x] = make_uchar3(red / 25, green / 25, blue / 25);
}

__device__ void order(short& a, short& b) {
    short low = min(a, b);
    b = max(a, b);
    a = low;
}

// The median of a pixel and its four neighbours; the picture goes on at the opposite side.
__global__ void median_of_cross(const short* in, short* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
    int up = y == 0 ? height - 1 : y - 1, down = y == height - 1 ? 0 : y + 1;
    short a = in[y * width + left], b = in[y * width + right], c = in[up * width + x];
    short d = in[down * width + x], e = in[y * width + x];
    order(a, b);
    order(c, d);
    order(a, c);
    order(b, d);
    // a is the least and d the greatest of four: the median of the others is that of all five.
    order(b, c);
    order(c, e);
    order(b, c);
    out[y * width + x] = c;
}

__global__ void edges_of_shorts(const short* __restrict__ in, int* __restrict__ out, int width,
                                int height) {
    constexpr int W = 33, H = 7;
    __shared__ short tile[H + 2][W + 2];
    int x0 = blockIdx.x * W - 1, y0 = blockIdx.y * H - 1, t = threadIdx.y * W + threadIdx.x;
    for (int k = t; k < (H + 2) * (W + 2); k += W * H) {
        int u = x0 + k % (W + 2), v = y0 + k / (W + 2);
        bool is_inside = u >= 0 && u < width && v >= 0 && v < height;
        tile[k / (W + 2)][k % (W + 2)] = is_inside ? in[v * width + u] : 0;
    }
    __syncthreads();
    int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
    if (x >= width || y >= height) return;
    const short *above = &tile[threadIdx.y][threadIdx.x], *here = above + W + 2;
    const short* below = here + W + 2;
    int across = above[2] + 2 * here[2] + below[2] - above[0] - 2 * here[0] - below[0];
    int down = below[0] + 2 * below[1] + below[2] - above[0] - 2 * above[1] - above[2];
    out[y * width + x] = abs(across) + abs(down);
}

// Places in the source have 8 binary digits after the point.
__global__ void resize_bilinear(const unsigned char* in, unsigned char* out, int width, int height,
                                int out_width, int out_height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= out_width) return;
    int u = x * (width - 1) * 256 / (out_width - 1), v = y * (height - 1) * 256 / (out_height - 1);
    int fu = u % 256, fv = v % 256, u0 = u / 256, v0 = v / 256;
    int u1 = min(u0 + 1, width - 1), v1 = min(v0 + 1, height - 1);
    int top = in[v0 * width + u0] * (256 - fu) + in[v0 * width + u1] * fu;
    int bottom = in[v1 * width + u0] * (256 - fu) + in[v1 * width + u1] * fu;
    out[y * out_width + x] = (top * (256 - fv) + bottom * fv + 32768) >> 16;
}

__device__ unsigned luma(unsigned red, unsigned green, unsigned blue) {
    return (77 * (red & 255) + 150 * (green & 255) + 29 * (blue & 255)) >> 8;
}

// Four pixels of three bytes are three words.
__global__ void luma_of_words(const uint3* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint3 w = in[i];
    unsigned a = luma(w.x, w.x >> 8, w.x >> 16), b = luma(w.x >> 24, w.y, w.y >> 8);
    unsigned c = luma(w.y >> 16, w.y >> 24, w.z), d = luma(w.z >> 8, w.z >> 16, w.z >> 24);
    out[i] = a | b << 8 | c << 16 | d << 24;
}

__global__ void life_on_torus(const unsigned char* __restrict__ in, unsigned char* out, int width,
                              int height) {
    __shared__ unsigned char cells[18][20];
    for (int y = threadIdx.y; y < 18; y += 16) {
        for (int x = threadIdx.x; x < 18; x += 16) {
            int u = (blockIdx.x * 16 + x + width - 1) % width;
            int v = (blockIdx.y * 16 + y + height - 1) % height;
            cells[y][x] = in[v * width + u];
        }
    }
    __syncthreads();
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, alive = 0;
    if (x >= width || y >= height) return;
    for (int k = 0; k < 9; ++k) alive += cells[threadIdx.y + k / 3][threadIdx.x + k % 3];
    // The cell itself is among the nine.
    out[y * width + x] = alive == 3 || (alive == 4 && cells[threadIdx.y + 1][threadIdx.x + 1]);
}

__global__ void gravity_in_shared(const float4* __restrict__ bodies, float3* accelerations, int n) {
    extern __shared__ float4 near_bodies[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = i < n ? bodies[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float3 sum = {0.0f, 0.0f, 0.0f};
    for (int first = 0; first < n; first += blockDim.x) {
        int count = min(static_cast<int>(blockDim.x), n - first);
        if (threadIdx.x < count) near_bodies[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < count; ++k) {
            float4 other = near_bodies[k];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1.0f);
            float pull = other.w * inverse * inverse * inverse;
            sum.x += pull * dx;
            sum.y += pull * dy;
            sum.z += pull * dz;
        }
        __syncthreads();
    }
    if (i < n) accelerations[i] = sum;
}

struct Option {
    float spot, strike, years, volatility;
};

__device__ __noinline__ float below(float x) { return 0.5f * erfcf(x * -0.70710678f); }

__global__ void price_options(const Option* options, float2* prices, float rate, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Option o = options[i];
        float spread = o.volatility * sqrtf(o.years), discount = expf(-rate * o.years);
        float growth = (rate + 0.5f * o.volatility * o.volatility) * o.years;
        float d1 = (logf(o.spot / o.strike) + growth) / spread, d2 = d1 - spread;
        float call = o.spot * below(d1) - o.strike * discount * below(d2);
        prices[i] = make_float2(call, call - o.spot + o.strike * discount);
    }
}

// 12 binary digits after the point.
__host__ __device__ int escape_time(int a, int b, int limit) {
    int x = 0, y = 0, k = 0;
    for (; k < limit; ++k) {
        int xx = x * x >> 12, yy = y * y >> 12;
        if (xx + yy > 4 << 12) break;
        y = (x * y >> 11) + b;
        x = xx - yy + a;
    }
    return k;
}

__global__ void mandelbrot_of_integers(unsigned char* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        out[y * width + x] = escape_time(x * 64 - 9000, y * 64 - 4000, 60);
    }
}

__global__ void nearest_centres(const int3* points, const int3* centres, unsigned char* labels,
                                unsigned* sizes, int n, int count) {
    __shared__ int3 near_centres[32];
    __shared__ unsigned members[32];
    if (threadIdx.x < count) {
        near_centres[threadIdx.x] = centres[threadIdx.x];
        members[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int3 p = points[i];
        int best = 0, least = INT_MAX;
        for (int k = 0; k < count; ++k) {
            int dx = p.x - near_centres[k].x, dy = p.y - near_centres[k].y;
            int dz = p.z - near_centres[k].z, distance = dx * dx + dy * dy + dz * dz;
            if (distance < least) {
                least = distance;
                best = k;
            }
        }
        labels[i] = best;
        atomicAdd(&members[best], 1u);
    }
    __syncthreads();
    if (threadIdx.x < count) atomicAdd(&sizes[threadIdx.x], members[threadIdx.x]);
}

// From the vertices of this level to those that no level has reached, a bit for each.
__global__ void reach_from_level(const int* offsets, const int* edges, const int* levels,
                                 unsigned* reached, int level, int vertices) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices || levels[v] != level) return;
    for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
        int to = edges[e];
        if (levels[to] < 0) atomicOr(&reached[to / 32], 1u << to % 32);
    }
}

// How many first letters each word has in common with the word before.
__global__ void common_prefixes(const char* __restrict__ letters, const int* __restrict__ starts,
                                short* lengths, int words) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= words) return;
    short same = 0;
    if (w > 0) {
        int before = starts[w - 1], here = starts[w], last = starts[w + 1];
        while (before + same < here && here + same < last &&
               letters[before + same] == letters[here + same]) {
            ++same;
        }
    }
    lengths[w] = same;
}

__constant__ unsigned short crc_table[16];

// Four bits at a time.
__global__ void crc16_of_records(const unsigned char* bytes, const int2* records,
                                 unsigned short* crcs, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned crc = 0xffff;
    for (int k = 0; k < records[i].y; ++k) {
        unsigned byte = bytes[records[i].x + k];
        crc = (crc << 4 ^ crc_table[(crc >> 12 ^ byte >> 4) & 15]) & 0xffff;
        crc = (crc << 4 ^ crc_table[(crc >> 12 ^ byte) & 15]) & 0xffff;
    }
    crcs[i] = crc;
}

// A thread a row: pairs of a byte and how often it follows.
__global__ void run_lengths_of_rows(const signed char* in, char2* runs, int* counts, int rows,
                                    int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const signed char* mine = in + row * columns;
    int count = 0, length = 1;
    for (int c = 1; c <= columns; ++c) {
        if (c < columns && mine[c] == mine[c - 1]) {
            ++length;
        } else {
            runs[row * columns + count++] = make_char2(mine[c - 1], length);
            length = 1;
        }
    }
    counts[row] = count;
}

// Matrices of 5 x 5 in registers, one a thread, element k of all matrices together in memory.
__global__ void lu_of_fives(double* matrices, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double a[5][5];
#pragma unroll
    for (int k = 0; k < 25; ++k) a[k / 5][k % 5] = matrices[k * n + i];
#pragma unroll
    for (int p = 0; p < 4; ++p) {
#pragma unroll
        for (int r = p + 1; r < 5; ++r) {
            a[r][p] /= a[p][p];
#pragma unroll
            for (int c = p + 1; c < 5; ++c) a[r][c] -= a[r][p] * a[p][c];
        }
    }
#pragma unroll
    for (int k = 0; k < 25; ++k) matrices[k * n + i] = a[k / 5][k % 5];
}

// One stage over `half` butterflies next to each other.
__global__ void fft_stage(const float2* in, float2* out, const float2* __restrict__ factors, int n,
                          int half) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 2) return;
    int k = i & (half - 1), low = 2 * (i - k) + k;
    float2 a = in[low], b = in[low + half], w = factors[k * (n / 2 / half)];
    float2 t = make_float2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
    out[low] = make_float2(a.x + t.x, a.y + t.y);
    out[low + half] = make_float2(a.x - t.x, a.y - t.y);
}

__global__ void softmax_of_columns(const float* __restrict__ in, float* __restrict__ out, int rows,
                                   int columns) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= columns) return;
    float largest = in[c], sum = 0.0f;
    for (int r = 1; r < rows; ++r) largest = fmaxf(largest, in[r * columns + c]);
    for (int r = 0; r < rows; ++r) sum += expf(in[r * columns + c] - largest);
    float scale = 1.0f / sum;
#pragma unroll 2
    for (int r = 0; r < rows; ++r) {
        out[r * columns + c] = expf(in[r * columns + c] - largest) * scale;
    }
}

__device__ float sum_in_warp(float v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

// A warp a row of pairs; the second pass reads the row again.
__global__ void normalise_half_rows(const __half2* in, const float2* weights, float2* out, int rows,
                                    int pairs) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float sum = 0.0f, squares = 0.0f;
    for (int p = threadIdx.x; p < pairs; p += 32) {
        float2 v = __half22float2(in[row * pairs + p]);
        sum += v.x + v.y;
        squares += v.x * v.x + v.y * v.y;
    }
    float mean = sum_in_warp(sum) / (2 * pairs);
    float variance = sum_in_warp(squares) / (2 * pairs) - mean * mean;
    float scale = rsqrtf(variance + 1e-5f);
    for (int p = threadIdx.x; p < pairs; p += 32) {
        float2 v = __half22float2(in[row * pairs + p]), w = weights[p];
        out[row * pairs + p] = make_float2((v.x - mean) * scale * w.x, (v.y - mean) * scale * w.y);
    }
}

// Twelve threads a token copy its 48 numbers and add those of its place.
__global__ void embed_tokens(const int* __restrict__ tokens, const float4* __restrict__ table,
                             const float4* __restrict__ places, float4* __restrict__ out, int count,
                             int length) {
    int token = blockIdx.x * blockDim.y + threadIdx.y, k = threadIdx.x;
    if (token >= count) return;
    float4 a = table[tokens[token] * 12 + k], b = places[token % length * 12 + k];
    out[token * 12 + k] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// Groups of 64 have a power of two in common. Sixteen threads a group.
__global__ void quantise_groups(const float4* in, char4* out, signed char* exponents, int groups) {
    __shared__ float largest[10][16];
    int k = threadIdx.x, mine = threadIdx.y, group = blockIdx.x * 10 + mine;
    float4 v = {0.0f, 0.0f, 0.0f, 0.0f};
    if (group < groups) v = in[group * 16 + k];
    largest[mine][k] = fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)));
    __syncthreads();
    for (int d = 8; d > 0; d /= 2) {
        if (k < d) largest[mine][k] = fmaxf(largest[mine][k], largest[mine][k + d]);
        __syncthreads();
    }
    if (group >= groups) return;
    int exponent = 0;
    while (ldexpf(127.0f, exponent) < largest[mine][0]) ++exponent;
    float scale = ldexpf(1.0f, -exponent);
    out[group * 16 + k] = make_char4(__float2int_rn(v.x * scale), __float2int_rn(v.y * scale),
                                     __float2int_rn(v.z * scale), __float2int_rn(v.w * scale));
    if (k == 0) exponents[group] = exponent;
}

// The largest of 2 x 2, and at which of the four places it is.
__global__ void pool_with_places(const short* __restrict__ in, short* out, unsigned char* places,
                                 int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, channel = blockIdx.z;
    if (x >= width / 2) return;
    const short* corner = in + (channel * height + 2 * y) * width + 2 * x;
    short best = corner[0];
    int place = 0;
#pragma unroll
    for (int k = 1; k < 4; ++k) {
        short v = corner[k / 2 * width + k % 2];
        if (v > best) {
            best = v;
            place = k;
        }
    }
    int to = (channel * (height / 2) + y) * (width / 2) + x;
    out[to] = best;
    places[to] = place;
}

struct Sphere {
    float x, y, z, radius;
};

struct Hit {
    int sphere;
    float distance;
};

// Whole numbers up to the root: which sphere is hit does not depend on rounding.
__global__ void spheres_hit(const float3* directions, const Sphere* __restrict__ spheres, Hit* hits,
                            int rays, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rays) return;
    float3 d = directions[i];
    float a = d.x * d.x + d.y * d.y + d.z * d.z;
    Hit hit = {-1, 1e9f};
    for (int s = 0; s < count; ++s) {
        Sphere sphere = spheres[s];
        float b = d.x * sphere.x + d.y * sphere.y + d.z * sphere.z;
        float c = sphere.x * sphere.x + sphere.y * sphere.y + sphere.z * sphere.z -
                  sphere.radius * sphere.radius;
        float discriminant = b * b - a * c;
        if (b <= 0.0f || discriminant < 0.0f) continue;
        float distance = (b - sqrtf(discriminant)) / a;
        if (distance < hit.distance) hit = {s, distance};
    }
    hits[i] = hit;
}

}  // namespace

void add_more_applications(Launches& launches) {
    launches.add("box_of_25", [](Outcome& outcome) {
        const int width = 121, height = 90;
        auto bytes = values<unsigned char>(3 * width * height, 256, 81);
        std::vector<uchar3> in(width * height), expected(width * height);
        for (int i = 0; i < width * height; ++i) {
            in[i] = {bytes[3 * i], bytes[3 * i + 1], bytes[3 * i + 2]};
            int sums[3] = {};
            for (int k = 0; k < 25; ++k) {
                const int u = clamped(i % width + k % 5 - 2, width);
                const int v = clamped(i / width + k / 5 - 2, height);
                for (int c = 0; c < 3; ++c) sums[c] += bytes[3 * (v * width + u) + c];
            }
            for (int& sum : sums) sum /= 25;
            expected[i].x = static_cast<unsigned char>(sums[0]);
            expected[i].y = static_cast<unsigned char>(sums[1]);
            expected[i].z = static_cast<unsigned char>(sums[2]);
        }
        Array<uchar3> data(in), out(width * height);
        const dim3 block(16, 12);
        box_of_25<<<dim3(blocks_for(width, 16), blocks_for(height, 12)), block>>>(data, out, width,
                                                                                  height);
        outcome.equal(out, expected);
    });
    launches.add("median_of_cross", [](Outcome& outcome) {
        const int width = 150, height = 111;
        auto in = values<short>(width * height, 1000, 82);
        for (short& v : in) v = static_cast<short>(v - 500);
        std::vector<short> expected(width * height);
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                short five[5] = {in[y * width + x], in[y * width + (x + 1) % width],
                                 in[y * width + (x + width - 1) % width],
                                 in[(y + 1) % height * width + x],
                                 in[(y + height - 1) % height * width + x]};
                std::sort(five, five + 5);
                expected[y * width + x] = five[2];
            }
        }
        Array<short> data(in), out(width * height);
        median_of_cross<<<dim3(blocks_for(width, 64), blocks_for(height, 4)), dim3(64, 4)>>>(
            data, out, width, height);
        outcome.equal(out, expected);
    });
    launches.add("edges_of_shorts", [](Outcome& outcome) {
        const int width = 140, height = 85;
        auto in = values<short>(width * height, 4000, 83);
        auto at = [&](int x, int y) {
            return x < 0 || x >= width || y < 0 || y >= height ? 0 : in[y * width + x];
        };
        std::vector<int> expected(width * height);
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                int across = 0, down = 0;
                for (int k = -1; k <= 1; ++k) {
                    const int weight = k == 0 ? 2 : 1;
                    across += weight * (at(x + 1, y + k) - at(x - 1, y + k));
                    down += weight * (at(x + k, y + 1) - at(x + k, y - 1));
                }
                expected[y * width + x] = std::abs(across) + std::abs(down);
            }
        }
        Array<short> data(in);
        Array<int> out(width * height);
        edges_of_shorts<<<dim3(blocks_for(width, 33), blocks_for(height, 7)), dim3(33, 7)>>>(
            data, out, width, height);
        outcome.equal(out, expected);
    });
    launches.add("resize_bilinear", [](Outcome& outcome) {
        const int width = 97, height = 61, out_width = 250, out_height = 101;
        auto in = values<unsigned char>(width * height, 256, 84);
        std::vector<unsigned char> expected(out_width * out_height);
        for (int y = 0; y < out_height; ++y) {
            for (int x = 0; x < out_width; ++x) {
                const int u = x * (width - 1) * 256 / (out_width - 1);
                const int v = y * (height - 1) * 256 / (out_height - 1);
                int sum = 32768;
                for (int k = 0; k < 4; ++k) {
                    const int column = clamped(u / 256 + k % 2, width);
                    const int row = clamped(v / 256 + k / 2, height);
                    const int across = k % 2 == 0 ? 256 - u % 256 : u % 256;
                    const int down = k / 2 == 0 ? 256 - v % 256 : v % 256;
                    sum += in[row * width + column] * across * down;
                }
                expected[y * out_width + x] = static_cast<unsigned char>(sum / 65536);
            }
        }
        Array<unsigned char> data(in), out(out_width * out_height);
        resize_bilinear<<<dim3(blocks_for(out_width, 128), out_height), 128>>>(
            data, out, width, height, out_width, out_height);
        outcome.equal(out, expected);
    });
    launches.add("luma_of_words", [](Outcome& outcome) {
        const int n = 15001;
        auto bytes = values<unsigned char>(12 * n, 256, 85);
        std::vector<uint3> words(n);
        std::memcpy(words.data(), bytes.data(), bytes.size());
        std::vector<unsigned char> lumas(4 * n);
        for (int i = 0; i < 4 * n; ++i) {
            const int sum = 77 * bytes[3 * i] + 150 * bytes[3 * i + 1] + 29 * bytes[3 * i + 2];
            lumas[i] = static_cast<unsigned char>(sum / 256);
        }
        std::vector<unsigned> expected(n);
        std::memcpy(expected.data(), lumas.data(), lumas.size());
        Array<uint3> data(words);
        Array<unsigned> out(n);
        luma_of_words<<<blocks_for(n, 128), 128>>>(data, out, n);
        outcome.equal(out, expected);
    });
    launches.add("life_on_torus", [](Outcome& outcome) {
        const int width = 130, height = 100;
        auto in = values<unsigned char>(width * height, 2, 86);
        std::vector<unsigned char> expected(width * height);
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                int neighbours = 0;
                for (int k = 0; k < 9; ++k) {
                    if (k == 4) continue;
                    const int u = (x + k % 3 - 1 + width) % width;
                    const int v = (y + k / 3 - 1 + height) % height;
                    neighbours += in[v * width + u];
                }
                expected[y * width + x] =
                    neighbours == 3 || (neighbours == 2 && in[y * width + x] == 1);
            }
        }
        Array<unsigned char> data(in), out(width * height);
        life_on_torus<<<dim3(blocks_for(width, 16), blocks_for(height, 16)), dim3(16, 16)>>>(
            data, out, width, height);
        outcome.equal(out, expected);
    });
    launches.add("gravity_in_shared", [](Outcome& outcome) {
        const int n = 620;
        auto places = values<float>(4 * n, 97, 87);
        std::vector<float4> bodies(n);
        for (int i = 0; i < n; ++i) {
            bodies[i] = {places[4 * i] / 8, places[4 * i + 1] / 8, places[4 * i + 2] / 8,
                         places[4 * i + 3] / 64};
        }
        std::vector<float> expected(3 * n);
        for (int i = 0; i < n; ++i) {
            double sum[3] = {};
            for (const float4& other : bodies) {
                const double d[3] = {other.x - bodies[i].x, other.y - bodies[i].y,
                                     other.z - bodies[i].z};
                const double squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1.0;
                const double pull = other.w / (squared * std::sqrt(squared));
                for (int k = 0; k < 3; ++k) sum[k] += pull * d[k];
            }
            for (int k = 0; k < 3; ++k) expected[3 * i + k] = static_cast<float>(sum[k]);
        }
        Array<float4> data(bodies);
        Array<float> out(3 * n);
        gravity_in_shared<<<blocks_for(n, 96), 96, 96 * sizeof(float4)>>>(
            data, reinterpret_cast<float3*>(out.data()), n);
        outcome.near(out, expected, 1e-3);
    });
    launches.add("price_options", [](Outcome& outcome) {
        const int n = 12003;
        const float rate = 0.03125f;
        auto numbers = values<float>(4 * n, 90, 88);
        std::vector<Option> options(n);
        std::vector<float> expected(2 * n);
        for (int i = 0; i < n; ++i) {
            Option& o = options[i];
            o.spot = 10.0f + numbers[4 * i];
            o.strike = 10.0f + numbers[4 * i + 1];
            o.years = 0.25f + numbers[4 * i + 2] / 16;
            o.volatility = 0.125f + numbers[4 * i + 3] / 256;
            const double spread = o.volatility * std::sqrt(static_cast<double>(o.years));
            const double variance = static_cast<double>(o.volatility) * o.volatility;
            const double d1 = (std::log(static_cast<double>(o.spot) / o.strike) +
                               (rate + variance / 2) * o.years) /
                              spread;
            auto normal = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
            const double present = o.strike * std::exp(-static_cast<double>(rate) * o.years);
            expected[2 * i] =
                static_cast<float>(o.spot * normal(d1) - present * normal(d1 - spread));
            expected[2 * i + 1] =
                static_cast<float>(present * normal(spread - d1) - o.spot * normal(-d1));
        }
        Array<Option> data(options);
        Array<float> out(2 * n);
        price_options<<<16, 224>>>(data, reinterpret_cast<float2*>(out.data()), rate, n);
        outcome.near(out, expected, 1e-3);
    });
    launches.add("mandelbrot_of_integers", [](Outcome& outcome) {
        const int width = 190, height = 125;
        std::vector<unsigned char> expected(width * height);
        for (int i = 0; i < width * height; ++i) {
            expected[i] = static_cast<unsigned char>(
                escape_time(i % width * 64 - 9000, i / width * 64 - 4000, 60));
        }
        Array<unsigned char> out(width * height);
        mandelbrot_of_integers<<<dim3(blocks_for(width, 32), blocks_for(height, 8)), dim3(32, 8)>>>(
            out, width, height);
        outcome.equal(out, expected);
    });
    launches.add("nearest_centres", [](Outcome& outcome) {
        const int n = 20003, count = 13;
        auto numbers = values<int>(3 * (n + count), 1000, 89);
        std::vector<int3> points(n + count);
        for (int i = 0; i < n + count; ++i) {
            points[i] = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
        }
        const std::vector<int3> centres(points.end() - count, points.end());
        points.resize(n);
        std::vector<unsigned char> expected(n);
        std::vector<unsigned> members(count, 0);
        for (int i = 0; i < n; ++i) {
            long long distances[count];
            for (int k = 0; k < count; ++k) {
                const long long x = points[i].x - centres[k].x, y = points[i].y - centres[k].y;
                const long long z = points[i].z - centres[k].z;
                distances[k] = x * x + y * y + z * z;
            }
            const auto best = std::min_element(distances, distances + count) - distances;
            expected[i] = static_cast<unsigned char>(best);
            ++members[best];
        }
        Array<int3> in(points), means(centres);
        Array<unsigned char> labels(n);
        Array<unsigned> sizes(count, 0);
        nearest_centres<<<24, 128>>>(in, means, labels, sizes, n, count);
        outcome.equal(labels, expected);
        outcome.equal(sizes, members);
    });
    launches.add("reach_from_level", [](Outcome& outcome) {
        const int vertices = 10016, level = 3;
        auto degrees = values<int>(vertices, 12, 90), draws = values<int>(vertices, 10, 91);
        std::vector<int> offsets(1, 0), levels(vertices);
        for (int v = 0; v < vertices; ++v) {
            offsets.push_back(offsets.back() + degrees[v]);
            levels[v] = draws[v] < 4 ? draws[v] : -1;
        }
        auto edges = values<int>(offsets.back(), vertices, 92);
        std::vector<unsigned> expected(vertices / 32, 0);
        for (int v = 0; v < vertices; ++v) {
            for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
                if (levels[v] == level && levels[edges[e]] == -1) {
                    expected[edges[e] / 32] |= 1u << edges[e] % 32;
                }
            }
        }
        Array<int> from(offsets), to(edges), reached_at(levels);
        Array<unsigned> reached(vertices / 32, 0);
        reach_from_level<<<blocks_for(vertices, 160), 160>>>(from, to, reached_at, reached, level,
                                                             vertices);
        outcome.equal(reached, expected);
    });
    launches.add("common_prefixes", [](Outcome& outcome) {
        const int words = 6001;
        auto lengths = values<int>(words, 14, 93);
        std::vector<std::string> dictionary(words);
        for (int w = 0; w < words; ++w) {
            for (char letter : values<char>(lengths[w] + 1, 3, 1000 + w)) {
                dictionary[w] += static_cast<char>('a' + letter);
            }
        }
        std::sort(dictionary.begin(), dictionary.end());
        std::vector<char> letters;
        std::vector<int> starts(1, 0);
        std::vector<short> expected(words, 0);
        for (int w = 0; w < words; ++w) {
            letters.insert(letters.end(), dictionary[w].begin(), dictionary[w].end());
            starts.push_back(static_cast<int>(letters.size()));
            if (w == 0) continue;
            const std::string &a = dictionary[w - 1], &b = dictionary[w];
            const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
            expected[w] = static_cast<short>(end.first - a.begin());
        }
        Array<char> text(letters);
        Array<int> first(starts);
        Array<short> out(words);
        common_prefixes<<<blocks_for(words, 128), 128>>>(text, first, out, words);
        outcome.equal(out, expected);
    });
    launches.add("crc16_of_records", [](Outcome& outcome) {
        const int n = 3001;
        auto sizes = values<int>(n, 50, 94);
        std::vector<int2> records(n);
        int total = 0;
        for (int i = 0; i < n; ++i) {
            records[i] = {total, sizes[i]};
            total += sizes[i];
        }
        auto bytes = values<unsigned char>(total, 256, 95);
        // CCITT's polynomial, bit by bit.
        auto shifted = [](unsigned crc, int bits) {
            for (int k = 0; k < bits; ++k) {
                crc = crc & 0x8000 ? (crc << 1 ^ 0x1021) & 0xffff : crc << 1;
            }
            return crc;
        };
        std::vector<unsigned short> table(16), expected(n);
        for (unsigned k = 0; k < 16; ++k) {
            table[k] = static_cast<unsigned short>(shifted(k << 12, 4));
        }
        for (int i = 0; i < n; ++i) {
            unsigned crc = 0xffff;
            for (int k = 0; k < records[i].y; ++k) {
                crc = shifted(crc ^ static_cast<unsigned>(bytes[records[i].x + k]) << 8, 8);
            }
            expected[i] = static_cast<unsigned short>(crc);
        }
        check(cudaMemcpyToSymbol(crc_table, table.data(), 32));
        Array<unsigned char> data(bytes);
        Array<int2> where(records);
        Array<unsigned short> out(n);
        crc16_of_records<<<blocks_for(n, 96), 96>>>(data, where, out, n);
        outcome.equal(out, expected);
    });
    launches.add("run_lengths_of_rows", [](Outcome& outcome) {
        const int rows = 500, columns = 75;
        auto draws = values<int>(rows * columns, 40, 96);
        std::vector<signed char> in(rows * columns, 0);
        for (int i = 1; i < rows * columns; ++i) {
            in[i] = static_cast<signed char>(draws[i] < 28 ? in[i - 1] : draws[i] - 34);
        }
        std::vector<char2> expected(rows * columns, char2{-1, -1});
        std::vector<int> used(rows, 0);
        for (int i = 0; i < rows * columns; ++i) {
            char2* row = &expected[i / columns * columns];
            int& count = used[i / columns];
            if (i % columns > 0 && in[i] == in[i - 1]) {
                ++row[count - 1].y;
            } else {
                row[count++] = char2{in[i], 1};
            }
        }
        Array<signed char> data(in);
        Array<char2> runs(rows * columns);
        Array<int> counts(rows);
        run_lengths_of_rows<<<blocks_for(rows, 64), 64>>>(data, runs, counts, rows, columns);
        outcome.equal(runs, expected);
        outcome.equal(counts, used);
    });
    launches.add("lu_of_fives", [](Outcome& outcome) {
        const int n = 2003;
        auto matrices = values<double>(25 * n, 97, 97);
        for (int i = 0; i < 25 * n; ++i) {
            const int element = i / n;
            if (element / 5 == element % 5) matrices[i] += 500.0;  // no pivots needed
        }
        std::vector<double> expected(matrices);
        for (int i = 0; i < n; ++i) {
            auto at = [&](int r, int c) -> double& { return expected[(r * 5 + c) * n + i]; };
            for (int r = 0; r < 5; ++r) {
                for (int c = 0; c < 5; ++c) {
                    for (int k = 0; k < std::min(r, c); ++k) at(r, c) -= at(r, k) * at(k, c);
                    if (c < r) at(r, c) /= at(c, c);
                }
            }
        }
        Array<double> data(matrices);
        lu_of_fives<<<blocks_for(n, 128), 128>>>(data, n);
        outcome.near(data, expected, 1e-9);
    });
    launches.add("fft_stage", [](Outcome& outcome) {
        const int n = 16384, half = 64;
        auto numbers = values<float>(2 * n, 97, 98);
        std::vector<float2> in(n), factors(n / 2);
        std::vector<float> expected(2 * n);
        for (int i = 0; i < n; ++i) in[i] = {numbers[2 * i], numbers[2 * i + 1]};
        for (int i = 0; i < n / 2; ++i) {
            const double angle = -2.0 * 3.14159265358979323846 * i / n;
            factors[i] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
        }
        for (int first = 0; first < n; first += 2 * half) {
            for (int k = 0; k < half; ++k) {
                const double angle = -3.14159265358979323846 * k / half;
                const float2 a = in[first + k], b = in[first + k + half];
                const double re = b.x * std::cos(angle) - b.y * std::sin(angle);
                const double im = b.x * std::sin(angle) + b.y * std::cos(angle);
                float* low = &expected[2 * (first + k)];
                float* high = low + 2 * half;
                low[0] = static_cast<float>(a.x + re);
                low[1] = static_cast<float>(a.y + im);
                high[0] = static_cast<float>(a.x - re);
                high[1] = static_cast<float>(a.y - im);
            }
        }
        Array<float2> data(in), twiddles(factors);
        Array<float> out(2 * n);
        fft_stage<<<n / 2 / 256, 256>>>(data, reinterpret_cast<float2*>(out.data()), twiddles, n,
                                        half);
        outcome.near(out, expected, 1e-4);
    });
    launches.add("softmax_of_columns", [](Outcome& outcome) {
        const int rows = 45, columns = 1300;
        auto in = values<float>(rows * columns, 97, 99);
        for (float& v : in) v /= 16;
        std::vector<float> expected(rows * columns);
        for (int c = 0; c < columns; ++c) {
            double sum = 0.0;
            for (int r = 0; r < rows; ++r) {
                sum += std::exp(static_cast<double>(in[r * columns + c]));
            }
            for (int r = 0; r < rows; ++r) {
                expected[r * columns + c] =
                    static_cast<float>(std::exp(static_cast<double>(in[r * columns + c])) / sum);
            }
        }
        Array<float> data(in), out(rows * columns);
        softmax_of_columns<<<blocks_for(columns, 96), 96>>>(data, out, rows, columns);
        outcome.near(out, expected, 1e-5);
    });
    launches.add("normalise_half_rows", [](Outcome& outcome) {
        const int rows = 101, pairs = 115, columns = 2 * pairs;
        auto numbers = values<float>(rows * columns, 97, 100);
        auto weights = values<float>(columns, 8, 101);
        std::vector<__half2> in(rows * pairs);
        std::vector<float2> scales(pairs);
        for (int i = 0; i < rows * pairs; ++i) {
            in[i] = __floats2half2_rn(numbers[2 * i] / 16, numbers[2 * i + 1] / 16);
        }
        for (int p = 0; p < pairs; ++p) scales[p] = {weights[2 * p], weights[2 * p + 1]};
        std::vector<float> expected(rows * columns);
        for (int r = 0; r < rows; ++r) {
            double mean = 0.0, variance = 0.0;
            for (int c = 0; c < columns; ++c) mean += numbers[r * columns + c] / 16.0 / columns;
            for (int c = 0; c < columns; ++c) {
                const double off = numbers[r * columns + c] / 16.0 - mean;
                variance += off * off / columns;
            }
            for (int c = 0; c < columns; ++c) {
                const double off = numbers[r * columns + c] / 16.0 - mean;
                expected[r * columns + c] =
                    static_cast<float>(off / std::sqrt(variance + 1e-5) * weights[c]);
            }
        }
        Array<__half2> data(in);
        Array<float2> factors(scales);
        Array<float> out(rows * columns);
        normalise_half_rows<<<blocks_for(rows, 5), dim3(32, 5)>>>(
            data, factors, reinterpret_cast<float2*>(out.data()), rows, pairs);
        outcome.near(out, expected, 1e-4);
    });
    launches.add("embed_tokens", [](Outcome& outcome) {
        const int count = 1003, length = 40, vocabulary = 800, width = 48;
        auto tokens = values<int>(count, vocabulary, 102);
        auto table = values<float>(vocabulary * width, 5000, 103);
        auto places = values<float>(length * width, 300, 104);
        std::vector<float> expected(count * width);
        for (int i = 0; i < count * width; ++i) {
            const int token = i / width, k = i % width;
            expected[i] = table[tokens[token] * width + k] + places[token % length * width + k];
        }
        Array<int> ids(tokens);
        Array<float> rows(table), additions(places), out(count * width);
        embed_tokens<<<blocks_for(count, 15), dim3(12, 15)>>>(
            ids, reinterpret_cast<const float4*>(rows.data()),
            reinterpret_cast<const float4*>(additions.data()),
            reinterpret_cast<float4*>(out.data()), count, length);
        outcome.equal(out, expected);
    });
    launches.add("quantise_groups", [](Outcome& outcome) {
        const int groups = 403;
        auto in = values<float>(groups * 64, 30000, 105);
        std::vector<signed char> expected(groups * 64), powers(groups);
        for (int g = 0; g < groups; ++g) {
            float largest = 0.0f;
            for (int i = g * 64; i < g * 64 + 64; ++i) {
                in[i] = (in[i] - 15000.0f) / static_cast<float>(1 << g % 8);
                largest = std::max(largest, std::fabs(in[i]));
            }
            int power = 0;
            while (127.0f * static_cast<float>(1 << power) < largest) ++power;
            powers[g] = static_cast<signed char>(power);
            for (int i = g * 64; i < g * 64 + 64; ++i) {
                const float scaled = in[i] / static_cast<float>(1 << power);
                expected[i] = static_cast<signed char>(std::nearbyint(scaled));
            }
        }
        Array<float> data(in);
        Array<signed char> out(groups * 64), exponents(groups);
        quantise_groups<<<blocks_for(groups, 10), dim3(16, 10)>>>(
            reinterpret_cast<const float4*>(data.data()), reinterpret_cast<char4*>(out.data()),
            exponents, groups);
        outcome.equal(out, expected);
        outcome.equal(exponents, powers);
    });
    launches.add("pool_with_places", [](Outcome& outcome) {
        const int channels = 6, width = 95, height = 51, half = width / 2, low = height / 2;
        auto in = values<short>(channels * width * height, 200, 106);
        std::vector<short> largest(channels * half * low);
        std::vector<unsigned char> where(channels * half * low);
        for (int i = 0; i < channels * half * low; ++i) {
            const int x = i % half * 2, y = i / half % low * 2, channel = i / (half * low);
            const int corner = (channel * height + y) * width + x;
            const short four[4] = {in[corner], in[corner + 1], in[corner + width],
                                   in[corner + width + 1]};
            const short* best = std::max_element(four, four + 4);
            largest[i] = *best;
            where[i] = static_cast<unsigned char>(best - four);
        }
        Array<short> data(in), out(channels * half * low);
        Array<unsigned char> places(channels * half * low);
        pool_with_places<<<dim3(1, low, channels), 64>>>(data, out, places, width, height);
        outcome.equal(out, largest);
        outcome.equal(places, where);
    });
    launches.add("spheres_hit", [](Outcome& outcome) {
        const int rays = 6001, count = 40;
        auto numbers = values<float>(3 * rays, 21, 107), places = values<float>(4 * count, 41, 108);
        std::vector<float3> directions(rays);
        std::vector<Sphere> spheres(count);
        for (int i = 0; i < rays; ++i) {
            directions[i] = {numbers[3 * i] - 10, numbers[3 * i + 1] - 10, numbers[3 * i + 2] + 1};
        }
        // No sphere contains the eye.
        for (int s = 0; s < count; ++s) {
            spheres[s] = {places[4 * s] - 20, places[4 * s + 1] - 20,
                          static_cast<float>(20 + 3 * s), 2 + places[4 * s + 3] / 4};
            spheres[s].radius = std::floor(spheres[s].radius);
        }
        std::vector<int> which(rays, -1);
        std::vector<float> distances(rays, 1e9f);
        for (int i = 0; i < rays; ++i) {
            const double x = directions[i].x, y = directions[i].y, z = directions[i].z;
            const double a = x * x + y * y + z * z;
            for (int s = 0; s < count; ++s) {
                const double sx = spheres[s].x, sy = spheres[s].y, sz = spheres[s].z;
                const double r = spheres[s].radius, b = x * sx + y * sy + z * sz;
                const double discriminant = b * b - a * (sx * sx + sy * sy + sz * sz - r * r);
                if (b <= 0.0 || discriminant < 0.0) continue;
                const auto t = static_cast<float>((b - std::sqrt(discriminant)) / a);
                if (t < distances[i]) {
                    distances[i] = t;
                    which[i] = s;
                }
            }
        }
        Array<float3> data(directions);
        Array<Sphere> scene(spheres);
        Array<Hit> hits(rays);
        spheres_hit<<<blocks_for(rays, 128), 128>>>(data, scene, hits, rays, count);
        std::vector<int> found;
        std::vector<float> lengths;
        for (const Hit& hit : hits.to_host()) {
            found.push_back(hit.sphere);
            lengths.push_back(hit.distance);
        }
        outcome.equal(Array<int>(found), which);
        outcome.near(Array<float>(lengths), distances, 1e-3);
    });
}

}  // namespace ordinary

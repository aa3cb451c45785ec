// Pictures: filters, colours, resampling, textures, features.
#include "../ordinary/launches.hpp"
#include "device_functions.cuh"
#include "themes.hpp"

namespace ordinary {
namespace {

// One block a picture: rows by warps, then columns by threads.
__global__ void integral_image(const unsigned char* in, unsigned* out, int w, int h) {
    extern __shared__ unsigned sums[];
    const unsigned char* picture = in + blockIdx.x * w * h;
    int lane = threadIdx.x % 32;
    for (int y = threadIdx.x / 32; y < h; y += blockDim.x / 32) {
        unsigned carry = 0;
        for (int base = 0; base < w; base += 32) {
            int x = base + lane;
            unsigned v = x < w ? picture[y * w + x] : 0;
            for (int d = 1; d < 32; d *= 2) {
                unsigned other = __shfl_up_sync(0xffffffffu, v, d);
                if (lane >= d) v += other;
            }
            if (x < w) sums[y * w + x] = carry + v;
            carry += __shfl_sync(0xffffffffu, v, 31);
        }
    }
    __syncthreads();
    for (int x = threadIdx.x; x < w; x += blockDim.x) {
        unsigned sum = 0;
        for (int y = 0; y < h; ++y) {
            sum += sums[y * w + x];
            out[(blockIdx.x * h + y) * w + x] = sum;
        }
    }
}

__global__ void sobel_of_texture(cudaTextureObject_t picture, unsigned short* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int v[3][3];
    for (int dy = 0; dy < 3; ++dy) {
        for (int dx = 0; dx < 3; ++dx) {
            v[dy][dx] = tex2D<unsigned char>(picture, x + dx - 0.5f, y + dy - 0.5f);
        }
    }
    int gx = v[0][2] + 2 * v[1][2] + v[2][2] - v[0][0] - 2 * v[1][0] - v[2][0];
    int gy = v[2][0] + 2 * v[2][1] + v[2][2] - v[0][0] - 2 * v[0][1] - v[0][2];
    out[y * w + x] = static_cast<unsigned short>(abs(gx) + abs(gy));
}

// Half of a selection sort in registers.
__global__ void median_5x5(const unsigned char* in, unsigned char* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int v[25];
#pragma unroll
    for (int k = 0; k < 25; ++k) {
        int u = min(max(x + k % 5 - 2, 0), w - 1), t = min(max(y + k / 5 - 2, 0), h - 1);
        v[k] = in[t * w + u];
    }
#pragma unroll
    for (int i = 0; i < 13; ++i) {
#pragma unroll
        for (int j = i + 1; j < 25; ++j) {
            int low = min(v[i], v[j]);
            v[j] = max(v[i], v[j]);
            v[i] = low;
        }
    }
    out[y * w + x] = static_cast<unsigned char>(v[12]);
}

struct Quadrant {
    int sum, variance;
};

// Of 3 x 3 pixels with this corner; the variance times 81.
__host__ __device__ Quadrant quadrant_at(const unsigned char* in, int left, int top, int w) {
    int sum = 0, squares = 0;
    for (int y = top; y < top + 3; ++y) {
        for (int x = left; x < left + 3; ++x) {
            int v = in[y * w + x];
            sum += v;
            squares += v * v;
        }
    }
    return {sum, 9 * squares - sum * sum};
}

// The mean of the calmest of four quadrants.
__global__ void kuwahara(const unsigned char* in, unsigned char* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 2 || y < 2 || x >= w - 2 || y >= h - 2) return;
    Quadrant best = quadrant_at(in, x - 2, y - 2, w);
    for (int q = 1; q < 4; ++q) {
        Quadrant other = quadrant_at(in, q % 2 ? x : x - 2, q / 2 ? y : y - 2, w);
        if (other.variance < best.variance) best = other;
    }
    out[y * w + x] = static_cast<unsigned char>(best.sum / 9);
}

__device__ float cubic(float before, float a, float b, float after, float t) {
    float c1 = 0.5f * (b - before), c2 = before - 2.5f * a + 2.0f * b - 0.5f * after;
    float c3 = 0.5f * (after - before) + 1.5f * (a - b);
    return a + t * (c1 + t * (c2 + t * c3));
}

__global__ void resize_bicubic(const float* in, float* out, int w, int h, int to_w, int to_h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= to_w || y >= to_h) return;
    float fx = static_cast<float>(x) * (w - 1) / (to_w - 1);
    float fy = static_cast<float>(y) * (h - 1) / (to_h - 1);
    int x0 = static_cast<int>(floorf(fx)), y0 = static_cast<int>(floorf(fy));
    float rows[4];
    for (int r = 0; r < 4; ++r) {
        const float* row = in + min(max(y0 + r - 1, 0), h - 1) * w;
        float v[4];
        for (int c = 0; c < 4; ++c) v[c] = row[min(max(x0 + c - 1, 0), w - 1)];
        rows[r] = cubic(v[0], v[1], v[2], v[3], fx - x0);
    }
    out[y * to_w + x] = cubic(rows[0], rows[1], rows[2], rows[3], fy - y0);
}

__global__ void half_the_size(const uchar4* in, uchar4* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w / 2 || y >= h / 2) return;
    uchar4 a = in[2 * y * w + 2 * x], b = in[2 * y * w + 2 * x + 1],
           c = in[(2 * y + 1) * w + 2 * x], d = in[(2 * y + 1) * w + 2 * x + 1];
    out[y * (w / 2) + x] =
        make_uchar4((a.x + b.x + c.x + d.x + 2) / 4, (a.y + b.y + c.y + d.y + 2) / 4,
                    (a.z + b.z + c.z + d.z + 2) / 4, (a.w + b.w + c.w + d.w + 2) / 4);
}

__global__ void rgb_to_hsv(const uchar3* in, float3* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar3 p = in[i];
    int high = max(p.x, max(p.y, p.z)), low = min(p.x, min(p.y, p.z)), range = high - low;
    float3 hsv = make_float3(0.0f, 0.0f, high / 255.0f);
    if (range > 0) {
        hsv.y = static_cast<float>(range) / high;
        float sector;
        if (high == p.x) {
            sector = static_cast<float>(p.y - p.z) / range;
            if (sector < 0.0f) sector += 6.0f;
        } else if (high == p.y) {
            sector = 2.0f + static_cast<float>(p.z - p.x) / range;
        } else {
            sector = 4.0f + static_cast<float>(p.x - p.y) / range;
        }
        hsv.x = 60.0f * sector;
    }
    out[i] = hsv;
}

__host__ __device__ unsigned char byte_of(int v) {
    return static_cast<unsigned char>(v < 0 ? 0 : v > 255 ? 255 : v);
}

// A plane of brightness, a plane of pairs of half the size.
__global__ void nv12_to_rgba(const unsigned char* luma, const uchar2* chroma, uchar4* out, int w,
                             int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    uchar2 uv = chroma[y / 2 * (w / 2) + x / 2];
    int c = 298 * (luma[y * w + x] - 16) + 128, d = uv.x - 128, e = uv.y - 128;
    out[y * w + x] = make_uchar4(byte_of((c + 409 * e) >> 8), byte_of((c - 100 * d - 208 * e) >> 8),
                                 byte_of((c + 516 * d) >> 8), 255);
}

constexpr int RADIUS = 6;
__constant__ int gaussian[2 * RADIUS + 1] = {1, 3, 8, 17, 28, 38, 42, 38, 28, 17, 8, 3, 1};

// Down the columns, a tile with its halo above and below.
__global__ void blur_columns(const unsigned char* in, unsigned short* out, int w, int h) {
    __shared__ unsigned char tile[48 + 2 * RADIUS][32];
    int x = blockIdx.x * 32 + threadIdx.x, top = blockIdx.y * 48;
    for (int r = threadIdx.y; r < 48 + 2 * RADIUS; r += blockDim.y) {
        int y = min(max(top + r - RADIUS, 0), h - 1);
        tile[r][threadIdx.x] = x < w ? in[y * w + x] : 0;
    }
    __syncthreads();
    if (x >= w) return;
    for (int r = threadIdx.y; r < 48 && top + r < h; r += blockDim.y) {
        int sum = 0;
#pragma unroll
        for (int k = 0; k <= 2 * RADIUS; ++k) sum += gaussian[k] * tile[r + k][threadIdx.x];
        out[(top + r) * w + x] = static_cast<unsigned short>(sum);
    }
}

// 32 pixels a word; what is outside counts as empty.
__global__ void erode_bits(const unsigned* in, unsigned* out, int words, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, y = i / words, x = i % words;
    if (y >= h) return;
    unsigned result = 0;
    if (y > 0 && y < h - 1) {
        result = ~0u;
        for (int r = y - 1; r <= y + 1; ++r) {
            unsigned mine = in[r * words + x];
            unsigned left = x > 0 ? in[r * words + x - 1] : 0;
            unsigned right = x < words - 1 ? in[r * words + x + 1] : 0;
            result &= mine & (mine << 1 | left >> 31) & (mine >> 1 | right << 31);
        }
    }
    out[i] = result;
}

// Errors spread to the right and down. A thread a row, each three pixels behind the one above.
__global__ void floyd_steinberg(const unsigned char* in, unsigned char* out, int w, int h) {
    extern __shared__ int pixels[];
    for (int i = threadIdx.x; i < w * h; i += blockDim.x) pixels[i] = in[blockIdx.x * w * h + i];
    int y = threadIdx.x;
    for (int step = 0; step < w + 3 * h; ++step) {
        __syncthreads();
        int x = step - 3 * y;
        if (y >= h || x < 0 || x >= w) continue;
        int old = pixels[y * w + x], now = old > 127 ? 255 : 0, error = old - now;
        out[blockIdx.x * w * h + y * w + x] = static_cast<unsigned char>(now);
        if (x + 1 < w) pixels[y * w + x + 1] += error * 7 / 16;
        if (y + 1 == h) continue;
        if (x > 0) pixels[(y + 1) * w + x - 1] += error * 3 / 16;
        pixels[(y + 1) * w + x] += error * 5 / 16;
        if (x + 1 < w) pixels[(y + 1) * w + x + 1] += error / 16;
    }
}

__host__ __device__ int mirrored(int i, int n) { return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i; }

// Red at even places, blue at odd ones, green between.
__host__ __device__ ushort3 demosaic_at(const unsigned short* raw, int x, int y, int w, int h) {
    auto at = [&](int u, int v) -> int { return raw[mirrored(v, h) * w + mirrored(u, w)]; };
    int mine = at(x, y), across = (at(x - 1, y) + at(x + 1, y)) / 2;
    int along = (at(x, y - 1) + at(x, y + 1)) / 2;
    if ((x + y) % 2 != 0) {
        int red = y % 2 ? along : across, blue = y % 2 ? across : along;
        return ushort3{static_cast<unsigned short>(red), static_cast<unsigned short>(mine),
                       static_cast<unsigned short>(blue)};
    }
    int green = (across + along) / 2;
    int corners = (at(x - 1, y - 1) + at(x + 1, y - 1) + at(x - 1, y + 1) + at(x + 1, y + 1)) / 4;
    int red = y % 2 ? corners : mine, blue = y % 2 ? mine : corners;
    return ushort3{static_cast<unsigned short>(red), static_cast<unsigned short>(green),
                   static_cast<unsigned short>(blue)};
}

__global__ void demosaic(const unsigned short* raw, ushort3* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = demosaic_at(raw, x, y, w, h);
}

__global__ void blend_rgba(const uchar4* over, uchar4* under, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 a = over[i], b = under[i];
    if (a.w == 0) return;
    if (a.w == 255) {
        under[i] = a;
        return;
    }
    int k = a.w;
    auto mix = [k](int x, int y) {
        return static_cast<unsigned char>((x * k + y * (255 - k) + 127) / 255);
    };
    under[i] = make_uchar4(mix(a.x, b.x), mix(a.y, b.y), mix(a.z, b.z), mix(255, b.w));
}

// The smallest number in each connected piece of a tile.
__global__ void label_tile(const unsigned char* in, short* labels) {
    __shared__ short buffer[2][18][34];
    int x = threadIdx.x + 1, y = threadIdx.y + 1, i = threadIdx.y * 32 + threadIdx.x, now = 0;
    for (int k = i; k < 18 * 34; k += 512) {
        buffer[0][k / 34][k % 34] = buffer[1][k / 34][k % 34] = 9999;
    }
    __syncthreads();
    bool is_set = in[blockIdx.x * 512 + i] != 0;
    short mine = static_cast<short>(is_set ? i : 9999);
    buffer[0][y][x] = mine;
    bool is_changed;
    do {
        __syncthreads();
        const auto& from = buffer[now];
        short lowest =
            min(min(from[y][x - 1], from[y][x + 1]), min(from[y - 1][x], from[y + 1][x]));
        is_changed = is_set && lowest < mine;
        if (is_changed) mine = lowest;
        now = 1 - now;
        buffer[now][y][x] = mine;
    } while (__syncthreads_or(is_changed));
    labels[blockIdx.x * 512 + i] = is_set ? mine : -1;
}

// Keeps what is not smaller than both neighbours along the gradient.
__host__ __device__ short thinned(const short2* gradient, int x, int y, int w) {
    short2 g = gradient[y * w + x];
    int ax = g.x < 0 ? -g.x : g.x, ay = g.y < 0 ? -g.y : g.y, size = ax + ay, step;
    int direction = ay * 5 < ax * 2 ? 0 : ax * 5 < ay * 2 ? 1 : (g.x < 0) == (g.y < 0) ? 2 : 3;
    switch (direction) {
        case 0:
            step = 1;
            break;
        case 1:
            step = w;
            break;
        case 2:
            step = w + 1;
            break;
        default:
            step = w - 1;
    }
    const short2 p = gradient[y * w + x - step], q = gradient[y * w + x + step];
    int before = (p.x < 0 ? -p.x : p.x) + (p.y < 0 ? -p.y : p.y);
    int after = (q.x < 0 ? -q.x : q.x) + (q.y < 0 ? -q.y : q.y);
    return static_cast<short>(size < before || size < after ? 0 : size);
}

__global__ void thin_edges(const short2* gradient, short* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    bool is_border = x == 0 || y == 0 || x == w - 1 || y == h - 1;
    out[y * w + x] = is_border ? short{0} : thinned(gradient, x, y, w);
}

__constant__ int2 turns[45];

// Votes for lines, an angle a block.
__global__ void hough(const unsigned char* edges, int* votes, int w, int h, int bins) {
    extern __shared__ int mine[];
    for (int b = threadIdx.x; b < bins; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    int2 turn = turns[blockIdx.x];
    for (int i = threadIdx.x; i < w * h; i += blockDim.x) {
        if (edges[i]) atomicAdd(&mine[((i % w * turn.x + i / w * turn.y) >> 8) + bins / 2], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x) votes[blockIdx.x * bins + b] = mine[b];
}

// The best of 81 shifts of an 8 x 8 block, by sums of absolute differences.
__global__ void match_blocks(const unsigned char* now, const unsigned char* before, int* best,
                             int w, int h) {
    __shared__ unsigned lowest;
    if (threadIdx.x == 0) lowest = ~0u;
    __syncthreads();
    int x = blockIdx.x * 8, y = blockIdx.y * 8, shift = threadIdx.x;
    int dx = shift % 9 - 4, dy = shift / 9 - 4;
    bool inside = x + dx >= 0 && x + dx + 8 <= w && y + dy >= 0 && y + dy + 8 <= h;
    if (shift < 81 && inside) {
        unsigned sum = 0;
        for (int i = 0; i < 64; ++i) {
            int a = now[(y + i / 8) * w + x + i % 8];
            int b = before[(y + dy + i / 8) * w + x + dx + i % 8];
            sum = __sad(a, b, sum);
        }
        atomicMin(&lowest, sum * 128 + shift);
    }
    __syncthreads();
    if (threadIdx.x == 0) best[blockIdx.y * gridDim.x + blockIdx.x] = lowest % 128;
}

__constant__ float cosines[8][8];

// Four blocks of 8 x 8 pixels a thread block.
__global__ void cosine_transform(const float* in, float* out, int w) {
    __shared__ float tile[8][33], rows[8][33];
    int x = threadIdx.x, y = threadIdx.y, block = x / 8 * 8;
    int at = (blockIdx.y * 8 + y) * w + blockIdx.x * 32 + x;
    tile[y][x] = in[at] - 48.0f;
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += tile[y][block + k] * cosines[x % 8][k];
    rows[y][x] = sum;
    __syncthreads();
    sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += rows[k][x] * cosines[y][k];
    out[at] = sum;
}

__global__ void perspective(cudaTextureObject_t picture, float* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float depth = 0.002f * x + 0.001f * y + 1.0f;
    float u = (0.9f * x + 0.2f * y - 3.0f) / depth, v = (-0.1f * x + 1.1f * y + 5.0f) / depth;
    out[y * w + x] = tex2D<float>(picture, u + 0.5f, v + 0.5f);
}

// Between the entries of a table of colours.
__global__ void false_colours(cudaTextureObject_t table, const float* in, float4* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<float4>(table, in[i]);
}

__global__ void brightness_of_fetched(cudaTextureObject_t pixels, float* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 p = tex1Dfetch<float4>(pixels, n - 1 - i);
        out[i] = 0.299f * p.x + 0.587f * p.y + 0.114f * p.z;
    }
}

// The picture repeats; pairs of floats in pitched memory.
__global__ void repeat_pattern(cudaTextureObject_t pattern, float2* out, int w, int h,
                               float scale) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        out[y * w + x] = tex2D<float2>(pattern, (x + 0.5f) * scale, (y + 0.5f) * scale);
    }
}

class Texture {
  public:
    Texture(const cudaResourceDesc& resource, const cudaTextureDesc& access) {
        check(cudaCreateTextureObject(&object_, &resource, &access, nullptr));
    }
    Texture(const Texture&) = delete;
    Texture& operator=(const Texture&) = delete;
    ~Texture() { cudaDestroyTextureObject(object_); }
    operator cudaTextureObject_t() const { return object_; }

  private:
    cudaTextureObject_t object_ = 0;
};

class Picture {
  public:
    template <class T>
    Picture(const std::vector<T>& pixels, int w, int h) {
        auto format = cudaCreateChannelDesc<T>();
        check(cudaMallocArray(&array_, &format, w, h));
        check(cudaMemcpy2DToArray(array_, 0, 0, pixels.data(), w * sizeof(T), w * sizeof(T),
                                  std::max(h, 1), cudaMemcpyHostToDevice));
    }
    Picture(const Picture&) = delete;
    Picture& operator=(const Picture&) = delete;
    ~Picture() { cudaFreeArray(array_); }

    cudaResourceDesc resource() const {
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array_;
        return resource;
    }

  private:
    cudaArray_t array_ = nullptr;
};

cudaTextureDesc access_of(cudaTextureFilterMode filter, cudaTextureReadMode read,
                          cudaTextureAddressMode beyond, bool is_normalised) {
    cudaTextureDesc access = {};
    access.addressMode[0] = access.addressMode[1] = beyond;
    access.filterMode = filter;
    access.readMode = read;
    access.normalizedCoords = is_normalised;
    return access;
}

void add_filters(Launches& launches) {
    launches.add("integral_image", [](Outcome& outcome) {
        const int w = 75, h = 50, pictures = 3;
        auto in = values<unsigned char>(w * h * pictures, 256);
        Array<unsigned char> d(in);
        Array<unsigned> out(in.size());
        integral_image<<<pictures, 128, w * h * sizeof(unsigned)>>>(d, out, w, h);
        std::vector<unsigned> expected(in.begin(), in.end());
        for (int i = 0; i < w * h * pictures; ++i) {
            bool is_left = i % w == 0, is_top = i / w % h == 0;
            if (!is_left) expected[i] += expected[i - 1];
            if (!is_top) expected[i] += expected[i - w];
            if (!is_left && !is_top) expected[i] -= expected[i - w - 1];
        }
        outcome.equal(out, expected);
    });
    launches.add("median_5x5", [](Outcome& outcome) {
        const int w = 61, h = 38;
        auto in = values<unsigned char>(w * h, 256);
        Array<unsigned char> d(in), out(w * h);
        median_5x5<<<dim3(4, 5), dim3(16, 8)>>>(d, out, w, h);
        std::vector<unsigned char> expected;
        for (int i = 0; i < w * h; ++i) {
            std::vector<unsigned char> v;
            for (int k = 0; k < 25; ++k) {
                int x = std::clamp(i % w + k % 5 - 2, 0, w - 1);
                v.push_back(in[std::clamp(i / w + k / 5 - 2, 0, h - 1) * w + x]);
            }
            std::sort(v.begin(), v.end());
            expected.push_back(v[12]);
        }
        outcome.equal(out, expected);
    });
    launches.add("kuwahara", [](Outcome& outcome) {
        const int w = 70, h = 41;
        auto in = values<unsigned char>(w * h, 256), expected = in;
        Array<unsigned char> d(in), out(in);
        kuwahara<<<dim3(3, 6), dim3(32, 8)>>>(d, out, w, h);
        for (int y = 2; y < h - 2; ++y) {
            for (int x = 2; x < w - 2; ++x) {
                Quadrant best = {0, 1 << 30};
                for (int q = 0; q < 4; ++q) {
                    Quadrant other =
                        quadrant_at(in.data(), x - 2 + q % 2 * 2, y - 2 + q / 2 * 2, w);
                    if (other.variance < best.variance) best = other;
                }
                expected[y * w + x] = static_cast<unsigned char>(best.sum / 9);
            }
        }
        outcome.equal(out, expected);
    });
    launches.add("blur_columns", [](Outcome& outcome) {
        const int w = 83, h = 110;
        auto in = values<unsigned char>(w * h, 256);
        Array<unsigned char> d(in);
        Array<unsigned short> out(w * h);
        blur_columns<<<dim3(3, 3), dim3(32, 6)>>>(d, out, w, h);
        const int weights[13] = {1, 3, 8, 17, 28, 38, 42, 38, 28, 17, 8, 3, 1};
        std::vector<unsigned short> expected;
        for (int i = 0; i < w * h; ++i) {
            int sum = 0;
            for (int k = 0; k < 13; ++k) {
                sum += weights[k] * in[std::clamp(i / w + k - 6, 0, h - 1) * w + i % w];
            }
            expected.push_back(static_cast<unsigned short>(sum));
        }
        outcome.equal(out, expected);
    });
    launches.add("erode_bits", [](Outcome& outcome) {
        const int words = 5, h = 90, w = words * 32;
        auto in = values<unsigned>(words * h, 1 << 23),
             more = values<unsigned>(words * h, 1 << 23, 2);
        for (int i = 0; i < words * h; ++i) in[i] = in[i] * 601 | more[i] * 599 | more[i] << 7;
        Array<unsigned> d(in), out(words * h);
        erode_bits<<<4, 128>>>(d, out, words, h);
        std::vector<unsigned> expected(words * h);
        for (int y = 1; y < h - 1; ++y) {
            for (int x = 1; x < w - 1; ++x) {
                unsigned all = 1;
                for (int k = 0; k < 9; ++k) {
                    int u = x + k % 3 - 1;
                    all &= in[(y + k / 3 - 1) * words + u / 32] >> u % 32;
                }
                expected[y * words + x / 32] |= (all & 1) << x % 32;
            }
        }
        outcome.equal(out, expected);
    });
    launches.add("floyd_steinberg", [](Outcome& outcome) {
        const int w = 70, h = 45, pictures = 2;
        auto in = values<unsigned char>(w * h * pictures, 256);
        Array<unsigned char> d(in), out(in.size());
        floyd_steinberg<<<pictures, 64, w * h * sizeof(int)>>>(d, out, w, h);
        std::vector<unsigned char> expected;
        for (int p = 0; p < pictures; ++p) {
            std::vector<int> v(in.begin() + p * w * h, in.begin() + (p + 1) * w * h);
            for (int i = 0; i < w * h; ++i) {
                int now = v[i] > 127 ? 255 : 0, error = v[i] - now;
                expected.push_back(static_cast<unsigned char>(now));
                bool is_last = i / w == h - 1;
                if (i % w < w - 1) v[i + 1] += error * 7 / 16;
                if (!is_last && i % w > 0) v[i + w - 1] += error * 3 / 16;
                if (!is_last) v[i + w] += error * 5 / 16;
                if (!is_last && i % w < w - 1) v[i + w + 1] += error / 16;
            }
        }
        outcome.equal(out, expected);
    });
    launches.add("cosine_transform", [](Outcome& outcome) {
        const int w = 96, h = 40;
        std::vector<float> table;
        for (int u = 0; u < 8; ++u) {
            for (int k = 0; k < 8; ++k) {
                double scale = u == 0 ? std::sqrt(0.125) : 0.5;
                table.push_back(
                    static_cast<float>(scale * std::cos((2 * k + 1) * u * 3.14159265358979 / 16)));
            }
        }
        check(cudaMemcpyToSymbol(cosines, table.data(), sizeof cosines));
        auto in = values<float>(w * h);
        Array<float> d(in), out(w * h);
        cosine_transform<<<dim3(3, 5), dim3(32, 8)>>>(d, out, w);
        std::vector<float> expected;
        for (int i = 0; i < w * h; ++i) {
            int left = i % w / 8 * 8, top = i / w / 8 * 8;
            double sum = 0;
            for (int k = 0; k < 64; ++k) {
                sum += (in[(top + k / 8) * w + left + k % 8] - 48.0) *
                       table[i % w % 8 * 8 + k % 8] * table[i / w % 8 * 8 + k / 8];
            }
            expected.push_back(static_cast<float>(sum));
        }
        outcome.near(out, expected, 1e-3);
    });
}

void add_colours(Launches& launches) {
    launches.add("resize_bicubic", [](Outcome& outcome) {
        const int w = 40, h = 30, to_w = 71, to_h = 47;
        auto in = values<float>(w * h);
        Array<float> d(in), out(to_w * to_h);
        resize_bicubic<<<dim3(5, 6), dim3(16, 8)>>>(d, out, w, h, to_w, to_h);
        auto weights = [](double t) {
            return std::vector<double>{((-0.5 * t + 1) * t - 0.5) * t, (1.5 * t - 2.5) * t * t + 1,
                                       ((-1.5 * t + 2) * t + 0.5) * t, (0.5 * t - 0.5) * t * t};
        };
        std::vector<float> expected;
        for (int i = 0; i < to_w * to_h; ++i) {
            double fx = i % to_w * (w - 1.0) / (to_w - 1), fy = i / to_w * (h - 1.0) / (to_h - 1);
            int x = static_cast<int>(fx), y = static_cast<int>(fy);
            auto wx = weights(fx - x), wy = weights(fy - y);
            double sum = 0;
            for (int k = 0; k < 16; ++k) {
                int u = std::clamp(x + k % 4 - 1, 0, w - 1),
                    v = std::clamp(y + k / 4 - 1, 0, h - 1);
                sum += wx[k % 4] * wy[k / 4] * in[v * w + u];
            }
            expected.push_back(static_cast<float>(sum));
        }
        outcome.near(out, expected, 2e-3);
    });
    launches.add("half_the_size", [](Outcome& outcome) {
        const int w = 130, h = 62;
        auto in = values<unsigned char>(4 * w * h, 256);
        Array<unsigned char> d(in), out(w * h);
        half_the_size<<<dim3(2, h / 2), 48>>>(reinterpret_cast<uchar4*>(d.data()),
                                              reinterpret_cast<uchar4*>(out.data()), w, h);
        std::vector<unsigned char> expected;
        for (int i = 0; i < w * h; ++i) {
            int x = i / 4 % (w / 2) * 2, y = i / 4 / (w / 2) * 2, sum = 2;
            for (int k = 0; k < 4; ++k) sum += in[((y + k / 2) * w + x + k % 2) * 4 + i % 4];
            expected.push_back(static_cast<unsigned char>(sum / 4));
        }
        outcome.equal(out, expected);
    });
    launches.add("rgb_to_hsv", [](Outcome& outcome) {
        const int n = 1100;
        auto in = values<unsigned char>(3 * n, 256);
        Array<unsigned char> d(in);
        Array<float> out(3 * n);
        rgb_to_hsv<<<9, 128>>>(reinterpret_cast<uchar3*>(d.data()),
                               reinterpret_cast<float3*>(out.data()), n);
        std::vector<float> expected;
        for (int i = 0; i < n; ++i) {
            double r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
            double high = std::max({r, g, b}), range = high - std::min({r, g, b}), hue = 0;
            if (range > 0) {
                hue = high == r   ? 60 * (g - b) / range
                      : high == g ? 120 + 60 * (b - r) / range
                                  : 240 + 60 * (r - g) / range;
            }
            if (hue < 0) hue += 360;
            expected.push_back(static_cast<float>(hue));
            expected.push_back(static_cast<float>(range > 0 ? range / high : 0));
            expected.push_back(static_cast<float>(high / 255));
        }
        outcome.near(out, expected, 1e-5);
    });
    launches.add("nv12_to_rgba", [](Outcome& outcome) {
        const int w = 90, h = 34;
        auto luma = values<unsigned char>(w * h, 256),
             chroma = values<unsigned char>(w * h / 2, 256, 2);
        Array<unsigned char> dl(luma), dc(chroma), out(4 * w * h);
        nv12_to_rgba<<<dim3(3, 9), dim3(32, 4)>>>(dl, reinterpret_cast<uchar2*>(dc.data()),
                                                  reinterpret_cast<uchar4*>(out.data()), w, h);
        std::vector<unsigned char> expected;
        for (int i = 0; i < w * h; ++i) {
            const unsigned char* uv = &chroma[2 * (i / w / 2 * (w / 2) + i % w / 2)];
            int c = 298 * (luma[i] - 16) + 128, u = uv[0] - 128, v = uv[1] - 128;
            for (int sum : {c + 409 * v, c - 100 * u - 208 * v, c + 516 * u, 255 * 256}) {
                expected.push_back(static_cast<unsigned char>(std::clamp(sum >> 8, 0, 255)));
            }
        }
        outcome.equal(out, expected);
    });
    launches.add("demosaic", [](Outcome& outcome) {
        const int w = 66, h = 42;
        auto raw = values<unsigned short>(w * h, 4096);
        Array<unsigned short> d(raw);
        Array<ushort3> out(w * h);
        demosaic<<<dim3(5, 6), dim3(16, 8)>>>(d, out, w, h);
        std::vector<ushort3> expected;
        for (int i = 0; i < w * h; ++i) {
            expected.push_back(demosaic_at(raw.data(), i % w, i / w, w, h));
        }
        outcome.equal(out, expected);
    });
    launches.add("blend_rgba", [](Outcome& outcome) {
        const int n = 1300;
        auto over = values<unsigned char>(4 * n, 256), under = values<unsigned char>(4 * n, 256, 2);
        for (int i = 0; i < n; ++i) {
            if (i % 7 == 0) over[4 * i + 3] = i % 2 ? 255 : 0;
        }
        Array<unsigned char> da(over), db(under);
        blend_rgba<<<11, 128>>>(reinterpret_cast<uchar4*>(da.data()),
                                reinterpret_cast<uchar4*>(db.data()), n);
        for (int i = 0; i < 4 * n; ++i) {
            int k = over[i / 4 * 4 + 3], top = i % 4 == 3 ? 255 : over[i];
            under[i] = static_cast<unsigned char>((top * k + under[i] * (255 - k) + 127) / 255);
        }
        outcome.equal(db, under);
    });
}

void add_features_of_pictures(Launches& launches) {
    launches.add("label_tile", [](Outcome& outcome) {
        const int tiles = 5;
        auto in = values<unsigned char>(512 * tiles, 10);
        for (unsigned char& v : in) v = v < 6;
        Array<unsigned char> d(in);
        Array<short> labels(512 * tiles);
        label_tile<<<tiles, dim3(32, 16)>>>(d, labels);
        std::vector<short> expected(512 * tiles, -1);
        for (int i = 0; i < 512 * tiles; ++i) {
            if (!in[i] || expected[i] != -1) continue;
            std::vector<int> open = {i};
            expected[i] = static_cast<short>(i % 512);
            while (!open.empty()) {
                int k = open.back(), x = k % 32, y = k % 512 / 32;
                open.pop_back();
                for (int next : {x > 0 ? k - 1 : k, x < 31 ? k + 1 : k, y > 0 ? k - 32 : k,
                                 y < 15 ? k + 32 : k}) {
                    if (!in[next] || expected[next] != -1) continue;
                    expected[next] = expected[i];
                    open.push_back(next);
                }
            }
        }
        outcome.equal(labels, expected);
    });
    launches.add("thin_edges", [](Outcome& outcome) {
        const int w = 75, h = 37;
        auto numbers = values<short>(2 * w * h, 1000);
        for (short& v : numbers) v = static_cast<short>(v - 500);
        std::vector<short2> gradient;
        for (int i = 0; i < w * h; ++i) gradient.push_back({numbers[2 * i], numbers[2 * i + 1]});
        Array<short2> d(gradient);
        Array<short> out(w * h);
        thin_edges<<<dim3(5, 5), dim3(16, 8)>>>(d, out, w, h);
        std::vector<short> expected(w * h);
        for (int y = 1; y < h - 1; ++y) {
            for (int x = 1; x < w - 1; ++x) expected[y * w + x] = thinned(gradient.data(), x, y, w);
        }
        outcome.equal(out, expected);
    });
    launches.add("hough", [](Outcome& outcome) {
        const int w = 64, h = 50, bins = 180;
        std::vector<int2> table;
        for (int a = 0; a < 45; ++a) {
            double angle = a * 3.14159265358979 / 45;
            table.push_back({static_cast<int>(std::lround(256 * std::cos(angle))),
                             static_cast<int>(std::lround(256 * std::sin(angle)))});
        }
        check(cudaMemcpyToSymbol(turns, table.data(), sizeof turns));
        auto edges = values<unsigned char>(w * h, 12);
        for (int i = 0; i < w * h; ++i) edges[i] = edges[i] == 0 || i % w == i / w;
        Array<unsigned char> d(edges);
        Array<int> votes(45 * bins);
        hough<<<45, 96, bins * sizeof(int)>>>(d, votes, w, h, bins);
        std::vector<int> expected(45 * bins);
        for (int a = 0; a < 45; ++a) {
            for (int i = 0; i < w * h; ++i) {
                int at = ((i % w * table[a].x + i / w * table[a].y) >> 8) + bins / 2;
                expected[a * bins + at] += edges[i];
            }
        }
        outcome.equal(votes, expected);
    });
    launches.add("match_blocks", [](Outcome& outcome) {
        const int w = 72, h = 48;
        auto before = values<unsigned char>(w * h, 256), now = before;
        for (int i = 0; i < w * h; ++i) {
            int x = std::min(i % w + i / w / 16, w - 1), y = std::max(i / w - 2, 0);
            now[i] = static_cast<unsigned char>(before[y * w + x] ^ (i % 11 == 0));
        }
        Array<unsigned char> db(before), dn(now);
        Array<int> best(w * h / 64);
        match_blocks<<<dim3(w / 8, h / 8), 96>>>(dn, db, best, w, h);
        std::vector<int> expected;
        for (int b = 0; b < w * h / 64; ++b) {
            int x = b % (w / 8) * 8, y = b / (w / 8) * 8, lowest = 1 << 30, shift = 0;
            for (int s = 0; s < 81; ++s) {
                int u = x + s % 9 - 4, v = y + s / 9 - 4, sum = 0;
                if (u < 0 || u + 8 > w || v < 0 || v + 8 > h) continue;
                for (int i = 0; i < 64; ++i) {
                    sum += std::abs(now[(y + i / 8) * w + x + i % 8] -
                                    before[(v + i / 8) * w + u + i % 8]);
                }
                if (sum < lowest) {
                    lowest = sum;
                    shift = s;
                }
            }
            expected.push_back(shift);
        }
        outcome.equal(best, expected);
    });
}

void add_of_textures(Launches& launches) {
    launches.add("sobel_of_texture", [](Outcome& outcome) {
        const int w = 93, h = 47;
        auto in = values<unsigned char>(w * h, 256);
        Picture picture(in, w, h);
        Texture texture(picture.resource(), access_of(cudaFilterModePoint, cudaReadModeElementType,
                                                      cudaAddressModeClamp, false));
        Array<unsigned short> out(w * h);
        sobel_of_texture<<<dim3(6, 6), dim3(16, 8)>>>(texture, out, w, h);
        std::vector<unsigned short> expected;
        for (int i = 0; i < w * h; ++i) {
            auto at = [&](int dx, int dy) -> int {
                return in[std::clamp(i / w + dy, 0, h - 1) * w + std::clamp(i % w + dx, 0, w - 1)];
            };
            int gx = 0, gy = 0;
            for (int k = -1; k <= 1; ++k) {
                gx += (k == 0 ? 2 : 1) * (at(1, k) - at(-1, k));
                gy += (k == 0 ? 2 : 1) * (at(k, 1) - at(k, -1));
            }
            expected.push_back(static_cast<unsigned short>(std::abs(gx) + std::abs(gy)));
        }
        outcome.equal(out, expected);
    });
    launches.add("perspective", [](Outcome& outcome) {
        const int w = 80, h = 60;
        std::vector<float> ramp;
        for (int i = 0; i < w * h; ++i) ramp.push_back(0.5f * (i % w) + 0.25f * (i / w));
        Picture picture(ramp, w, h);
        Texture texture(picture.resource(), access_of(cudaFilterModeLinear, cudaReadModeElementType,
                                                      cudaAddressModeClamp, false));
        Array<float> out(w * h);
        perspective<<<dim3(5, 8), dim3(16, 8)>>>(texture, out, w, h);
        std::vector<float> expected;
        for (int i = 0; i < w * h; ++i) {
            double x = i % w, y = i / w, depth = 0.002 * x + 0.001 * y + 1;
            double u = std::clamp((0.9 * x + 0.2 * y - 3) / depth, 0.0, w - 1.0);
            double v = std::clamp((-0.1 * x + 1.1 * y + 5) / depth, 0.0, h - 1.0);
            expected.push_back(static_cast<float>(0.5 * u + 0.25 * v));
        }
        // Textures weigh with eight bits after the point.
        outcome.near(out, expected, 5e-3);
    });
    launches.add("false_colours", [](Outcome& outcome) {
        const int n = 900, entries = 32;
        std::vector<float4> table;
        for (int i = 0; i < entries; ++i) {
            float t = static_cast<float>(i) / entries;
            table.push_back({t, 1.0f - t, t * t, 1.0f});
        }
        Picture picture(table, entries, 0);
        Texture texture(picture.resource(), access_of(cudaFilterModeLinear, cudaReadModeElementType,
                                                      cudaAddressModeClamp, true));
        auto in = values<float>(n, 1100);
        for (float& v : in) v = v * 0.001f - 0.05f;
        Array<float> d(in), out(4 * n);
        false_colours<<<8, 128>>>(texture, d, reinterpret_cast<float4*>(out.data()), n);
        std::vector<float> expected;
        for (float v : in) {
            double at = std::clamp(v * entries - 0.5, 0.0, entries - 1.0);
            int low = std::min(static_cast<int>(at), entries - 2);
            double t = at - low;
            const float4 a = table[low], b = table[low + 1];
            expected.push_back(static_cast<float>((1 - t) * a.x + t * b.x));
            expected.push_back(static_cast<float>((1 - t) * a.y + t * b.y));
            expected.push_back(static_cast<float>((1 - t) * a.z + t * b.z));
            expected.push_back(static_cast<float>((1 - t) * a.w + t * b.w));
        }
        outcome.near(out, expected, 1e-3);
    });
    launches.add("brightness_of_fetched", [](Outcome& outcome) {
        const int n = 1500;
        auto in = values<unsigned char>(4 * n, 256);
        Array<unsigned char> d(in);
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeLinear;
        resource.res.linear.devPtr = d.data();
        resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
        resource.res.linear.sizeInBytes = 4 * n;
        Texture texture(resource, access_of(cudaFilterModePoint, cudaReadModeNormalizedFloat,
                                            cudaAddressModeClamp, false));
        Array<float> out(n);
        brightness_of_fetched<<<4, 160>>>(texture, out, n);
        std::vector<float> expected;
        for (int i = n - 1; i >= 0; --i) {
            expected.push_back(static_cast<float>(
                (0.299 * in[4 * i] + 0.587 * in[4 * i + 1] + 0.114 * in[4 * i + 2]) / 255));
        }
        outcome.near(out, expected, 1e-6);
    });
    launches.add("repeat_pattern", [](Outcome& outcome) {
        const int w = 90, h = 50, pattern_w = 16, pattern_h = 32;
        auto pattern = values<float>(2 * pattern_w * pattern_h, 1000);
        float* pitched = nullptr;
        std::size_t pitch = 0, row = pattern_w * sizeof(float2);
        check(cudaMallocPitch(&pitched, &pitch, row, pattern_h));
        check(cudaMemcpy2D(pitched, pitch, pattern.data(), row, row, pattern_h,
                           cudaMemcpyHostToDevice));
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypePitch2D;
        resource.res.pitch2D.devPtr = pitched;
        resource.res.pitch2D.desc = cudaCreateChannelDesc<float2>();
        resource.res.pitch2D.width = pattern_w;
        resource.res.pitch2D.height = pattern_h;
        resource.res.pitch2D.pitchInBytes = pitch;
        Array<float> out(2 * w * h);
        {
            Texture texture(resource, access_of(cudaFilterModePoint, cudaReadModeElementType,
                                                cudaAddressModeWrap, true));
            repeat_pattern<<<dim3(6, 7), dim3(16, 8)>>>(
                texture, reinterpret_cast<float2*>(out.data()), w, h, 1.0f / 32);
            check(cudaDeviceSynchronize());
        }
        check(cudaFree(pitched));
        std::vector<float> expected;
        for (int i = 0; i < 2 * w * h; ++i) {
            int x = i / 2 % w % 32 / 2, y = i / 2 / w % 32;
            expected.push_back(pattern[2 * (y * pattern_w + x) + i % 2]);
        }
        outcome.equal(out, expected);
    });
}

}  // namespace

void add_pictures(Launches& launches) {
    add_filters(launches);
    add_colours(launches);
    add_features_of_pictures(launches);
    add_of_textures(launches);
}

}  // namespace ordinary

// Filters of images, convolutions, stencils and grids.
#include "../ordinary/launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

constexpr int W = 150, H = 90;

__host__ __device__ int clamped(int v, int limit) { return v < 0 ? 0 : v >= limit ? limit - 1 : v; }

__global__ void sobel_shared(const unsigned char* in, short* out, int w, int h) {
    __shared__ unsigned char tile[18][34];
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 18 * 34; i += 32 * 16) {
        int ty = i / 34, tx = i % 34;
        tile[ty][tx] = in[clamped(y0 + ty - 1, h) * w + clamped(x0 + tx - 1, w)];
    }
    __syncthreads();
    int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x >= w || y >= h) return;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int gx = tile[ty - 1][tx + 1] + 2 * tile[ty][tx + 1] + tile[ty + 1][tx + 1] -
             tile[ty - 1][tx - 1] - 2 * tile[ty][tx - 1] - tile[ty + 1][tx - 1];
    int gy = tile[ty + 1][tx - 1] + 2 * tile[ty + 1][tx] + tile[ty + 1][tx + 1] -
             tile[ty - 1][tx - 1] - 2 * tile[ty - 1][tx] - tile[ty - 1][tx + 1];
    out[y * w + x] = static_cast<short>(abs(gx) + abs(gy));
}

__global__ void bilateral(const float* in, float* out, int w, int h, float range) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float centre = in[y * w + x], sum = 0.0f, weights = 0.0f;
    for (int dy = -2; dy <= 2; ++dy) {
        for (int dx = -2; dx <= 2; ++dx) {
            int px = x + dx, py = y + dy;
            if (px < 0 || px >= w || py < 0 || py >= h) continue;
            float v = in[py * w + px], d = v - centre;
            float weight = expf(-(dx * dx + dy * dy) * 0.25f - d * d * range);
            sum += weight * v;
            weights += weight;
        }
    }
    out[y * w + x] = sum / weights;
}

// A sliding sum down a column a thread.
__global__ void box_columns(const unsigned short* in, unsigned* out, int w, int h, int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    unsigned sum = 0;
    for (int y = 0; y < radius; ++y) sum += in[y * w + x];
    for (int y = 0; y < h; ++y) {
        if (y + radius < h) sum += in[(y + radius) * w + x];
        if (y - radius - 1 >= 0) sum -= in[(y - radius - 1) * w + x];
        out[y * w + x] = sum;
    }
}

__host__ __device__ uchar3 to_yuv(uchar3 p) {
    int y = (66 * p.x + 129 * p.y + 25 * p.z + 128) >> 8;
    int u = (-38 * p.x - 74 * p.y + 112 * p.z + 128) >> 8;
    int v = (112 * p.x - 94 * p.y - 18 * p.z + 128) >> 8;
    return {static_cast<unsigned char>(y + 16), static_cast<unsigned char>(u + 128),
            static_cast<unsigned char>(v + 128)};
}

__global__ void rgb_to_yuv(const uchar3* in, uchar3* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = to_yuv(in[i]);
}

__host__ __device__ void order(int& a, int& b) {
    int low = a < b ? a : b;
    b = a < b ? b : a;
    a = low;
}

__host__ __device__ int median_of_nine(int* p) {
    const int network[19][2] = {{1, 2}, {4, 5}, {7, 8}, {0, 1}, {3, 4}, {6, 7}, {1, 2},
                                {4, 5}, {7, 8}, {0, 3}, {5, 8}, {4, 7}, {3, 6}, {1, 4},
                                {2, 5}, {4, 7}, {4, 2}, {6, 4}, {4, 2}};
#pragma unroll
    for (int i = 0; i < 19; ++i) order(p[network[i][0]], p[network[i][1]]);
    return p[4];
}

__global__ void median_3x3(const unsigned char* in, unsigned char* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    int p[9];
#pragma unroll
    for (int i = 0; i < 9; ++i) p[i] = in[(y + i / 3 - 1) * w + x + i % 3 - 1];
    out[y * w + x] = static_cast<unsigned char>(median_of_nine(p));
}

// Seven points, marching along z: the plane in shared memory, the neighbours above and below in registers.
__global__ void seven_points(const float* in, float* out, int nx, int ny, int nz) {
    __shared__ float plane[10][18];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, layer = nx * ny, at = y * nx + x;
    bool inside = x > 0 && y > 0 && x < nx - 1 && y < ny - 1;
    float below = in[at], here = in[at + layer];
    for (int z = 1; z < nz - 1; ++z) {
        float above = in[at + (z + 1) * layer];
        plane[ty][tx] = here;
        if (threadIdx.x == 0 && x > 0) plane[ty][0] = in[at + z * layer - 1];
        if (threadIdx.x == 15 && x < nx - 1) plane[ty][17] = in[at + z * layer + 1];
        if (threadIdx.y == 0 && y > 0) plane[0][tx] = in[at + z * layer - nx];
        if (threadIdx.y == 7 && y < ny - 1) plane[9][tx] = in[at + z * layer + nx];
        __syncthreads();
        if (inside) {
            out[at + z * layer] = below + above + plane[ty][tx - 1] + plane[ty][tx + 1] +
                                  plane[ty - 1][tx] + plane[ty + 1][tx] - 6.0f * here;
        }
        __syncthreads();
        below = here;
        here = above;
    }
}

__global__ void red_black(double* grid, int w, int h, int colour) {
    int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1,
        y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    x += (y + colour) & 1;
    if (x >= w - 1 || y >= h - 1) return;
    grid[y * w + x] = 0.25 * (grid[y * w + x - 1] + grid[y * w + x + 1] + grid[(y - 1) * w + x] +
                              grid[(y + 1) * w + x]);
}

// Sixty-four cells a word.
__global__ void life_of_bits(const unsigned long long* in, unsigned long long* out, int words,
                             int rows) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, y = i / words, c = i % words;
    if (y >= rows) return;
    unsigned long long s0 = 0, s1 = 0, s2 = 0, alive = in[i];
    for (int dy = -1; dy <= 1; ++dy) {
        const unsigned long long* row = in + (y + dy + rows) % rows * words;
        unsigned long long m = row[c], l = row[(c + words - 1) % words], r = row[(c + 1) % words];
        unsigned long long planes[3] = {m << 1 | l >> 63, m >> 1 | r << 63, dy ? m : 0};
        for (unsigned long long p : planes) {
            unsigned long long carry0 = s0 & p, carry1 = s1 & carry0;
            s0 ^= p;
            s1 ^= carry0;
            s2 |= carry1;
        }
    }
    out[i] = s1 & ~s2 & (s0 | alive);
}

__constant__ float kernel_5x5[25];

// Three channels, a filter in constant memory, a tile with its halo in dynamic shared memory.
__global__ void convolve_rgba(const float4* in, float4* out, int w, int h) {
    extern __shared__ float4 pixels[];
    int side = blockDim.x + 4;
    for (int ty = threadIdx.y; ty < blockDim.y + 4; ty += blockDim.y) {
        for (int tx = threadIdx.x; tx < side; tx += blockDim.x) {
            int x = clamped(blockIdx.x * blockDim.x + tx - 2, w),
                y = clamped(blockIdx.y * blockDim.y + ty - 2, h);
            pixels[ty * side + tx] = in[y * w + x];
        }
    }
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float3 sum = make_float3(0, 0, 0);
    for (int j = 0; j < 5; ++j) {
        for (int i = 0; i < 5; ++i) {
            float4 p = pixels[(threadIdx.y + j) * side + threadIdx.x + i];
            float k = kernel_5x5[j * 5 + i];
            sum.x += k * p.x;
            sum.y += k * p.y;
            sum.z += k * p.z;
        }
    }
    out[y * w + x] = make_float4(sum.x, sum.y, sum.z, 1.0f);
}

// The block's prefix sums of a row: a thread sums its part, then warps scan.
__global__ void integral_rows(const unsigned char* in, unsigned* out, int w) {
    __shared__ unsigned warps[4];
    int part = (w + blockDim.x - 1) / blockDim.x, first = threadIdx.x * part,
        last = min(first + part, w);
    const unsigned char* row = in + blockIdx.x * w;
    unsigned sum = 0;
    for (int x = first; x < last; ++x) sum += row[x];
    unsigned scan = sum;
    for (int d = 1; d < 32; d <<= 1) {
        unsigned v = __shfl_up_sync(~0u, scan, d);
        if ((threadIdx.x & 31) >= d) scan += v;
    }
    if ((threadIdx.x & 31) == 31) warps[threadIdx.x >> 5] = scan;
    __syncthreads();
    unsigned before = scan - sum;
    for (int i = 0; i < threadIdx.x >> 5; ++i) before += warps[i];
    for (int x = first; x < last; ++x) out[blockIdx.x * w + x] = before += row[x];
}

__global__ void equalise(const unsigned char* in, unsigned char* out, const unsigned* histogram,
                         int n) {
    __shared__ unsigned table[256];
    table[threadIdx.x] = histogram[threadIdx.x];
    for (int d = 1; d < 256; d *= 2) {
        __syncthreads();
        unsigned v = threadIdx.x >= d ? table[threadIdx.x - d] : 0;
        __syncthreads();
        table[threadIdx.x] += v;
    }
    __syncthreads();
    uchar4* to = reinterpret_cast<uchar4*>(out);
    const uchar4* from = reinterpret_cast<const uchar4*>(in);
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n / 4; i += gridDim.x * 256) {
        uchar4 p = from[i];
        p.x = table[p.x] * 255ull / n;
        p.y = table[p.y] * 255ull / n;
        p.z = table[p.z] * 255ull / n;
        p.w = table[p.w] * 255ull / n;
        to[i] = p;
    }
}

template <class T>
std::vector<T> image(unsigned limit = 256) {
    return values<T>(W * H, limit);
}

const dim3 BLOCK(16, 8), GRID((W + 15) / 16, (H + 7) / 8);

void add_grids_of_cells(Launches& launches) {
    launches.add("seven_points", [](Outcome& outcome) {
        const int nx = 48, ny = 24, nz = 12;
        auto in = values<float>(nx * ny * nz);
        Array<float> d(in), out(std::vector<float>(in.size()));
        seven_points<<<dim3(3, 3), BLOCK>>>(d, out, nx, ny, nz);
        std::vector<float> expected(in.size());
        for (int i = 0; i < nx * ny * nz; ++i) {
            int x = i % nx, y = i / nx % ny, z = i / nx / ny;
            if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) continue;
            expected[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] +
                          in[i + nx * ny] - 6 * in[i];
        }
        outcome.equal(out, expected);
    });
    launches.add("red_black", [](Outcome& outcome) {
        auto grid = image<double>();
        Array<double> d(grid);
        red_black<<<dim3(5, 11), BLOCK>>>(d, W, H, 1);
        for (int y = 1; y < H - 1; ++y) {
            for (int x = 1 + ((y + 1) & 1); x < W - 1; x += 2) {
                double* p = &grid[y * W + x];
                *p = 0.25 * (p[-1] + p[1] + p[-W] + p[W]);
            }
        }
        outcome.equal(d, grid);
    });
    launches.add("life_of_bits", [](Outcome& outcome) {
        const int words = 3, rows = 70, columns = 64 * words;
        auto cells = values<unsigned char>(columns * rows, 2);
        std::vector<unsigned long long> in(words * rows), expected(words * rows);
        for (int i = 0; i < columns * rows; ++i)
            in[i / 64] |= static_cast<unsigned long long>(cells[i]) << (i % 64);
        for (int i = 0; i < columns * rows; ++i) {
            int n = -cells[i], x = i % columns, y = i / columns;
            for (int k = 0; k < 9; ++k) {
                n += cells[(y + k / 3 - 1 + rows) % rows * columns +
                           (x + k % 3 - 1 + columns) % columns];
            }
            expected[i / 64] |= static_cast<unsigned long long>(n == 3 || (n == 2 && cells[i]))
                                << (i % 64);
        }
        Array<unsigned long long> d(in), out(in.size());
        life_of_bits<<<4, 64>>>(d, out, words, rows);
        outcome.equal(out, expected);
    });
}

}  // namespace

void add_images(Launches& launches) {
    launches.add("sobel_shared", [](Outcome& outcome) {
        auto in = image<unsigned char>();
        Array<unsigned char> d(in);
        Array<short> out(in.size());
        sobel_shared<<<dim3((W + 31) / 32, (H + 15) / 16), dim3(32, 16)>>>(d, out, W, H);
        std::vector<short> expected;
        for (int i = 0; i < W * H; ++i) {
            auto at = [&](int dx, int dy) {
                return in[clamped(i / W + dy, H) * W + clamped(i % W + dx, W)];
            };
            int gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
            int gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
            expected.push_back(static_cast<short>(std::abs(gx) + std::abs(gy)));
        }
        outcome.equal(out, expected);
    });
    launches.add("bilateral", [](Outcome& outcome) {
        auto in = image<float>(4);
        Array<float> d(in), out(in.size());
        bilateral<<<GRID, BLOCK>>>(d, out, W, H, 0.1f);
        std::vector<float> expected;
        for (int i = 0; i < W * H; ++i) {
            double sum = 0, weights = 0;
            for (int k = 0; k < 25; ++k) {
                int dx = k % 5 - 2, dy = k / 5 - 2, x = i % W + dx, y = i / W + dy;
                if (x < 0 || y < 0 || x >= W || y >= H) continue;
                double v = in[y * W + x], e = v - in[i],
                       weight = std::exp(-(dx * dx + dy * dy) * 0.25 - e * e * 0.1);
                sum += weight * v;
                weights += weight;
            }
            expected.push_back(static_cast<float>(sum / weights));
        }
        outcome.near(out, expected, 1e-4);
    });
    launches.add("box_columns", [](Outcome& outcome) {
        auto in = image<unsigned short>();
        Array<unsigned short> d(in);
        Array<unsigned> out(in.size());
        box_columns<<<3, 64>>>(d, out, W, H, 4);
        std::vector<unsigned> expected(in.size());
        for (int i = 0; i < W * H; ++i) {
            for (int y = i / W - 4; y <= i / W + 4; ++y)
                expected[i] += y >= 0 && y < H ? in[y * W + i % W] : 0;
        }
        outcome.equal(out, expected);
    });
    launches.add("rgb_to_yuv", [](Outcome& outcome) {
        auto bytes = values<unsigned char>(3 * 5000, 256);
        std::vector<uchar3> in, expected;
        for (int i = 0; i < 5000; ++i)
            in.push_back({bytes[3 * i], bytes[3 * i + 1], bytes[3 * i + 2]});
        for (uchar3 p : in) expected.push_back(to_yuv(p));
        Array<uchar3> d(in), out(5000);
        rgb_to_yuv<<<20, 256>>>(d, out, 5000);
        outcome.equal(out, expected);
    });
    launches.add("median_3x3", [](Outcome& outcome) {
        auto in = image<unsigned char>();
        Array<unsigned char> d(in), out(std::vector<unsigned char>(in.size()));
        median_3x3<<<GRID, BLOCK>>>(d, out, W, H);
        std::vector<unsigned char> expected(in.size());
        for (int y = 1; y < H - 1; ++y) {
            for (int x = 1; x < W - 1; ++x) {
                int p[9];
                for (int i = 0; i < 9; ++i) p[i] = in[(y + i / 3 - 1) * W + x + i % 3 - 1];
                std::sort(p, p + 9);
                expected[y * W + x] = static_cast<unsigned char>(p[4]);
            }
        }
        outcome.equal(out, expected);
    });
    launches.add("convolve_rgba", [](Outcome& outcome) {
        auto numbers = values<float>(4 * W * H, 50), filter = values<float>(25, 8, 2);
        check(cudaMemcpyToSymbol(kernel_5x5, filter.data(), sizeof kernel_5x5));
        Array<float> d(numbers), out(numbers.size());
        convolve_rgba<<<GRID, BLOCK, 20 * 12 * sizeof(float4)>>>(
            reinterpret_cast<float4*>(d.data()), reinterpret_cast<float4*>(out.data()), W, H);
        std::vector<float> expected(numbers.size());
        for (int i = 0; i < 4 * W * H; ++i) {
            int x = i / 4 % W, y = i / 4 / W;
            if (i % 4 == 3) expected[i] = 1;
            for (int k = 0; k < 25 && i % 4 < 3; ++k) {
                int from = clamped(y + k / 5 - 2, H) * W + clamped(x + k % 5 - 2, W);
                expected[i] += filter[k] * numbers[4 * from + i % 4];
            }
        }
        outcome.equal(out, expected);
    });
    launches.add("integral_rows", [](Outcome& outcome) {
        auto in = image<unsigned char>();
        Array<unsigned char> d(in);
        Array<unsigned> out(in.size());
        integral_rows<<<H, 128>>>(d, out, W);
        std::vector<unsigned> expected(in.begin(), in.end());
        for (int i = 0; i < W * H; ++i) expected[i] += i % W ? expected[i - 1] : 0;
        outcome.equal(out, expected);
    });
    launches.add("equalise", [](Outcome& outcome) {
        auto in = image<unsigned char>();
        std::vector<unsigned> histogram(256), table(256);
        for (auto p : in) ++histogram[p];
        for (int i = 0; i < 256; ++i) table[i] = histogram[i] + (i ? table[i - 1] : 0);
        Array<unsigned char> d(in), out(in.size());
        Array<unsigned> dh(histogram);
        equalise<<<6, 256>>>(d, out, dh, W * H);
        for (auto& p : in) p = static_cast<unsigned char>(table[p] * 255ull / (W * H));
        outcome.equal(out, in);
    });
    add_grids_of_cells(launches);
}

}  // namespace ordinary

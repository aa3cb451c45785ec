// Fields on grids: stencils with halos, waves, flows, automata.
#include <cooperative_groups.h>

#include "../ordinary/launches.hpp"
#include "device_functions.cuh"
#include "themes.hpp"

namespace ordinary {
namespace {

namespace cg = cooperative_groups;

// A tile with a halo of one, the border of the field stays.
template <int W, int H>
__global__ void jacobi_halo(const float* in, float* out, int w, int h) {
    __shared__ float tile[H + 2][W + 2];
    int left = blockIdx.x * W - 1, top = blockIdx.y * H - 1;
    for (int i = threadIdx.y * W + threadIdx.x; i < (W + 2) * (H + 2); i += W * H) {
        int x = left + i % (W + 2), y = top + i / (W + 2);
        bool inside = x >= 0 && x < w && y >= 0 && y < h;
        tile[i / (W + 2)][i % (W + 2)] = inside ? in[y * w + x] : 0.0f;
    }
    __syncthreads();
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = left + tx, y = top + ty;
    if (x >= w || y >= h) return;
    float v = tile[ty][tx];
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1) {
        v = 0.25f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
    }
    out[y * w + x] = v;
}

__constant__ float star[5] = {6.0f, -4.0f, 3.0f, -2.0f, 1.0f};

// 25 points of a star, through the planes with a queue in registers.
__global__ void star_of_25(const float* __restrict__ in, float* __restrict__ out, int w, int h,
                           int d) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 4,
        y = blockIdx.y * blockDim.y + threadIdx.y + 4;
    if (x >= w - 4 || y >= h - 4) return;
    int plane = w * h, at = y * w + x;
    float queue[9];
#pragma unroll
    for (int i = 0; i < 8; ++i) queue[i + 1] = in[i * plane + at];
    for (int z = 4; z < d - 4; ++z) {
#pragma unroll
        for (int i = 0; i < 8; ++i) queue[i] = queue[i + 1];
        queue[8] = in[(z + 4) * plane + at];
        const float* here = in + z * plane + at;
        float sum = star[0] * queue[4];
#pragma unroll
        for (int r = 1; r <= 4; ++r) {
            sum += star[r] *
                   (queue[4 - r] + queue[4 + r] + here[-r] + here[r] + here[-r * w] + here[r * w]);
        }
        out[z * plane + at] = sum;
    }
}

// All 27 neighbours in a wrapped volume.
__global__ void box_of_27(const int* in, int* out, int3 size) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= size.x || y >= size.y || z >= size.z) return;
    int sum = 0;
    for (int dz = -1; dz <= 1; ++dz) {
        int wz = (z + dz + size.z) % size.z;
        for (int dy = -1; dy <= 1; ++dy) {
            int wy = (y + dy + size.y) % size.y;
            for (int dx = -1; dx <= 1; ++dx) {
                sum += in[(wz * size.y + wy) * size.x + (x + dx + size.x) % size.x];
            }
        }
    }
    out[(z * size.y + y) * size.x + x] = sum;
}

struct Wave {
    float speed, damping;
    int w, h;
};

__global__ void wave_step(const float* before, const float* now, float* next, Wave wave) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= wave.w || y >= wave.h) return;
    int i = y * wave.w + x;
    if (x == 0 || y == 0 || x == wave.w - 1 || y == wave.h - 1) {
        next[i] = 0.0f;
        return;
    }
    float bend = now[i - 1] + now[i + 1] + now[i - wave.w] + now[i + wave.w] - 4.0f * now[i];
    next[i] = (2.0f - wave.damping) * now[i] - (1.0f - wave.damping) * before[i] +
              wave.speed * wave.speed * bend;
}

// Two substances that react and spread, wrapped around.
__global__ void gray_scott(const float2* in, float2* out, int w, int h, float feed, float kill) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w) return;
    int left = x > 0 ? x - 1 : w - 1, right = x < w - 1 ? x + 1 : 0;
    int up = y > 0 ? y - 1 : h - 1, down = y < h - 1 ? y + 1 : 0;
    float2 c = in[y * w + x], l = in[y * w + left], r = in[y * w + right], u = in[up * w + x],
           d = in[down * w + x];
    float bend_u = l.x + r.x + u.x + d.x - 4.0f * c.x, bend_v = l.y + r.y + u.y + d.y - 4.0f * c.y;
    float reaction = c.x * c.y * c.y;
    out[y * w + x] = make_float2(c.x + 0.16f * bend_u - reaction + feed * (1.0f - c.x),
                                 c.y + 0.08f * bend_v + reaction - (feed + kill) * c.y);
}

// Electric and magnetic field of a line, all steps in one block.
__global__ void fdtd_line(float* electric, float* magnetic, int n, int steps) {
    extern __shared__ float fields[];
    float *e = fields, *m = fields + n;
    int t = threadIdx.x;
    e[t] = electric[blockIdx.x * n + t];
    m[t] = 0.0f;
    for (int step = 0; step < steps; ++step) {
        __syncthreads();
        if (t < n - 1) m[t] += 0.5f * (e[t + 1] - e[t]);
        __syncthreads();
        if (t > 0 && t < n - 1) e[t] += 0.5f * (m[t] - m[t - 1]);
    }
    electric[blockIdx.x * n + t] = e[t];
    magnetic[blockIdx.x * n + t] = m[t];
}

// Back along the velocity, then between four neighbours.
__global__ void advect(const float* in, const float2* velocity, float* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float2 v = velocity[y * w + x];
    float fx = fminf(fmaxf(x - v.x, 0.0f), w - 1.0f), fy = fminf(fmaxf(y - v.y, 0.0f), h - 1.0f);
    int x0 = min(static_cast<int>(fx), w - 2), y0 = min(static_cast<int>(fy), h - 2);
    float tx = fx - x0, ty = fy - y0;
    const float* at = in + y0 * w + x0;
    float top = at[0] + tx * (at[1] - at[0]), bottom = at[w] + tx * (at[w + 1] - at[w]);
    out[y * w + x] = top + ty * (bottom - top);
}

// Full weighting onto a grid of half the width.
__global__ void restrict_grid(const float* fine, float* coarse, int coarse_w, int coarse_h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= coarse_w || y >= coarse_h) return;
    int w = 2 * coarse_w + 1;
    const float* at = fine + (2 * y + 1) * w + 2 * x + 1;
    float corners = at[-w - 1] + at[-w + 1] + at[w - 1] + at[w + 1];
    float edges = at[-1] + at[1] + at[-w] + at[w];
    coarse[y * coarse_w + x] = 0.25f * at[0] + 0.125f * edges + 0.0625f * corners;
}

// Between the points of the coarse grid: four cases by the parity of both coordinates.
__global__ void prolong_grid(const float* coarse, float* fine, int coarse_w, int coarse_h) {
    int w = 2 * coarse_w - 1, h = 2 * coarse_h - 1;
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w || y >= h) return;
    const float* at = coarse + y / 2 * coarse_w + x / 2;
    float v;
    switch (y % 2 * 2 + x % 2) {
        case 0:
            v = at[0];
            break;
        case 1:
            v = 0.5f * (at[0] + at[1]);
            break;
        case 2:
            v = 0.5f * (at[0] + at[coarse_w]);
            break;
        default:
            v = 0.25f * (at[0] + at[1] + at[coarse_w] + at[coarse_w + 1]);
    }
    fine[y * w + x] += v;
}

struct Water {  // 12 bytes
    float height, x, y;
};

__host__ __device__ Water flux_x(Water w) {
    float u = w.x / w.height;
    return {w.x, w.x * u + 0.5f * w.height * w.height, w.y * u};
}

__host__ __device__ Water flux_y(Water w) {
    float v = w.y / w.height;
    return {w.y, w.x * v, w.y * v + 0.5f * w.height * w.height};
}

// Lax and Friedrichs' step of shallow water, wrapped around.
__host__ __device__ Water water_after(const Water* in, int x, int y, int w, int h, float k) {
    Water l = in[y * w + (x + w - 1) % w], r = in[y * w + (x + 1) % w];
    Water u = in[(y + h - 1) % h * w + x], d = in[(y + 1) % h * w + x];
    Water fl = flux_x(l), fr = flux_x(r), fu = flux_y(u), fd = flux_y(d);
    return {0.25f * (l.height + r.height + u.height + d.height) -
                k * (fr.height - fl.height + fd.height - fu.height),
            0.25f * (l.x + r.x + u.x + d.x) - k * (fr.x - fl.x + fd.x - fu.x),
            0.25f * (l.y + r.y + u.y + d.y) - k * (fr.y - fl.y + fd.y - fu.y)};
}

__global__ void shallow_water(const Water* in, Water* out, int w, int h, float k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = water_after(in, x, y, w, h, k);
}

__constant__ int2 directions[9] = {{0, 0}, {1, 0},  {0, 1},   {-1, 0}, {0, -1},
                                   {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
__constant__ float shares[9] = {4.0f / 9,  1.0f / 9,  1.0f / 9,  1.0f / 9, 1.0f / 9,
                                1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};

// Lattice Boltzmann, nine directions: pull, then relax.
__global__ void lattice_boltzmann(const float* in, float* out, int w, int h, float rate) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float f[9], density = 0.0f, ux = 0.0f, uy = 0.0f;
#pragma unroll
    for (int q = 0; q < 9; ++q) {
        int2 e = directions[q];
        int fx = (x - e.x + w) % w, fy = (y - e.y + h) % h;
        f[q] = in[(q * h + fy) * w + fx];
        density += f[q];
        ux += f[q] * e.x;
        uy += f[q] * e.y;
    }
    ux /= density;
    uy /= density;
    float energy = 1.0f - 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int q = 0; q < 9; ++q) {
        float along = directions[q].x * ux + directions[q].y * uy;
        float rest = shares[q] * density * (energy + 3.0f * along + 4.5f * along * along);
        out[(q * h + y) * w + x] = f[q] + rate * (rest - f[q]);
    }
}

// Eight states in a circle: the next one takes over; the tile in bytes.
__global__ void cyclic_automaton(const unsigned char* in, unsigned char* out, int w, int h) {
    __shared__ unsigned char tile[18][34];
    for (int r = threadIdx.y; r < 18; r += 8) {
        int y = (blockIdx.y * 16 + r + h - 1) % h;
        for (int c = threadIdx.x; c < 34; c += 32) {
            tile[r][c] = in[y * w + (blockIdx.x * 32 + c + w - 1) % w];
        }
    }
    __syncthreads();
    int x = blockIdx.x * 32 + threadIdx.x;
    for (int r = threadIdx.y; r < 16; r += 8) {
        int y = blockIdx.y * 16 + r;
        if (x >= w || y >= h) continue;
        unsigned char mine = tile[r + 1][threadIdx.x + 1], next = (mine + 1) % 8;
        int count = 0;
        for (int k = 0; k < 9; ++k) count += tile[r + k / 3][threadIdx.x + k % 3] == next;
        out[y * w + x] = count >= 2 ? next : mine;
    }
}

// Rule 30 on a ring of bits, 32 cells a thread.
__global__ void rule_30(unsigned* cells, int words, int generations) {
    extern __shared__ unsigned ring[];
    int t = threadIdx.x, left = (t + words - 1) % words, right = (t + 1) % words;
    unsigned mine = cells[blockIdx.x * words + t];
    for (int g = 0; g < generations; ++g) {
        unsigned* now = ring + g % 2 * words;
        now[t] = mine;
        __syncthreads();
        // Bit 0 is the leftmost cell of a word.
        unsigned before = __funnelshift_l(now[left], mine, 1);
        unsigned after = __funnelshift_r(mine, now[right], 1);
        mine = before ^ (mine | after);
    }
    cells[blockIdx.x * words + t] = mine;
}

// Grains fall from piles of four or more, all steps in one launch of the whole grid.
__global__ void sandpile(int* from, int* to, int w, int h, int steps) {
    auto grid = cg::this_grid();
    for (int step = 0; step < steps; ++step) {
        for (int i = static_cast<int>(grid.thread_rank()); i < w * h;
             i += static_cast<int>(grid.size())) {
            int x = i % w, y = i / w, v = from[i] & 3;
            if (x > 0) v += from[i - 1] >> 2;
            if (x < w - 1) v += from[i + 1] >> 2;
            if (y > 0) v += from[i - w] >> 2;
            if (y < h - 1) v += from[i + w] >> 2;
            to[i] = v;
        }
        grid.sync();
        int* t = from;
        from = to;
        to = t;
    }
}

enum Cell : signed char { EMPTY, HEAD, TAIL, WIRE };

__host__ __device__ Cell wire_after(const Cell* in, int x, int y, int w, int h) {
    switch (in[y * w + x]) {
        case HEAD:
            return TAIL;
        case TAIL:
            return WIRE;
        case WIRE: {
            int heads = 0;
            for (int v = max(y - 1, 0); v <= min(y + 1, h - 1); ++v) {
                for (int u = max(x - 1, 0); u <= min(x + 1, w - 1); ++u) {
                    heads += in[v * w + u] == HEAD;
                }
            }
            return heads == 1 || heads == 2 ? HEAD : WIRE;
        }
        default:
            return EMPTY;
    }
}

__global__ void wireworld(const Cell* in, Cell* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = wire_after(in, x, y, w, h);
}

// Trees grow and burn by chance, a hash of place and time.
__host__ __device__ short forest_after(const short* in, int x, int y, int w, int h, int time) {
    short mine = in[y * w + x];
    if (mine == 2) return 0;
    unsigned chance = pcg_hash(pcg_hash(time * 7919 + y) + x);
    if (mine == 0) return chance % 100 < 3;
    bool burns = chance % 1000 == 0;
    if (x > 0 && in[y * w + x - 1] == 2) burns = true;
    if (x < w - 1 && in[y * w + x + 1] == 2) burns = true;
    if (y > 0 && in[(y - 1) * w + x] == 2) burns = true;
    if (y < h - 1 && in[(y + 1) * w + x] == 2) burns = true;
    return burns ? 2 : 1;
}

__global__ void forest_fire(const short* __restrict__ in, short* __restrict__ out, int w, int h,
                            int time) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < w * h; i += gridDim.x * blockDim.x) {
        out[i] = forest_after(in, i % w, i / w, w, h, time);
    }
}

// Four steps between two passes over memory: each shrinks what the block still knows.
template <int STEPS>
__global__ void steps_in_tile(const long long* in, long long* out, int n) {
    __shared__ long long tile[2][128];
    int width = blockDim.x - 2 * STEPS, t = threadIdx.x;
    int at = static_cast<int>(blockIdx.x) * width + t - STEPS;
    bool inside = at >= 0 && at < n;
    tile[0][t] = inside ? in[at] : 0;
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
        __syncthreads();
        if (t > s && t < static_cast<int>(blockDim.x) - 1 - s) {
            const long long* now = tile[s % 2];
            tile[(s + 1) % 2][t] = inside ? now[t - 1] + 2 * now[t] + now[t + 1] : 0;
        }
    }
    if (t >= STEPS && t < STEPS + width && inside) out[at] = tile[STEPS % 2][t];
}

// How far the next set cell of the column is: down, then up again.
__global__ void distances_in_columns(const unsigned char* in, unsigned short* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    unsigned short distance = 9999;
    for (int y = 0; y < h; ++y) {
        if (in[y * w + x]) {
            distance = 0;
        } else if (distance < 9999) {
            ++distance;
        }
        out[y * w + x] = distance;
    }
    distance = 9999;
    for (int y = h - 1; y >= 0; --y) {
        unsigned short above = out[y * w + x];
        if (above == 0) distance = 0;
        if (distance < above) out[y * w + x] = distance;
        if (distance < 9999) ++distance;
    }
}

void add_stars_and_boxes(Launches& launches) {
    launches.add("jacobi_halo", [](Outcome& outcome) {
        const int w = 133, h = 77;
        auto in = values<float>(w * h), expected = in;
        Array<float> d(in), out(w * h);
        jacobi_halo<32, 8><<<dim3(5, 10), dim3(32, 8)>>>(d, out, w, h);
        for (int y = 1; y < h - 1; ++y) {
            for (int i = y * w + 1; i < y * w + w - 1; ++i) {
                expected[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
            }
        }
        outcome.equal(out, expected);
    });
    launches.add("star_of_25", [](Outcome& outcome) {
        const int w = 70, h = 21, d = 19;
        auto in = values<float>(w * h * d);
        Array<float> field(in), out(in.size(), 0);
        star_of_25<<<dim3(2, 4), dim3(32, 4)>>>(field, out, w, h, d);
        const float weights[5] = {6, -4, 3, -2, 1};
        std::vector<float> expected(in.size());
        for (int z = 4; z < d - 4; ++z) {
            for (int y = 4; y < h - 4; ++y) {
                for (int x = 4; x < w - 4; ++x) {
                    int i = (z * h + y) * w + x;
                    expected[i] = weights[0] * in[i];
                    for (int r = 1; r <= 4; ++r) {
                        for (int step : {1, w, w * h}) {
                            expected[i] += weights[r] * (in[i - r * step] + in[i + r * step]);
                        }
                    }
                }
            }
        }
        outcome.equal(out, expected);
    });
    launches.add("box_of_27", [](Outcome& outcome) {
        const int3 size = {37, 14, 11};
        auto in = values<int>(size.x * size.y * size.z);
        Array<int> d(in), out(in.size());
        box_of_27<<<dim3(3, 4, 6), dim3(16, 4, 2)>>>(d, out, size);
        std::vector<int> expected(in.size());
        for (int i = 0; i < size.x * size.y * size.z; ++i) {
            for (int k = 0; k < 27; ++k) {
                int x = (i % size.x + k % 3 - 1 + size.x) % size.x;
                int y = (i / size.x % size.y + k / 3 % 3 - 1 + size.y) % size.y;
                int z = (i / size.x / size.y + k / 9 - 1 + size.z) % size.z;
                expected[i] += in[(z * size.y + y) * size.x + x];
            }
        }
        outcome.equal(out, expected);
    });
    launches.add("steps_in_tile", [](Outcome& outcome) {
        const int n = 3001;
        auto in = values<long long>(n, 1 << 20);
        Array<long long> d(in), out(n);
        steps_in_tile<4><<<ceil_div(n, 120), 128>>>(d, out, n);
        for (int s = 0; s < 4; ++s) {
            auto old = in;
            for (int i = 0; i < n; ++i) {
                in[i] = (i > 0 ? old[i - 1] : 0) + 2 * old[i] + (i < n - 1 ? old[i + 1] : 0);
            }
        }
        outcome.equal(out, in);
    });
    launches.add("restrict_grid", [](Outcome& outcome) {
        const int cw = 50, ch = 33, w = 2 * cw + 1;
        auto fine = values<float>(w * (2 * ch + 1));
        Array<float> d(fine), coarse(cw * ch);
        restrict_grid<<<dim3(2, 5), dim3(32, 8)>>>(d, coarse, cw, ch);
        std::vector<float> expected;
        for (int i = 0; i < cw * ch; ++i) {
            float sum = 0;
            for (int k = 0; k < 9; ++k) {
                float weight = (k / 3 == 1 ? 0.5f : 0.25f) * (k % 3 == 1 ? 0.5f : 0.25f);
                sum += weight * fine[(2 * (i / cw) + k / 3) * w + 2 * (i % cw) + k % 3];
            }
            expected.push_back(sum);
        }
        outcome.equal(coarse, expected);
    });
    launches.add("prolong_grid", [](Outcome& outcome) {
        const int cw = 41, ch = 25, w = 2 * cw - 1, h = 2 * ch - 1;
        auto coarse = values<float>(cw * ch), fine = values<float>(w * h, 50, 2);
        Array<float> dc(coarse), df(fine);
        prolong_grid<<<dim3(2, h), 64>>>(dc, df, cw, ch);
        for (int i = 0; i < w * h; ++i) {
            int x = i % w, y = i / w, right = x % 2, down = y % 2 * cw;
            const float* at = &coarse[y / 2 * cw + x / 2];
            fine[i] += 0.25f * (at[0] + at[right] + at[down] + at[down + right]);
        }
        outcome.equal(df, fine);
    });
    launches.add("distances_in_columns", [](Outcome& outcome) {
        const int w = 150, h = 60;
        auto in = values<unsigned char>(w * h, 15);
        for (unsigned char& v : in) v = v == 3;
        Array<unsigned char> d(in);
        Array<unsigned short> out(w * h);
        distances_in_columns<<<3, 64>>>(d, out, w, h);
        std::vector<unsigned short> expected;
        for (int i = 0; i < w * h; ++i) {
            int nearest = 9999;
            for (int y = 0; y < h; ++y) {
                if (in[y * w + i % w]) nearest = std::min(nearest, std::abs(y - i / w));
            }
            expected.push_back(static_cast<unsigned short>(nearest));
        }
        outcome.equal(out, expected);
    });
}

void add_flows(Launches& launches) {
    launches.add("wave_step", [](Outcome& outcome) {
        const Wave wave = {0.4f, 0.01f, 101, 67};
        const int w = wave.w, h = wave.h;
        auto before = values<float>(w * h), now = values<float>(w * h, 97, 2);
        Array<float> db(before), dn(now), next(w * h);
        wave_step<<<dim3(7, 9), dim3(16, 8)>>>(db, dn, next, wave);
        std::vector<float> expected(w * h);
        for (int y = 1; y < h - 1; ++y) {
            for (int i = y * w + 1; i < y * w + w - 1; ++i) {
                double bend = now[i - 1] + now[i + 1] + now[i - w] + now[i + w] - 4.0 * now[i];
                expected[i] = static_cast<float>(1.99 * now[i] - 0.99 * before[i] + 0.16 * bend);
            }
        }
        outcome.near(next, expected, 1e-4);
    });
    launches.add("gray_scott", [](Outcome& outcome) {
        const int w = 90, h = 41;
        auto in = values<float>(2 * w * h, 100);
        for (float& v : in) v *= 0.01f;
        Array<float> d(in), out(2 * w * h);
        gray_scott<<<dim3(2, h), 64>>>(reinterpret_cast<float2*>(d.data()),
                                       reinterpret_cast<float2*>(out.data()), w, h, 0.035f, 0.065f);
        std::vector<float> expected(2 * w * h);
        for (int i = 0; i < w * h; ++i) {
            int x = i % w, y = i / w;
            auto at = [&](int dx, int dy, int k) {
                return static_cast<double>(in[2 * ((y + dy + h) % h * w + (x + dx + w) % w) + k]);
            };
            auto bend = [&](int k) {
                return at(-1, 0, k) + at(1, 0, k) + at(0, -1, k) + at(0, 1, k) - 4 * at(0, 0, k);
            };
            double u = at(0, 0, 0), v = at(0, 0, 1), reaction = u * v * v;
            expected[2 * i] = static_cast<float>(u + 0.16 * bend(0) - reaction + 0.035 * (1 - u));
            expected[2 * i + 1] = static_cast<float>(v + 0.08 * bend(1) + reaction - 0.1 * v);
        }
        outcome.near(out, expected, 1e-5);
    });
    launches.add("fdtd_line", [](Outcome& outcome) {
        const int n = 200, lines = 3, steps = 50;
        auto electric = values<float>(n * lines, 20);
        Array<float> de(electric), dm(n * lines);
        fdtd_line<<<lines, n, 2 * n * sizeof(float)>>>(de, dm, n, steps);
        std::vector<float> magnetic(n * lines);
        for (int line = 0; line < lines; ++line) {
            float *e = &electric[line * n], *m = &magnetic[line * n];
            for (int s = 0; s < steps; ++s) {
                for (int i = 0; i < n - 1; ++i) m[i] += 0.5f * (e[i + 1] - e[i]);
                for (int i = 1; i < n - 1; ++i) e[i] += 0.5f * (m[i] - m[i - 1]);
            }
        }
        outcome.near(de, electric, 1e-3);
        outcome.near(dm, magnetic, 1e-3);
    });
    launches.add("advect", [](Outcome& outcome) {
        const int w = 77, h = 50;
        auto in = values<float>(w * h), velocity = values<float>(2 * w * h, 400, 2);
        for (float& v : velocity) v = v * 0.01f - 2.0f;
        Array<float> d(in), dv(velocity), out(w * h);
        advect<<<dim3(5, 7), dim3(16, 8)>>>(d, reinterpret_cast<float2*>(dv.data()), out, w, h);
        std::vector<float> expected;
        for (int i = 0; i < w * h; ++i) {
            double fx = std::clamp<double>(i % w - velocity[2 * i], 0.0, w - 1.0);
            double fy = std::clamp<double>(i / w - velocity[2 * i + 1], 0.0, h - 1.0);
            int x = std::min(static_cast<int>(fx), w - 2),
                y = std::min(static_cast<int>(fy), h - 2);
            double tx = fx - x, ty = fy - y;
            const float* at = &in[y * w + x];
            expected.push_back(static_cast<float>((1 - ty) * ((1 - tx) * at[0] + tx * at[1]) +
                                                  ty * ((1 - tx) * at[w] + tx * at[w + 1])));
        }
        outcome.near(out, expected, 2e-3);
    });
    launches.add("shallow_water", [](Outcome& outcome) {
        const int w = 60, h = 35;
        auto numbers = values<float>(3 * w * h, 50);
        std::vector<Water> water;
        for (int i = 0; i < w * h; ++i) {
            water.push_back({10.0f + numbers[3 * i] * 0.1f, numbers[3 * i + 1] * 0.1f,
                             numbers[3 * i + 2] * -0.1f});
        }
        Array<Water> d(water);
        Array<float> out(3 * w * h);
        shallow_water<<<dim3(4, 3), dim3(16, 16)>>>(d, reinterpret_cast<Water*>(out.data()), w, h,
                                                    0.05f);
        std::vector<float> expected;
        for (int i = 0; i < w * h; ++i) {
            Water e = water_after(water.data(), i % w, i / w, w, h, 0.05f);
            expected.insert(expected.end(), {e.height, e.x, e.y});
        }
        outcome.near(out, expected, 1e-4);
    });
    launches.add("lattice_boltzmann", [](Outcome& outcome) {
        const int w = 50, h = 30;
        auto in = values<float>(9 * w * h, 50);
        for (float& v : in) v = 0.1f + v * 0.001f;
        Array<float> d(in), out(in.size());
        lattice_boltzmann<<<dim3(2, 8), dim3(32, 4)>>>(d, out, w, h, 0.6f);
        const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
        std::vector<float> expected(in.size());
        for (int i = 0; i < w * h; ++i) {
            double f[9], density = 0, ux = 0, uy = 0;
            for (int q = 0; q < 9; ++q) {
                int x = (i % w - ex[q] + w) % w, y = (i / w - ey[q] + h) % h;
                f[q] = in[(q * h + y) * w + x];
                density += f[q];
                ux += f[q] * ex[q];
                uy += f[q] * ey[q];
            }
            ux /= density;
            uy /= density;
            for (int q = 0; q < 9; ++q) {
                double along = ex[q] * ux + ey[q] * uy;
                double share = q == 0 ? 4.0 / 9 : q < 5 ? 1.0 / 9 : 1.0 / 36;
                double rest = share * density *
                              (1 + 3 * along + 4.5 * along * along - 1.5 * (ux * ux + uy * uy));
                expected[q * w * h + i] = static_cast<float>(f[q] + 0.6 * (rest - f[q]));
            }
        }
        outcome.near(out, expected, 1e-5);
    });
}

void add_automata(Launches& launches) {
    launches.add("cyclic_automaton", [](Outcome& outcome) {
        const int w = 107, h = 45;
        auto in = values<unsigned char>(w * h, 8);
        Array<unsigned char> d(in), out(w * h);
        cyclic_automaton<<<dim3(4, 3), dim3(32, 8)>>>(d, out, w, h);
        std::vector<unsigned char> expected;
        for (int i = 0; i < w * h; ++i) {
            auto next = static_cast<unsigned char>((in[i] + 1) % 8);
            int count = 0;
            for (int k = 0; k < 9; ++k) {
                int x = (i % w + k % 3 - 1 + w) % w, y = (i / w + k / 3 - 1 + h) % h;
                count += in[y * w + x] == next;
            }
            expected.push_back(count >= 2 ? next : in[i]);
        }
        outcome.equal(out, expected);
    });
    launches.add("rule_30", [](Outcome& outcome) {
        const int words = 90, rings = 4, cells = words * 32;
        auto in = values<unsigned>(words * rings, 1 << 23);
        for (unsigned& v : in) v *= 401;
        Array<unsigned> d(in);
        rule_30<<<rings, words, 2 * words * sizeof(unsigned)>>>(d, words, 60);
        for (int r = 0; r < rings; ++r) {
            unsigned* ring = &in[r * words];
            for (int g = 0; g < 60; ++g) {
                std::vector<unsigned> old(ring, ring + words);
                auto bit = [&](int c) { return old[(c + cells) % cells / 32] >> c % 32 & 1; };
                for (int word = 0; word < words; ++word) {
                    ring[word] = 0;
                    for (int c = word * 32; c < word * 32 + 32; ++c) {
                        unsigned before = bit(c == 0 ? cells - 1 : c - 1);
                        unsigned after = bit(c == cells - 1 ? 0 : c + 1);
                        ring[word] |= (before ^ (bit(c) | after)) << c % 32;
                    }
                }
            }
        }
        outcome.equal(d, in);
    });
    launches.add("sandpile", [](Outcome& outcome) {
        int w = 61, h = 40, steps = 9;
        auto in = values<int>(w * h, 12);
        Array<int> d(in), other(w * h);
        int *from = d, *to = other;
        void* arguments[] = {&from, &to, &w, &h, &steps};
        check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(sandpile), 6, 160,
                                          arguments, 0, nullptr));
        for (int s = 0; s < steps; ++s) {
            auto old = in;
            for (int i = 0; i < w * h; ++i) {
                int x = i % w, y = i / w;
                in[i] = old[i] % 4 + (x > 0 ? old[i - 1] / 4 : 0) +
                        (x < w - 1 ? old[i + 1] / 4 : 0) + (y > 0 ? old[i - w] / 4 : 0) +
                        (y < h - 1 ? old[i + w] / 4 : 0);
            }
        }
        outcome.equal(other, in);
    });
    launches.add("wireworld", [](Outcome& outcome) {
        const int w = 85, h = 44;
        auto numbers = values<int>(w * h, 10);
        std::vector<Cell> in, expected;
        for (int v : numbers) in.push_back(v < 3 ? static_cast<Cell>(v) : WIRE);
        Array<Cell> d(in), out(w * h);
        wireworld<<<dim3(3, 6), dim3(32, 8)>>>(d, out, w, h);
        for (int i = 0; i < w * h; ++i) {
            expected.push_back(wire_after(in.data(), i % w, i / w, w, h));
        }
        outcome.equal(out, expected);
    });
    launches.add("forest_fire", [](Outcome& outcome) {
        const int w = 120, h = 75;
        auto in = values<short>(w * h, 40);
        for (short& v : in) v = v < 20 ? 0 : v < 39 ? 1 : 2;
        Array<short> d(in), out(w * h);
        forest_fire<<<9, 256>>>(d, out, w, h, 11);
        std::vector<short> expected;
        for (int i = 0; i < w * h; ++i) {
            expected.push_back(forest_after(in.data(), i % w, i / w, w, h, 11));
        }
        outcome.equal(out, expected);
    });
}

}  // namespace

void add_fields(Launches& launches) {
    add_stars_and_boxes(launches);
    add_flows(launches);
    add_automata(launches);
}

}  // namespace ordinary

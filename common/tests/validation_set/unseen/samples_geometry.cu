// Random numbers, particles, geometry, transforms and filters of signals.
#include "../ordinary/launches.hpp"
#include "device_functions.cuh"
#include "themes.hpp"

namespace ordinary {
namespace {

__global__ void n_body_tiles(const float4* bodies, float3* forces, int n) {
    __shared__ float4 tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    float4 mine = i < n ? bodies[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float3 force = make_float3(0.0f, 0.0f, 0.0f);
    for (int base = 0; base < n; base += 64) {
        tile[threadIdx.x] = base + static_cast<int>(threadIdx.x) < n
                                ? bodies[base + threadIdx.x]
                                : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 64; ++k) {
            float4 other = tile[k];
            float dx = other.x - mine.x, dy = other.y - mine.y, dz = other.z - mine.z;
            float near = rsqrtf(dx * dx + dy * dy + dz * dz + 0.25f);
            float pull = other.w * near * near * near;
            force.x += dx * pull;
            force.y += dy * pull;
            force.z += dz * pull;
        }
        __syncthreads();
    }
    if (i < n) forces[i] = force;
}

// Particles by cells of width one; three rows of three cells.
__global__ void sph_density(const float2* places, const int* starts, float* densities, int n,
                            int cells_x, int cells_y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 p = places[i];
    int cx = static_cast<int>(p.x), cy = static_cast<int>(p.y);
    float density = 0.0f;
    for (int y = max(cy - 1, 0); y <= min(cy + 1, cells_y - 1); ++y) {
        int first = starts[y * cells_x + max(cx - 1, 0)];
        int last = starts[y * cells_x + min(cx + 1, cells_x - 1) + 1];
        for (int k = first; k < last; ++k) {
            float dx = places[k].x - p.x, dy = places[k].y - p.y, left = 1.0f - dx * dx - dy * dy;
            if (left > 0.0f) density += left * left * left;
        }
    }
    densities[i] = density;
}

struct Particle {  // 48 bytes
    float3 place;
    float density;
    float3 speed;
    float pressure;
    float3 force;
    int bounces;
};

__host__ __device__ Particle moved(Particle p, float step, float wall) {
    p.speed.x += p.force.x * step;
    p.speed.y += p.force.y * step;
    p.speed.z += p.force.z * step;
    p.place.x += p.speed.x * step;
    p.place.y += p.speed.y * step;
    p.place.z += p.speed.z * step;
    if (p.place.x < 0.0f || p.place.x > wall) {
        p.speed.x = -0.5f * p.speed.x;
        ++p.bounces;
    }
    if (p.place.y < 0.0f || p.place.y > wall) {
        p.speed.y = -0.5f * p.speed.y;
        ++p.bounces;
    }
    p.pressure = 0.5f * p.density;
    return p;
}

__global__ void move_records(Particle* particles, int n, float step, float wall) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        particles[i] = moved(particles[i], step, wall);
    }
}

struct Triangle {  // 36 bytes
    float3 corner, first, second;
};

__host__ __device__ float3 cross(float3 a, float3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

__host__ __device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// Moeller and Trumbore, without a division before it is known to hit. Infinity: no hit.
__host__ __device__ float distance_to(const Triangle& triangle, float3 from, float3 along) {
    float3 p = cross(along, triangle.second);
    float determinant = dot(triangle.first, p);
    if (determinant == 0.0f) return INFINITY;
    float sign = determinant < 0.0f ? -1.0f : 1.0f;
    float3 to = {from.x - triangle.corner.x, from.y - triangle.corner.y,
                 from.z - triangle.corner.z};
    float u = sign * dot(to, p), limit = sign * determinant;
    if (u < 0.0f || u > limit) return INFINITY;
    float3 q = cross(to, triangle.first);
    float v = sign * dot(along, q);
    if (v < 0.0f || u + v > limit) return INFINITY;
    float t = sign * dot(triangle.second, q) / limit;
    return t > 0.0f ? t : INFINITY;
}

__global__ void hit_triangles(const Triangle* __restrict__ triangles,
                              const float3* __restrict__ rays, int* nearest, float* distances,
                              int count, int n) {
    extern __shared__ Triangle tile_of_triangles[];
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = -1;
    for (int k = threadIdx.x; k < count; k += blockDim.x) tile_of_triangles[k] = triangles[k];
    __syncthreads();
    if (i >= n) return;
    float3 from = rays[2 * i], along = rays[2 * i + 1];
    float closest = INFINITY;
    for (int k = 0; k < count; ++k) {
        float t = distance_to(tile_of_triangles[k], from, along);
        if (t < closest) {
            closest = t;
            best = k;
        }
    }
    nearest[i] = best;
    distances[i] = closest;
}

// A tree of points in an array, split by x and y in turn; a stack of what is left to see.
__global__ void count_in_tree(const short2* tree, const short4* windows, int* counts, int nodes,
                              int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    short4 w = windows[i];
    int stack[12], top = 0, count = 0;
    stack[top++] = 0;
    while (top > 0) {
        int node = stack[--top];
        short2 p = tree[node];
        count += p.x >= w.x && p.x <= w.z && p.y >= w.y && p.y <= w.w;
        bool by_x = (31 - __clz(node + 1)) % 2 == 0;
        int here = by_x ? p.x : p.y, low = by_x ? w.x : w.y, high = by_x ? w.z : w.w;
        if (2 * node + 1 >= nodes) continue;
        if (high >= here) stack[top++] = 2 * node + 2;
        if (low <= here) stack[top++] = 2 * node + 1;
    }
    counts[i] = count;
}

// Numbers with 24 bits after the point.
__host__ __device__ unsigned char julia(long long x, long long y) {
    int step = 0;
    for (; step < 80; ++step) {
        long long xx = x * x >> 24, yy = y * y >> 24;
        if (xx + yy > 4ll << 24) break;
        y = (x * y >> 23) + 2617245;
        x = xx - yy - 13086228;
    }
    return static_cast<unsigned char>(step);
}

__global__ void julia_fixed_point(unsigned char* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = julia((x - w / 2) * 400000ll, (y - h / 2) * 400000ll);
}

__constant__ unsigned thresholds[5];

// One colour of the chessboard; its neighbours are of the other.
__global__ void ising(signed char* spins, int w, int h, int colour, unsigned seed) {
    int y = blockIdx.y, x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + (y + colour) % 2;
    if (x >= w) return;
    int sum = spins[y * w + (x + 1) % w] + spins[y * w + (x + w - 1) % w] +
              spins[(y + 1) % h * w + x] + spins[(y + h - 1) % h * w + x];
    int cost = spins[y * w + x] * sum;
    if (cost <= 0 || pcg_hash(seed ^ pcg_hash(y * w + x)) < thresholds[cost]) {
        spins[y * w + x] = static_cast<signed char>(-spins[y * w + x]);
    }
}

__host__ __device__ unsigned xorshift(unsigned& state) {
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

// The mean of a path's prices; four uniforms make a step.
__global__ void asian_option(float* sums, int paths, int steps, float strike) {
    __shared__ float warps[4];
    int path = blockIdx.x * blockDim.x + threadIdx.x;
    float payoff = 0.0f;
    if (path < paths) {
        unsigned state = pcg_hash(path) | 1;
        float logarithm = 0.0f, total = 0.0f;
        for (int s = 0; s < steps; ++s) {
            float z = -2.0f;
#pragma unroll
            for (int k = 0; k < 4; ++k) z += uniform_of(xorshift(state));
            logarithm += 0.0005f + 0.05f * z;
            total += 100.0f * expf(logarithm);
        }
        payoff = fmaxf(total / steps - strike, 0.0f);
    }
    payoff = warp_sum(payoff);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = payoff;
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = warps[0] + warps[1] + warps[2] + warps[3];
}

__constant__ unsigned sobol_directions[2][32];

// Eight points a thread, each one bit of Gray's code away from the last.
__global__ void sobol(float2* points, int n) {
    int first = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    unsigned x = 0, y = 0;
    for (int bit = 0, gray = first ^ first >> 1; gray != 0; ++bit, gray >>= 1) {
        if ((gray & 1) == 0) continue;
        x ^= sobol_directions[0][bit];
        y ^= sobol_directions[1][bit];
    }
    for (int i = first; i < min(first + 8, n); ++i) {
        points[i] = make_float2(uniform_of(x), uniform_of(y));
        int bit = __ffs(i + 1) - 1;
        x ^= sobol_directions[0][bit];
        y ^= sobol_directions[1][bit];
    }
}

__global__ void box_muller(float2* out, int n, unsigned seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned hash = pcg_hash(seed + i);
    float u = uniform_of(hash) + 0.5f / 16777216.0f, angle = 2.0f * uniform_of(pcg_hash(hash)), s,
          c;
    sincospif(angle, &s, &c);
    float length = sqrtf(-2.0f * logf(u));
    out[i] = make_float2(length * c, length * s);
}

constexpr int CORNERS = 23;
__constant__ int2 polygon[CORNERS];

__global__ void points_in_polygon(const int2* points, bool* inside, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int2 p = points[i], last = polygon[CORNERS - 1];
    bool is_inside = false;
    for (int k = 0; k < CORNERS; ++k) {
        int2 corner = polygon[k];
        if ((corner.y > p.y) != (last.y > p.y)) {
            int left = (p.x - corner.x) * (last.y - corner.y);
            int right = (last.x - corner.x) * (p.y - corner.y);
            if (last.y > corner.y ? left < right : left > right) is_inside = !is_inside;
        }
        last = corner;
    }
    inside[i] = is_inside;
}

// The nearest centre of each point, and the sums from which the next centres come.
__global__ void k_means(const short2* points, const short2* centres, unsigned char* nearest,
                        int3* sums, int n, int k) {
    __shared__ int3 mine[16];
    __shared__ short2 places[16];
    if (static_cast<int>(threadIdx.x) < k) {
        mine[threadIdx.x] = make_int3(0, 0, 0);
        places[threadIdx.x] = centres[threadIdx.x];
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        short2 p = points[i];
        int best = 0, closest = 1 << 30;
        for (int c = 0; c < k; ++c) {
            int dx = p.x - places[c].x, dy = p.y - places[c].y, d = dx * dx + dy * dy;
            if (d < closest) {
                closest = d;
                best = c;
            }
        }
        nearest[i] = static_cast<unsigned char>(best);
        atomicAdd(&mine[best].x, 1);
        atomicAdd(&mine[best].y, p.x);
        atomicAdd(&mine[best].z, p.y);
    }
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < k) {
        atomicAdd(&sums[threadIdx.x].x, mine[threadIdx.x].x);
        atomicAdd(&sums[threadIdx.x].y, mine[threadIdx.x].y);
        atomicAdd(&sums[threadIdx.x].z, mine[threadIdx.x].z);
    }
}

// Newton until nothing changes: more steps for longer ellipses.
__global__ void kepler(const double2* orbits, double* anomalies, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double mean = orbits[i].x, e = orbits[i].y, x = e < 0.8 ? mean : 3.0, change;
    int steps = 0;
    do {
        change = (x - e * sin(x) - mean) / (1.0 - e * cos(x));
        x -= change;
    } while (fabs(change) > 1e-12 && ++steps < 60);
    anomalies[i] = x;
}

__host__ __device__ double3 slope_at(double3 p) {
    return {10.0 * (p.y - p.x), p.x * (28.0 - p.z) - p.y, p.x * p.y - 8.0 / 3.0 * p.z};
}

__host__ __device__ double3 ahead(double3 p, double3 slope, double by) {
    return {p.x + by * slope.x, p.y + by * slope.y, p.z + by * slope.z};
}

__host__ __device__ double3 runge_kutta(double3 p, double step) {
    double3 a = slope_at(p), b = slope_at(ahead(p, a, step / 2));
    double3 c = slope_at(ahead(p, b, step / 2)), d = slope_at(ahead(p, c, step));
    double3 mean = {(a.x + 2 * b.x + 2 * c.x + d.x) / 6, (a.y + 2 * b.y + 2 * c.y + d.y) / 6,
                    (a.z + 2 * b.z + 2 * c.z + d.z) / 6};
    return ahead(p, mean, step);
}

__global__ void lorenz(double3* points, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double3 p = points[i];
    for (int s = 0; s < steps; ++s) p = runge_kutta(p, 0.005);
    points[i] = p;
}

constexpr unsigned long long FIELD = 998244353;

// The Fourier transform of whole numbers modulo a prime, 256 a block.
__global__ void number_transform(const unsigned* in, const unsigned* roots, unsigned* out) {
    __shared__ unsigned s[256];
    int t = threadIdx.x;
    for (int i = t; i < 256; i += 128) s[__brev(i) >> 24] = in[blockIdx.x * 256 + i];
    for (int length = 2; length <= 256; length *= 2) {
        __syncthreads();
        int half = length / 2, k = t % half, i = t / half * length + k;
        unsigned long long u = s[i], v = s[i + half] * 1ull * roots[k * (256 / length)] % FIELD;
        s[i] = static_cast<unsigned>((u + v) % FIELD);
        s[i + half] = static_cast<unsigned>((u + FIELD - v) % FIELD);
    }
    __syncthreads();
    for (int i = t; i < 256; i += 128) out[blockIdx.x * 256 + i] = s[i];
}

// The power of one frequency a thread.
__global__ void goertzel(const double* signal, double* powers, int n, int frequencies) {
    extern __shared__ double samples[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) samples[i] = signal[blockIdx.x * n + i];
    __syncthreads();
    int f = threadIdx.x;
    if (f >= frequencies) return;
    double factor = 2.0 * cospi(2.0 * f / n), last = 0.0, before = 0.0;
    for (int i = 0; i < n; ++i) {
        double now = samples[i] + factor * last - before;
        before = last;
        last = now;
    }
    powers[blockIdx.x * frequencies + f] = last * last + before * before - factor * last * before;
}

// Haar's wavelet by lifting, all levels.
__global__ void haar(const int* in, int* out) {
    __shared__ int s[2][256];
    int t = threadIdx.x, from = 0;
    s[0][t] = in[blockIdx.x * 256 + t];
    s[0][t + 128] = in[blockIdx.x * 256 + t + 128];
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            int a = s[from][2 * t], b = s[from][2 * t + 1];
            s[1 - from][t] = (a + b) >> 1;
            out[blockIdx.x * 256 + half + t] = a - b;
        }
        from = 1 - from;
    }
    if (t == 0) out[blockIdx.x * 256] = s[from][0];
}

struct Biquad {  // 20 bytes
    float b0, b1, b2, a1, a2;
};

// Sections of second order one after another, a channel a thread.
__global__ void biquads(const float* in, float* out, const Biquad* sections, int channels, int n) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    float state[3][2] = {};
    for (int i = 0; i < n; ++i) {
        float v = in[i * channels + c];
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            Biquad s = sections[k];
            float y = s.b0 * v + state[k][0];
            state[k][0] = s.b1 * v - s.a1 * y + state[k][1];
            state[k][1] = s.b2 * v - s.a2 * y;
            v = y;
        }
        out[i * channels + c] = v;
    }
}

// An American put: back through the tree, exercised where that is worth more.
__global__ void binomial_option(const float2* options, float* prices, int steps) {
    __shared__ float value[129];
    int t = threadIdx.x;
    float spot = options[blockIdx.x].x, strike = options[blockIdx.x].y;
    const float up = 1.02f, down = 1.0f / 1.02f, chance = 0.52f, discount = 0.9995f;
    if (t <= steps) value[t] = fmaxf(strike - spot * powf(up, 2.0f * t - steps), 0.0f);
    for (int s = steps - 1; s >= 0; --s) {
        __syncthreads();
        float held = 0.0f, now = 0.0f;
        if (t <= s) {
            held = discount * (chance * value[t + 1] + (1.0f - chance) * value[t]);
            now = strike - spot * powf(t > s - t ? up : down, fabsf(2.0f * t - s));
        }
        __syncthreads();
        if (t <= s) value[t] = fmaxf(held, now);
    }
    if (t == 0) prices[blockIdx.x] = value[0];
}

__host__ __device__ double bump(double x) { return 1.0 / (0.01 + (x - 0.3) * (x - 0.3)); }

// Simpson's rule, halved where it is not good enough; six calls deep fit the stack of a thread.
__host__ __device__ double simpson(double a, double b, double fa, double fm, double fb,
                                   double whole, double allowed, int depth) {
    double m = (a + b) / 2, fl = bump((a + m) / 2), fr = bump((m + b) / 2);
    double left = (m - a) / 6 * (fa + 4 * fl + fm), right = (b - m) / 6 * (fm + 4 * fr + fb);
    double error = left + right - whole;
    if (depth == 0 || (error < 15 * allowed && error > -15 * allowed)) {
        return left + right + error / 15;
    }
    return simpson(a, m, fa, fl, fm, left, allowed / 2, depth - 1) +
           simpson(m, b, fm, fr, fb, right, allowed / 2, depth - 1);
}

__global__ void integrate_adaptively(const double2* ranges, double* areas, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double a = ranges[i].x, b = ranges[i].y, fa = bump(a), fb = bump(b), fm = bump((a + b) / 2);
    areas[i] = simpson(a, b, fa, fm, fb, (b - a) / 6 * (fa + 4 * fm + fb), 1e-6, 5);
}

// Distance and number in one word, so that one minimum finds both.
__global__ void nearest_neighbours(const int3* points, unsigned long long* nearest, int n) {
    __shared__ int3 tile[96];
    int i = blockIdx.x * 96 + threadIdx.x;
    int3 mine = points[min(i, n - 1)];
    unsigned long long best = ~0ull;
    for (int base = 0; base < n; base += 96) {
        int width = min(96, n - base);
        if (static_cast<int>(threadIdx.x) < width) tile[threadIdx.x] = points[base + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < width; ++k) {
            if (base + k == i) continue;
            int dx = tile[k].x - mine.x, dy = tile[k].y - mine.y, dz = tile[k].z - mine.z;
            unsigned squares = dx * dx + dy * dy + dz * dz;
            best = min(best, static_cast<unsigned long long>(squares) << 32 | (base + k));
        }
        __syncthreads();
    }
    if (i < n) nearest[i] = best;
}

// Boxes by their left sides: looks to the right until nothing can touch any more.
__global__ void sweep_boxes(const int4* boxes, int* touching, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int4 mine = boxes[i];
    int count = 0;
    for (int j = i + 1; j < n; ++j) {
        int4 other = boxes[j];
        if (other.x > mine.z) break;
        if (other.y <= mine.w && other.w >= mine.y) ++count;
    }
    touching[i] = count;
}

// Puts points from `first` on into the tree below `node`, by x where the depth is even.
void plant(std::vector<short2>& tree, std::vector<short2> points, int node, int depth) {
    const std::size_t middle = points.size() / 2;
    std::sort(points.begin(), points.end(),
              [depth](short2 a, short2 b) { return depth % 2 == 0 ? a.x < b.x : a.y < b.y; });
    tree[node] = points[middle];
    if (points.size() == 1) return;
    plant(tree, {points.begin(), points.begin() + middle}, 2 * node + 1, depth + 1);
    plant(tree, {points.begin() + middle + 1, points.end()}, 2 * node + 2, depth + 1);
}

void add_particles(Launches& launches) {
    launches.add("n_body_tiles", [](Outcome& outcome) {
        const int n = 300;
        auto in = values<float>(4 * n, 50);
        Array<float> d(in), out(3 * n);
        n_body_tiles<<<5, 64>>>(reinterpret_cast<float4*>(d.data()),
                                reinterpret_cast<float3*>(out.data()), n);
        std::vector<float> expected;
        for (int i = 0; i < n; ++i) {
            double force[3] = {};
            for (int k = 0; k < n; ++k) {
                double squares = 0.25;
                for (int a = 0; a < 3; ++a) squares += std::pow(in[4 * k + a] - in[4 * i + a], 2);
                double pull = in[4 * k + 3] / (squares * std::sqrt(squares));
                for (int a = 0; a < 3; ++a) force[a] += pull * (in[4 * k + a] - in[4 * i + a]);
            }
            for (double f : force) expected.push_back(static_cast<float>(f));
        }
        outcome.near(out, expected, 1e-3);
    });
    launches.add("sph_density", [](Outcome& outcome) {
        const int n = 700, cells_x = 15, cells_y = 11;
        auto numbers = values<float>(2 * n, 1 << 16);
        std::vector<float2> places;
        for (int i = 0; i < n; ++i) {
            places.push_back(
                {numbers[2 * i] * cells_x / 65536, numbers[2 * i + 1] * cells_y / 65536});
        }
        auto cell_of = [](float2 p) {
            return static_cast<int>(p.y) * cells_x + static_cast<int>(p.x);
        };
        std::sort(places.begin(), places.end(),
                  [&](float2 a, float2 b) { return cell_of(a) < cell_of(b); });
        std::vector<int> starts(cells_x * cells_y + 1);
        for (float2 p : places) ++starts[cell_of(p) + 1];
        for (int c = 0; c < cells_x * cells_y; ++c) starts[c + 1] += starts[c];
        Array<float2> d(places);
        Array<int> ds(starts);
        Array<float> densities(n);
        sph_density<<<ceil_div(n, 96), 96>>>(d, ds, densities, n, cells_x, cells_y);
        std::vector<float> expected;
        for (float2 p : places) {
            double sum = 0;
            for (float2 q : places) {
                double left = 1 - std::pow(double(q.x) - p.x, 2) - std::pow(double(q.y) - p.y, 2);
                if (left > 0) sum += left * left * left;
            }
            expected.push_back(static_cast<float>(sum));
        }
        outcome.near(densities, expected, 1e-5);
    });
    launches.add("move_records", [](Outcome& outcome) {
        const int n = 1000;
        auto numbers = values<float>(11 * n, 100);
        std::vector<Particle> particles;
        for (int i = 0; i < n; ++i) {
            const float* v = &numbers[11 * i];
            particles.push_back({{v[0], v[1], v[2]},
                                 v[3],
                                 {v[4] - 50, v[5] - 50, v[6] - 50},
                                 v[7],
                                 {v[8] - 50, v[9] - 50, v[10]},
                                 i % 5});
        }
        Array<Particle> d(particles);
        move_records<<<5, 128>>>(d, n, 0.25f, 99.0f);
        for (Particle& p : particles) p = moved(p, 0.25f, 99.0f);
        outcome.equal(d, particles);
    });
    launches.add("nearest_neighbours", [](Outcome& outcome) {
        const int n = 500;
        auto numbers = values<int>(3 * n, 300);
        Array<int> d(numbers);
        Array<unsigned long long> nearest(n);
        nearest_neighbours<<<ceil_div(n, 96), 96>>>(reinterpret_cast<int3*>(d.data()), nearest, n);
        std::vector<unsigned long long> expected(n, ~0ull);
        for (int i = 0; i < n * n; ++i) {
            const int *a = &numbers[i / n * 3], *b = &numbers[i % n * 3];
            unsigned long long squares = 0;
            for (int k = 0; k < 3; ++k) squares += (a[k] - b[k]) * (a[k] - b[k]);
            if (a != b) expected[i / n] = std::min(expected[i / n], squares << 32 | i % n);
        }
        outcome.equal(nearest, expected);
    });
    launches.add("sweep_boxes", [](Outcome& outcome) {
        const int n = 800;
        auto numbers = values<int>(4 * n, 400);
        std::vector<int4> boxes;
        for (int i = 0; i < n; ++i) {
            const int* v = &numbers[4 * i];
            boxes.push_back({v[0] * 3, v[1], v[0] * 3 + v[2] / 4, v[1] + v[3] / 8});
        }
        std::sort(boxes.begin(), boxes.end(), [](int4 a, int4 b) { return a.x < b.x; });
        Array<int4> d(boxes);
        Array<int> touching(n);
        sweep_boxes<<<ceil_div(n, 128), 128>>>(d, touching, n);
        std::vector<int> expected(n);
        for (int i = 0; i < n; ++i) {
            for (int j = i + 1; j < n; ++j) {
                const int4 a = boxes[i], b = boxes[j];
                expected[i] += b.x <= a.z && a.x <= b.z && b.y <= a.w && a.y <= b.w;
            }
        }
        outcome.equal(touching, expected);
    });
}

void add_geometry(Launches& launches) {
    launches.add("hit_triangles", [](Outcome& outcome) {
        const int n = 600, count = 70;
        // Whole numbers: both compute the same without rounding.
        auto numbers = values<float>(9 * count, 20), from = values<float>(6 * n, 60, 2);
        std::vector<Triangle> triangles;
        std::vector<float3> rays;
        for (int k = 0; k < count; ++k) {
            const float* v = &numbers[9 * k];
            triangles.push_back({{3 * v[0], 3 * v[1], 2 * v[2]},
                                 {v[3] - 10, v[4] - 10, v[5] - 10},
                                 {v[6] - 10, v[7] - 10, v[8] - 10}});
        }
        for (int i = 0; i < n; ++i) {
            const float* v = &from[6 * i];
            rays.push_back({v[0], v[1], -20});
            rays.push_back({std::floor(v[2] / 10) - 3, std::floor(v[3] / 10) - 3, 5});
        }
        Array<Triangle> d(triangles);
        Array<float3> dr(rays);
        Array<int> nearest(n);
        Array<float> distances(n);
        hit_triangles<<<ceil_div(n, 128), 128, count * sizeof(Triangle)>>>(d, dr, nearest,
                                                                           distances, count, n);
        std::vector<int> expected(n, -1);
        std::vector<float> closest(n, INFINITY);
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < count; ++k) {
                float t = distance_to(triangles[k], rays[2 * i], rays[2 * i + 1]);
                if (t >= closest[i]) continue;
                closest[i] = t;
                expected[i] = k;
            }
        }
        outcome.equal(nearest, expected);
        outcome.equal(distances, closest);
    });
    launches.add("count_in_tree", [](Outcome& outcome) {
        const int n = 300, nodes = 511;
        auto numbers = values<short>(2 * nodes, 1000), corners = values<short>(4 * n, 700, 2);
        std::vector<short2> points, tree(nodes);
        for (int i = 0; i < nodes; ++i) points.push_back({numbers[2 * i], numbers[2 * i + 1]});
        plant(tree, points, 0, 0);
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < 2; ++k) {
                corners[4 * i + k + 2] =
                    static_cast<short>(corners[4 * i + k] + corners[4 * i + k + 2] / 2);
            }
        }
        Array<short2> d(tree);
        Array<short> dw(corners);
        Array<int> counts(n);
        count_in_tree<<<5, 64>>>(d, reinterpret_cast<short4*>(dw.data()), counts, nodes, n);
        std::vector<int> expected(n);
        for (int i = 0; i < n; ++i) {
            const short* w = &corners[4 * i];
            for (short2 p : points) {
                expected[i] += p.x >= w[0] && p.x <= w[2] && p.y >= w[1] && p.y <= w[3];
            }
        }
        outcome.equal(counts, expected);
    });
    launches.add("points_in_polygon", [](Outcome& outcome) {
        const int n = 900;
        std::vector<int2> corners;
        for (int k = 0; k < CORNERS; ++k) {
            double angle = k * 6.28318530718 / CORNERS, length = k % 2 ? 380 : 700;
            corners.push_back({static_cast<int>(std::lround(length * std::cos(angle))),
                               static_cast<int>(std::lround(length * std::sin(angle)))});
        }
        check(cudaMemcpyToSymbol(polygon, corners.data(), sizeof polygon));
        auto numbers = values<int>(2 * n, 1400);
        for (int& v : numbers) v -= 700;
        Array<int> d(numbers);
        Array<char> inside(n);
        points_in_polygon<<<ceil_div(n, 128), 128>>>(reinterpret_cast<int2*>(d.data()),
                                                     reinterpret_cast<bool*>(inside.data()), n);
        std::vector<char> expected;
        for (int i = 0; i < n; ++i) {
            int crossings = 0, x = numbers[2 * i], y = numbers[2 * i + 1];
            for (int k = 0; k < CORNERS; ++k) {
                int2 a = corners[k], b = corners[(k + 1) % CORNERS];
                if ((a.y > y) == (b.y > y)) continue;
                // Where the edge passes the height of the point, to the right of it.
                crossings += a.x + (y - a.y) * static_cast<double>(b.x - a.x) / (b.y - a.y) > x;
            }
            expected.push_back(crossings % 2 == 1);
        }
        outcome.equal(inside, expected);
    });
    launches.add("k_means", [](Outcome& outcome) {
        const int n = 5003, k = 11;
        auto points = values<short>(2 * n, 2000), centres = values<short>(2 * k, 2000, 2);
        Array<short> d(points), dc(centres);
        Array<unsigned char> nearest(n);
        Array<int> sums(3 * k, 0);
        k_means<<<7, 128>>>(reinterpret_cast<short2*>(d.data()),
                            reinterpret_cast<short2*>(dc.data()), nearest,
                            reinterpret_cast<int3*>(sums.data()), n, k);
        std::vector<unsigned char> expected;
        std::vector<int> totals(3 * k);
        for (int i = 0; i < n; ++i) {
            auto squares = [&](int c) {
                int dx = points[2 * i] - centres[2 * c],
                    dy = points[2 * i + 1] - centres[2 * c + 1];
                return dx * dx + dy * dy;
            };
            int best = 0;
            for (int c = 1; c < k; ++c) {
                if (squares(c) < squares(best)) best = c;
            }
            expected.push_back(static_cast<unsigned char>(best));
            totals[3 * best] += 1;
            totals[3 * best + 1] += points[2 * i];
            totals[3 * best + 2] += points[2 * i + 1];
        }
        outcome.equal(nearest, expected);
        outcome.equal(sums, totals);
    });
    launches.add("julia_fixed_point", [](Outcome& outcome) {
        const int w = 135, h = 90;
        Array<unsigned char> out(w * h);
        julia_fixed_point<<<dim3(9, 12), dim3(16, 8)>>>(out, w, h);
        std::vector<unsigned char> expected;
        for (int i = 0; i < w * h; ++i) {
            expected.push_back(julia((i % w - w / 2) * 400000ll, (i / w - h / 2) * 400000ll));
        }
        outcome.equal(out, expected);
    });
}

void add_chance(Launches& launches) {
    launches.add("ising", [](Outcome& outcome) {
        const int w = 94, h = 60;
        std::vector<unsigned> chances;
        for (int cost = 0; cost < 5; ++cost) {
            chances.push_back(static_cast<unsigned>(std::exp(-0.7 * cost) * 4294967295.0));
        }
        check(cudaMemcpyToSymbol(thresholds, chances.data(), sizeof thresholds));
        auto spins = values<signed char>(w * h, 2);
        for (signed char& v : spins) v = static_cast<signed char>(2 * v - 1);
        Array<signed char> d(spins);
        ising<<<dim3(1, h), 64>>>(d, w, h, 1, 2024);
        auto old = spins;
        for (int i = 0; i < w * h; ++i) {
            int x = i % w, y = i / w;
            if ((x + y) % 2 == 0) continue;
            int cost = old[i] * (old[y * w + (x + 1) % w] + old[y * w + (x + w - 1) % w] +
                                 old[(y + 1) % h * w + x] + old[(y + h - 1) % h * w + x]);
            bool turns = cost <= 0 || pcg_hash(2024 ^ pcg_hash(i)) < chances[cost];
            if (turns) spins[i] = static_cast<signed char>(-old[i]);
        }
        outcome.equal(d, spins);
    });
    launches.add("asian_option", [](Outcome& outcome) {
        const int paths = 1900, steps = 30;
        Array<float> sums(15);
        asian_option<<<15, 128>>>(sums, paths, steps, 99.0f);
        std::vector<double> payoffs(15);
        for (int path = 0; path < paths; ++path) {
            unsigned state = pcg_hash(path) | 1;
            double logarithm = 0, total = 0;
            for (int s = 0; s < steps; ++s) {
                double z = -2;
                for (int k = 0; k < 4; ++k) z += uniform_of(xorshift(state));
                logarithm += 0.0005 + 0.05 * z;
                total += 100 * std::exp(logarithm);
            }
            payoffs[path / 128] += std::max(total / steps - 99, 0.0);
        }
        outcome.near(sums, std::vector<float>(payoffs.begin(), payoffs.end()), 1e-4);
    });
    launches.add("sobol", [](Outcome& outcome) {
        const int n = 3000;
        std::vector<unsigned> directions(64);
        unsigned m = 1;
        for (int bit = 0; bit < 32; ++bit) {
            directions[bit] = 1u << (31 - bit);
            directions[32 + bit] = m << (31 - bit);
            m = m << 1 ^ m;
        }
        check(cudaMemcpyToSymbol(sobol_directions, directions.data(), sizeof sobol_directions));
        Array<float> out(2 * n);
        sobol<<<3, 128>>>(reinterpret_cast<float2*>(out.data()), n);
        std::vector<float> expected;
        for (int i = 0; i < 2 * n; ++i) {
            unsigned v = 0, gray = static_cast<unsigned>(i / 2 ^ i / 4);
            for (int bit = 0; bit < 32; ++bit) {
                if (gray >> bit & 1) v ^= directions[i % 2 * 32 + bit];
            }
            expected.push_back(uniform_of(v));
        }
        outcome.equal(out, expected);
    });
    launches.add("box_muller", [](Outcome& outcome) {
        const int n = 1001;
        Array<float> out(2 * n);
        box_muller<<<ceil_div(n, 192), 192>>>(reinterpret_cast<float2*>(out.data()), n, 31u);
        std::vector<float> expected;
        for (int i = 0; i < n; ++i) {
            unsigned hash = pcg_hash(31u + i);
            double length = std::sqrt(-2 * std::log(uniform_of(hash) + 0.5 / 16777216));
            double angle = 6.283185307179586 * uniform_of(pcg_hash(hash));
            expected.push_back(static_cast<float>(length * std::cos(angle)));
            expected.push_back(static_cast<float>(length * std::sin(angle)));
        }
        // The logarithm of what is close to one.
        outcome.near(out, expected, 5e-4);
    });
    launches.add("binomial_option", [](Outcome& outcome) {
        const int n = 12, steps = 100;
        std::vector<float2> options;
        for (int i = 0; i < n; ++i) options.push_back({80.0f + 4.0f * i, 100.0f});
        Array<float2> d(options);
        Array<float> prices(n);
        binomial_option<<<n, 128>>>(d, prices, steps);
        std::vector<float> expected;
        for (float2 option : options) {
            std::vector<double> value(steps + 1);
            for (int s = steps; s >= 0; --s) {
                for (int t = 0; t <= s; ++t) {
                    double held = s == steps ? 0 : 0.9995 * (0.52 * value[t + 1] + 0.48 * value[t]);
                    value[t] = std::max(held, option.y - option.x * std::pow(1.02, 2 * t - s));
                }
            }
            expected.push_back(static_cast<float>(value[0]));
        }
        outcome.near(prices, expected, 1e-3);
    });
    launches.add("kepler", [](Outcome& outcome) {
        const int n = 350;
        auto numbers = values<double>(2 * n, 1000);
        for (int i = 0; i < n; ++i) {
            numbers[2 * i] *= 0.00314;
            numbers[2 * i + 1] *= 0.00095;
        }
        Array<double> d(numbers), anomalies(n);
        kepler<<<ceil_div(n, 96), 96>>>(reinterpret_cast<double2*>(d.data()), anomalies, n);
        std::vector<double> expected;
        for (int i = 0; i < n; ++i) {
            double low = 0, high = 4;
            for (int step = 0; step < 80; ++step) {
                double x = (low + high) / 2;
                (x - numbers[2 * i + 1] * std::sin(x) < numbers[2 * i] ? low : high) = x;
            }
            expected.push_back(low);
        }
        outcome.near(anomalies, expected, 1e-9);
    });
    launches.add("lorenz", [](Outcome& outcome) {
        const int n = 300, steps = 60;
        auto numbers = values<double>(3 * n, 30);
        Array<double> d(numbers);
        lorenz<<<ceil_div(n, 64), 64>>>(reinterpret_cast<double3*>(d.data()), n, steps);
        for (int i = 0; i < n; ++i) {
            double* v = &numbers[3 * i];
            double3 p = {v[0], v[1], v[2]};
            for (int s = 0; s < steps; ++s) p = runge_kutta(p, 0.005);
            v[0] = p.x;
            v[1] = p.y;
            v[2] = p.z;
        }
        outcome.near(d, numbers, 1e-8);
    });
    launches.add("integrate_adaptively", [](Outcome& outcome) {
        const int n = 100;
        std::vector<double2> ranges;
        std::vector<double> expected;
        for (int i = 0; i < n; ++i) {
            double a = i * 0.01 - 0.2, b = a + 0.3 + i % 7 * 0.1;
            ranges.push_back({a, b});
            expected.push_back(10 * (std::atan(10 * (b - 0.3)) - std::atan(10 * (a - 0.3))));
        }
        Array<double2> d(ranges);
        Array<double> areas(n);
        integrate_adaptively<<<4, 32>>>(d, areas, n);
        outcome.near(areas, expected, 1e-3);
    });
}

void add_signals(Launches& launches) {
    launches.add("number_transform", [](Outcome& outcome) {
        const int blocks = 4;
        auto power = [](unsigned long long base, unsigned long long exponent) {
            unsigned long long result = 1;
            for (; exponent; exponent /= 2, base = base * base % FIELD) {
                if (exponent % 2) result = result * base % FIELD;
            }
            return result;
        };
        std::vector<unsigned> roots;
        for (int k = 0; k < 256; ++k) {
            roots.push_back(static_cast<unsigned>(power(power(3, (FIELD - 1) / 256), k)));
        }
        auto in = values<unsigned>(256 * blocks, 1 << 23);
        Array<unsigned> d(in), dr(roots), out(in.size());
        number_transform<<<blocks, 128>>>(d, dr, out);
        std::vector<unsigned> expected;
        for (int i = 0; i < 256 * blocks; ++i) {
            unsigned long long sum = 0;
            for (int k = 0; k < 256; ++k) {
                sum += in[i / 256 * 256 + k] * 1ull * roots[i % 256 * k % 256] % FIELD;
            }
            expected.push_back(static_cast<unsigned>(sum % FIELD));
        }
        outcome.equal(out, expected);
    });
    launches.add("goertzel", [](Outcome& outcome) {
        const int n = 210, frequencies = 50, signals = 4;
        auto in = values<double>(n * signals);
        Array<double> d(in), powers(frequencies * signals);
        goertzel<<<signals, 64, n * sizeof(double)>>>(d, powers, n, frequencies);
        std::vector<double> expected;
        for (int i = 0; i < frequencies * signals; ++i) {
            double re = 0, im = 0;
            for (int k = 0; k < n; ++k) {
                double angle = 6.283185307179586 * (i % frequencies) * k / n;
                re += in[i / frequencies * n + k] * std::cos(angle);
                im += in[i / frequencies * n + k] * std::sin(angle);
            }
            expected.push_back(re * re + im * im);
        }
        outcome.near(powers, expected, 1e-5);
    });
    launches.add("haar", [](Outcome& outcome) {
        const int blocks = 6;
        auto in = values<int>(256 * blocks, 4000);
        Array<int> d(in), out(in.size());
        haar<<<blocks, 128>>>(d, out);
        std::vector<int> expected(in.size());
        for (int b = 0; b < blocks; ++b) {
            std::vector<int> now(in.begin() + b * 256, in.begin() + b * 256 + 256);
            for (int half = 128; half > 0; half /= 2) {
                for (int t = 0; t < half; ++t) {
                    expected[b * 256 + half + t] = now[2 * t] - now[2 * t + 1];
                    now[t] = (now[2 * t] + now[2 * t + 1]) / 2;
                }
            }
            expected[b * 256] = now[0];
        }
        outcome.equal(out, expected);
    });
    launches.add("biquads", [](Outcome& outcome) {
        const int channels = 70, n = 120;
        const std::vector<Biquad> sections = {{0.2f, 0.4f, 0.2f, -0.4f, 0.2f},
                                              {0.3f, -0.1f, 0.3f, -0.5f, 0.25f},
                                              {0.5f, 0.2f, -0.1f, 0.3f, 0.1f}};
        auto in = values<float>(channels * n);
        Array<float> d(in), out(in.size());
        Array<Biquad> ds(sections);
        biquads<<<2, 64>>>(d, out, ds, channels, n);
        std::vector<float> expected(in.size());
        for (int c = 0; c < channels; ++c) {
            std::vector<double> x(n), y(n);
            for (int i = 0; i < n; ++i) x[i] = in[i * channels + c];
            for (const Biquad& s : sections) {
                for (int i = 0; i < n; ++i) {
                    y[i] = s.b0 * x[i];
                    if (i > 0) y[i] += s.b1 * x[i - 1] - s.a1 * y[i - 1];
                    if (i > 1) y[i] += s.b2 * x[i - 2] - s.a2 * y[i - 2];
                }
                x = y;
            }
            for (int i = 0; i < n; ++i) expected[i * channels + c] = static_cast<float>(x[i]);
        }
        outcome.near(out, expected, 1e-4);
    });
}

}  // namespace

void add_samples_geometry(Launches& launches) {
    add_particles(launches);
    add_geometry(launches);
    add_chance(launches);
    add_signals(launches);
}

}  // namespace ordinary

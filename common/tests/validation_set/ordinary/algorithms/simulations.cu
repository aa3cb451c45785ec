// Simulations: bodies, fractals, Monte Carlo, random walks, option prices, clusters.
#include <cmath>

#include "../launches.hpp"
#include "../themes.hpp"

namespace ordinary {
namespace {

__global__ void nbody_naive(const float4* bodies, float4* forces, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 me = bodies[i];
    float3 force = make_float3(0, 0, 0);
    for (int j = 0; j < n; ++j) {
        const float4 other = bodies[j];
        const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
        const float factor = other.w * inverse * inverse * inverse;
        force.x += dx * factor;
        force.y += dy * factor;
        force.z += dz * factor;
    }
    forces[i] = make_float4(force.x, force.y, force.z, 0);
}

__global__ void nbody_tiled(const float4* bodies, float4* forces, int n) {
    __shared__ float4 tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 me = bodies[i];
    float4 force = make_float4(0, 0, 0, 0);
    for (int start = 0; start < n; start += 64) {
        tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 64; ++j) {
            const float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            const float factor = tile[j].w * inverse * inverse * inverse;
            force.x += dx * factor;
            force.y += dy * factor;
            force.z += dz * factor;
        }
        __syncthreads();
    }
    forces[i] = force;
}

__global__ void mandelbrot(unsigned char* image, int width, int height, int limit) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    // Multiples of 1/64: exact until the iteration leaves the circle or rounds alike everywhere.
    const float cx = x / 32.0f - 2.0f, cy = y / 32.0f - 1.0f;
    float zx = 0, zy = 0;
    int count = 0;
    while (count < limit && __fadd_rn(__fmul_rn(zx, zx), __fmul_rn(zy, zy)) < 4.0f) {
        const float next = __fadd_rn(__fsub_rn(__fmul_rn(zx, zx), __fmul_rn(zy, zy)), cx);
        zy = __fadd_rn(__fmul_rn(2.0f * zx, zy), cy);
        zx = next;
        ++count;
    }
    image[y * width + x] = static_cast<unsigned char>(count);
}

__device__ unsigned lcg(unsigned& state) {
    state = state * 1664525u + 1013904223u;
    return state;
}

__global__ void monte_carlo_pi(const unsigned* seeds, unsigned* hits, int samples) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = seeds[i], inside = 0;
    for (int k = 0; k < samples; ++k) {
        const float x = (lcg(state) >> 16) / 65536.0f, y = (lcg(state) >> 16) / 65536.0f;
        if (x * x + y * y <= 1.0f) ++inside;
    }
    hits[i] = inside;
}

// Walks over a grid that end at its edge; the map is read at every step.
__global__ void random_walks(const unsigned char* map, int* ends, int size, int limit) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = 12345u + 977u * i;
    int x = size / 2, y = size / 2, steps = 0;
    while (steps < limit) {
        const unsigned direction = lcg(state) >> 30;
        const int step = map[y * size + x] + 1;
        if (direction == 0) x += step;
        if (direction == 1) x -= step;
        if (direction == 2) y += step;
        if (direction == 3) y -= step;
        ++steps;
        if (x < 0 || y < 0 || x >= size || y >= size) break;
    }
    ends[i] = steps;
}

__device__ float cumulative_normal(float x) { return 0.5f * erfcf(-x * 0.70710678f); }

__global__ void black_scholes(const float* prices, const float* strikes, const float* years,
                              float* calls, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float s = prices[i], x = strikes[i], t = years[i];
        const float root = sqrtf(t), rate = 0.02f, volatility = 0.3f;
        const float d1 =
            (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
        const float d2 = d1 - volatility * root;
        calls[i] = s * cumulative_normal(d1) - x * expf(-rate * t) * cumulative_normal(d2);
    }
}

// Nearest of k centres, which are in shared memory; sums by atomics.
__global__ void assign_clusters(const float2* points, const float2* centres, int* nearest,
                                float* sums, int* counts, int n, int k) {
    __shared__ float2 local[16];
    if (threadIdx.x < k) local[threadIdx.x] = centres[threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 p = points[i];
    float best = 1e30f;
    int chosen = 0;
    for (int j = 0; j < k; ++j) {
        const float dx = p.x - local[j].x, dy = p.y - local[j].y;
        const float distance = dx * dx + dy * dy;
        if (distance < best) {
            best = distance;
            chosen = j;
        }
    }
    nearest[i] = chosen;
    atomicAdd(&sums[2 * chosen], p.x);
    atomicAdd(&sums[2 * chosen + 1], p.y);
    atomicAdd(&counts[chosen], 1);
}

__global__ void integrate(float2* state, float dt, int steps, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 s = state[i];
    for (int k = 0; k < steps; ++k) {
        s.y -= s.x * dt;
        s.x += s.y * dt;
    }
    state[i] = s;
}

void add_bodies(Launches& launches) {
    const auto add = [&](const char* name, void (*kernel)(const float4*, float4*, int)) {
        launches.add(name, [=](Outcome& outcome) {
            const int n = 256;
            const auto numbers = values<float>(4 * n, 50);
            std::vector<float4> bodies(n);
            std::memcpy(bodies.data(), numbers.data(), n * sizeof(float4));
            const Array<float4> input(bodies), forces(n);
            kernel<<<4, 64>>>(input, forces, n);
            std::vector<float> components;
            for (const auto& force : forces.to_host()) {
                components.insert(components.end(), {force.x, force.y, force.z, force.w});
            }
            const Array<float> flat(components);
            std::vector<float> expected(4 * n);
            for (int i = 0; i < n; ++i) {
                double f[3] = {};
                for (const auto& other : bodies) {
                    const double d[3] = {other.x - bodies[i].x, other.y - bodies[i].y,
                                         other.z - bodies[i].z};
                    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01f;
                    for (int c = 0; c < 3; ++c)
                        f[c] += d[c] * other.w / (square * std::sqrt(square));
                }
                for (int c = 0; c < 3; ++c) expected[4 * i + c] = static_cast<float>(f[c]);
            }
            outcome.near(flat, expected, 1e-3);
        });
    };
    add("nbody_naive", nbody_naive);
    add("nbody_tiled", nbody_tiled);
    launches.add("integrate", [](Outcome& outcome) {
        const int n = 1000;
        std::vector<float2> state(n);
        for (int i = 0; i < n; ++i)
            state[i] = {static_cast<float>(i % 16), static_cast<float>(i % 8)};
        const Array<float2> device(state);
        integrate<<<8, 128>>>(device, 0.5f, 4, n);
        for (auto& s : state) {
            for (int k = 0; k < 4; ++k) s.y -= s.x * 0.5f, s.x += s.y * 0.5f;
        }
        outcome.equal(device, state);
    });
}

void add_random(Launches& launches) {
    launches.add("mandelbrot", [](Outcome& outcome) {
        const int width = 96, height = 64, limit = 60;
        const Array<unsigned char> image(width * height);
        mandelbrot<<<dim3(6, 4), dim3(16, 16)>>>(image, width, height, limit);
        std::vector<unsigned char> expected(width * height);
        for (int i = 0; i < width * height; ++i) {
            const float cx = i % width / 32.0f - 2.0f, cy = i / width / 32.0f - 1.0f;
            volatile float zx = 0, zy = 0;
            int count = 0;
            for (; count < limit; ++count) {
                const volatile float xx = zx * zx, yy = zy * zy, square = xx + yy;
                if (!(square < 4.0f)) break;
                const volatile float difference = xx - yy, product = 2.0f * zx * zy;
                zx = difference + cx;
                zy = product + cy;
            }
            expected[i] = static_cast<unsigned char>(count);
        }
        outcome.equal(image, expected);
    });
    launches.add("monte_carlo_pi", [](Outcome& outcome) {
        const auto seeds = values<unsigned>(1024, 1000000);
        const Array<unsigned> input(seeds), hits(1024);
        monte_carlo_pi<<<8, 128>>>(input, hits, 50);
        std::vector<unsigned> expected(1024);
        for (int i = 0; i < 1024; ++i) {
            unsigned state = seeds[i];
            const auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 16; };
            for (int k = 0; k < 50; ++k) {
                const double x = next() / 65536.0, y = next() / 65536.0;
                expected[i] += x * x + y * y <= 1.0;
            }
        }
        outcome.equal(hits, expected);
    });
    launches.add("random_walks", [](Outcome& outcome) {
        const int size = 40, limit = 200;
        const auto map = values<unsigned char>(size * size, 3);
        const Array<unsigned char> input(map);
        const Array<int> ends(1024);
        random_walks<<<8, 128>>>(input, ends, size, limit);
        std::vector<int> expected(1024);
        for (int i = 0; i < 1024; ++i) {
            unsigned state = 12345u + 977u * i;
            int place[2] = {size / 2, size / 2};
            while (expected[i] < limit) {
                state = state * 1664525u + 1013904223u;
                const int step = map[place[1] * size + place[0]] + 1;
                place[state >> 31] += (state >> 30) % 2 == 0 ? step : -step;
                ++expected[i];
                if (std::min(place[0], place[1]) < 0 || std::max(place[0], place[1]) >= size) break;
            }
        }
        outcome.equal(ends, expected);
    });
}

void add_other_simulations(Launches& launches) {
    launches.add("black_scholes", [](Outcome& outcome) {
        const int n = 3000;
        auto s = values<float>(n, 90, 1), x = values<float>(n, 90, 2), t = values<float>(n, 9, 3);
        for (int i = 0; i < n; ++i) s[i] += 10, x[i] += 10, t[i] = t[i] / 4 + 0.25f;
        const Array<float> prices(s), strikes(x), years(t), calls(n);
        black_scholes<<<4, 256>>>(prices, strikes, years, calls, n);
        std::vector<float> expected(n);
        const auto normal = [](double d) { return 0.5 * std::erfc(-d * std::sqrt(0.5)); };
        for (int i = 0; i < n; ++i) {
            const double root = std::sqrt(t[i]);
            const double d1 = (std::log(s[i] / double{x[i]}) + 0.065 * t[i]) / (0.3 * root);
            expected[i] = static_cast<float>(s[i] * normal(d1) - x[i] * std::exp(-0.02 * t[i]) *
                                                                     normal(d1 - 0.3 * root));
        }
        outcome.near(calls, expected, 1e-3);
    });
    launches.add("assign_clusters", [](Outcome& outcome) {
        const int n = 2000, k = 12;
        const auto numbers = values<float>(2 * n, 100, 1), places = values<float>(2 * k, 100, 2);
        std::vector<float2> points(n), centres(k);
        std::memcpy(points.data(), numbers.data(), n * sizeof(float2));
        std::memcpy(centres.data(), places.data(), k * sizeof(float2));
        const Array<float2> input(points), centre(centres);
        const Array<int> nearest(n), counts(k, 0);
        const Array<float> sums(2 * k, 0);
        assign_clusters<<<16, 128>>>(input, centre, nearest, sums, counts, n, k);
        std::vector<int> expected(n), expected_counts(k);
        std::vector<float> expected_sums(2 * k);
        for (int i = 0; i < n; ++i) {
            const auto distance = [&](int j) {
                const float dx = points[i].x - centres[j].x, dy = points[i].y - centres[j].y;
                return dx * dx + dy * dy;
            };
            for (int j = 1; j < k; ++j) {
                if (distance(j) < distance(expected[i])) expected[i] = j;
            }
            ++expected_counts[expected[i]];
            expected_sums[2 * expected[i]] += points[i].x;
            expected_sums[2 * expected[i] + 1] += points[i].y;
        }
        outcome.equal(nearest, expected);
        outcome.equal(counts, expected_counts);
        outcome.equal(sums, expected_sums);
    });
}

}  // namespace

void add_simulations(Launches& launches) {
    add_bodies(launches);
    add_random(launches);
    add_other_simulations(launches);
}

}  // namespace ordinary

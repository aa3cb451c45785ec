// Transforms, particles, random numbers, rays and fractals; copies that run beside the arithmetic.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#if __has_include(<curand_kernel.h>)  // a toolkit has it, the compiler of PyPI comes without
#include <curand_kernel.h>
#define HAS_CURAND
#endif

#include <complex>
#include <cuda/barrier>
#include <numbers>
#include <numeric>

#include "../ordinary/launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

namespace cg = cooperative_groups;

// Cooley and Tukey in shared memory: 256 points a block, a butterfly a thread and stage.
__global__ void fft_256(const float2* in, float2* out) {
    __shared__ float2 v[256];
    int t = threadIdx.x;
    for (int i = t; i < 256; i += 128) v[__brev(i) >> 24] = in[blockIdx.x * 256 + i];
    for (int half = 1; half < 256; half *= 2) {
        __syncthreads();
        int k = t % half, at = (t / half) * 2 * half + k;
        float s, c;
        sincospif(-static_cast<float>(k) / half, &s, &c);
        float2 a = v[at], b = v[at + half];
        float2 w = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
        v[at] = make_float2(a.x + w.x, a.y + w.y);
        v[at + half] = make_float2(a.x - w.x, a.y - w.y);
    }
    __syncthreads();
    for (int i = t; i < 256; i += 128) out[blockIdx.x * 256 + i] = v[i];
}

__constant__ float2 twiddles[8];

// Eight points a thread, in an array with constant indices.
__global__ void fft_8(const float2* in, float2* out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    float2 v[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) v[(i & 1) << 2 | (i & 2) | i >> 2] = in[i * n + t];
#pragma unroll
    for (int half = 1; half < 8; half *= 2) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            if (i & half) continue;
            float2 w = twiddles[(i % half) * (4 / half)], b = v[i + half];
            float2 p = make_float2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
            v[i + half] = make_float2(v[i].x - p.x, v[i].y - p.y);
            v[i] = make_float2(v[i].x + p.x, v[i].y + p.y);
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) out[i * n + t] = v[i];
}

// Across lanes by shuffles, across warps in shared memory.
__global__ void walsh_hadamard(int* data) {
    __shared__ int s[256];
    int t = threadIdx.x, v = data[blockIdx.x * 256 + t];
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_xor_sync(~0u, v, d);
        v = t & d ? other - v : v + other;
    }
    for (int d = 32; d < 256; d *= 2) {
        s[t] = v;
        __syncthreads();
        int other = s[t ^ d];
        v = t & d ? other - v : v + other;
        __syncthreads();
    }
    data[blockIdx.x * 256 + t] = v;
}

__global__ void attract(const float4* bodies, float3* forces, int n) {
    __shared__ float4 tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float3 f = make_float3(0, 0, 0);
    for (int base = 0; base < n; base += 64) {
        int j = base + threadIdx.x;
        tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 64; ++k) {
            float4 b = tile[k];
            float x = b.x - me.x, y = b.y - me.y, z = b.z - me.z;
            float inverse = rsqrtf(x * x + y * y + z * z + 0.01f);
            float s = b.w * inverse * inverse * inverse;
            f.x += x * s;
            f.y += y * s;
            f.z += z * s;
        }
        __syncthreads();
    }
    if (i < n) forces[i] = f;
}

// Forces between neighbours of a list, within a cut-off.
__global__ void lennard_jones(const double3* p, const int* neighbours, const int* counts,
                              double* energy, int n, int most) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double3 me = p[i];
    double sum = 0.0;
    for (int k = 0; k < counts[i]; ++k) {
        double3 other = p[neighbours[i * most + k]];
        double x = me.x - other.x, y = me.y - other.y, z = me.z - other.z,
               r2 = x * x + y * y + z * z;
        if (r2 > 300.0 || r2 == 0.0) continue;
        double r6 = 1.0 / (r2 * r2 * r2);
        sum += r6 * (r6 - 1.0);
    }
    energy[i] = 4.0 * sum;
}

__host__ __device__ unsigned next_random(unsigned& s) {
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

// Points in the circle, drawn until each thread has its share.
__global__ void rejection(unsigned* tries, int wanted) {
    unsigned seed = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1, count = 0;
    int accepted = 0;
    while (accepted < wanted) {
        int x = static_cast<int>(next_random(seed) >> 17),
            y = static_cast<int>(next_random(seed) >> 17);
        ++count;
        if (x * x + y * y >= 1 << 30) continue;
        ++accepted;
    }
    tries[blockIdx.x * blockDim.x + threadIdx.x] = count;
}

#ifdef HAS_CURAND
__global__ void philox_uniform(float* out, int each) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t state;
    curand_init(1234, i, 0, &state);
    float sum = 0.0f;
    for (int k = 0; k < each; ++k) {
        float4 v = curand_uniform4(&state);
        sum += v.x + v.y + v.z + v.w;
    }
    out[i] = sum / (4 * each);
}
#endif

__global__ void mandelbrot_double(unsigned short* out, int w, int h, int limit) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    double cr = -2.0 + x * (1.0 / 32), ci = -1.0 + y * (1.0 / 32), zr = 0.0, zi = 0.0;
    int k = 0;
    for (; k < limit; ++k) {
        double rr = zr * zr, ii = zi * zi;
        if (rr + ii > 4.0) break;
        zi = 2.0 * zr * zi + ci;
        zr = rr - ii + cr;
    }
    out[y * w + x] = static_cast<unsigned short>(k);
}

struct Sphere {
    float x, y, z, r;
    int colour;
};
__constant__ Sphere scene[20];

__global__ void cast_rays(int* image, int w, int h, int spheres) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    float nearest = 1e9f;
    int colour = 0;
    for (int i = 0; i < spheres; ++i) {
        const Sphere& s = scene[i];
        float dx = px - s.x, dy = py - s.y, d = s.r * s.r - dx * dx - dy * dy;
        if (d <= 0.0f) continue;
        float z = s.z - sqrtf(d);
        if (z < nearest) {
            nearest = z;
            colour = s.colour;
        }
    }
    image[py * w + px] = colour;
}

// Several steps of a rod in shared memory; its halo shrinks with them.
__global__ void heat_many_steps(const float* in, float* out, int n, int steps) {
    extern __shared__ float rod[];
    int width = blockDim.x, inner = width - 2 * steps,
        at = blockIdx.x * inner + threadIdx.x - steps;
    float* now = rod;
    float* then = rod + width;
    now[threadIdx.x] = at >= 0 && at < n ? in[at] : 0.0f;
    __syncthreads();
    for (int s = 0; s < steps; ++s) {
        int t = threadIdx.x;
        if (t > s && t < width - 1 - s && at >= 0 && at < n) {
            then[t] = 0.5f * now[t] + 0.25f * (now[t - 1] + now[t + 1]);
        } else {
            then[t] = now[t];
        }
        __syncthreads();
        float* swap = now;
        now = then;
        then = swap;
    }
    if (threadIdx.x >= steps && threadIdx.x < width - steps && at < n) out[at] = now[threadIdx.x];
}

// A tile a step, copied by the group while all wait.
__global__ void copy_by_group(const int* in, int* sums, int n) {
    __shared__ alignas(16) int tile[256];
    auto block = cg::this_thread_block();
    int sum = 0;
    for (int base = blockIdx.x * 256; base < n; base += gridDim.x * 256) {
        cg::memcpy_async(block, tile, in + base, cuda::aligned_size_t<16>(sizeof tile));
        cg::wait(block);
        sum += tile[(threadIdx.x * 5) % 256] - tile[threadIdx.x ^ 1];
        block.sync();
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void phases_of_barrier(const float* in, float* out, int rounds) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ float s[128];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    float v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int r = 0; r < rounds; ++r) {
        s[threadIdx.x] = v;
        auto token = barrier.arrive();
        v = v * 0.5f;
        barrier.wait(std::move(token));
        v += s[(threadIdx.x + r + 1) % blockDim.x] * 0.5f;
        barrier.arrive_and_wait();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

// A matrix of the thread, its indices known only when it runs.
__global__ void turn_local_matrix(const int* in, int* out, int n, int turns) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int m[4][4], turned[4][4];
    for (int i = 0; i < 16; ++i) m[i / 4][i % 4] = in[i * n + t];
    for (int k = 0; k < (t + turns) % 4; ++k) {
        for (int r = 0; r < 4; ++r) {
            for (int c = 0; c < 4; ++c) turned[c][3 - r] = m[r][c];
        }
        for (int i = 0; i < 16; ++i) m[i / 4][i % 4] = turned[i / 4][i % 4];
    }
    for (int i = 0; i < 16; ++i) out[i * n + t] = m[i / 4][i % 4];
}

// Several arrays of different types in dynamic shared memory.
__global__ void mixed_shared(const double* a, const int* b, const unsigned char* c, double* out,
                             int n) {
    extern __shared__ unsigned char raw[];
    double* d = reinterpret_cast<double*>(raw);
    int* i = reinterpret_cast<int*>(d + n);
    unsigned char* u = reinterpret_cast<unsigned char*>(i + n);
    int t = threadIdx.x;
    d[t] = a[blockIdx.x * n + t];
    i[t] = b[blockIdx.x * n + t] % n;
    u[t] = c[blockIdx.x * n + t];
    __syncthreads();
    out[blockIdx.x * n + t] = d[i[t]] + u[n - 1 - t] * d[t / 2];
}

void add_transforms(Launches& launches) {
    launches.add("fft_256", [](Outcome& outcome) {
        auto in = values<float>(2 * 3 * 256, 10);
        Array<float> d(in), out(in.size());
        fft_256<<<3, 128>>>(reinterpret_cast<float2*>(d.data()),
                            reinterpret_cast<float2*>(out.data()));
        std::vector<float> expected;
        for (int i = 0; i < 768; ++i) {
            std::complex<double> sum = 0;
            for (int k = 0; k < 256; ++k) {
                const float* v = &in[2 * (i / 256 * 256 + k)];
                sum += std::complex<double>(v[0], v[1]) *
                       std::polar(1.0, -2 * std::numbers::pi * (i % 256 * k % 256) / 256);
            }
            expected.push_back(static_cast<float>(sum.real()));
            expected.push_back(static_cast<float>(sum.imag()));
        }
        outcome.near(out, expected, 1e-3);
    });
    launches.add("fft_8", [](Outcome& outcome) {
        const int n = 300;
        std::vector<float2> w;
        for (int k = 0; k < 8; ++k) {
            auto z = std::polar(1.0, -2 * std::numbers::pi * k / 8);
            w.push_back({static_cast<float>(z.real()), static_cast<float>(z.imag())});
        }
        check(cudaMemcpyToSymbol(twiddles, w.data(), sizeof twiddles));
        auto in = values<float>(2 * 8 * n, 10);
        Array<float> d(in), out(in.size());
        fft_8<<<3, 128>>>(reinterpret_cast<float2*>(d.data()),
                          reinterpret_cast<float2*>(out.data()), n);
        std::vector<float> expected;
        for (int i = 0; i < 8 * n; ++i) {
            std::complex<double> sum = 0;
            for (int k = 0; k < 8; ++k) {
                const float* v = &in[2 * (k * n + i % n)];
                sum += std::complex<double>(v[0], v[1]) *
                       std::polar(1.0, -2 * std::numbers::pi * (i / n * k) / 8);
            }
            expected.push_back(static_cast<float>(sum.real()));
            expected.push_back(static_cast<float>(sum.imag()));
        }
        outcome.near(out, expected, 1e-4);
    });
    launches.add("walsh_hadamard", [](Outcome& outcome) {
        auto data = values<int>(3 * 256, 1000);
        Array<int> d(data);
        walsh_hadamard<<<3, 256>>>(d);
        for (int half = 1; half < 256; half *= 2) {
            for (int i = 0; i < 768; ++i) {
                if (i & half) continue;
                int a = data[i], b = data[i + half];
                data[i] = a + b;
                data[i + half] = a - b;
            }
        }
        outcome.equal(d, data);
    });
}

void add_particles(Launches& launches) {
    launches.add("attract", [](Outcome& outcome) {
        const int n = 150;
        auto numbers = values<float>(4 * n, 30);
        Array<float> d(numbers), out(3 * n);
        attract<<<3, 64>>>(reinterpret_cast<float4*>(d.data()),
                           reinterpret_cast<float3*>(out.data()), n);
        std::vector<float> expected;
        for (int i = 0; i < 3 * n; ++i) {
            double sum = 0;
            for (int j = 0; j < n; ++j) {
                const float *a = &numbers[i / 3 * 4], *b = &numbers[j * 4];
                double r2 = 0.01;
                for (int k = 0; k < 3; ++k) r2 += (b[k] - a[k]) * (b[k] - a[k]);
                sum += (b[i % 3] - a[i % 3]) * b[3] / (r2 * std::sqrt(r2));
            }
            expected.push_back(static_cast<float>(sum));
        }
        outcome.near(out, expected, 1e-3);
    });
    launches.add("lennard_jones", [](Outcome& outcome) {
        const int n = 300, most = 12;
        auto numbers = values<double>(3 * n, 30);
        auto neighbours = values<int>(n * most, n, 2), counts = values<int>(n, most + 1, 3);
        Array<double> d(numbers), energy(n);
        Array<int> dn(neighbours), dc(counts);
        lennard_jones<<<3, 128>>>(reinterpret_cast<double3*>(d.data()), dn, dc, energy, n, most);
        std::vector<double> expected(n);
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < counts[i]; ++k) {
                const double *a = &numbers[3 * i], *b = &numbers[3 * neighbours[i * most + k]];
                double r2 = 0;
                for (int c = 0; c < 3; ++c) r2 += (a[c] - b[c]) * (a[c] - b[c]);
                if (r2 > 300 || r2 == 0) continue;
                expected[i] += 4 / (r2 * r2 * r2) * (1 / (r2 * r2 * r2) - 1);
            }
        }
        outcome.near(energy, expected, 1e-10);
    });
    launches.add("rejection", [](Outcome& outcome) {
        Array<unsigned> tries(192);
        rejection<<<3, 64>>>(tries, 20);
        std::vector<unsigned> expected;
        for (unsigned t = 0; t < 192; ++t) {
            unsigned seed = t * 2654435761u + 1, count = 0;
            for (int accepted = 0; accepted < 20; ++count) {
                int x = static_cast<int>(next_random(seed) >> 17),
                    y = static_cast<int>(next_random(seed) >> 17);
                accepted += x * x + y * y < 1 << 30;
            }
            expected.push_back(count);
        }
        outcome.equal(tries, expected);
    });
#ifdef HAS_CURAND
    launches.add("philox_uniform", [](Outcome& outcome) {
        Array<float> out(256);
        philox_uniform<<<2, 128>>>(out, 50);
        outcome.near(out, std::vector<float>(256, 0.5f), 0.12);
    });
#endif
}

}  // namespace

void add_everyday_simulations(Launches& launches) {
    add_transforms(launches);
    add_particles(launches);
    launches.add("mandelbrot_double", [](Outcome& outcome) {
        const int w = 90, h = 64, limit = 60;
        Array<unsigned short> out(w * h);
        mandelbrot_double<<<dim3(6, 8), dim3(16, 8)>>>(out, w, h, limit);
        std::vector<unsigned short> expected;
        for (int i = 0; i < w * h; ++i) {
            double cr = -2.0 + i % w * (1.0 / 32), ci = -1.0 + i / w * (1.0 / 32), zr = 0, zi = 0;
            int k = 0;
            for (; k < limit && zr * zr + zi * zi <= 4.0; ++k) {
                double next = std::fma(zr, zr, -(zi * zi)) + cr;
                zi = std::fma(2.0 * zr, zi, ci);
                zr = next;
            }
            expected.push_back(static_cast<unsigned short>(k));
        }
        // At the edge of the set the last bits decide.
        auto got = out.to_host();
        int others = 0;
        for (int i = 0; i < w * h; ++i) others += got[i] != expected[i];
        outcome.near(Array<int>(std::vector<int>{others}), std::vector<int>{0}, w * h / 50.0);
    });
    launches.add("cast_rays", [](Outcome& outcome) {
        auto numbers = values<float>(100, 120);
        std::vector<Sphere> spheres;
        for (int i = 0; i < 20; ++i) {
            float* v = &numbers[5 * i];
            spheres.push_back(
                {v[0], v[1], v[2] * 3 + i * 0.125f, v[3] / 4 + 3, static_cast<int>(v[4])});
        }
        check(cudaMemcpyToSymbol(scene, spheres.data(), sizeof scene));
        Array<int> image(120 * 100);
        cast_rays<<<dim3(8, 13), dim3(16, 8)>>>(image, 120, 100, 20);
        std::vector<int> expected;
        for (int i = 0; i < 120 * 100; ++i) {
            double nearest = 1e9;
            int colour = 0;
            for (const Sphere& s : spheres) {
                float dx = i % 120 - s.x, dy = i / 120 - s.y, d = s.r * s.r - dx * dx - dy * dy;
                if (d <= 0 || s.z - std::sqrt(d) >= nearest) continue;
                nearest = s.z - std::sqrt(d);
                colour = s.colour;
            }
            expected.push_back(colour);
        }
        outcome.equal(image, expected);
    });
    launches.add("heat_many_steps", [](Outcome& outcome) {
        const int n = 1000, steps = 4;
        auto rod = values<float>(n, 64);
        Array<float> d(rod), out(n);
        heat_many_steps<<<9, 128, 2 * 128 * sizeof(float)>>>(d, out, n, steps);
        for (int s = 0; s < steps; ++s) {
            auto old = rod;
            for (int i = 0; i < n; ++i) {
                rod[i] =
                    0.5f * old[i] + 0.25f * ((i ? old[i - 1] : 0) + (i < n - 1 ? old[i + 1] : 0));
            }
        }
        outcome.equal(out, rod);
    });
    launches.add("copy_by_group", [](Outcome& outcome) {
        auto in = values<int>(256 * 7, 1000);
        Array<int> d(in), sums(3 * 256);
        copy_by_group<<<3, 256>>>(d, sums, 256 * 7);
        std::vector<int> expected(768);
        for (int i = 0; i < 256 * 7; ++i) {
            int tile = i / 256, t = i % 256;
            expected[tile % 3 * 256 + t] += in[tile * 256 + t * 5 % 256] - in[tile * 256 + (t ^ 1)];
        }
        outcome.equal(sums, expected);
    });
    launches.add("phases_of_barrier", [](Outcome& outcome) {
        auto in = values<float>(2 * 128, 512);
        Array<float> d(in), out(256);
        phases_of_barrier<<<2, 128>>>(d, out, 5);
        for (int r = 0; r < 5; ++r) {
            auto old = in;
            for (int i = 0; i < 256; ++i)
                in[i] = old[i] * 0.5f + old[i / 128 * 128 + (i + r + 1) % 128] * 0.5f;
        }
        outcome.equal(out, in);
    });
    launches.add("turn_local_matrix", [](Outcome& outcome) {
        const int n = 160;
        auto in = values<int>(16 * n, 1000);
        Array<int> d(in), out(in.size());
        turn_local_matrix<<<5, 32>>>(d, out, n, 1);
        std::vector<int> expected(16 * n);
        for (int i = 0; i < 16 * n; ++i) {
            int t = i % n, r = i / n / 4, c = i / n % 4;
            for (int k = 0; k < (t + 1) % 4; ++k) {
                int turned = 3 - r;
                r = c;
                c = turned;
            }
            expected[(r * 4 + c) * n + t] = in[i];
        }
        outcome.equal(out, expected);
    });
    launches.add("mixed_shared", [](Outcome& outcome) {
        const int n = 96;
        auto a = values<double>(4 * n), expected = a;
        auto b = values<int>(4 * n, 1000, 2);
        auto c = values<unsigned char>(4 * n, 50, 3);
        Array<double> da(a), out(4 * n);
        Array<int> db(b);
        Array<unsigned char> dc(c);
        mixed_shared<<<4, n, n * (sizeof(double) + sizeof(int) + 1)>>>(da, db, dc, out, n);
        for (int i = 0; i < 4 * n; ++i) {
            int base = i / n * n, t = i % n;
            expected[i] = a[base + b[i] % n] + c[base + n - 1 - t] * a[base + t / 2];
        }
        outcome.equal(out, expected);
    });
}

}  // namespace ordinary

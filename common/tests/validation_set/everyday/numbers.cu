// Atomics of every width, cache operators, vector types, bits, number formats, textures.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cuda/atomic>
#include <numeric>

#include "../ordinary/launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

__global__ void all_atomics(int* cells, unsigned* wrapped, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicSub(&cells[0], i);
    atomicMin(&cells[1], -i);
    atomicMax(&cells[2], i);
    atomicAnd(&cells[3], ~(1 << i % 7));
    atomicOr(&cells[4], 1 << i % 11);
    atomicXor(&cells[5], 1 << i % 13);
    atomicInc(&wrapped[0], 99);
    atomicDec(&wrapped[1], 99);
}

__global__ void narrow_exchange(unsigned short* places, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicCAS(&places[i * 3 % n], static_cast<unsigned short>(0),
                  static_cast<unsigned short>(i + 1));
}

__global__ void scoped_64bit(unsigned long long* sums, const unsigned* in, int n) {
    __shared__ unsigned long long mine;
    if (threadIdx.x == 0) mine = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd_block(&mine, static_cast<unsigned long long>(in[i]));
        atomicMax_system(&sums[1], static_cast<unsigned long long>(in[i]) << 20);
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&sums[0], mine);
}

__global__ void fetch_by_cuda_atomic(const int* in, int* bins, int* order, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cuda::atomic_ref<int, cuda::thread_scope_device> bin(bins[in[i]]);
    order[i] = bin.fetch_or(1 << in[i] % 5, cuda::std::memory_order_relaxed) & 0;
}

__global__ void cache_operators(const float* a, const int2* b, float* c, int2* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = __ldcg(a + i) + __ldcs(a + n - 1 - i) + __ldcv(a + i / 2);
    int2 w = __ldg(b + i), u = __ldca(b + i / 4);
    __stcg(c + i, v);
    __stcs(c + n + i, v + 1.0f);
    __stwt(c + 2 * n + i, v + 2.0f);
    __stwb(d + i, make_int2(w.x + u.y, w.y - u.x));
}

__global__ void mixed_vectors(const uchar4* a, const short2* b, const ushort4* c, double2* out,
                              longlong2* sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 x = a[i];
    short2 y = b[n - 1 - i];
    ushort4 z = c[i ^ 1];
    out[i] = make_double2(x.x + x.y * 0.5 + y.x, x.z - x.w + z.w * 0.25);
    sums[i] = make_longlong2(static_cast<long long>(z.x) * z.y, static_cast<long long>(y.y) * z.z);
}

__global__ void wide_integers(const unsigned long long* a, const unsigned long long* b,
                              unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long x = a[i], y = b[i] | 1;
    unsigned long long r = x / y + x % y + __umul64hi(x, y);
    r ^= static_cast<unsigned long long>(__clzll(x)) << 50 | __brevll(y) >> 20;
    out[i] = r + __funnelshift_l(static_cast<unsigned>(x), static_cast<unsigned>(y), i) +
             __byte_perm(i, r, 0x5140);
}

__global__ void mathematics(const double* in, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = in[i], s, c;
    sincos(x, &s, &c);
    out[i] = s * c + exp(-x * 0.1) + log1p(x) + pow(x + 1.0, 0.3) + erf(x - 3.0) + cbrt(x) +
             fmod(x, 1.7) + hypot(x, 2.0);
}

__global__ void half_arithmetic(const __half2* a, const __half2* b, __half2* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __half2 v = __hfma2(a[i], b[i], __float2half2_rn(0.5f));
    if (__hbgt2(v, __float2half2_rn(20.0f))) v = __hsub2(v, b[i]);
    out[i] = __hmax2(v, __hneg2(a[i]));
}

__global__ void bfloat_dot(const __nv_bfloat162* a, const __nv_bfloat162* b, float* out, int n) {
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += 32) {
        float2 x = __bfloat1622float2(a[blockIdx.x * n + i]), y = __bfloat1622float2(b[i]);
        sum += x.x * y.x + x.y * y.y;
    }
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// The hardware's reductions of a warp, and its leader chosen by matching keys.
__global__ void reduce_by_key_in_warp(const unsigned* keys, const unsigned* in, unsigned* sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned key = keys[i], peers = __match_any_sync(~0u, key);
    unsigned sum = __reduce_add_sync(peers, in[i]), low = __reduce_min_sync(peers, in[i]);
    if ((threadIdx.x & 31) == __ffs(peers) - 1) {
        atomicAdd(&sums[2 * key], sum);
        atomicMin(&sums[2 * key + 1], low);
    }
}

__global__ void three_dimensions(const float* in, float* out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) out[(x * ny + y) * nz + z] = in[(z * ny + y) * nx + x];
}

__global__ void single_threads(const int* in, int* out, int n) {
    int sum = 0;
    for (int i = blockIdx.x; i < n; i += gridDim.x) sum = sum * 3 + in[i];
    out[blockIdx.x] = sum;
}

__global__ void permuted(const int* to, const int* from, const float* in, float* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[to[i]] = in[from[i]];
}

__managed__ int progress[64];

__global__ void count_in_managed(const int* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) progress[in[i] % 64] = in[i] % 64 + 1;
}

__global__ void resize(cudaTextureObject_t texture, float* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = tex2D<float>(texture, (x + 0.5f) / w, (y + 0.5f) / h);
}

__global__ void inline_ptx(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane, v;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    if (i >= n) return;
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(v) : "l"(in + i));
    asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(v) : "r"(v), "r"(lane), "r"(7));
    asm volatile("st.global.cs.u32 [%0], %1;" ::"l"(out + i), "r"(v) : "memory");
}

void add_atomics_of_all_kinds(Launches& launches) {
    launches.add("all_atomics", [](Outcome& outcome) {
        const int n = 700;
        Array<int> cells(std::vector<int>{1000000, 0, 0, -1, 0, 0});
        Array<unsigned> wrapped(2, 0);
        all_atomics<<<3, 256>>>(cells, wrapped, n);
        int parity = 0;
        for (int i = 0; i < n; ++i) parity ^= 1 << i % 13;
        outcome.equal(
            cells, std::vector<int>{1000000 - n * (n - 1) / 2, 1 - n, n - 1, -128, 2047, parity});
        outcome.equal(wrapped, std::vector<unsigned>{n % 100, (100 - n % 100) % 100});
    });
    launches.add("narrow_exchange", [](Outcome& outcome) {
        Array<unsigned short> places(1000, 0);
        narrow_exchange<<<8, 128>>>(places, 1000);
        std::vector<unsigned short> expected(1000);
        for (int i = 0; i < 1000; ++i) expected[i * 3 % 1000] = static_cast<unsigned short>(i + 1);
        outcome.equal(places, expected);
    });
    launches.add("scoped_64bit", [](Outcome& outcome) {
        auto in = values<unsigned>(2000, 1 << 22);
        Array<unsigned> d(in);
        Array<unsigned long long> sums(2, 0);
        scoped_64bit<<<16, 128>>>(sums, d, 2000);
        unsigned long long sum = 0, most = *std::max_element(in.begin(), in.end());
        for (unsigned v : in) sum += v;
        outcome.equal(sums, std::vector<unsigned long long>{sum, most << 20});
    });
    launches.add("fetch_by_cuda_atomic", [](Outcome& outcome) {
        auto in = values<int>(900, 60);
        Array<int> d(in), bins(60, 0), order(900);
        fetch_by_cuda_atomic<<<8, 128>>>(d, bins, order, 900);
        std::vector<int> expected(60);
        for (int v : in) expected[v] = 1 << v % 5;
        outcome.equal(bins, expected);
    });
    launches.add("reduce_by_key_in_warp", [](Outcome& outcome) {
        auto keys = values<unsigned>(768, 12), in = values<unsigned>(768, 1000, 2);
        Array<unsigned> dk(keys), d(in), sums(std::vector<unsigned>(24, 5000));
        reduce_by_key_in_warp<<<3, 256>>>(dk, d, sums);
        std::vector<unsigned> expected(24, 5000);
        for (int i = 0; i < 768; ++i) {
            expected[2 * keys[i]] += in[i];
            expected[2 * keys[i] + 1] = std::min(expected[2 * keys[i] + 1], in[i]);
        }
        outcome.equal(sums, expected);
    });
}

void add_formats(Launches& launches) {
    launches.add("mixed_vectors", [](Outcome& outcome) {
        const int n = 512;
        auto a = values<unsigned char>(4 * n, 256);
        auto b = values<short>(2 * n, 1000, 2);
        auto c = values<unsigned short>(4 * n, 60000, 3);
        Array<unsigned char> da(a);
        Array<short> db(b);
        Array<unsigned short> dc(c);
        Array<double2> out(n);
        Array<longlong2> sums(n);
        mixed_vectors<<<4, 128>>>(reinterpret_cast<uchar4*>(da.data()),
                                  reinterpret_cast<short2*>(db.data()),
                                  reinterpret_cast<ushort4*>(dc.data()), out, sums, n);
        std::vector<double2> expected;
        std::vector<longlong2> products;
        for (int i = 0; i < n; ++i) {
            unsigned char* x = &a[4 * i];
            short* y = &b[2 * (n - 1 - i)];
            unsigned short* z = &c[4 * (i ^ 1)];
            expected.push_back({x[0] + x[1] * 0.5 + y[0], x[2] - x[3] + z[3] * 0.25});
            products.push_back(
                {static_cast<long long>(z[0]) * z[1], static_cast<long long>(y[1]) * z[2]});
        }
        outcome.equal(out, expected);
        outcome.equal(sums, products);
    });
    launches.add("mathematics", [](Outcome& outcome) {
        auto in = values<double>(1000, 50);
        Array<double> d(in), out(1000);
        mathematics<<<4, 256>>>(d, out, 1000);
        for (double& x : in) {
            x = std::sin(x) * std::cos(x) + std::exp(-x * 0.1) + std::log1p(x) +
                std::pow(x + 1, 0.3) + std::erf(x - 3) + std::cbrt(x) + std::fmod(x, 1.7) +
                std::hypot(x, 2.0);
        }
        outcome.near(out, in, 1e-12);
    });
    launches.add("half_arithmetic", [](Outcome& outcome) {
        auto a = values<int>(2000, 16), b = values<int>(2000, 8, 2);
        std::vector<__half> ha, hb;
        for (int v : a) ha.push_back(__float2half(static_cast<float>(v)));
        for (int v : b) hb.push_back(__float2half(static_cast<float>(v)));
        Array<__half> da(ha), db(hb), out(2000);
        auto pairs = [](const Array<__half>& v) { return reinterpret_cast<__half2*>(v.data()); };
        half_arithmetic<<<8, 128>>>(pairs(da), pairs(db), pairs(out), 1000);
        std::vector<__half> expected;
        for (int i = 0; i < 2000; ++i) {
            int k = i ^ 1;
            float v = a[i] * b[i] + 0.5f, other = a[k] * b[k] + 0.5f;
            if (v > 20 && other > 20) v -= b[i];
            expected.push_back(__float2half(std::max(v, static_cast<float>(-a[i]))));
        }
        outcome.equal(out, expected);
    });
    launches.add("bfloat_dot", [](Outcome& outcome) {
        auto a = values<int>(9 * 200, 16), b = values<int>(200, 16, 2);
        std::vector<__nv_bfloat16> ha, hb;
        for (int v : a) ha.push_back(__float2bfloat16(static_cast<float>(v)));
        for (int v : b) hb.push_back(__float2bfloat16(static_cast<float>(v)));
        Array<__nv_bfloat16> da(ha), db(hb);
        Array<float> out(9);
        bfloat_dot<<<9, 32>>>(reinterpret_cast<__nv_bfloat162*>(da.data()),
                              reinterpret_cast<__nv_bfloat162*>(db.data()), out, 100);
        std::vector<float> expected(9);
        for (int i = 0; i < 1800; ++i) expected[i / 200] += static_cast<float>(a[i] * b[i % 200]);
        outcome.equal(out, expected);
    });
    launches.add("wide_integers", [](Outcome& outcome) {
        auto a = values<unsigned long long>(600, 1 << 23),
             b = values<unsigned long long>(600, 1 << 20, 2);
        for (auto& v : a) v *= 0x123456789abull;
        Array<unsigned long long> da(a), db(b), out(600);
        wide_integers<<<5, 128>>>(da, db, out, 600);
        std::vector<unsigned long long> expected;
        for (int i = 0; i < 600; ++i) {
            unsigned long long x = a[i], y = b[i] | 1, reversed = 0;
            for (int k = 0; k < 64; ++k) reversed |= (y >> k & 1) << (63 - k);
            auto high =
                static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
            unsigned long long r = x / y + x % y + high;
            r ^=
                static_cast<unsigned long long>(x ? __builtin_clzll(x) : 64) << 50 | reversed >> 20;
            unsigned long long both = (y & 0xffffffffu) << 32 | (x & 0xffffffffu);
            unsigned shifted = static_cast<unsigned>(both << (i & 31) >> 32);
            // 0x5140: bytes 0 of i, 0 of r, 1 of i, 1 of r, from the lowest.
            unsigned bytes = (static_cast<unsigned>(i) & 255) |
                             (static_cast<unsigned>(r) & 255) << 8 |
                             (static_cast<unsigned>(i) >> 8 & 255) << 16 |
                             (static_cast<unsigned>(r >> 8) & 255) << 24;
            expected.push_back(r + shifted + bytes);
        }
        outcome.equal(out, expected);
    });
}

}  // namespace

void add_numbers(Launches& launches) {
    add_atomics_of_all_kinds(launches);
    add_formats(launches);
    launches.add("cache_operators", [](Outcome& outcome) {
        const int n = 1000;
        auto a = values<float>(n), b = values<float>(2 * n, 60, 2);
        std::vector<int2> pairs, sums;
        for (int i = 0; i < n; ++i)
            pairs.push_back({static_cast<int>(b[2 * i]), static_cast<int>(b[2 * i + 1])});
        Array<float> da(a), dc(3 * n);
        Array<int2> db(pairs), dd(n);
        cache_operators<<<8, 128>>>(da, db, dc, dd, n);
        std::vector<float> expected(3 * n);
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < 3; ++k)
                expected[k * n + i] = a[i] + a[n - 1 - i] + a[i / 2] + static_cast<float>(k);
            sums.push_back({pairs[i].x + pairs[i / 4].y, pairs[i].y - pairs[i / 4].x});
        }
        outcome.equal(dc, expected);
        outcome.equal(dd, sums);
    });
    launches.add("three_dimensions", [](Outcome& outcome) {
        const int nx = 23, ny = 11, nz = 17;
        auto in = values<float>(nx * ny * nz, 1 << 20);
        Array<float> d(in), out(in.size());
        three_dimensions<<<dim3(5, 4, 3), dim3(5, 3, 7)>>>(d, out, nx, ny, nz);
        std::vector<float> expected;
        for (int i = 0; i < nx * ny * nz; ++i)
            expected.push_back(in[(i % nz * ny + i / nz % ny) * nx + i / nz / ny]);
        outcome.equal(out, expected);
    });
    launches.add("single_threads", [](Outcome& outcome) {
        auto in = values<int>(1000, 5);
        Array<int> d(in), out(70);
        single_threads<<<70, 1>>>(d, out, 1000);
        std::vector<int> expected(70);
        for (int i = 0; i < 1000; ++i)
            expected[i % 70] = static_cast<int>(expected[i % 70] * 3u + in[i]);
        outcome.equal(out, expected);
    });
    launches.add("permuted", [](Outcome& outcome) {
        const int n = 2000;
        std::vector<int> to, from;
        for (int i = 0; i < n; ++i) {
            to.push_back(i * 37 % n);
            from.push_back(i * 1009 % n);
        }
        auto in = values<float>(n, 1 << 20), expected = in;
        Array<int> dt(to), df(from);
        Array<float> d(in), out(n);
        permuted<<<3, 224>>>(dt, df, d, out, n);
        for (int i = 0; i < n; ++i) expected[to[i]] = in[from[i]];
        outcome.equal(out, expected);
    });
    launches.add("count_in_managed", [](Outcome& outcome) {
        auto in = values<int>(500, 1000);
        Array<int> d(in);
        count_in_managed<<<4, 128>>>(d, 500);
        check(cudaDeviceSynchronize());
        std::vector<int> expected(64), got(progress, progress + 64);
        for (int v : in) expected[v % 64] = v % 64 + 1;
        outcome.equal(Array<int>(got), expected);
    });
    launches.add("resize_by_texture", [](Outcome& outcome) {
        auto in = values<float>(32 * 16);
        cudaArray_t array;
        auto channels = cudaCreateChannelDesc<float>();
        check(cudaMallocArray(&array, &channels, 32, 16));
        check(cudaMemcpy2DToArray(array, 0, 0, in.data(), 32 * 4, 32 * 4, 16,
                                  cudaMemcpyHostToDevice));
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaTextureDesc how{};
        how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
        how.filterMode = cudaFilterModeLinear;
        how.normalizedCoords = 1;
        cudaTextureObject_t texture;
        check(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
        Array<float> out(50 * 40);
        resize<<<dim3(4, 5), dim3(16, 8)>>>(texture, out, 50, 40);
        std::vector<float> expected;
        for (int i = 0; i < 50 * 40; ++i) {
            double x = (i % 50 + 0.5) / 50 * 32 - 0.5, y = (i / 50 + 0.5) / 40 * 16 - 0.5;
            int x0 = static_cast<int>(std::floor(x)), y0 = static_cast<int>(std::floor(y));
            auto at = [&](int px, int py) {
                return in[std::clamp(py, 0, 15) * 32 + std::clamp(px, 0, 31)];
            };
            double top = at(x0, y0) + (x - x0) * (at(x0 + 1, y0) - at(x0, y0));
            double bottom = at(x0, y0 + 1) + (x - x0) * (at(x0 + 1, y0 + 1) - at(x0, y0 + 1));
            expected.push_back(static_cast<float>(top + (y - y0) * (bottom - top)));
        }
        outcome.near(out, expected, 0.4);  // weights have eight bits
        check(cudaDestroyTextureObject(texture));
        check(cudaFreeArray(array));
    });
    launches.add("inline_ptx", [](Outcome& outcome) {
        auto in = values<int>(700);
        Array<int> d(in), out(700);
        inline_ptx<<<3, 256>>>(d, out, 700);
        for (int i = 0; i < 700; ++i) in[i] = in[i] * (i % 32) + 7;
        outcome.equal(out, in);
    });
}

}  // namespace ordinary

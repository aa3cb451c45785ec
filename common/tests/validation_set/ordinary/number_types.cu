// Half precision, bfloat16, doubles, 64-bit integers, divisions, bit functions, complex numbers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

__global__ void axpy_half(const __half* x, __half* y, __half a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma(a, x[i], y[i]);
}

__global__ void axpy_half2(const __half2* x, __half2* y, __half2 a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hadd2(__hmul2(a, x[i]), y[i]);
}

__global__ void dot_bfloat16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* out, int n) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += __bfloat162float(a[i]) * __bfloat162float(b[i]);
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0) *out = sum;
}

__global__ void add_bfloat162(const __nv_bfloat162* a, const __nv_bfloat162* b, __nv_bfloat162* out,
                              int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __hadd2(a[i], b[i]);
}

__global__ void roots_of_doubles(const double* in, double* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sqrt(in[i]) / (1.0 + in[i] * in[i]);
}

__global__ void polynomial_double2(const double2* in, double2* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double2 v = in[i];
    out[i] = make_double2(fma(v.x, v.y, 3.0), v.x - v.y * 0.5);
}

__global__ void divide_integers(const int* a, const int* b, int4* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int x = a[i] - 5000, y = b[i] + 1;
    out[i] = make_int4(x / y, x % y, x / 7, static_cast<unsigned>(x) % 10u);
}

__global__ void integers_64(const long long* a, const long long* b, long long* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const long long x = a[i] * 1000003ll, y = b[i] + 17;
    out[i] = x / y + (x % y << 3) + __mul64hi(x << 20, y << 30) - (x >> 5);
}

__global__ void bit_functions(const unsigned* in, unsigned* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned v = in[i] * 2654435761u;
    unsigned sum = __popc(v) + 3 * __clz(v) + 5 * __ffs(v);
    sum ^= __brev(v) + __byte_perm(v, in[i], 0x3614);
    sum += __funnelshift_l(v, in[i], 9) + __umulhi(v, in[i] << 16) + __usad(v, in[i], 3);
    sum += __vadd4(v, 0x01020304u) + __dp4a(v, in[i], 7u) + __mul24(v & 0xfff, 77);
    out[i] = sum;
}

__global__ void multiply_complex(const float2* a, const float2* b, float2* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 x = a[i], y = b[i];
    out[i] = make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}

__global__ void transcendental(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = in[i] * 0.05f;
    out[i] = sinf(x) + cosf(x) * expf(-x) + powf(x + 1.0f, 1.5f) + tanhf(x) + log1pf(x);
}

__global__ void modular_power(const unsigned* bases, unsigned* out, unsigned exponent,
                              unsigned modulus, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long result = 1, base = bases[i] % modulus;
    for (unsigned e = exponent; e != 0; e >>= 1) {
        if (e & 1) result = result * base % modulus;
        base = base * base % modulus;
    }
    out[i] = static_cast<unsigned>(result);
}

void add_halves(Launches& launches) {
    const int n = 2001;
    const auto x = values<float>(2 * n, 32, 1), y = values<float>(2 * n, 32, 2);
    launches.add("axpy_half", [=](Outcome& outcome) {
        std::vector<__half> a(n), b(n), expected(n);
        for (int i = 0; i < n; ++i) {
            a[i] = __float2half(x[i]), b[i] = __float2half(y[i]),
            expected[i] = __float2half(3 * x[i] + y[i]);
        }
        const Array<__half> first(a), second(b);
        axpy_half<<<blocks_of(n), 128>>>(first, second, __float2half(3.0f), n);
        outcome.equal(second, expected);
    });
    launches.add("axpy_half2", [=](Outcome& outcome) {
        std::vector<__half2> a(n), b(n), expected(n);
        for (int i = 0; i < n; ++i) {
            a[i] = __floats2half2_rn(x[2 * i], x[2 * i + 1]);
            b[i] = __floats2half2_rn(y[2 * i], y[2 * i + 1]);
            expected[i] =
                __floats2half2_rn(2 * x[2 * i] + y[2 * i], 5 * x[2 * i + 1] + y[2 * i + 1]);
        }
        const Array<__half2> first(a), second(b);
        axpy_half2<<<blocks_of(n), 128>>>(first, second, __floats2half2_rn(2, 5), n);
        outcome.equal(second, expected);
    });
    launches.add("dot_bfloat16", [=](Outcome& outcome) {
        std::vector<__nv_bfloat16> a(n), b(n);
        float expected = 0;
        for (int i = 0; i < n; ++i) {
            a[i] = __float2bfloat16(x[i]), b[i] = __float2bfloat16(y[i]);
            expected += x[i] * y[i];
        }
        const Array<__nv_bfloat16> first(a), second(b);
        const Array<float> out(1);
        dot_bfloat16<<<1, 32>>>(first, second, out, n);
        outcome.equal(out, {expected});
    });
    launches.add("add_bfloat162", [=](Outcome& outcome) {
        std::vector<__nv_bfloat162> a(n), b(n), expected(n);
        for (int i = 0; i < n; ++i) {
            a[i] = __floats2bfloat162_rn(x[2 * i], x[2 * i + 1]);
            b[i] = __floats2bfloat162_rn(y[2 * i], y[2 * i + 1]);
            expected[i] = __floats2bfloat162_rn(x[2 * i] + y[2 * i], x[2 * i + 1] + y[2 * i + 1]);
        }
        const Array<__nv_bfloat162> first(a), second(b), out(n);
        add_bfloat162<<<blocks_of(n), 128>>>(first, second, out, n);
        outcome.equal(out, expected);
    });
}

void add_floating(Launches& launches) {
    const int n = 2001;
    launches.add("roots_of_doubles", [=](Outcome& outcome) {
        const auto in = values<double>(n);
        const Array<double> input(in), out(n);
        roots_of_doubles<<<blocks_of(n), 128>>>(input, out, n);
        std::vector<double> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = std::sqrt(in[i]) / (1.0 + in[i] * in[i]);
        outcome.equal(out, expected);
    });
    launches.add("polynomial_double2", [=](Outcome& outcome) {
        const auto numbers = values<double>(2 * n);
        std::vector<double2> in(n), expected(n);
        for (int i = 0; i < n; ++i) {
            in[i] = {numbers[2 * i], numbers[2 * i + 1]};
            expected[i] = {in[i].x * in[i].y + 3, in[i].x - in[i].y * 0.5};
        }
        const Array<double2> input(in), out(n);
        polynomial_double2<<<blocks_of(n), 128>>>(input, out, n);
        outcome.equal(out, expected);
    });
    launches.add("multiply_complex", [=](Outcome& outcome) {
        const auto numbers = values<float>(4 * n);
        std::vector<float2> a(n), b(n), expected(n);
        for (int i = 0; i < n; ++i) {
            const float *x = &numbers[4 * i], *y = x + 2;
            a[i] = {x[0], x[1]}, b[i] = {y[0], y[1]};
            expected[i] = {x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]};
        }
        const Array<float2> first(a), second(b), out(n);
        multiply_complex<<<blocks_of(n), 128>>>(first, second, out, n);
        outcome.equal(out, expected);
    });
    launches.add("transcendental", [=](Outcome& outcome) {
        const auto in = values<float>(n);
        const Array<float> input(in), out(n);
        transcendental<<<blocks_of(n), 128>>>(input, out, n);
        std::vector<float> expected(n);
        for (int i = 0; i < n; ++i) {
            const double x = in[i] * 0.05f;
            expected[i] = static_cast<float>(std::sin(x) + std::cos(x) * std::exp(-x) +
                                             std::pow(x + 1, 1.5) + std::tanh(x) + std::log1p(x));
        }
        outcome.near(out, expected, 1e-5);
    });
}

unsigned bit_functions_reference(unsigned in) {
    const unsigned v = in * 2654435761u;
    unsigned leading = 32, first = 0, reversed = 0, sum = 0;
    for (unsigned bit = 0; bit < 32; ++bit) {
        if ((v >> bit & 1) == 0) continue;
        leading = 31 - bit, reversed |= 1u << (31 - bit), sum += 1;
        if (first == 0) first = bit + 1;
    }
    sum += 3 * leading + 5 * first;
    const auto byte = [&](unsigned i) { return (i < 4 ? v >> 8 * i : in >> 8 * (i - 4)) & 255; };
    sum ^= reversed + (byte(3) << 24 | byte(6) << 16 | byte(1) << 8 | byte(4));
    sum += (in << 9 | v >> 23) + static_cast<unsigned>((std::uint64_t{v} * (in << 16)) >> 32);
    sum += (v > in ? v - in : in - v) + 3;
    unsigned dot = 7, bytes = 0;
    for (int i = 0; i < 4; ++i) {
        dot += byte(i) * byte(i + 4);
        bytes |= (byte(i) + (0x01020304u >> 8 * i & 255) & 255) << 8 * i;
    }
    return sum + bytes + dot + (v & 0xfff) * 77;
}

void add_integers(Launches& launches) {
    const int n = 2001;
    launches.add("divide_integers", [=](Outcome& outcome) {
        const auto a = values<int>(n, 10000, 1), b = values<int>(n, 300, 2);
        std::vector<int4> expected(n);
        for (int i = 0; i < n; ++i) {
            const int x = a[i] - 5000, y = b[i] + 1;
            expected[i] = {x / y, x % y, x / 7, static_cast<int>(static_cast<unsigned>(x) % 10u)};
        }
        const Array<int> first(a), second(b);
        const Array<int4> out(n);
        divide_integers<<<blocks_of(n), 128>>>(first, second, out, n);
        outcome.equal(out, expected);
    });
    launches.add("integers_64", [=](Outcome& outcome) {
        const auto a = values<long long>(n, 1000000, 1), b = values<long long>(n, 1000000, 2);
        std::vector<long long> expected(n);
        for (int i = 0; i < n; ++i) {
            const long long x = a[i] * 1000003ll, y = b[i] + 17;
            const auto high =
                static_cast<long long>((static_cast<__int128>(x << 20) * (y << 30)) >> 64);
            expected[i] = x / y + (x % y << 3) + high - (x >> 5);
        }
        const Array<long long> first(a), second(b), out(n);
        integers_64<<<blocks_of(n), 128>>>(first, second, out, n);
        outcome.equal(out, expected);
    });
    launches.add("bit_functions", [=](Outcome& outcome) {
        const auto in = values<unsigned>(n, 1 << 22);
        const Array<unsigned> input(in), out(n);
        bit_functions<<<blocks_of(n), 128>>>(input, out, n);
        std::vector<unsigned> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = bit_functions_reference(in[i]);
        outcome.equal(out, expected);
    });
    launches.add("modular_power", [=](Outcome& outcome) {
        const auto in = values<unsigned>(n, 1 << 22);
        const Array<unsigned> input(in), out(n);
        modular_power<<<blocks_of(n), 128>>>(input, out, 65537, 1000000007, n);
        std::vector<unsigned> expected(n);
        for (int i = 0; i < n; ++i) {
            std::uint64_t power = in[i];
            for (int k = 0; k < 16; ++k) power = power * power % 1000000007;
            expected[i] = static_cast<unsigned>(power * in[i] % 1000000007);
        }
        outcome.equal(out, expected);
    });
}

}  // namespace

void add_number_types(Launches& launches) {
    add_halves(launches);
    add_floating(launches);
    add_integers(launches);
}

}  // namespace ordinary

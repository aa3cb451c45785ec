// What the language and its library offer: types, calls, atomics, barriers, copies, functions.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/span>
#include <numeric>
#include <utility>

#include "../ordinary/launches.hpp"
#include "device_functions.cuh"
#include "themes.hpp"

namespace ordinary {
namespace {

namespace cg = cooperative_groups;

struct Account {  // 24 bytes
    double balance;
    int owner;
    short visits, level;
    unsigned char flags[4];
    float rate;
};

__host__ __device__ Account after_a_year(Account a) {
    if (a.flags[1] & 1) return a;
    a.balance += a.balance * a.rate;
    a.visits = static_cast<short>(a.visits + 365);
    a.level = static_cast<short>(a.balance > 500.0 ? 2 : 1);
    a.flags[a.owner & 3] ^= 0x81;
    return a;
}

__global__ void update_accounts(Account* accounts, const int* which, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) accounts[which[i]] = after_a_year(accounts[which[i]]);
}

struct Value {
    enum Kind : unsigned char { WHOLE, REAL, PAIR } kind;
    union {
        int whole;
        float real;
        short pair[2];
    };
};

__global__ void sum_of_kinds(const Value* values, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Value v = values[i];
    switch (v.kind) {
        case Value::WHOLE:
            out[i] = static_cast<float>(v.whole);
            return;
        case Value::REAL:
            out[i] = v.real * 2.0f;
            return;
        case Value::PAIR:
            out[i] = static_cast<float>(v.pair[0] * v.pair[1]);
            return;
    }
    out[i] = -1.0f;
}

struct Packet {  // 8 bytes
    unsigned version : 4, length : 12, checksum : 16;
    int offset : 21, kind : 11;
};

__host__ __device__ Packet answer_to(Packet p) {
    p.version ^= 5;
    p.length = (p.length + 100) & 0xfff;
    p.offset = -p.offset / 2;
    p.kind = p.kind < 0 ? 7 : p.kind - 1;
    p.checksum = (p.version * 31 + p.length * 7 + static_cast<unsigned>(p.offset)) & 0xffff;
    return p;
}

__global__ void answer_packets(Packet* packets, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) packets[i] = answer_to(packets[i]);
}

// Expressions of arrays that are computed element by element.
template <class T>
struct Leaf {
    const T* data;
    __device__ T operator[](int i) const { return data[i]; }
};

template <class L, class R, class F>
struct Both {
    L left;
    R right;
    F f;
    __device__ auto operator[](int i) const { return f(left[i], right[i]); }
};

template <class F>
struct Computed {
    F call;
    __device__ auto operator[](int i) const { return call(i); }
};

struct Plus {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return a + b;
    }
};

struct Times {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return a * b;
    }
};

template <class E, class T>
__global__ void evaluate(E expression, T* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        out[i] = expression[i];
    }
}

// The steps of a polynomial from the parameters of the template.
template <int First, int... Rest>
__device__ int horner(int x) {
    if constexpr (sizeof...(Rest) == 0) {
        return First;
    } else {
        return First + x * horner<Rest...>(x);
    }
}

template <int... Factors>
__global__ void polynomials(const short* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = horner<Factors...>(in[i]);
}

// Sums, products and brackets by recursive descent.
struct Parser {
    const char* at;

    __device__ int factor() {
        if (*at == '(') {
            ++at;
            int v = sum();
            ++at;
            return v;
        }
        return *at++ - '0';
    }
    __device__ int product() {
        int v = factor();
        while (*at == '*') {
            ++at;
            v *= factor();
        }
        return v;
    }
    __device__ int sum() {
        int v = product();
        while (*at == '+' || *at == '-') {
            char sign = *at++;
            int other = product();
            v = sign == '+' ? v + other : v - other;
        }
        return v;
    }
};

__global__ void parse_expressions(const char* texts, int* out, int n, int room) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Parser parser = {texts + i * room};
    out[i] = parser.sum();
}

__host__ __device__ unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void ackermann_numbers(unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = ackermann(i % 3, i / 3 % 4);
}

using Curve = float (*)(float);
__device__ float square(float x) { return x * x; }
__device__ float ramp(float x) { return x < 0.0f ? 0.0f : x; }
__device__ Curve square_pointer = square;
__device__ Curve ramp_pointer = ramp;

// The functions come from the host as addresses.
__global__ void apply_curves(Curve even, Curve odd, float* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = (i / 64 % 2 == 0 ? even : odd)(data[i]);
}

template <class Derived>
struct Filter {
    __device__ int through(const int* row, int n) const {
        int result = self().start();
        for (int i = 0; i < n; ++i) result = self().step(result, row[i]);
        return result;
    }
    __device__ const Derived& self() const { return static_cast<const Derived&>(*this); }
};

struct Highest : Filter<Highest> {
    __device__ int start() const { return -1; }
    __device__ int step(int a, int b) const { return max(a, b); }
};

struct Mixed : Filter<Mixed> {
    int factor;
    __device__ explicit Mixed(int factor) : factor(factor) {}
    __device__ int start() const { return factor; }
    __device__ int step(int a, int b) const {
        return static_cast<int>(static_cast<unsigned>(a) * factor) ^ b;
    }
};

__global__ void filter_rows(const int* in, int2* out, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const int* row = in + r * columns;
    out[r] = make_int2(Highest().through(row, columns), Mixed(r + 3).through(row, columns));
}

struct Animal {
    int age;
    __device__ explicit Animal(int age) : age(age) {}
    __device__ virtual int legs() const { return 4; }
    __device__ virtual int sound(int times) const = 0;
};

struct Dog : Animal {
    using Animal::Animal;
    __device__ int sound(int times) const override { return age * 10 + times; }
};

struct Bird : Animal {
    using Animal::Animal;
    __device__ int legs() const override { return 2; }
    __device__ int sound(int times) const override { return times * times - age; }
};

struct Parrot : Bird {
    using Bird::Bird;
    __device__ int sound(int times) const override { return Bird::sound(times) ^ 0xff; }
};

// Which of three objects is called is known only from the data, lane by lane.
__global__ void call_animals(const unsigned char* kinds, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Dog dog(i % 7);
    Bird bird(i % 5);
    Parrot parrot(i % 3);
    const Animal* animals[3] = {&dog, &bird, &parrot};
    const Animal* chosen = animals[kinds[i]];
    int result = 0;
    for (int times = 0; times < chosen->legs(); ++times) result += chosen->sound(times);
    out[i] = result;
}

// Duff: into the middle of a loop of four.
__global__ void copy_by_duff(const unsigned short* in, unsigned short* out, const int* lengths,
                             int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || lengths[row] == 0) return;
    const unsigned short* from = in + row * columns;
    unsigned short* to = out + row * columns;
    int rounds = (lengths[row] + 3) / 4;
    switch (lengths[row] % 4) {
        case 0:
            do {
                *to++ = *from++;
                [[fallthrough]];
                case 3:
                    *to++ = *from++;
                    [[fallthrough]];
                case 2:
                    *to++ = *from++;
                    [[fallthrough]];
                case 1:
                    *to++ = *from++;
            } while (--rounds > 0);
    }
}

struct Squares {
    int table[40];
};

constexpr Squares make_squares() {
    Squares result = {};
    for (int i = 0; i < 40; ++i) result.table[i] = i * i + 1;
    return result;
}

__constant__ Squares squares = make_squares();

// At most 96 threads a block, four blocks at once.
__global__ void __launch_bounds__(96, 4) sum_of_squares(const unsigned char* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __builtin_assume(n > 0);
    if (i >= n) return;
    int v = in[i], sum = 0;
    do {
        sum += squares.table[v];
    } while ((v /= 2) > 0);
    out[i] = sum;
}

__device__ int visits[64];
__device__ float weight_of_all = 0.5f;

__global__ void count_visits(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&visits[static_cast<int>(in[i]) % 64], 1);
    out[i] = in[i] * weight_of_all;
}

__global__ void wrap_counters(unsigned* counters, int* bounds, unsigned* bits, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicInc(&counters[i % 3], 99);
    atomicDec(&counters[3 + i % 3], 76);
    atomicSub(&bounds[0], i % 11);
    atomicMin(&bounds[1], (i * 37) % 1001 - 500);
    atomicMax(&bounds[2], (i * 53) % 1003 - 500);
    atomicAnd(&bits[0], ~(1u << (i % 13)));
    atomicOr(&bits[1], 1u << (i % 17 + 3));
    atomicXor(&bits[2], static_cast<unsigned>(i) * 2654435761u);
}

__global__ void wide_counters(unsigned long long* words, long long* bounds, double* sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long v = pcg_hash(i) * 0x100000001ull;
    atomicAnd(&words[0], v | 0xf0f0ull << i % 40);
    atomicOr_block(&words[1 + blockIdx.x], v & 0x0101010101010101ull);
    atomicXor_system(&words[10], v);
    atomicMin(&bounds[0], static_cast<long long>(v >> 1) - (1ll << 62));
    atomicMax(&bounds[1], static_cast<long long>(v >> 1) - (1ll << 62));
    atomicAdd(sum, i * 0.25);
}

// A maximum of 16 bits by compare and swap; every place has one thread.
__global__ void raise_shorts(unsigned short* highest, const unsigned short* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned short old = highest[i], assumed;
    while (old < in[i]) {
        assumed = old;
        old = atomicCAS(&highest[i], assumed, in[i]);
        if (old == assumed) break;
    }
}

__global__ void add_narrow_pairs(__half2* halves, __nv_bfloat162* narrow, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&halves[i % 24], __floats2half2_rn(1.0f, i % 3));
    atomicAdd(&narrow[i % 24], __floats2bfloat162_rn(i % 2, 1.0f));
}

__global__ void add_vectors_of_float(float2* twos, float4* fours, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = in[i];
    atomicAdd(&twos[i % 50], make_float2(v, 1.0f));
    atomicAdd(&fours[i % 30], make_float4(v, -v, 2.0f * v, 1.0f));
}

__global__ void atomics_by_reference(double* sum, int* highest, unsigned* bits, const int* in,
                                     int n) {
    __shared__ int local;
    if (threadIdx.x == 0) local = -1;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        cuda::atomic_ref<double, cuda::thread_scope_device>(*sum).fetch_add(
            in[i], cuda::std::memory_order_relaxed);
        cuda::atomic_ref<int, cuda::thread_scope_block>(local).fetch_max(
            in[i], cuda::std::memory_order_relaxed);
        cuda::atomic_ref<unsigned, cuda::thread_scope_system>(*bits).fetch_or(
            1u << in[i] % 32, cuda::std::memory_order_relaxed);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::atomic_ref<int, cuda::thread_scope_device>(*highest).fetch_max(
            local, cuda::std::memory_order_release);
    }
}

// Arrives, does something else, waits.
__global__ void split_barrier(const int* in, int* out, int rounds) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier barrier;
    __shared__ int tile[2][160];
    int t = threadIdx.x, n = blockDim.x, mine = in[blockIdx.x * n + t];
    if (t == 0) init(&barrier, n);
    __syncthreads();
    for (int r = 0; r < rounds; ++r) {
        tile[r % 2][t] = mine;
        auto token = barrier.arrive();
        mine = mine * 3 + r;
        barrier.wait(std::move(token));
        mine ^= tile[r % 2][(t + 7 * r + 1) % n];
    }
    out[blockIdx.x * n + t] = mine;
}

// Two stages shared by the block.
__global__ void staged_sums(const int4* in, int* out, int batches) {
    __shared__ __align__(16) int4 stages[2][48];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    auto fetch = [&](int batch) {
        pipe.producer_acquire();
        if (batch < batches) {
            cuda::memcpy_async(block, stages[batch % 2], in + (blockIdx.x * batches + batch) * 48,
                               cuda::aligned_size_t<16>(sizeof stages[0]), pipe);
        }
        pipe.producer_commit();
    };
    int sum = 0;
    fetch(0);
    for (int batch = 0; batch < batches; ++batch) {
        fetch(batch + 1);
        pipe.consumer_wait();
        int4 v = stages[batch % 2][(threadIdx.x + batch) % 48];
        sum += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
        pipe.consumer_release();
    }
    pipe.consumer_wait();
    pipe.consumer_release();
    out[blockIdx.x * 48 + threadIdx.x] = sum;
}

// Some lanes together; one of them counts for all.
__global__ void count_by_one(const int* in, int* counts, int* sizes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || in[i] % 3 != 0) return;
    auto active = cg::coalesced_threads();
    cg::invoke_one(active, [&] { atomicAdd(&counts[i / 32], active.num_threads()); });
    sizes[i] = static_cast<int>(active.num_threads()) * 100 + active.thread_rank();
}

// Each group of four exchanges a matrix of 4 x 4.
__global__ void transpose_by_fours(const float4* in, float4* out) {
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    float mine[4] = {v.x, v.y, v.z, v.w}, turned[4];
    int rank = tile.thread_rank();
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        // Which one to send differs from lane to lane.
        int send = (rank + k) % 4;
        float give = send == 0 ? mine[0] : send == 1 ? mine[1] : send == 2 ? mine[2] : mine[3];
        int from = (rank + 4 - k) % 4;
        float got = tile.shfl(give, from);
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            if (c == from) turned[c] = got;
        }
    }
    out[i] = make_float4(turned[0], turned[1], turned[2], turned[3]);
}

// Whole warps that agree, and the lowest lane of those that do not.
__global__ void agreeing_lanes(const int* in, int2* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, agree = 0;
    int v = in[i];
    unsigned all = __match_all_sync(0xffffffffu, v / 1000, &agree);
    unsigned same = __match_any_sync(0xffffffffu, static_cast<long long>(v) % 4);
    int lowest = __reduce_min_sync(same, v);
    out[i] = make_int2(agree ? static_cast<int>(all & 0xffff) : lowest,
                       __any_sync(0xffffffffu, v % 100 == 7) * 2 + __all_sync(0xffffffffu, v > 0));
}

__global__ void scale_managed(double* data, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        data[i] = data[i] * 0.5 + data[n + i];
    }
}

// Loads and stores with hints, of several widths.
__global__ void move_with_hints(const short4* a, const uchar2* b, const double2* c, const int* d,
                                int4* out, volatile int* check, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    short4 v = __ldcs(&a[i]);
    uchar2 w = __ldg(&b[i]);
    double2 x = __ldcg(&c[i]);
    int y = __ldca(&d[i]) + __ldlu(&d[n - 1 - i]);
    __stcs(&out[i], make_int4(v.x + w.x, v.y - w.y, v.z + static_cast<int>(x.x), y));
    check[i] = v.w;
    check[i] = check[i] + static_cast<int>(x.y);
}

using Wide = unsigned __int128;

__host__ __device__ unsigned long long power_modulo(unsigned long long base,
                                                    unsigned long long exponent,
                                                    unsigned long long modulus) {
    unsigned long long result = 1;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1) {
            result = static_cast<unsigned long long>(static_cast<Wide>(result) * base % modulus);
        }
        base = static_cast<unsigned long long>(static_cast<Wide>(base) * base % modulus);
    }
    return result;
}

__global__ void powers_of_128_bits(const unsigned long long* bases, unsigned long long* out,
                                   int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = power_modulo(bases[i], 65537 + i, 0xffffffffffffffc5ull);
}

__host__ __device__ unsigned long long bits_of(unsigned v, unsigned by) {
    return static_cast<unsigned long long>(cuda::std::popcount(v)) << 32 |
           cuda::std::rotl(v, static_cast<int>(by % 32)) % 0xffff ^
               static_cast<unsigned>(cuda::std::countl_zero(v | 1)) << 16;
}

__global__ void bits_of_span(cuda::std::span<const unsigned> in,
                             cuda::std::span<unsigned long long> out) {
    auto i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < in.size()) out[i] = bits_of(in[i], in[in.size() - 1 - i]);
}

__global__ void complex_quotients(const float2* a, const float2* b, float2* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cuda::std::complex<float> x(a[i].x, a[i].y), y(b[i].x, b[i].y);
    auto z = x * cuda::std::conj(y) / cuda::std::norm(y);
    out[i] = make_float2(z.real(), z.imag());
}

// Eight bits with an exponent of four; a scale for each 32.
__global__ void from_and_to_fp8(const __nv_fp8_e4m3* in, const float* scales, float* out,
                                __nv_fp8_e5m2* back, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = static_cast<float>(in[i]) * scales[i / 32];
    out[i] = v;
    back[i] = __nv_fp8_e5m2(v);
}

// Four bytes or two halves of a word at once.
__global__ void bytes_of_words(const unsigned* a, const unsigned* b, uint4* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = a[i], y = b[i];
    out[i] = make_uint4(__vadd4(x, y), __vabsdiffu4(x, y), __vmaxu2(x, y), __vavgu4(x, y));
}

__global__ void special_functions(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i], whole;
    int exponent;
    float sum = cbrtf(x) + erfcf(x * 0.1f) + hypotf(x, 3.0f) + log1pf(x) + expm1f(x * 0.01f);
    sum += fmodf(x, 3.7f) + ldexpf(frexpf(x, &exponent), 3) + modff(x, &whole) + rhypotf(x, 1.0f);
    out[i] = sum + lgammaf(x + 1.0f) * 0.1f + sinpif(x * 0.25f) + atan2f(x, 2.0f) + exponent;
}

__global__ void functions_of_double(const double* in, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = in[i], y = fma(x, x, 1.0);
    out[i] = tanh(x * 0.01) + log2(y) + rsqrt(y) + exp2(x * 0.1) + asin(1.0 / y) +
             remainder(x, 1.75) + pow(y, 0.3) + floor(x * 0.3) + trunc(-x * 0.7) + erf(x * 0.2);
}

std::vector<char> expression_of(unsigned& state, int depth, int& value) {
    auto next = [&] { return state = pcg_hash(state); };
    if (depth == 0 || next() % 4 == 0) {
        value = static_cast<int>(next() % 10);
        return {static_cast<char>('0' + value)};
    }
    int left, right;
    std::vector<char> text = expression_of(state, depth - 1, left);
    std::vector<char> other = expression_of(state, depth - 1, right);
    char sign = "+-*"[next() % 3];
    value = sign == '+' ? left + right : sign == '-' ? left - right : left * right;
    text.insert(text.begin(), '(');
    text.push_back(sign);
    text.insert(text.end(), other.begin(), other.end());
    text.push_back(')');
    return text;
}

void add_types(Launches& launches) {
    launches.add("update_accounts", [](Outcome& outcome) {
        const int n = 500;
        auto numbers = values<int>(n, 1000);
        std::vector<Account> accounts;
        std::vector<int> which;
        for (int i = 0; i < n; ++i) {
            Account a = {numbers[i] * 1.0, i, static_cast<short>(i % 90), 0, {1, 2, 3, 4}, 0.25f};
            a.flags[1] = static_cast<unsigned char>(numbers[i] % 8);
            accounts.push_back(a);
            if (i % 3 != 1) which.push_back((i * 7) % n);
        }
        std::sort(which.begin(), which.end());
        const int chosen = static_cast<int>(which.size());
        Array<Account> d(accounts);
        Array<int> dw(which);
        update_accounts<<<ceil_div(chosen, 96), 96>>>(d, dw, chosen);
        for (int w : which) accounts[w] = after_a_year(accounts[w]);
        outcome.equal(d, accounts);
    });
    launches.add("sum_of_kinds", [](Outcome& outcome) {
        const int n = 700;
        auto numbers = values<int>(n, 5000);
        std::vector<Value> in(n);
        std::vector<float> expected;
        for (int i = 0; i < n; ++i) {
            auto kind = static_cast<Value::Kind>(numbers[i] % 3);
            in[i].kind = kind;
            if (kind == Value::WHOLE) in[i].whole = numbers[i] - 2500;
            if (kind == Value::REAL) in[i].real = numbers[i] * 0.25f;
            if (kind == Value::PAIR) {
                in[i].pair[0] = static_cast<short>(numbers[i] % 100);
                in[i].pair[1] = static_cast<short>(-i);
            }
            expected.push_back(static_cast<float>(kind == Value::WHOLE  ? numbers[i] - 2500
                                                  : kind == Value::REAL ? numbers[i] * 0.5f
                                                                        : numbers[i] % 100 * -i));
        }
        Array<Value> d(in);
        Array<float> out(n);
        sum_of_kinds<<<ceil_div(n, 128), 128>>>(d, out, n);
        outcome.equal(out, expected);
    });
    launches.add("answer_packets", [](Outcome& outcome) {
        const int n = 600;
        std::vector<Packet> packets(n);
        for (int i = 0; i < n; ++i) {
            unsigned hash = pcg_hash(i);
            std::memset(static_cast<void*>(&packets[i]), 0, sizeof(Packet));
            packets[i].version = hash & 15;
            packets[i].length = hash >> 4 & 0xfff;
            packets[i].checksum = hash >> 16;
            packets[i].offset = static_cast<int>(hash % 2000000) - 1000000;
            packets[i].kind = static_cast<int>(hash % 2000) - 1000;
        }
        Array<Packet> d(packets);
        answer_packets<<<ceil_div(n, 128), 128>>>(d, n);
        for (Packet& p : packets) p = answer_to(p);
        outcome.equal(d, packets);
    });
    launches.add("move_with_hints", [](Outcome& outcome) {
        const int n = 450;
        auto a = values<short>(4 * n, 1000);
        auto b = values<unsigned char>(2 * n, 256, 2);
        auto c = values<double>(2 * n, 3000, 3);
        auto d = values<int>(n, 3000, 4);
        Array<short> da(a);
        Array<unsigned char> db(b);
        Array<double> dc(c);
        Array<int> dd(d), out(4 * n), last(n);
        move_with_hints<<<ceil_div(n, 128), 128>>>(
            reinterpret_cast<short4*>(da.data()), reinterpret_cast<uchar2*>(db.data()),
            reinterpret_cast<double2*>(dc.data()), dd, reinterpret_cast<int4*>(out.data()),
            last.data(), n);
        std::vector<int> expected, sums;
        for (int i = 0; i < n; ++i) {
            expected.push_back(a[4 * i] + b[2 * i]);
            expected.push_back(a[4 * i + 1] - b[2 * i + 1]);
            expected.push_back(a[4 * i + 2] + static_cast<int>(c[2 * i]));
            expected.push_back(d[i] + d[n - 1 - i]);
            sums.push_back(a[4 * i + 3] + static_cast<int>(c[2 * i + 1]));
        }
        outcome.equal(out, expected);
        outcome.equal(last, sums);
    });
    launches.add("from_and_to_fp8", [](Outcome& outcome) {
        const int n = 512;
        std::vector<__nv_fp8_e4m3> in(n);
        std::vector<__nv_fp8_e5m2> narrow;
        std::vector<float> scales, expected;
        for (int i = 0; i < n / 32; ++i) scales.push_back(0.25f * static_cast<float>(i + 1));
        for (int i = 0; i < n; ++i) {
            // All codes but the two that are no numbers.
            in[i].__x = static_cast<__nv_fp8_storage_t>((i & 127) == 127 ? 0 : i);
            expected.push_back(static_cast<float>(in[i]) * scales[i / 32]);
            narrow.push_back(__nv_fp8_e5m2(expected.back()));
        }
        Array<__nv_fp8_e4m3> d(in);
        Array<float> ds(scales), out(n);
        Array<__nv_fp8_e5m2> back(n);
        from_and_to_fp8<<<4, 128>>>(d, ds, out, back, n);
        outcome.equal(out, expected);
        outcome.equal(back, narrow);
    });
    launches.add("powers_of_128_bits", [](Outcome& outcome) {
        const int n = 200;
        auto bases = values<unsigned long long>(n, 1 << 23);
        for (auto& v : bases) v *= 0x1000000001b3ull;
        Array<unsigned long long> d(bases), out(n);
        powers_of_128_bits<<<ceil_div(n, 64), 64>>>(d, out, n);
        std::vector<unsigned long long> expected;
        for (int i = 0; i < n; ++i) {
            expected.push_back(power_modulo(bases[i], 65537 + i, 0xffffffffffffffc5ull));
        }
        outcome.equal(out, expected);
    });
    launches.add("bytes_of_words", [](Outcome& outcome) {
        const int n = 400;
        auto a = values<unsigned>(n, 1 << 23), b = values<unsigned>(n, 1 << 23, 2);
        for (int i = 0; i < n; ++i) {
            a[i] *= 499;
            b[i] *= 521;
        }
        Array<unsigned> da(a), db(b);
        Array<uint4> out(n);
        bytes_of_words<<<ceil_div(n, 128), 128>>>(da, db, out, n);
        std::vector<uint4> expected(n, uint4{0, 0, 0, 0});
        for (int i = 0; i < n; ++i) {
            for (int shift = 0; shift < 32; shift += 8) {
                int x = a[i] >> shift & 255, y = b[i] >> shift & 255;
                expected[i].x |= static_cast<unsigned>((x + y) & 255) << shift;
                expected[i].y |= static_cast<unsigned>(std::abs(x - y)) << shift;
                expected[i].w |= static_cast<unsigned>((x + y + 1) / 2) << shift;
            }
            for (int shift = 0; shift < 32; shift += 16) {
                expected[i].z |= std::max(a[i] >> shift & 65535, b[i] >> shift & 65535) << shift;
            }
        }
        outcome.equal(out, expected);
    });
}

void add_calls_of_every_kind(Launches& launches) {
    launches.add("evaluate", [](Outcome& outcome) {
        const int n = 1111;
        auto a = values<long long>(n, 1 << 20), b = values<long long>(n, 1 << 20, 2);
        Array<long long> da(a), db(b), out(n);
        using Numbers = Leaf<long long>;
        using Product = Both<Numbers, Numbers, Times>;
        const Product product = {{da.data()}, {db.data()}, {}};
        evaluate<<<5, 96>>>(Both<Product, Numbers, Plus>{product, {da.data()}, {}}, out.data(), n);
        std::vector<long long> expected;
        for (int i = 0; i < n; ++i) expected.push_back(a[i] * b[i] + a[i]);
        outcome.equal(out, expected);
    });
    launches.add("polynomials", [](Outcome& outcome) {
        const int n = 500;
        auto in = values<short>(n, 60);
        Array<short> d(in);
        Array<int> out(n);
        polynomials<5, -3, 0, 7, 2><<<ceil_div(n, 128), 128>>>(d, out, n);
        std::vector<int> expected;
        for (int x : in) expected.push_back(5 - 3 * x + 7 * x * x * x + 2 * x * x * x * x);
        outcome.equal(out, expected);
    });
    launches.add("for_each_by_lambda", [](Outcome& outcome) {
        const int n = 800, shift = 13;
        auto in = values<int>(n, 1000);
        Array<int> d(in), out(n);
        const int *from = d, limit = 300;
        auto f = [=] __device__(int i) {
            auto clamped = [limit](int v) { return v > limit ? limit : v; };
            return clamped(from[i]) - clamped(from[(i + shift) % n]);
        };
        evaluate<<<3, 128>>>(Computed<decltype(f)>{f}, out.data(), n);
        std::vector<int> expected;
        for (int i = 0; i < n; ++i) {
            expected.push_back(std::min(in[i], 300) - std::min(in[(i + 13) % n], 300));
        }
        outcome.equal(out, expected);
    });
    launches.add("parse_expressions", [](Outcome& outcome) {
        const int n = 260, room = 32;
        std::vector<char> texts(n * room);
        std::vector<int> expected(n);
        unsigned state = 4;
        for (int i = 0; i < n; ++i) {
            auto text = expression_of(state, 3, expected[i]);
            std::copy(text.begin(), text.end(), texts.begin() + i * room);
        }
        Array<char> d(texts);
        Array<int> out(n);
        parse_expressions<<<ceil_div(n, 64), 64>>>(d, out, n, room);
        outcome.equal(out, expected);
    });
    launches.add("ackermann_numbers", [](Outcome& outcome) {
        Array<unsigned> out(150);
        ackermann_numbers<<<3, 64>>>(out, 150);
        std::vector<unsigned> expected;
        for (unsigned i = 0; i < 150; ++i) {
            unsigned n = i / 3 % 4;
            expected.push_back(i % 3 == 0 ? n + 1 : i % 3 == 1 ? n + 2 : 2 * n + 3);
        }
        outcome.equal(out, expected);
    });
    launches.add("apply_curves", [](Outcome& outcome) {
        const int n = 600;
        auto data = values<float>(n, 100);
        for (float& v : data) v -= 50;
        Array<float> d(data);
        Curve even, odd;
        check(cudaMemcpyFromSymbol(&even, square_pointer, sizeof even));
        check(cudaMemcpyFromSymbol(&odd, ramp_pointer, sizeof odd));
        apply_curves<<<ceil_div(n, 128), 128>>>(even, odd, d, n);
        for (int i = 0; i < n; ++i) {
            data[i] = i / 64 % 2 == 0 ? data[i] * data[i] : std::max(data[i], 0.0f);
        }
        outcome.equal(d, data);
    });
    launches.add("filter_rows", [](Outcome& outcome) {
        const int rows = 150, columns = 33;
        auto in = values<int>(rows * columns, 5000);
        Array<int> d(in);
        Array<int2> out(rows);
        filter_rows<<<ceil_div(rows, 64), 64>>>(d, out, rows, columns);
        std::vector<int2> expected;
        for (int r = 0; r < rows; ++r) {
            int highest = -1;
            auto mixed = static_cast<unsigned>(r + 3);
            for (int c = 0; c < columns; ++c) {
                highest = std::max(highest, in[r * columns + c]);
                mixed = mixed * static_cast<unsigned>(r + 3) ^
                        static_cast<unsigned>(in[r * columns + c]);
            }
            expected.push_back({highest, static_cast<int>(mixed)});
        }
        outcome.equal(out, expected);
    });
    launches.add("call_animals", [](Outcome& outcome) {
        const int n = 333;
        auto kinds = values<unsigned char>(n, 3);
        Array<unsigned char> d(kinds);
        Array<int> out(n);
        call_animals<<<ceil_div(n, 96), 96>>>(d, out, n);
        std::vector<int> expected(n);
        for (int i = 0; i < n; ++i) {
            for (int t = 0; t < (kinds[i] == 0 ? 4 : 2); ++t) {
                expected[i] += kinds[i] == 0   ? i % 7 * 10 + t
                               : kinds[i] == 1 ? t * t - i % 5
                                               : (t * t - i % 3) ^ 0xff;
            }
        }
        outcome.equal(out, expected);
    });
    launches.add("copy_by_duff", [](Outcome& outcome) {
        const int rows = 140, columns = 29;
        auto in = values<unsigned short>(rows * columns, 60000);
        auto lengths = values<int>(rows, columns + 1, 2);
        Array<unsigned short> d(in), out(rows * columns);
        Array<int> dl(lengths);
        copy_by_duff<<<ceil_div(rows, 64), 64>>>(d, out, dl, rows, columns);
        for (int i = 0; i < rows * columns; ++i) {
            if (i % columns >= lengths[i / columns]) in[i] = 0xffff;
        }
        outcome.equal(out, in);
    });
    launches.add("sum_of_squares", [](Outcome& outcome) {
        const int n = 900;
        auto in = values<unsigned char>(n, 40);
        Array<unsigned char> d(in);
        Array<int> out(n);
        sum_of_squares<<<ceil_div(n, 96), 96>>>(d, out, n);
        std::vector<int> expected;
        for (int v : in) {
            int sum = v * v + 1;
            for (v /= 2; v > 0; v /= 2) sum += v * v + 1;
            expected.push_back(sum);
        }
        outcome.equal(out, expected);
    });
}

void add_atomics_of_every_kind(Launches& launches) {
    launches.add("wrap_counters", [](Outcome& outcome) {
        const int n = 1000;
        Array<unsigned> counters(6, 0), bits(std::vector<unsigned>{~0u, 0, 0});
        Array<int> bounds(std::vector<int>{0, 1 << 30, -(1 << 30)});
        wrap_counters<<<ceil_div(n, 192), 192>>>(counters, bounds, bits, n);
        std::vector<unsigned> counted(6), expected = {~0u, 0, 0};
        std::vector<int> limits = {0, 1 << 30, -(1 << 30)};
        for (int i = 0; i < n; ++i) {
            unsigned &up = counted[i % 3], &down = counted[3 + i % 3];
            up = up >= 99 ? 0 : up + 1;
            down = down == 0 || down > 76 ? 76 : down - 1;
            limits[0] -= i % 11;
            limits[1] = std::min(limits[1], i * 37 % 1001 - 500);
            limits[2] = std::max(limits[2], i * 53 % 1003 - 500);
            expected[0] &= ~(1u << i % 13);
            expected[1] |= 1u << (i % 17 + 3);
            expected[2] ^= static_cast<unsigned>(i) * 2654435761u;
        }
        outcome.equal(counters, counted);
        outcome.equal(bounds, limits);
        outcome.equal(bits, expected);
    });
    launches.add("wide_counters", [](Outcome& outcome) {
        const int n = 900;
        using Words = std::vector<unsigned long long>;
        Words words(11);
        words[0] = ~0ull;
        std::vector<long long> limits = {1ll << 62, -(1ll << 62)};
        Array<unsigned long long> dw(words);
        Array<long long> bounds(limits);
        Array<double> sum(1, 0);
        wide_counters<<<8, 128>>>(dw, bounds, sum, n);
        for (int i = 0; i < n; ++i) {
            unsigned long long v = pcg_hash(i) * 0x100000001ull;
            words[0] &= v | 0xf0f0ull << i % 40;
            words[1 + i / 128] |= v & 0x0101010101010101ull;
            words[10] ^= v;
            limits[0] = std::min(limits[0], static_cast<long long>(v >> 1) - (1ll << 62));
            limits[1] = std::max(limits[1], static_cast<long long>(v >> 1) - (1ll << 62));
        }
        outcome.equal(dw, words);
        outcome.equal(bounds, limits);
        outcome.equal(sum, std::vector<double>{n * (n - 1) * 0.125});
    });
    launches.add("raise_shorts", [](Outcome& outcome) {
        const int n = 700;
        auto highest = values<unsigned short>(n, 60000), in = values<unsigned short>(n, 60000, 2);
        Array<unsigned short> dh(highest), d(in);
        raise_shorts<<<ceil_div(n, 128), 128>>>(dh, d, n);
        for (int i = 0; i < n; ++i) highest[i] = std::max(highest[i], in[i]);
        outcome.equal(dh, highest);
    });
    launches.add("add_narrow_pairs", [](Outcome& outcome) {
        const int n = 1500;
        Array<__half> halves(48, 0);
        Array<__nv_bfloat16> narrow(48, 0);
        add_narrow_pairs<<<ceil_div(n, 128), 128>>>(
            reinterpret_cast<__half2*>(halves.data()),
            reinterpret_cast<__nv_bfloat162*>(narrow.data()), n);
        std::vector<float> sums(48), narrow_sums(48);
        for (int i = 0; i < n; ++i) {
            sums[i % 24 * 2] += 1;
            sums[i % 24 * 2 + 1] += static_cast<float>(i % 3);
            narrow_sums[i % 24 * 2] += static_cast<float>(i % 2);
            narrow_sums[i % 24 * 2 + 1] += 1;
        }
        outcome.equal(halves, std::vector<__half>(sums.begin(), sums.end()));
        outcome.equal(narrow, std::vector<__nv_bfloat16>(narrow_sums.begin(), narrow_sums.end()));
    });
    launches.add("add_vectors_of_float", [](Outcome& outcome) {
        const int n = 1300;
        auto in = values<float>(n);
        Array<float> d(in), twos(100, 0), fours(120, 0);
        add_vectors_of_float<<<ceil_div(n, 160), 160>>>(
            reinterpret_cast<float2*>(twos.data()), reinterpret_cast<float4*>(fours.data()), d, n);
        std::vector<float> two_sums(100), four_sums(120);
        for (int i = 0; i < n; ++i) {
            two_sums[i % 50 * 2] += in[i];
            two_sums[i % 50 * 2 + 1] += 1;
            const float added[4] = {in[i], -in[i], 2 * in[i], 1};
            for (int k = 0; k < 4; ++k) four_sums[i % 30 * 4 + k] += added[k];
        }
        outcome.equal(twos, two_sums);
        outcome.equal(fours, four_sums);
    });
    launches.add("atomics_by_reference", [](Outcome& outcome) {
        const int n = 1200;
        auto in = values<int>(n, 3000);
        Array<int> d(in), highest(1, 0);
        Array<unsigned> bits(1, 0);
        Array<double> sum(1, 0);
        atomics_by_reference<<<ceil_div(n, 224), 224>>>(sum, highest, bits, d, n);
        unsigned all = 0;
        for (int v : in) all |= 1u << v % 32;
        outcome.equal(sum, std::vector<double>{std::accumulate(in.begin(), in.end(), 0.0)});
        outcome.equal(highest, std::vector<int>{*std::max_element(in.begin(), in.end())});
        outcome.equal(bits, std::vector<unsigned>{all});
    });
    launches.add("count_visits", [](Outcome& outcome) {
        const int n = 1000;
        const float weight = 1.5f;
        auto in = values<float>(n, 500);
        std::vector<int> expected(64);
        check(cudaMemcpyToSymbol(visits, expected.data(), sizeof visits));
        check(cudaMemcpyToSymbol(weight_of_all, &weight, sizeof weight));
        Array<float> d(in), out(n);
        count_visits<<<ceil_div(n, 128), 128>>>(d, out, n);
        for (float& v : in) {
            ++expected[static_cast<int>(v) % 64];
            v *= weight;
        }
        std::vector<int> counted(64);
        check(cudaMemcpyFromSymbol(counted.data(), visits, sizeof visits));
        outcome.equal(out, in);
        outcome.equal(Array<int>(counted), expected);
    });
    launches.add("scale_managed", [](Outcome& outcome) {
        const int n = 1400;
        auto numbers = values<double>(2 * n, 1000);
        double* data = nullptr;
        check(cudaMallocManaged(&data, 2 * n * sizeof(double)));
        std::copy(numbers.begin(), numbers.end(), data);
        scale_managed<<<6, 128>>>(data, n);
        check(cudaDeviceSynchronize());
        const std::vector<double> out(data, data + 2 * n);
        check(cudaFree(data));
        for (int i = 0; i < n; ++i) numbers[i] = numbers[i] * 0.5 + numbers[n + i];
        outcome.equal(Array<double>(out), numbers);
    });
}

void add_of_warps_and_blocks(Launches& launches) {
    launches.add("split_barrier", [](Outcome& outcome) {
        const int n = 160, blocks = 4, rounds = 9;
        auto in = values<int>(n * blocks, 1000);
        Array<int> d(in), out(in.size());
        split_barrier<<<blocks, n>>>(d, out, rounds);
        std::vector<unsigned> now(in.begin(), in.end());
        for (unsigned r = 0; r < rounds; ++r) {
            auto old = now;
            for (int i = 0; i < n * blocks; ++i) {
                now[i] = (old[i] * 3 + r) ^ old[i / n * n + (i % n + 7 * r + 1) % n];
            }
        }
        outcome.equal(out, std::vector<int>(now.begin(), now.end()));
    });
    launches.add("staged_sums", [](Outcome& outcome) {
        const int blocks = 5, batches = 7;
        auto in = values<int>(4 * 48 * batches * blocks, 1000);
        Array<int> d(in), out(48 * blocks);
        staged_sums<<<blocks, 48>>>(reinterpret_cast<int4*>(d.data()), out, batches);
        std::vector<int> expected(48 * blocks);
        for (int i = 0; i < 48 * blocks; ++i) {
            for (int b = 0; b < batches; ++b) {
                const int* v = &in[4 * ((i / 48 * batches + b) * 48 + (i % 48 + b) % 48)];
                expected[i] += v[0] + 2 * v[1] + 3 * v[2] + 4 * v[3];
            }
        }
        outcome.equal(out, expected);
    });
    launches.add("count_by_one", [](Outcome& outcome) {
        const int n = 950;
        auto in = values<int>(n);
        Array<int> d(in), counts(ceil_div(n, 32), 0), sizes(n);
        count_by_one<<<ceil_div(n, 128), 128>>>(d, counts, sizes, n);
        std::vector<int> expected(ceil_div(n, 32)), ranks(n, -1);
        for (int i = 0; i < n; ++i) {
            if (in[i] % 3 == 0) ranks[i] = expected[i / 32]++;
        }
        for (int i = 0; i < n; ++i) {
            if (ranks[i] >= 0) ranks[i] += 100 * expected[i / 32];
        }
        outcome.equal(counts, expected);
        outcome.equal(sizes, ranks);
    });
    launches.add("transpose_by_fours", [](Outcome& outcome) {
        const int blocks = 5, threads = 96;
        auto in = values<float>(4 * blocks * threads, 5000);
        Array<float> d(in), out(in.size());
        transpose_by_fours<<<blocks, threads>>>(reinterpret_cast<float4*>(d.data()),
                                                reinterpret_cast<float4*>(out.data()));
        std::vector<float> expected;
        for (std::size_t i = 0; i < in.size(); ++i) {
            expected.push_back(in[i / 16 * 16 + i % 4 * 4 + i / 4 % 4]);
        }
        outcome.equal(out, expected);
    });
    launches.add("agreeing_lanes", [](Outcome& outcome) {
        const int n = 512;
        auto in = values<int>(n, 900);
        for (int i = 0; i < n; ++i) in[i] += i / 64 % 2 * 500 + 1;
        Array<int> d(in);
        Array<int2> out(n);
        agreeing_lanes<<<4, 128>>>(d, out);
        std::vector<int2> expected;
        for (int i = 0; i < n; ++i) {
            auto first = in.begin() + i / 32 * 32, last = first + 32;
            bool agree = std::all_of(first, last, [&](int v) { return v / 1000 == *first / 1000; });
            int lowest = in[i];
            for (auto v = first; v != last; ++v) {
                if (*v % 4 == in[i] % 4) lowest = std::min(lowest, *v);
            }
            bool any = std::any_of(first, last, [](int v) { return v % 100 == 7; });
            expected.push_back({agree ? 0xffff : lowest, any * 2 + 1});
        }
        outcome.equal(out, expected);
    });
}

void add_functions(Launches& launches) {
    launches.add("bits_of_span", [](Outcome& outcome) {
        const int n = 600;
        auto in = values<unsigned>(n, 1 << 23);
        for (unsigned& v : in) v = v * 511 >> v % 20;
        Array<unsigned> d(in);
        Array<unsigned long long> out(n);
        bits_of_span<<<ceil_div(n, 128), 128>>>(cuda::std::span<const unsigned>(d.data(), n),
                                                cuda::std::span<unsigned long long>(out.data(), n));
        std::vector<unsigned long long> expected;
        for (int i = 0; i < n; ++i) expected.push_back(bits_of(in[i], in[n - 1 - i]));
        outcome.equal(out, expected);
    });
    launches.add("complex_quotients", [](Outcome& outcome) {
        const int n = 400;
        auto a = values<float>(2 * n), b = values<float>(2 * n, 90, 2);
        for (float& v : b) v += 1;
        Array<float> da(a), db(b), out(2 * n);
        complex_quotients<<<ceil_div(n, 96), 96>>>(reinterpret_cast<float2*>(da.data()),
                                                   reinterpret_cast<float2*>(db.data()),
                                                   reinterpret_cast<float2*>(out.data()), n);
        std::vector<float> expected;
        for (int i = 0; i < 2 * n; i += 2) {
            double squares = b[i] * b[i] + b[i + 1] * b[i + 1];
            expected.push_back(static_cast<float>((a[i] * b[i] + a[i + 1] * b[i + 1]) / squares));
            expected.push_back(static_cast<float>((a[i + 1] * b[i] - a[i] * b[i + 1]) / squares));
        }
        outcome.near(out, expected, 1e-5);
    });
    launches.add("special_functions", [](Outcome& outcome) {
        const int n = 500;
        auto in = values<float>(n, 1000);
        for (float& v : in) v = v * 0.02f + 0.05f;
        Array<float> d(in), out(n);
        special_functions<<<ceil_div(n, 128), 128>>>(d, out, n);
        std::vector<float> expected;
        for (float v : in) {
            double x = v, whole;
            int exponent;
            double sum = std::cbrt(x) + std::erfc(x * 0.1) + std::hypot(x, 3.0) + std::log1p(x);
            sum += std::expm1(x * 0.01) + std::fmod(v, 3.7f) + 8 * std::frexp(x, &exponent);
            sum += std::modf(x, &whole) + 1 / std::hypot(x, 1.0) + std::lgamma(x + 1) * 0.1;
            sum += std::sin(3.141592653589793 * x * 0.25) + std::atan2(x, 2.0) + exponent;
            expected.push_back(static_cast<float>(sum));
        }
        outcome.near(out, expected, 1e-5);
    });
    launches.add("functions_of_double", [](Outcome& outcome) {
        const int n = 300;
        auto in = values<double>(n, 500);
        for (double& v : in) v = v * 0.03 + 0.011;
        Array<double> d(in), out(n);
        functions_of_double<<<ceil_div(n, 64), 64>>>(d, out, n);
        std::vector<double> expected;
        for (double x : in) {
            double y = x * x + 1;
            expected.push_back(std::tanh(x * 0.01) + std::log2(y) + 1 / std::sqrt(y) +
                               std::exp2(x * 0.1) + std::asin(1 / y) + std::remainder(x, 1.75) +
                               std::pow(y, 0.3) + std::floor(x * 0.3) + std::trunc(-x * 0.7) +
                               std::erf(x * 0.2));
        }
        outcome.near(out, expected, 1e-11);
    });
}

}  // namespace

void add_features(Launches& launches) {
    add_types(launches);
    add_calls_of_every_kind(launches);
    add_atomics_of_every_kind(launches);
    add_of_warps_and_blocks(launches);
    add_functions(launches);
}

}  // namespace ordinary

// CUDA C++ on the CPU: what nvcc predefines, for g++. Force-included (-include) before every source
// that holds kernels, so that kernels and experiments compile unchanged in both worlds.
//
// Kernels are compiled with ThreadSanitizer's instrumentation, whose hooks (hooks.cpp) see every
// memory access; everything here is arranged so that one access in the source stays one hook call
// with one return address. What is not declared here (inline PTX, clock64, tensor cores, textures,
// cooperative groups) does not compile, and the compiler names it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "emulator/models/cache_operator.hpp"

#define LAB_EMULATED_GPU 1

// noinline and noclone keep one machine code and one address for each kernel instantiation.
#define __global__ __attribute__((noinline, noclone))
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__
// One copy a worker thread, which runs one block at a time; found again by its TLS address range.
#define __shared__ thread_local __attribute__((aligned(128)))
#define __constant__ __attribute__((section("cuda_constant")))

// ---- built-in vector types, with CUDA's alignments -------------------------------------------

struct char2 { signed char x, y; } __attribute__((aligned(2)));
struct char4 { signed char x, y, z, w; } __attribute__((aligned(4)));
struct uchar2 { unsigned char x, y; } __attribute__((aligned(2)));
struct uchar4 { unsigned char x, y, z, w; } __attribute__((aligned(4)));
struct short2 { short x, y; } __attribute__((aligned(4)));
struct short4 { short x, y, z, w; } __attribute__((aligned(8)));
struct ushort2 { unsigned short x, y; } __attribute__((aligned(4)));
struct ushort4 { unsigned short x, y, z, w; } __attribute__((aligned(8)));
struct int2 { int x, y; } __attribute__((aligned(8)));
struct int3 { int x, y, z; };
struct int4 { int x, y, z, w; } __attribute__((aligned(16)));
struct uint2 { unsigned x, y; } __attribute__((aligned(8)));
struct uint3 { unsigned x, y, z; };
struct uint4 { unsigned x, y, z, w; } __attribute__((aligned(16)));
struct float2 { float x, y; } __attribute__((aligned(8)));
struct float3 { float x, y, z; };
struct float4 { float x, y, z, w; } __attribute__((aligned(16)));
struct double2 { double x, y; } __attribute__((aligned(16)));
struct longlong2 { long long x, y; } __attribute__((aligned(16)));
struct ulonglong2 { unsigned long long x, y; } __attribute__((aligned(16)));

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

#define LAB_MAKE_VECTOR2(vector, scalar) \
    inline vector make_##vector(scalar x, scalar y) { return {x, y}; }
#define LAB_MAKE_VECTOR4(vector, scalar) \
    inline vector make_##vector(scalar x, scalar y, scalar z, scalar w) { return {x, y, z, w}; }
LAB_MAKE_VECTOR2(char2, signed char)
LAB_MAKE_VECTOR4(char4, signed char)
LAB_MAKE_VECTOR2(uchar2, unsigned char)
LAB_MAKE_VECTOR4(uchar4, unsigned char)
LAB_MAKE_VECTOR2(short2, short)
LAB_MAKE_VECTOR4(short4, short)
LAB_MAKE_VECTOR2(ushort2, unsigned short)
LAB_MAKE_VECTOR4(ushort4, unsigned short)
LAB_MAKE_VECTOR2(int2, int)
LAB_MAKE_VECTOR4(int4, int)
LAB_MAKE_VECTOR2(uint2, unsigned)
LAB_MAKE_VECTOR4(uint4, unsigned)
LAB_MAKE_VECTOR2(float2, float)
LAB_MAKE_VECTOR4(float4, float)
LAB_MAKE_VECTOR2(double2, double)
LAB_MAKE_VECTOR2(longlong2, long long)
LAB_MAKE_VECTOR2(ulonglong2, unsigned long long)
#undef LAB_MAKE_VECTOR2
#undef LAB_MAKE_VECTOR4
inline int3 make_int3(int x, int y, int z) { return {x, y, z}; }
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }

// ---- built-in variables ----------------------------------------------------------------------
// `extern const` variables would be traced as memory accesses of the kernel; calls of functions that
// promise a constant result within one thread are not, and the compiler merges repeated ones.

namespace emulator {
__attribute__((const)) uint3 thread_index();
__attribute__((const)) uint3 block_index();
__attribute__((const)) dim3 block_dimensions();
__attribute__((const)) dim3 grid_dimensions();
}  // namespace emulator
#define threadIdx (::emulator::thread_index())
#define blockIdx (::emulator::block_index())
#define blockDim (::emulator::block_dimensions())
#define gridDim (::emulator::grid_dimensions())
constexpr int warpSize = 32;

// ---- synchronisation, votes, shuffles --------------------------------------------------------

void __syncthreads();
int __syncthreads_count(int predicate);
int __syncthreads_and(int predicate);
int __syncthreads_or(int predicate);
void __syncwarp(unsigned mask = 0xffffffffu);
unsigned __ballot_sync(unsigned mask, int predicate);
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __nanosleep(unsigned) {}  // nothing is timed

namespace emulator {
// The 64-bit value that `source_lane` (0..31, of the calling warp) brought to the same exchange; the
// caller's own where that lane is not in `mask`.
std::uint64_t exchange(unsigned mask, std::uint64_t value, int source_lane);
int lane_index();

template <class T>
inline __attribute__((no_sanitize("thread"))) T shuffle(unsigned mask, T value, int source_lane) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t), "a shuffle moves at most 8 bytes");
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    bits = exchange(mask, bits, source_lane);
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}
}  // namespace emulator

template <class T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
    const int segment = emulator::lane_index() & ~(width - 1);
    return emulator::shuffle(mask, value, segment + (source & (width - 1)));
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    const int lane = emulator::lane_index();
    const int source = lane - static_cast<int>(delta);
    return emulator::shuffle(mask, value, source < (lane & ~(width - 1)) ? lane : source);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    const int lane = emulator::lane_index();
    const int source = lane + static_cast<int>(delta);
    return emulator::shuffle(mask, value, source > (lane | (width - 1)) ? lane : source);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
    const int lane = emulator::lane_index();
    const int source = lane ^ lane_mask;
    return emulator::shuffle(mask, value, source > (lane | (width - 1)) ? lane : source);
}

// ---- loads and stores with a cache operator --------------------------------------------------
// Not inlined and not instrumented: they announce their own access, with their operator, and their
// return address is the place in the kernel.

namespace emulator {
void announce_load(const void* address, std::size_t bytes, CacheOperator, const void* site);
void announce_store(const void* address, std::size_t bytes, CacheOperator, const void* site);
}  // namespace emulator

#define LAB_CACHED_LOAD(name, cache_operator)                                             \
    template <class T>                                                                    \
    __attribute__((noinline, noclone, no_sanitize("thread"))) T name(const T* address) {  \
        emulator::announce_load(address, sizeof(T), emulator::CacheOperator::cache_operator, \
                                __builtin_return_address(0));                             \
        return *address;                                                                  \
    }
#define LAB_CACHED_STORE(name, cache_operator)                                                 \
    template <class T>                                                                         \
    __attribute__((noinline, noclone, no_sanitize("thread"))) void name(T* address, T value) { \
        emulator::announce_store(address, sizeof(T), emulator::CacheOperator::cache_operator,  \
                                 __builtin_return_address(0));                                 \
        *address = value;                                                                      \
    }
LAB_CACHED_LOAD(__ldg, read_only)
LAB_CACHED_LOAD(__ldca, all_levels)
LAB_CACHED_LOAD(__ldcg, l2_only)
LAB_CACHED_LOAD(__ldcs, streaming)
LAB_CACHED_STORE(__stwb, standard)
LAB_CACHED_STORE(__stcg, l2_only)
LAB_CACHED_STORE(__stcs, streaming)
#undef LAB_CACHED_LOAD
#undef LAB_CACHED_STORE

// ---- atomics ---------------------------------------------------------------------------------
// Defined in atomics.cpp, outside the instrumented code.

#define LAB_ATOMICS_ARITHMETIC(type)                 \
    type atomicAdd(type* address, type value);       \
    type atomicExch(type* address, type value);
#define LAB_ATOMICS_INTEGER(type)                    \
    LAB_ATOMICS_ARITHMETIC(type)                     \
    type atomicSub(type* address, type value);       \
    type atomicMin(type* address, type value);       \
    type atomicMax(type* address, type value);       \
    type atomicAnd(type* address, type value);       \
    type atomicOr(type* address, type value);        \
    type atomicXor(type* address, type value);       \
    type atomicCAS(type* address, type compare, type value);
LAB_ATOMICS_INTEGER(int)
LAB_ATOMICS_INTEGER(unsigned)
LAB_ATOMICS_INTEGER(unsigned long long)
LAB_ATOMICS_ARITHMETIC(float)
LAB_ATOMICS_ARITHMETIC(double)
#undef LAB_ATOMICS_INTEGER
#undef LAB_ATOMICS_ARITHMETIC

// ---- arithmetic ------------------------------------------------------------------------------

inline int min(int a, int b) { return a < b ? a : b; }
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline long long min(long long a, long long b) { return a < b ? a : b; }
inline float min(float a, float b) { return std::fmin(a, b); }
inline double min(double a, double b) { return std::fmin(a, b); }
inline int max(int a, int b) { return a > b ? a : b; }
inline unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
inline long long max(long long a, long long b) { return a > b ? a : b; }
inline float max(float a, float b) { return std::fmax(a, b); }
inline double max(double a, double b) { return std::fmax(a, b); }
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }

// Kernels of chapter 25: lanes of a warp that want different instructions.
#pragma once

#include <cstddef>

// A path of `way`: a chain of multiply-adds with constants of its own, so that no two paths have an instruction in
// common. Not unrolled: each path is a loop of a few instructions.
template <int way>
__device__ inline float path(float x, unsigned steps) {
#pragma unroll 1
    for (unsigned step = 0; step < steps; ++step) {
        x = x * (0.5f - way * 0.0078125f) + (1.0f + way * 0.25f);
    }
    return x;
}

// The criterion by which a thread takes one of two paths.
enum class By {
    none,  // all take the first
    warp,  // every other warp
    lane,  // every other lane
    data,  // the sign of the input
};

template <By by>
__device__ inline bool takes_second(float x, unsigned thread) {
    if constexpr (by == By::warp) return thread / 32 % 2 == 1;
    if constexpr (by == By::lane) return thread % 2 == 1;
    if constexpr (by == By::data) return x < 0;
    return false;
}

// Two paths of `steps` multiply-adds each. Where the lanes of a warp disagree, the warp executes both.
template <By by>
__global__ void two_paths(const float* in, float* out, unsigned n, unsigned steps) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = in[i];
    out[i] = takes_second<by>(x, i) ? path<1>(x, steps) : path<0>(x, steps);
}

// Without a branch: each lane computes both paths and selects one. It costs what divergence costs, in every warp.
__global__ void two_paths_selected(const float* in, float* out, unsigned n, unsigned steps) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = in[i];
    const float first = path<0>(x, steps);
    const float second = path<1>(x, steps);
    out[i] = x < 0 ? second : first;
}

// Paths of one instruction: the compiler needs no branch for them, one of the two instructions has a predicate.
template <By by>
__global__ void two_short_paths(const float* in, float* out, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    if (takes_second<by>(x, i)) {
        x *= 0.25f;
    } else {
        x += 3.0f;
    }
    out[i] = x;
}

// One of the 8 paths from `first` on.
template <int first>
__device__ inline float one_of_8(unsigned way, float x, unsigned steps) {
    switch (way % 8) {
        case 0:
            return path<first + 0>(x, steps);
        case 1:
            return path<first + 1>(x, steps);
        case 2:
            return path<first + 2>(x, steps);
        case 3:
            return path<first + 3>(x, steps);
        case 4:
            return path<first + 4>(x, steps);
        case 5:
            return path<first + 5>(x, steps);
        case 6:
            return path<first + 6>(x, steps);
        default:
            return path<first + 7>(x, steps);
    }
}

// One of 32 paths: each lane takes that of its number modulo `ways`.
__global__ void switch_paths(const float* in, float* out, unsigned n, unsigned steps,
                             unsigned ways) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned way = i % ways;
    switch (way / 8) {
        case 0:
            out[i] = one_of_8<0>(way, in[i], steps);
            break;
        case 1:
            out[i] = one_of_8<8>(way, in[i], steps);
            break;
        case 2:
            out[i] = one_of_8<16>(way, in[i], steps);
            break;
        default:
            out[i] = one_of_8<24>(way, in[i], steps);
            break;
    }
}

// The threads that leave at once, with its input as its result: none, every other lane, or every other warp.
template <By by>
__global__ void leave_early(const float* in, float* out, unsigned n, unsigned steps) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = in[i];
    if (takes_second<by>(x, i)) {
        out[i] = x;
        return;
    }
    out[i] = path<0>(x, steps);
}

// Loops whose length is the thread's own: a warp goes on until its longest lane is done.
__global__ void loop_lengths(const float* in, const unsigned* lengths, float* out, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = path<0>(in[i], lengths[i]);
}

// ---- What -use_fast_math changes: sines by the library or by the special function unit, again and again. The library's
// has a branch for large arguments, whose path is long: one large argument in a warp is enough to pay for it.
template <bool fast>
__global__ void sines(const float* in, float* out, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = in[i];
    float sum = 0;
#pragma unroll 1
    for (unsigned step = 0; step < 16; ++step) {
        const float argument = x + x * static_cast<float>(step);
        sum += fast ? __sinf(argument) : sinf(argument);
    }
    out[i] = sum;
}

// The same for a division, whose path for results near the ends of the exponent's range is another one.
template <bool fast>
__global__ void divisions(const float* in, float* out, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = in[i];
    float sum = 0;
#pragma unroll 1
    for (unsigned step = 0; step < 16; ++step) {
        const float divisor = 1.0f + static_cast<float>(step);
        sum += fast ? __fdividef(x, divisor + x) : x / (divisor + x);
    }
    out[i] = sum;
}

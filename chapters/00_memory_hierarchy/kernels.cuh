// Kernels of chapter 00: one property of the memory hierarchy each.
#pragma once

#include <cstddef>
#include <cstdint>

// ---- Latency: one thread, and each step needs the result of the step before.

// A cell holds the address of the next, so that nothing but the load lies between two loads. The
// chase goes on where the launch before ended.
__global__ void chase_through_l1(std::uint64_t* position, unsigned steps) {
    std::uint64_t at = *position;
#pragma unroll 8
    for (unsigned step = 0; step < steps; ++step) {
        at = __ldca(reinterpret_cast<const unsigned long long*>(at));
    }
    *position = at;
}

// The same loads past the L1.
__global__ void chase_past_l1(std::uint64_t* position, unsigned steps) {
    std::uint64_t at = *position;
#pragma unroll 8
    for (unsigned step = 0; step < steps; ++step) {
        at = __ldcg(reinterpret_cast<const unsigned long long*>(at));
    }
    *position = at;
}

// The small memories hold 1 KiB, less than any constant cache. A word is the offset of the next in
// bytes, which is part of the load's address as it is.
constexpr unsigned chain_words = 256;

__global__ void chase_shared(const unsigned* chain, unsigned* position, unsigned steps) {
    __shared__ unsigned words[chain_words];
    for (unsigned i = 0; i < chain_words; ++i) words[i] = chain[i];
    unsigned at = *position;
#pragma unroll 8
    for (unsigned step = 0; step < steps; ++step) {
        at = *reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(words) + at);
    }
    *position = at;
}

__constant__ unsigned constant_chain[chain_words];

__global__ void chase_constant(unsigned* position, unsigned steps) {
    unsigned at = *position;
#pragma unroll 8
    for (unsigned step = 0; step < steps; ++step) {
        at = *reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(constant_chain) + at);
    }
    *position = at;
}

// Local memory: an array of the thread that is indexed by what is loaded, so that it cannot be in registers. Words of the
// 32 lanes of a warp lie side by side, so that a thread's own lie 128 bytes apart: 64 of them take 8 KiB of an L1.
constexpr unsigned local_words = 64;

__global__ void chase_local(const unsigned* chain, unsigned* position, unsigned steps) {
    unsigned words[local_words];
    for (unsigned i = 0; i < local_words; ++i) words[i] = chain[i];
    unsigned at = *position;
#pragma unroll 8
    for (unsigned step = 0; step < steps; ++step) {
        at = *reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(words) + at);
    }
    *position = at;
}

// A texture is read by index: its words are those of the chain over 4.
__global__ void chase_texture(cudaTextureObject_t chain, unsigned* position, unsigned steps) {
    unsigned at = *position;
#pragma unroll 8
    for (unsigned step = 0; step < steps; ++step) at = tex1Dfetch<unsigned>(chain, at);
    *position = at;
}

// A register of another lane, and which lane says the value that came: a full warp.
__global__ void chase_shuffle(unsigned* position, unsigned steps) {
    const unsigned next_lane = (threadIdx.x * 5 + 1) % 32;
    unsigned at = position[threadIdx.x];
#pragma unroll 8
    for (unsigned step = 0; step < steps; ++step) at = __shfl_sync(0xffffffff, next_lane, at);
    position[threadIdx.x] = at;
}

// Registers alone: `chains` multiply-adds of a thread that do not wait for each other, each waiting
// for its own last result. One chain in one warp shows the latency, many in many warps the rate.
template <int chains>
__global__ void multiply_add(float* out, unsigned steps, float factor, float summand) {
    float value[chains];
    for (int i = 0; i < chains; ++i) value[i] = static_cast<float>(threadIdx.x + i);
#pragma unroll 8
    for (unsigned step = 0; step < steps; ++step) {
#pragma unroll
        for (int i = 0; i < chains; ++i) value[i] = value[i] * factor + summand;
    }
    float sum = 0;
    for (int i = 0; i < chains; ++i) sum += value[i];
    out[std::size_t{blockIdx.x} * blockDim.x + threadIdx.x] = sum;
}

// ---- Bandwidth: all threads read an array of `words` (a power of two) from beginning to end and on
// from the beginning, `loads` each. A small array stays in the L1.
enum class L1 { through, past };
template <L1 l1>
__global__ void read_words(const uint4* in, unsigned* out, unsigned words, unsigned loads) {
    const unsigned threads = gridDim.x * blockDim.x;
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
#pragma unroll 4
    for (unsigned i = 0; i < loads; ++i) {
        const uint4* const from = &in[(thread + i * threads) & (words - 1)];
        const uint4 word = l1 == L1::through ? __ldca(from) : __ldcg(from);
        sum += word.x + word.y + word.z + word.w;
    }
    out[thread] = sum;
}

// Few warps, and few loads in flight of each: `in_flight` are requested before the first is used.
template <int in_flight>
__global__ void read_in_flight(const unsigned* in, unsigned* out, unsigned words) {
    const unsigned threads = gridDim.x * blockDim.x;
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (unsigned i = thread; i < words; i += in_flight * threads) {
        unsigned word[in_flight];
#pragma unroll
        for (int j = 0; j < in_flight; ++j) {
            word[j] = i + j * threads < words ? __ldcg(&in[i + j * threads]) : 0;
        }
#pragma unroll
        for (int j = 0; j < in_flight; ++j) sum += word[j];
        // The next round's loads wait for these.
        asm volatile("" : "+r"(sum)::"memory");
    }
    out[thread] = sum;
}

// ---- The L1's two stages: lanes `stride` words apart touch `stride` lines (up to 32), and conflict in
// its 32 banks as in those of shared memory; an odd stride has no conflict. 24 loads a round, each a
// word further on.
__global__ void load_l1(const unsigned* in, unsigned* out, unsigned stride, unsigned rounds) {
    const unsigned* const mine = in + threadIdx.x % 32 * stride;
    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
        const unsigned* const at = mine + round % 8;
#pragma unroll
        for (unsigned i = 0; i < 24; ++i) sum += __ldca(&at[i]);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// ---- Stores: the 32 words of a warp's store lie in `lines` lines (1 to 32), as many in each. Not unrolled: of stores
// to one address that follow each other, ptxas leaves the last one.
__global__ void store_over_lines(unsigned* out, unsigned lines, unsigned stores) {
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const unsigned lane = threadIdx.x % 32;
    unsigned* const mine = out + std::size_t{warp} * 32 * 32 + lane % lines * 32 + lane / lines;
#pragma unroll 1
    for (unsigned i = 0; i < stores; ++i) {
        *mine = i;
        asm volatile("" ::: "memory");  // nvcc leaves each of them
    }
}

// ---- Launches: nothing is done, so what remains is starting blocks, or a kernel.
__global__ void do_nothing() {}

// ---- Register banks: multiply-adds of three registers each from a pair of neighbours (a 64-bit load
// fills an even register and the odd one behind it). Equal parts of pairs have one parity. All three are
// of one, or the summand is of the other; the products are added up, which reads two registers.
template <bool same_parity>
__global__ void multiply_pairs(const float2* in, float* out, unsigned steps) {
    __shared__ float2 pair[9];
    if (threadIdx.x < 9) pair[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float sum[8] = {};
    for (unsigned step = 0; step < steps; ++step) {
        // Volatile: loaded as pairs in every step, 9 loads for 252 multiply-adds.
        float x[9], y[9];
#pragma unroll
        for (int i = 0; i < 9; ++i) {
            asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];"
                         : "=f"(x[i]), "=f"(y[i])
                         : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&pair[i]))));
        }
#pragma unroll
        for (int n = 0; n < 9 * 9 * 9; ++n) {
            // No product twice: the compiler would compute it once.
            const int i = n % 9, j = n / 9 % 9, k = n / 81;
            if (i >= j || k == i || k == j) continue;
            const bool odd = n % 2 == 1;
            const float product = (odd ? y[i] : x[i]) * (odd ? y[j] : x[j]);
            sum[n % 8] += product + (odd == same_parity ? y[k] : x[k]);
        }
    }
    float total = 0;
    for (int i = 0; i < 8; ++i) total += sum[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

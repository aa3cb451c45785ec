// Kernels of chapter 04: the same reads as plain loads and through the read-only cache.
#pragma once

#include "../02_misaligned_reads/kernels.cuh"

// ---- aligned and misaligned: chapter 02's read_offset is the plain one ---------------------------

// __ldg names the read-only path at each load (compute capability 3.5 and later).
__global__ void read_offset_ldg(const float* a, const float* b, float* c, std::size_t n,
                                std::size_t offset) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t k = i + offset;
    if (k < n) c[i] = __ldg(&a[k]) + __ldg(&b[k]);
}

// const and __restrict__ promise that nothing writes what a and b point to while the kernel runs: now
// the compiler may choose that path itself, and no load has to wait for a store.
__global__ void read_offset_restrict(const float* __restrict__ a, const float* __restrict__ b,
                                     float* c, std::size_t n, std::size_t offset) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t k = i + offset;
    if (k < n) c[i] = a[k] + b[k];
}

// The book's example, with the `.x` that it lacks, and the same copy as a plain load. Like the book's
// it has no bounds: n is a multiple of the block.
__global__ void copy(const float* in, float* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

__global__ void copy_ldg(const float* in, float* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    out[i] = __ldg(&in[i]);
}

// ---- scattered -----------------------------------------------------------------------------------

// out[i] = in[index[i]]. Neighbouring lanes read elements that are far apart: of each sector, or line,
// that is fetched for a lane, the warp uses 4 bytes. The loads of `index` are aligned and plain here
// and below: `in` alone changes its path.
__global__ void gather(const float* in, const int* index, float* out, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[index[i]];
}

__global__ void gather_ldg(const float* in, const int* index, float* out, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __ldg(&in[index[i]]);
}

__global__ void gather_restrict(const float* __restrict__ in, const int* index, float* out,
                                std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[index[i]];
}

// ---- reused --------------------------------------------------------------------------------------

constexpr unsigned table_entries = 1024;    // 4 KB: every L1 and read-only cache holds it
constexpr unsigned entries_per_thread = 8;  // the 32 bytes of one sector

// Each thread adds up its own sector of a table. A warp's 32 lanes lie in 32 sectors, and it comes
// back to them entries_per_thread times; a block of 512 threads reads the whole table 4 times over.
__global__ void sum_table(const float* table, float* sums, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float* const entries = table + i * entries_per_thread % table_entries;
    float sum = 0;
#pragma unroll
    for (unsigned j = 0; j < entries_per_thread; ++j) sum += entries[j];
    sums[i] = sum;
}

__global__ void sum_table_ldg(const float* table, float* sums, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float* const entries = table + i * entries_per_thread % table_entries;
    float sum = 0;
#pragma unroll
    for (unsigned j = 0; j < entries_per_thread; ++j) sum += __ldg(&entries[j]);
    sums[i] = sum;
}

__global__ void sum_table_restrict(const float* __restrict__ table, float* sums, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float* const entries = table + i * entries_per_thread % table_entries;
    float sum = 0;
#pragma unroll
    for (unsigned j = 0; j < entries_per_thread; ++j) sum += entries[j];
    sums[i] = sum;
}

// ---- constant ------------------------------------------------------------------------------------

// The table in constant memory, which has a cache of its own. That cache answers one address at a time.
__constant__ float constant_table[table_entries];

// As sum_table: each lane adds up a sector of its own.
__global__ void sum_constant_by_lane(float* sums, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const std::size_t first = i * entries_per_thread % table_entries;
    float sum = 0;
#pragma unroll
    for (unsigned j = 0; j < entries_per_thread; ++j) sum += constant_table[first + j];
    sums[i] = sum;
}

// All lanes of a warp add up the same sector, each warp the next one.
__global__ void sum_constant_uniform(float* sums, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const std::size_t first = i / 32 * entries_per_thread % table_entries;
    float sum = 0;
#pragma unroll
    for (unsigned j = 0; j < entries_per_thread; ++j) sum += constant_table[first + j];
    sums[i] = sum;
}

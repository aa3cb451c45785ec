// Kernels of chapter 06: the same fields as an array of structures and as a structure of arrays.
#pragma once

#include <cstddef>

// The compiler aligns a structure as its widest field, not as its size.
template <class Field, int fields>
struct Record {
    Field field[fields];
};

// Aligned to its whole size, as CUDA's uchar2, uchar4, float2 and float4 are: a thread may then
// load or store all of it by one instruction. The size has to be 2, 4, 8 or 16 bytes for that.
template <class Field, int fields>
struct alignas(sizeof(Field) * fields) AlignedRecord {
    Field field[fields];
};

// The book's example: only the store is to a structure, a and b are plain arrays. A warp's 32
// stores are sizeof(Structure) bytes apart and fill 1 / fields of each sector that they touch.
template <class Structure>
__global__ void sum_into_one_field(const float* a, const float* b, Structure* result,
                                   std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) result[i].field[0] = a[i] + b[i];
}

// The loads are apart now, too: sectors arrive in which 1 / fields of the bytes are wanted.
template <class Structure>
__global__ void aos_one_field(const Structure* data, Structure* result, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) result[i].field[0] = data[i].field[0] + 10;
}

// Every field is wanted, but by a request of its own: each request touches the sectors of the whole
// record again, so efficiency a request does not rise. The L1 can serve all loads but the first.
template <class Field, int fields>
__global__ void aos_all_fields(const Record<Field, fields>* data, Record<Field, fields>* result,
                               std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Field value[fields];
    for (int k = 0; k < fields; ++k) value[k] = data[i].field[k];
    for (int k = 0; k < fields; ++k) result[i].field[k] = value[k] + 10 * (k + 1);
}

// The same structure with its alignment declared: one request moves whole records, and the lanes of
// a warp are neighbours again.
template <class Field, int fields>
__global__ void aos_whole_record(const AlignedRecord<Field, fields>* data,
                                 AlignedRecord<Field, fields>* result, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    AlignedRecord<Field, fields> record = data[i];
    for (int k = 0; k < fields; ++k) record.field[k] += 10 * (k + 1);
    result[i] = record;
}

// A structure of arrays: field k of all records stands in one piece at k * n. One field is one
// array.
template <class Field>
__global__ void soa_one_field(const Field* data, Field* result, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) result[i] = data[i] + 10;
}

// All fields: a request a field, as in aos_all_fields, but each fills its sectors.
template <class Field, int fields>
__global__ void soa_all_fields(const Field* data, Field* result, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Field value[fields];
    for (int k = 0; k < fields; ++k) value[k] = data[k * n + i];
    for (int k = 0; k < fields; ++k) result[k * n + i] = value[k] + 10 * (k + 1);
}

// One field of all records, read twice: the first half of the blocks reads each of them once, the second
// half once more. What the L2 has kept of the first time need not come from DRAM again. Each thread
// adds up 16 fields, a block's width apart; n is a multiple of 16 x blockDim.x.
constexpr unsigned fields_per_thread = 16;

template <class Structure>
__global__ void sum_field_twice(const Structure* data, float* sums) {
    const unsigned block = blockIdx.x % (gridDim.x / 2);
    const Structure* const first =
        data + std::size_t{block} * blockDim.x * fields_per_thread + threadIdx.x;
    float sum = 0;
    for (unsigned k = 0; k < fields_per_thread; ++k) sum += first[k * blockDim.x].field[0];
    sums[std::size_t{blockIdx.x} * blockDim.x + threadIdx.x] = sum;
}

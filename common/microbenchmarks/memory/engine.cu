// The time of copies by the copy engine, of data that the L2 has: loads from their issue until an mbarrier has counted them,
// stores until shared memory has been read, by one SM and by all, which move different columns at a time; boxes of rows of
// 128 bytes, one and more of them.
// Prints a line each, `copy,cycles`: means. For GPUs of compute capability 9.0 or higher.
#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "../back_to_back.hpp"
#include "lab/device/copy_engine.cuh"
#include "lab/device/driver_function.hpp"

namespace {

using back_to_back::check;
using back_to_back::mib;

constexpr unsigned side = 2048;  // of a matrix of floats
constexpr int rounds = 200;
constexpr unsigned shared_bytes = 128 * 1024;

extern __shared__ __align__(1024) unsigned char boxes[];

__global__ void copy(const __grid_constant__ CUtensorMap map, unsigned rows, unsigned count,
                     bool loads, unsigned* mean) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    __shared__ std::uint64_t barrier;
    const std::uint32_t copied = shared_address(&barrier);
    barrier_init(copied, 1);
    publish_barriers();
    long long sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
        const unsigned y = blockIdx.x * rows % side;
        const long long begin = clock64();
        if (loads) barrier_expect(copied, rows * 128 * count);
        for (unsigned box = 0; box < count; ++box) {
            const unsigned x = (round * count + box + blockIdx.x * 11) * 32 % side;
            const std::uint32_t place = shared_address(boxes + box * rows * 128);
            if (loads) {
                asm volatile(
                    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                    " [%0], [%1, {%2, %3}], [%4];" ::"r"(place),
                    "l"(&map), "r"(x), "r"(y), "r"(copied)
                    : "memory");
            } else {
                asm volatile(
                    "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group"
                    " [%0, {%1, %2}], [%3];" ::"l"(&map),
                    "r"(x), "r"(y), "r"(place)
                    : "memory");
            }
        }
        if (loads) {
            barrier_wait(copied, round & 1);
        } else {
            asm volatile(
                "cp.async.bulk.commit_group;\n"
                "cp.async.bulk.wait_group.read 0;" ::
                    : "memory");
        }
        sum += clock64() - begin;
    }
    mean[blockIdx.x] = static_cast<unsigned>(sum / rounds);
#endif
}

// Boxes of a matrix, of `rows` rows of 128 bytes.
CUtensorMap map_of(void* matrix, unsigned rows) {
    using Encode =
        CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                     const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                     CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    void* encode;
    cudaDriverEntryPointQueryResult found;
    check(lab::find_driver_function("cuTensorMapEncodeTiled", &encode, &found));
    const cuuint64_t sizes[]{side, side}, pitch[]{side * 4};
    const cuuint32_t box[]{32, rows}, steps[]{1, 1};
    CUtensorMap map;
    if (reinterpret_cast<Encode>(encode)(
            &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, sizes, pitch, box, steps,
            CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
            CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
        std::fprintf(stderr, "error: no tensor map\n");
        std::exit(1);
    }
    return map;
}

double cycles(void* matrix, unsigned blocks, unsigned rows, unsigned count, bool loads,
              unsigned* means) {
    const CUtensorMap map = map_of(matrix, rows);
    for (int i = 0; i < 2; ++i) copy<<<blocks, 1, shared_bytes>>>(map, rows, count, loads, means);
    std::vector<unsigned> all(blocks);
    check(cudaMemcpy(all.data(), means, blocks * sizeof(unsigned), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (const unsigned each : all) sum += each;
    return sum / blocks;
}

}  // namespace

int main() {
    void* matrix;
    unsigned* means;
    int sms;
    check(cudaMalloc(&matrix, side * side * sizeof(float)));
    check(cudaMemset(matrix, 0, side * side * sizeof(float)));
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    check(cudaMalloc(&means, static_cast<unsigned>(sms) * sizeof(unsigned)));
    check(cudaFuncSetAttribute(copy, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
    std::printf("copy,cycles\n");
    for (const bool loads : {true, false}) {
        for (const unsigned blocks : {1u, static_cast<unsigned>(sms)}) {
            for (const unsigned rows : {1u, 8u, 64u, 256u}) {
                for (const unsigned count : {1u, 2u, 4u}) {
                    std::printf("\"%s by %s: %u x %u rows\",%.1f\n", loads ? "load" : "store",
                                blocks == 1 ? "one SM" : "all SMs", count, rows,
                                cycles(matrix, blocks, rows, count, loads, means));
                }
            }
        }
    }
}

// Functions for the copy engine of compute capability 9.0 and newer that CUDA C++ has no words for:
// addresses in shared memory, barriers that count bytes (PTX ISA, mbarrier), and copies of boxes. Only for code of 9.0 and newer.
#pragma once

#include <cuda.h>

#include <cstdint>

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void barrier_init(std::uint32_t barrier, int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// The barrier there may be initialised again.
__device__ __forceinline__ void barrier_invalidate(std::uint32_t barrier) {
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void barrier_arrive(std::uint32_t barrier) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Arrives, and lets the phase end only when these bytes have been copied, too.
__device__ __forceinline__ void barrier_expect(std::uint32_t barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

// Until the phase of this parity has ended.
__device__ __forceinline__ void barrier_wait(std::uint32_t barrier, int parity) {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "}" ::"r"(barrier),
        "r"(parity)
        : "memory");
}

// Barriers that a thread has initialised may be used by the copy engine from here on.
__device__ __forceinline__ void publish_barriers() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// A box of the matrix to shared memory, by the copy engine of the SM; zeros for what lies outside.
__device__ __forceinline__ void copy_box(std::uint32_t to, const CUtensorMap* matrix, int row,
                                         int column, std::uint32_t barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
        "l"(matrix), "r"(column), "r"(row), "r"(barrier)
        : "memory");
}

// Makes what threads have written to shared memory visible to the copy engine.
__device__ __forceinline__ void publish_shared() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

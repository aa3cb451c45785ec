#include "bulk.hpp"

#include <cstddef>
#include <cstdint>

#include "lab/device/copy_engine.cuh"

namespace {

constexpr unsigned max_threads = 512;

// A block's elements to shared memory. The L2 evicts them last, as in evict_last.cu.
__device__ void load_bulk(float4* to, const float* from, unsigned bytes, std::uint32_t barrier) {
    asm volatile(
        "{\n"
        ".reg .b64 policy;\n"
        "createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
        " [%0], [%1], %2, [%3], policy;\n"
        "}" ::"r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(barrier)
        : "memory");
}

// The way back; the L2 evicts them first. Ends when the shared memory may be given back: all of it has been read.
__device__ void store_bulk(const float4* from, float* to, unsigned bytes) {
    asm volatile(
        "{\n"
        ".reg .b64 policy;\n"
        "createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
        "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, policy;\n"
        "cp.async.bulk.commit_group;\n"
        "cp.async.bulk.wait_group.read 0;\n"
        "}" ::"l"(to),
        "r"(shared_address(from)), "r"(bytes)
        : "memory");
}

// Against read_offset_wide with accesses evicted last: no thread addresses global memory, but for the tail.
// One asks the copy engine for a block's elements of a and of b, 8 KiB each in a block of 512 threads, and
// then to store their sum in c. An SM has four such blocks: 64 KiB in flight, without a register or an
// instruction for them.
__global__ void __launch_bounds__(max_threads)
    read_offset_bulk(const float* a, const float* b, float* c, std::size_t n, std::size_t offset) {
    __shared__ __align__(16) float4 of_a[max_threads], of_b[max_threads];
    __shared__ std::uint64_t barrier;
    const std::uint32_t copied = shared_address(&barrier);
    const unsigned elements = blockDim.x * 4, bytes = elements * sizeof(float);
    const std::size_t i = std::size_t{blockIdx.x} * elements;
    const std::size_t k = i + offset;
    if (k + elements > n) {
        for (std::size_t tail = k + threadIdx.x; tail < n; tail += blockDim.x) {
            c[tail - offset] = a[tail] + b[tail];
        }
        return;
    }
    if (threadIdx.x == 0) {
        barrier_init(copied, 1);
        publish_barriers();
        barrier_expect(copied, 2 * bytes);
        load_bulk(of_a, a + k, bytes, copied);
        load_bulk(of_b, b + k, bytes, copied);
    }
    __syncthreads();
    barrier_wait(copied, 0);
    const float4 x = of_a[threadIdx.x], y = of_b[threadIdx.x];
    of_a[threadIdx.x] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    publish_shared();
    __syncthreads();
    if (threadIdx.x == 0) store_bulk(of_a, c + i, bytes);
}

}  // namespace

lab::AddKernel bulk_add() { return read_offset_bulk; }

// Cooperative groups: tiles, coalesced groups, barriers of a grid; asynchronous copies to shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#include "launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

namespace cg = cooperative_groups;

template <int size>
__global__ void tile_sums(const int* in, int* out) {
    const auto tile = cg::tiled_partition<size>(cg::this_thread_block());
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = in[i];
    for (int offset = tile.size() / 2; offset > 0; offset /= 2) sum += tile.shfl_down(sum, offset);
    if (tile.thread_rank() == 0) out[i / size] = sum;
}

__global__ void reduce_tiles(const int* in, int* sums, int* maxima) {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int sum = cg::reduce(tile, in[i], cg::plus<int>());
    const int maximum = cg::reduce(tile, in[i], cg::greater<int>());
    if (tile.thread_rank() == 0) {
        sums[i / 32] = sum;
        maxima[i / 32] = maximum;
    }
}

__global__ void coalesced_filter(const int* in, int* out, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 4 == 1) {
        const auto group = cg::coalesced_threads();
        int base = 0;
        if (group.thread_rank() == 0) base = atomicAdd(count, group.size());
        base = group.shfl(base, 0);
        out[base + group.thread_rank()] = in[i];
    }
}

// Two sweeps of a relaxation in one launch.
__global__ void grid_barrier(const int* in, int* middle, int* out, int n) {
    const auto grid = cg::this_grid();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) middle[i] = in[i] + in[(i + 1) % n];
    grid.sync();
    for (int i = grid.thread_rank(); i < n; i += grid.size())
        out[i] = middle[i] * middle[(i + n / 2) % n];
}

__global__ void block_group(const float* in, float* out) {
    __shared__ float tile[256];
    const auto block = cg::this_thread_block();
    tile[block.thread_rank()] = in[block.group_index().x * 256 + block.thread_rank()];
    block.sync();
    out[block.group_index().x * 256 + block.thread_rank()] =
        tile[(block.thread_rank() + 17) % block.size()];
}

__global__ void pipeline_primitives(const float4* in, float4* out) {
    __shared__ float4 tile[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[i], sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = tile[127 - threadIdx.x];
}

// Two buffers: the next words are on their way while these are added.
__global__ void pipeline_double_buffered(const int* in, int* out, int rounds) {
    __shared__ int tiles[2][128];
    const int threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    __pipeline_memcpy_async(&tiles[0][threadIdx.x], &in[i], sizeof(int));
    __pipeline_commit();
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
        if (round + 1 < rounds) {
            __pipeline_memcpy_async(&tiles[(round + 1) % 2][threadIdx.x],
                                    &in[(round + 1) * threads + i], sizeof(int));
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += tiles[round % 2][(threadIdx.x + 1) % 128];
        __syncthreads();
    }
    out[i] = sum;
}

__global__ void memcpy_async_group(const int* in, int* out) {
    __shared__ alignas(16) int tile[512];
    const auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in + blockIdx.x * 512,
                     cuda::aligned_size_t<16>(512 * sizeof(int)));
    cg::wait(block);
    for (int i = threadIdx.x; i < 512; i += blockDim.x) out[blockIdx.x * 512 + i] = tile[511 - i];
}

__global__ void memcpy_async_barrier(const float* in, float* out) {
    __shared__ float tile[256];
    // Its constructor does nothing: init() follows.
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    const auto block = cg::this_thread_block();
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    block.sync();
    const int i = blockIdx.x * 256 + threadIdx.x;
    cuda::memcpy_async(&tile[threadIdx.x], &in[i], sizeof(float), barrier);
    barrier.arrive_and_wait();
    out[i] = tile[threadIdx.x ^ 1] * 2.0f;
}

void add_tiles(Launches& launches) {
    const int n = 2048;
    const auto in = values<int>(n);
    const auto add = [=, &launches](const char* name, void (*kernel)(const int*, int*), int size) {
        launches.add(name, [=](Outcome& outcome) {
            const Array<int> input(in), out(n / size);
            kernel<<<16, 128>>>(input, out);
            std::vector<int> expected(n / size);
            for (int i = 0; i < n; ++i) expected[i / size] += in[i];
            outcome.equal(out, expected);
        });
    };
    add("tile_sums/size:8", tile_sums<8>, 8);
    add("tile_sums/size:32", tile_sums<32>, 32);
    launches.add("reduce_tiles", [=](Outcome& outcome) {
        const Array<int> input(in), sums(n / 32), maxima(n / 32);
        reduce_tiles<<<16, 128>>>(input, sums, maxima);
        std::vector<int> expected_sums(n / 32), expected_maxima(n / 32);
        for (int i = 0; i < n; ++i) {
            expected_sums[i / 32] += in[i];
            expected_maxima[i / 32] = std::max(expected_maxima[i / 32], in[i]);
        }
        outcome.equal(sums, expected_sums);
        outcome.equal(maxima, expected_maxima);
    });
    launches.add("coalesced_filter", [=](Outcome& outcome) {
        const Array<int> input(in), out(n), count(1, 0);
        coalesced_filter<<<16, 128>>>(input, out, count, n);
        std::vector<int> expected;
        for (const int value : in) {
            if (value % 4 == 1) expected.push_back(value);
        }
        outcome.equal(count, {static_cast<int>(expected.size())});
        outcome.same_elements(out, expected);
    });
}

void add_blocks(Launches& launches) {
    const int n = 2048;
    const auto in = values<int>(n);
    launches.add("grid_barrier", [=](Outcome& outcome) {
        const Array<int> input(in), middle(n), out(n);
        const int *from = input, size = n;
        int *between = middle, *to = out;
        void* arguments[] = {&from, &between, &to, const_cast<int*>(&size)};
        check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(grid_barrier), 8, 128,
                                          arguments, 0, nullptr));
        std::vector<int> sums(n), expected(n);
        for (int i = 0; i < n; ++i) sums[i] = in[i] + in[(i + 1) % n];
        for (int i = 0; i < n; ++i) expected[i] = sums[i] * sums[(i + n / 2) % n];
        outcome.equal(out, expected);
    });
    launches.add("block_group", [=](Outcome& outcome) {
        const auto numbers = values<float>(n);
        const Array<float> input(numbers), out(n);
        block_group<<<8, 256>>>(input, out);
        std::vector<float> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = numbers[i / 256 * 256 + (i + 17) % 256];
        outcome.equal(out, expected);
    });
}

void add_copies(Launches& launches) {
    const int n = 2048;
    launches.add("pipeline_primitives", [=](Outcome& outcome) {
        const auto numbers = values<float>(4 * n);
        std::vector<float4> in(n);
        std::memcpy(in.data(), numbers.data(), n * sizeof(float4));
        const Array<float4> input(in), out(n);
        pipeline_primitives<<<16, 128>>>(input, out);
        for (int i = 0; i < n; i += 128) std::reverse(in.begin() + i, in.begin() + i + 128);
        outcome.equal(out, in);
    });
    launches.add("pipeline_double_buffered", [=](Outcome& outcome) {
        const auto in = values<int>(6 * n);
        const Array<int> input(in), out(n);
        pipeline_double_buffered<<<16, 128>>>(input, out, 6);
        std::vector<int> expected(n);
        for (int i = 0; i < 6 * n; ++i) {
            expected[i % n] += in[i / n * n + i % n / 128 * 128 + (i + 1) % 128];
        }
        outcome.equal(out, expected);
    });
    launches.add("memcpy_async_group", [=](Outcome& outcome) {
        const auto in = values<int>(n);
        const Array<int> input(in), out(n);
        memcpy_async_group<<<4, 128>>>(input, out);
        auto expected = in;
        for (int i = 0; i < n; i += 512)
            std::reverse(expected.begin() + i, expected.begin() + i + 512);
        outcome.equal(out, expected);
    });
    launches.add("memcpy_async_barrier", [=](Outcome& outcome) {
        const auto in = values<float>(n);
        const Array<float> input(in), out(n);
        memcpy_async_barrier<<<8, 256>>>(input, out);
        std::vector<float> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = 2 * in[i ^ 1];
        outcome.equal(out, expected);
    });
}

}  // namespace

void add_cooperative(Launches& launches) {
    add_tiles(launches);
    add_blocks(launches);
    add_copies(launches);
}

}  // namespace ordinary

// Kernels of simt_control_test.cpp: control flow, barriers and operations across lanes.

// Sixteen ways, one for each lane modulo 16 from the third on.
extern "C" __global__ void switch_by_lane(int* out, int n) {
    int value = threadIdx.x * n;
    switch (threadIdx.x % 8) {
        case 0:
            value += 11;
            break;
        case 1:
            value *= 3;
            break;
        case 2:
            value -= 7;
            break;
        case 3:
            value ^= 0x55;
            break;
        case 4:
            value <<= 2;
            break;
        case 5:
            value = -value;
            break;
        case 6:
            value |= 1;
            break;
        default:
            value = n;
            break;
    }
    out[threadIdx.x] = value;
}

// Loops in loops with lane-dependent bounds, break and continue; the store after it is one request.
extern "C" __global__ void nested_loops(int* out) {
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < threadIdx.x; ++i) {
        if (i % 3 == 1) continue;
#pragma unroll 1
        for (int j = 0; j < i; ++j) {
            if (j * j > threadIdx.x) break;
            sum += i * j;
        }
        if (sum > 200) break;
    }
    out[threadIdx.x] = sum;
}

__device__ __noinline__ int early_return(const int* in, int i) {
    if (in[i] == 0) return -1;
#pragma unroll 1
    for (int k = 0; k < 4; ++k) {
        if (in[i] == k) return 10 * k;
    }
    return in[i];
}
extern "C" __global__ void call_with_early_returns(const int* in, int* out) {
    out[threadIdx.x] = early_return(in, threadIdx.x) + 1;
}

// Threads beyond n leave before the barriers, as many kernels' threads do.
extern "C" __global__ void leave_before_barrier(int* out, int n) {
    __shared__ int values[128];
    values[threadIdx.x] = threadIdx.x;
    if (threadIdx.x >= n) return;
    __syncthreads();
    out[threadIdx.x] = values[n - 1 - threadIdx.x];
}

extern "C" __global__ void barrier_reductions(int* out, int limit) {
    const int below = threadIdx.x < limit;
    const int count = __syncthreads_count(below);
    const int all = __syncthreads_and(below);
    const int any = __syncthreads_or(below);
    out[threadIdx.x] = count * 4 + (all != 0) * 2 + (any != 0);
}

// Warp 0 produces, warp 1 consumes; a third warp takes no part in their barriers.
extern "C" __global__ void named_barriers(int* out, int rounds) {
    __shared__ volatile int slot[32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 0) {
        for (int i = 0; i < rounds; ++i) {
            asm volatile("bar.sync 1, 64;" ::: "memory");  // the slot is free
            slot[lane] = i * 100 + lane;
            asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    } else if (warp == 1) {
        int sum = 0;
        for (int i = 0; i < rounds; ++i) {
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
            sum += slot[lane];
        }
        out[lane] = sum;
    } else {
        out[threadIdx.x] = -1;
    }
}

// Both halves of a warp call the same barrier of the warp from different places, and exchange values.
extern "C" __global__ void halves_exchange(int* out) {
    __shared__ volatile int words[32];
    const int lane = threadIdx.x;
    int other = 0;
    if (lane < 16) {
        words[lane] = 100 + lane;
        __syncwarp();
        other = words[lane + 16];
        other += __shfl_sync(0xffffffffu, lane, lane + 16);
    } else {
        words[lane] = 200 + lane;
        __syncwarp();
        other = words[lane - 16];
        other += __shfl_sync(0xffffffffu, lane * 1000, lane - 16);
    }
    out[lane] = other;
}

extern "C" __global__ void shuffles(int* out) {
    const int lane = threadIdx.x;
    out[lane] = __shfl_sync(0xffffffffu, lane, 5);
    out[32 + lane] = __shfl_up_sync(0xffffffffu, lane, 3);
    out[64 + lane] = __shfl_down_sync(0xffffffffu, lane, 3, 8);
    out[96 + lane] = __shfl_xor_sync(0xffffffffu, lane, 9);
    out[128 + lane] = __shfl_sync(0xffffffffu, lane, 3, 4);
    int in_range;
    asm("{ .reg .pred p; shfl.sync.down.b32 %0|p, %1, 4, 31, -1; selp.b32 %0, 1, 0, p; }"
        : "=r"(in_range)
        : "r"(lane));
    out[160 + lane] = in_range;
}

extern "C" __global__ void matches(const int* in, unsigned* out) {
    out[threadIdx.x] = __match_any_sync(0xffffffffu, in[threadIdx.x]);
    int agree;
    const unsigned all = __match_all_sync(0xffffffffu, in[threadIdx.x] & 0, &agree);
    out[32 + threadIdx.x] = agree ? all : 0;
}

// Lanes of two masks vote at the same instruction.
extern "C" __global__ void votes_of_halves(unsigned* out) {
    const unsigned mine = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;
    out[threadIdx.x] = __ballot_sync(mine, threadIdx.x % 3 == 0);
}

extern "C" __global__ void active_lanes(unsigned* out) {
    if (threadIdx.x % 4 == 1) out[threadIdx.x] = __activemask();
}

extern "C" __global__ void fetch_and_add(int* counter, int* slots) {
    slots[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(counter, 1);
}

extern "C" __global__ void atomics_of_all_kinds(unsigned* u, int* s, unsigned long long* w,
                                                float* f, double* d) {
    const unsigned t = threadIdx.x;
    atomicAdd(&u[0], t);
    atomicSub(&u[1], 1u);
    atomicExch(&u[2], 77u);
    atomicMin(&s[0], -int(t));
    atomicMax(&s[1], int(t));
    atomicInc(&u[3], 9u);
    atomicDec(&u[4], 9u);
    atomicAnd(&u[5], ~(1u << t));
    atomicOr(&u[6], 1u << t);
    atomicXor(&u[7], t);
    atomicCAS(&u[8], t, t + 1);
    atomicAdd(&w[0], 1ull << 33);
    atomicAdd(&f[0], 0.5f);
    atomicAdd(&d[0], 0.25);
}

extern "C" __global__ void wait_forever(volatile int* flag) {
    while (*flag == 0) {
    }
}

extern "C" __global__ void trap_on(int n) {
    if (threadIdx.x == n) asm volatile("trap;");
}

extern "C" __global__ void heap(int* out) {
    int* const mine = static_cast<int*>(malloc(4 * sizeof(int)));
    for (int i = 0; i < 4; ++i) mine[i] = threadIdx.x + i;
    out[threadIdx.x] = mine[0] + mine[3];
    free(mine);
}

__constant__ int table[4] = {5, 6, 7, 8};
__device__ int variable = 40;
__device__ int* pointer = &variable;
extern "C" __global__ void variables(int* out) {
    if (threadIdx.x == 0) variable += 2;
    __syncthreads();
    out[threadIdx.x] = table[threadIdx.x % 4] * 100 + *static_cast<volatile int*>(pointer);
}

// Through a generic pointer, lanes reach shared, local and global memory at once.
extern "C" __global__ void generic_pointers(int* values, int* out) {
    __shared__ int in_shared[32];
    int in_local[4] = {1, 2, 3, int(threadIdx.x)};
    in_shared[threadIdx.x] = 1000 + threadIdx.x;
    __syncthreads();
    int* const from = threadIdx.x % 3 == 0   ? &in_shared[threadIdx.x]
                      : threadIdx.x % 3 == 1 ? &in_local[threadIdx.x % 4]
                                             : &values[threadIdx.x];
    *from += 1;
    out[threadIdx.x] = *from;
}

// Each block has another trip count; blocks at the right edge do less.
extern "C" __global__ void uneven_blocks(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (unsigned k = 0; k <= blockIdx.x % 4; ++k) {
        if (i < n) sum += in[i];
    }
    if (i < n) out[i] = sum;
}

// Atomic operations of every kind: with and without a result, in global and shared memory, on 32 and
// 64 bits, floating point, half2, and loops of compare-and-swap.
#include <cuda_fp16.h>

#include "launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

// Every operation that needs no result, each on its own array of counters.
__global__ void atomics_without_result(const int* in, int* out, int slots, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int value = in[i], slot = i % slots;
    atomicAdd(&out[slot], value);
    atomicSub(&out[slots + slot], value);
    atomicMin(&out[2 * slots + slot], value);
    atomicMax(&out[3 * slots + slot], value);
    atomicAnd(&out[4 * slots + slot], value | 1);
    atomicOr(&out[5 * slots + slot], value);
    atomicXor(&out[6 * slots + slot], value);
    atomicInc(reinterpret_cast<unsigned*>(&out[7 * slots + slot]), 1000);
    atomicDec(reinterpret_cast<unsigned*>(&out[8 * slots + slot]), 0x7fffffff);
}

// Each thread has its own element, so that the results do not depend on the order.
__global__ void atomics_with_result(int* data, int* results, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int* mine = &data[i];
    int sum = atomicAdd(mine, 5);
    sum = 3 * sum + atomicSub(mine, 2);
    sum = 3 * sum + atomicMin(mine, 60);
    sum = 3 * sum + atomicMax(mine, 20);
    sum = 3 * sum + atomicAnd(mine, 0x7e);
    sum = 3 * sum + atomicOr(mine, 0x11);
    sum = 3 * sum + atomicXor(mine, 0x0f);
    sum = 3 * sum + atomicExch(mine, i);
    sum = 3 * sum + atomicCAS(mine, i, i + 1);
    results[i] = sum;
}

__global__ void atomics_shared(const int* in, int* out) {
    __shared__ int slots[4];
    __shared__ unsigned counters[2];
    __shared__ int taken[128];
    if (threadIdx.x < 4) slots[threadIdx.x] = threadIdx.x == 2 ? 1000 : 0;
    if (threadIdx.x < 2) counters[threadIdx.x] = 0;
    taken[threadIdx.x] = 0;
    __syncthreads();
    const int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(&slots[0], value);
    atomicMax(&slots[1], value);
    atomicMin(&slots[2], value);
    atomicOr(&slots[3], value);
    atomicInc(&counters[0], 99);
    atomicExch(&taken[threadIdx.x], value);
    atomicCAS(&taken[value], value, -1);
    __syncthreads();
    if (threadIdx.x < 4) out[blockIdx.x * 8 + threadIdx.x] = slots[threadIdx.x];
    if (threadIdx.x < 2) out[blockIdx.x * 8 + 4 + threadIdx.x] = counters[threadIdx.x];
}

// Each warp takes places from a counter in shared memory, a place a lane.
__global__ void shared_with_result(const int* in, int* out, int* counts, int threshold) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (value < threshold) {
        const int place = atomicAdd(&count, 1);
        out[blockIdx.x * blockDim.x + place] = value;
    }
    __syncthreads();
    if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

__global__ void atomic_add_64(const int* in, unsigned long long* out, int slots, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[i % slots], static_cast<unsigned long long>(in[i]) << 20);
}

__global__ void atomic_max_64(const long long* in, long long* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMax(&out[i % 3], in[i]);
}

template <class T>
__global__ void atomic_add_floating(const T* in, T* out, int slots, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[i % slots], in[i]);
}

__global__ void atomic_add_half2(const __half2* in, __half2* out, int slots, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[i % slots], in[i]);
}

// As code for GPUs without atomicAdd(double) has it; each element belongs to one thread.
__device__ double add_by_cas(double* address, double value) {
    auto* words = reinterpret_cast<unsigned long long*>(address);
    unsigned long long old = *words, assumed;
    do {
        assumed = old;
        old =
            atomicCAS(words, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

__global__ void compare_and_swap_loop(const double* in, double* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) add_by_cas(&out[i], in[i]);
}

// The maximum of floats, lanes of a warp contending for one shared word a warp.
__device__ void max_by_cas(float* address, float value) {
    int* word = reinterpret_cast<int*>(address);
    int old = *word;
    while (value > __int_as_float(old)) {
        const int assumed = old;
        old = atomicCAS(word, assumed, __float_as_int(value));
        if (old == assumed) break;
    }
}

__global__ void shared_float_maximum(const float* in, float* out) {
    __shared__ float most[4];
    const int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) most[warp] = 0.0f;
    __syncthreads();
    max_by_cas(&most[warp], in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x < 4) out[blockIdx.x * 4 + threadIdx.x] = most[threadIdx.x];
}

__global__ void scopes(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd_block(&out[blockIdx.x], in[i]);
    atomicAdd_system(&out[gridDim.x], in[i]);
}

__global__ void scatter_by_keys(const int* keys, const float* in, float* sums, int* counts, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&sums[keys[i]], in[i]);
    atomicAdd(&counts[keys[i]], 1);
}

__global__ void hash_table_insert(const unsigned* keys, unsigned* table, unsigned mask, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned slot = keys[i] & mask;
    while (true) {
        const unsigned found = atomicCAS(&table[slot], 0xffffffffu, keys[i]);
        if (found == 0xffffffffu || found == keys[i]) return;
        slot = (slot + 1) & mask;
    }
}

void add_all_kinds(Launches& launches) {
    const int n = 2000, slots = 50;
    const auto in = values<int>(n);
    launches.add("atomics_without_result", [=](Outcome& outcome) {
        std::vector<int> expected(9 * slots);
        for (int s = 0; s < slots; ++s)
            expected[2 * slots + s] = 1000, expected[4 * slots + s] = -1;
        for (int s = 0; s < slots; ++s) expected[8 * slots + s] = 500;
        const Array<int> input(in), out(expected);
        atomics_without_result<<<16, 128>>>(input, out, slots, n);
        for (int i = 0; i < n; ++i) {
            const int v = in[i];
            int* e = &expected[i % slots];
            e[0] += v, e[slots] -= v, e[2 * slots] = std::min(e[2 * slots], v);
            e[3 * slots] = std::max(e[3 * slots], v), e[4 * slots] &= v | 1, e[5 * slots] |= v;
            e[6 * slots] ^= v, ++e[7 * slots], --e[8 * slots];
        }
        outcome.equal(out, expected);
    });
    launches.add("atomics_with_result", [=](Outcome& outcome) {
        const Array<int> data(in), results(n);
        atomics_with_result<<<16, 128>>>(data, results, n);
        std::vector<int> expected(n), after(n);
        for (int i = 0; i < n; ++i) {
            int v = in[i], sum = v;
            const auto next = [&](int changed) { sum = 3 * sum + v, v = changed; };
            v += 5, next(v - 2), next(std::min(v, 60)), next(std::max(v, 20)), next(v & 0x7e);
            next(v | 0x11), next(v ^ 0x0f), next(i), next(i + 1);
            expected[i] = sum, after[i] = v;
        }
        outcome.equal(results, expected);
        outcome.equal(data, after);
    });
    launches.add("scopes", [=](Outcome& outcome) {
        const Array<int> input(in), out(17, 0);
        scopes<<<16, 128>>>(input, out, n);
        std::vector<int> expected(17);
        for (int i = 0; i < n; ++i) expected[i / 128] += in[i], expected[16] += in[i];
        outcome.equal(out, expected);
    });
}

void add_shared(Launches& launches) {
    const int n = 2048;
    const auto in = values<int>(n);
    launches.add("atomics_shared", [=](Outcome& outcome) {
        const Array<int> input(in), out(16 * 8, 0);
        atomics_shared<<<16, 128>>>(input, out);
        std::vector<int> expected(16 * 8);
        for (int block = 0; block < 16; ++block) {
            int* e = &expected[block * 8];
            e[2] = 1000;
            for (int i = block * 128; i < block * 128 + 128; ++i) {
                e[0] += in[i], e[1] = std::max(e[1], in[i]), e[2] = std::min(e[2], in[i]),
                               e[3] |= in[i];
            }
            e[4] = 128 % 100;
        }
        outcome.equal(out, expected);
    });
    launches.add("shared_with_result", [=](Outcome& outcome) {
        const Array<int> input(in), out(n), counts(16);
        shared_with_result<<<16, 128>>>(input, out, counts, 40);
        std::vector<int> expected(n, -1), expected_counts(16);
        for (int i = 0; i < n; ++i) {
            if (in[i] < 40) expected[i / 128 * 128 + expected_counts[i / 128]++] = in[i];
        }
        outcome.same_elements(out, expected);
        outcome.equal(counts, expected_counts);
    });
    launches.add("shared_float_maximum", [=](Outcome& outcome) {
        const auto numbers = values<float>(n, 1000);
        const Array<float> input(numbers), out(n / 32);
        shared_float_maximum<<<16, 128>>>(input, out);
        std::vector<float> expected(n / 32);
        for (int i = 0; i < n; ++i) expected[i / 32] = std::max(expected[i / 32], numbers[i]);
        outcome.equal(out, expected);
    });
}

template <class T>
void add_floating(Launches& launches, const char* name) {
    launches.add(name, [](Outcome& outcome) {
        const int n = 3000, slots = 100;
        const auto in = values<T>(n);
        const Array<T> input(in), out(slots, 0);
        atomic_add_floating<T><<<24, 128>>>(input, out, slots, n);
        std::vector<T> expected(slots);
        for (int i = 0; i < n; ++i) expected[i % slots] += in[i];
        outcome.equal(out, expected);
    });
}

void add_types(Launches& launches) {
    const int n = 3000;
    add_floating<float>(launches, "atomic_add_floating/type:float");
    add_floating<double>(launches, "atomic_add_floating/type:double");
    launches.add("atomic_add_64", [=](Outcome& outcome) {
        const auto in = values<int>(n);
        const Array<int> input(in);
        const Array<unsigned long long> out(7, 0);
        atomic_add_64<<<24, 128>>>(input, out, 7, n);
        std::vector<unsigned long long> expected(7);
        for (int i = 0; i < n; ++i) expected[i % 7] += static_cast<unsigned long long>(in[i]) << 20;
        outcome.equal(out, expected);
    });
    launches.add("atomic_max_64", [=](Outcome& outcome) {
        auto in = values<long long>(n, 1000000);
        for (auto& value : in) value = (value << 24) - (1ll << 40);
        const std::vector<long long> before(3, -(1ll << 60));
        const Array<long long> input(in), out(before);
        atomic_max_64<<<24, 128>>>(input, out, n);
        auto expected = before;
        for (int i = 0; i < n; ++i) expected[i % 3] = std::max(expected[i % 3], in[i]);
        outcome.equal(out, expected);
    });
    launches.add("atomic_add_half2", [=](Outcome& outcome) {
        const auto numbers = values<float>(2 * n, 4);
        std::vector<__half2> in(n), expected(64);
        std::vector<float> sums(128);
        for (int i = 0; i < n; ++i) {
            in[i] = __floats2half2_rn(numbers[2 * i], numbers[2 * i + 1]);
            sums[i % 64 * 2] += numbers[2 * i], sums[i % 64 * 2 + 1] += numbers[2 * i + 1];
        }
        for (int i = 0; i < 64; ++i) expected[i] = __floats2half2_rn(sums[2 * i], sums[2 * i + 1]);
        const Array<__half2> input(in), out(64, 0);
        atomic_add_half2<<<24, 128>>>(input, out, 64, n);
        outcome.equal(out, expected);
    });
    launches.add("compare_and_swap_loop", [=](Outcome& outcome) {
        const auto in = values<double>(n), before = values<double>(n, 97, 2);
        const Array<double> input(in), out(before);
        compare_and_swap_loop<<<24, 128>>>(input, out, n);
        auto expected = before;
        for (int i = 0; i < n; ++i) expected[i] += in[i];
        outcome.equal(out, expected);
    });
}

void add_scattered(Launches& launches) {
    launches.add("scatter_by_keys", [](Outcome& outcome) {
        const int n = 4000;
        const auto keys = values<int>(n, 300, 5);
        const auto in = values<float>(n);
        const Array<int> places(keys), counts(300, 0);
        const Array<float> input(in), sums(300, 0);
        scatter_by_keys<<<32, 128>>>(places, input, sums, counts, n);
        std::vector<float> expected(300);
        std::vector<int> expected_counts(300);
        for (int i = 0; i < n; ++i) expected[keys[i]] += in[i], ++expected_counts[keys[i]];
        outcome.equal(sums, expected);
        outcome.equal(counts, expected_counts);
    });
    launches.add("hash_table_insert", [](Outcome& outcome) {
        // Keys that differ in their slots: no insertion depends on another.
        const int n = 1500;
        std::vector<unsigned> keys(n), expected(4096, 0xffffffffu);
        for (int i = 0; i < n; ++i) {
            keys[i] = static_cast<unsigned>(i) * 2741u % 4096u + 4096u * static_cast<unsigned>(i);
            expected[keys[i] & 4095] = keys[i];
        }
        const Array<unsigned> input(keys), table(4096);
        hash_table_insert<<<12, 128>>>(input, table, 4095, n);
        outcome.equal(table, expected);
    });
}

}  // namespace

void add_atomics(Launches& launches) {
    add_all_kinds(launches);
    add_shared(launches);
    add_types(launches);
    add_scattered(launches);
}

}  // namespace ordinary

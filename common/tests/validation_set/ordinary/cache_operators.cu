// Loads and stores with cache operators, volatile, read-only data, and fences between accesses.
#include "launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

template <class Load>
__device__ void sum_shifted(const int* in, int* out, int n, Load load) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 2 < n) out[i] = load(in + i) + load(in + i + 1) + load(in + i + 2);
}

__global__ void load_ldg(const int* in, int* out, int n) {
    sum_shifted(in, out, n, [](const int* p) { return __ldg(p); });
}
__global__ void load_ldcg(const int* in, int* out, int n) {
    sum_shifted(in, out, n, [](const int* p) { return __ldcg(p); });
}
__global__ void load_ldca(const int* in, int* out, int n) {
    sum_shifted(in, out, n, [](const int* p) { return __ldca(p); });
}
__global__ void load_ldcs(const int* in, int* out, int n) {
    sum_shifted(in, out, n, [](const int* p) { return __ldcs(p); });
}
__global__ void load_ldlu(const int* in, int* out, int n) {
    sum_shifted(in, out, n, [](const int* p) { return __ldlu(p); });
}
__global__ void load_ldcv(const int* in, int* out, int n) {
    sum_shifted(in, out, n, [](const int* p) { return __ldcv(p); });
}

__global__ void load_vectors_ldg(const float4* in, float4* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __ldg(&in[n - 1 - i]);
}

__global__ void store_operators(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int value = in[i];
    __stwb(&out[i], value);
    __stcg(&out[n + 2 * i], value + 1);
    __stcs(&out[3 * n + i / 2 * 2], value - value + i / 2);
    __stwt(&out[4 * n + i], value + 3);
}

__global__ void read_volatile(const volatile int* in, int* out, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int round = 0; round < rounds; ++round) sum += in[i];
    out[i] = sum;
}

// Without volatile nvcc keeps the value in a register; a fence makes it read again.
__global__ void fence_between_reads(const int* in, int* out, int* marks) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = in[i];
    marks[i] = 1;
    __threadfence();
    sum += in[i];
    __threadfence_block();
    sum += in[i];
    out[i] = sum;
}

__global__ void barrier_between_reads(const int* in, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = in[i];
    __syncthreads();
    sum += in[i ^ 1];
    __syncthreads();
    out[i] = sum + in[i];
}

// `out` may point to `in`: the second read is not the first.
__global__ void may_alias(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = in[i] + 1;
    out[n + i] = in[i] + 2;
}

__global__ void no_alias(const int* __restrict__ in, int* __restrict__ out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = in[i] + 1;
    out[n + i] = in[i] + 2;
}

__global__ void read_only_gather(const float* __restrict__ data, const int* __restrict__ order,
                                 float* __restrict__ out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        out[i] = data[order[i]] + data[i];
    }
}

__device__ int flag_of_blocks = 0;
__device__ int message[128];

// Block 0 writes, fences and raises a flag; the others read the flag once, whatever it holds.
__global__ void publish(const int* in, int* out) {
    if (blockIdx.x == 0) {
        message[threadIdx.x] = in[threadIdx.x];
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) atomicExch(&flag_of_blocks, 1);
    }
    const volatile int* flag = &flag_of_blocks;
    const int seen = *flag;
    out[blockIdx.x * blockDim.x + threadIdx.x] = seen < 2;
}

void add_operators(Launches& launches) {
    const int n = 3000;
    const auto in = values<int>(n);
    const auto add = [=, &launches](const char* name, void (*kernel)(const int*, int*, int)) {
        launches.add(name, [=](Outcome& outcome) {
            const Array<int> input(in), out(n - 2);
            kernel<<<24, 128>>>(input, out, n);
            outcome.equal(out, each(n - 2, [&](int i) { return in[i] + in[i + 1] + in[i + 2]; }));
        });
    };
    add("load_ldg", load_ldg);
    add("load_ldcg", load_ldcg);
    add("load_ldca", load_ldca);
    add("load_ldcs", load_ldcs);
    add("load_ldlu", load_ldlu);
    add("load_ldcv", load_ldcv);
    launches.add("load_vectors_ldg", [=](Outcome& outcome) {
        const auto numbers = values<float>(4 * 700);
        std::vector<float4> vectors(700);
        std::memcpy(vectors.data(), numbers.data(), 700 * sizeof(float4));
        const Array<float4> input(vectors), out(700);
        load_vectors_ldg<<<6, 128>>>(input, out, 700);
        std::reverse(vectors.begin(), vectors.end());
        outcome.equal(out, vectors);
    });
    launches.add("store_operators", [=](Outcome& outcome) {
        const Array<int> input(in), out(5 * n);
        store_operators<<<24, 128>>>(input, out, n);
        std::vector<int> expected(5 * n, -1);
        for (int i = 0; i < n; ++i) {
            expected[i] = in[i], expected[n + 2 * i] = in[i] + 1;
            expected[3 * n + i / 2 * 2] = i / 2, expected[4 * n + i] = in[i] + 3;
        }
        outcome.equal(out, expected);
    });
}

void add_visibility(Launches& launches) {
    const int n = 2048;
    const auto in = values<int>(n);
    launches.add("read_volatile", [=](Outcome& outcome) {
        const Array<int> input(in), out(n);
        read_volatile<<<16, 128>>>(input, out, 4);
        outcome.equal(out, each(n, [&](int i) { return 4 * in[i]; }));
    });
    launches.add("fence_between_reads", [=](Outcome& outcome) {
        const Array<int> input(in), out(n), marks(n);
        fence_between_reads<<<16, 128>>>(input, out, marks);
        outcome.equal(out, each(n, [&](int i) { return 3 * in[i]; }));
    });
    launches.add("barrier_between_reads", [=](Outcome& outcome) {
        const Array<int> input(in), out(n);
        barrier_between_reads<<<16, 128>>>(input, out);
        outcome.equal(out, each(n, [&](int i) { return 2 * in[i] + in[i ^ 1]; }));
    });
    const auto add = [=, &launches](const char* name, void (*kernel)(const int*, int*, int)) {
        launches.add(name, [=](Outcome& outcome) {
            const Array<int> input(in), out(2 * n);
            kernel<<<16, 128>>>(input, out, n);
            outcome.equal(out, each(2 * n, [&](int i) { return in[i % n] + 1 + i / n; }));
        });
    };
    add("may_alias", may_alias);
    add("no_alias", no_alias);
    launches.add("read_only_gather", [=](Outcome& outcome) {
        const auto data = values<float>(n);
        const auto order = values<int>(n, n, 4);
        const Array<float> input(data), out(n);
        const Array<int> places(order);
        read_only_gather<<<4, 128>>>(input, places, out, n);
        std::vector<float> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = data[order[i]] + data[i];
        outcome.equal(out, expected);
    });
    launches.add("publish", [=](Outcome& outcome) {
        const Array<int> input(in), out(1024);
        publish<<<8, 128>>>(input, out);
        outcome.equal(out, std::vector<int>(1024, 1));
    });
}

}  // namespace

void add_cache_operators(Launches& launches) {
    add_operators(launches);
    add_visibility(launches);
}

}  // namespace ordinary

// How threads are mapped to elements: grid-stride loops, unrolled loops with remainders, several
// elements a thread, work queues, grids of two and three dimensions, gathers and scatters.
#include "launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

__global__ void add_vectors(const float* a, const float* b, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void grid_stride(const float* a, float* out, float factor, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        out[i] = factor * a[i] + out[i];
    }
}

__global__ void unrolled_with_remainder(const int* in, int* out, int length) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;
    int sum = 0, k = 0;
#pragma unroll 1
    for (; k + 4 <= length; k += 4) {
        sum += in[k * threads + thread] + in[(k + 1) * threads + thread];
        sum += in[(k + 2) * threads + thread] + in[(k + 3) * threads + thread];
    }
    for (; k < length; ++k) sum += in[k * threads + thread];
    out[thread] = sum;
}

// A trip count that differs from lane to lane in a loop that the compiler unrolls.
__global__ void unrolled_by_compiler(const int* in, const int* lengths, int* out, int threads) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int k = 0; k < lengths[thread]; ++k) sum += in[k * threads + thread] * (k + 1);
    out[thread] = sum;
}

__global__ void four_elements_a_thread(const float* in, float* out, int n) {
    const int first = blockIdx.x * blockDim.x * 4 + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int i = first + k * blockDim.x;
        if (i < n) out[i] = in[i] * in[i];
    }
}

// Neighbouring elements a thread: each lane's accesses lie 16 bytes from the next lane's.
__global__ void consecutive_elements(const float* in, float* out, int n) {
    const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int i = first; i < min(first + 4, n); ++i) out[i] = in[i] + 1.0f;
}

__global__ void vectors_with_tail(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n) {
        float4 v = reinterpret_cast<const float4*>(in)[i];
        v.x += 1.0f, v.y += 2.0f, v.z += 3.0f, v.w += 4.0f;
        reinterpret_cast<float4*>(out)[i] = v;
    } else {
        for (int k = 4 * i; k < n; ++k) out[k] = in[k] + static_cast<float>(k % 4 + 1);
    }
}

__device__ int next_item = 0;

// Blocks that stay take items from a queue until none is left.
__global__ void work_queue(const int* in, int* out, int items) {
    __shared__ int item;
    while (true) {
        if (threadIdx.x == 0) item = atomicAdd(&next_item, 1);
        __syncthreads();
        const int mine = item;
        __syncthreads();
        if (mine >= items) return;
        out[mine * blockDim.x + threadIdx.x] = in[mine * blockDim.x + threadIdx.x] * mine;
    }
}

__global__ void transpose_3d(const int* in, int* out, int nx, int ny, int nz) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) out[(x * ny + y) * nz + z] = in[(z * ny + y) * nx + x];
}

__global__ void gather(const int* order, const double* in, double* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[order[i]];
}

__global__ void scatter(const int* order, const double* in, double* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[order[i]] = in[i];
}

__global__ void fill_border(float* image, int width, int height, size_t pitch) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float* row = reinterpret_cast<float*>(reinterpret_cast<char*>(image) + y * pitch);
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) row[x] = -1.0f;
}

__device__ int counter_of_module[64];
__device__ float4 table_of_module[32];

__global__ void module_variables(const int* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    counter_of_module[i % 64] = i % 64;
    const float4 v = table_of_module[in[i] % 32];
    out[i] = v.x + v.w;
}

void add_loops(Launches& launches) {
    const int n = 5001;
    const auto a = values<float>(n, 97, 1), b = values<float>(n, 97, 2);
    launches.add("add_vectors", [=](Outcome& outcome) {
        const Array<float> first(a), second(b), out(n);
        add_vectors<<<blocks_of(n), 128>>>(first, second, out, n);
        std::vector<float> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = a[i] + b[i];
        outcome.equal(out, expected);
    });
    launches.add("grid_stride", [=](Outcome& outcome) {
        const Array<float> first(a), out(b);
        grid_stride<<<5, 96>>>(first, out, 3.0f, n);
        std::vector<float> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = 3 * a[i] + b[i];
        outcome.equal(out, expected);
    });
    launches.add("unrolled_with_remainder", [](Outcome& outcome) {
        const auto in = values<int>(11 * 512);
        const Array<int> input(in), out(512);
        unrolled_with_remainder<<<4, 128>>>(input, out, 11);
        std::vector<int> expected(512);
        for (int i = 0; i < 11 * 512; ++i) expected[i % 512] += in[i];
        outcome.equal(out, expected);
    });
    launches.add("unrolled_by_compiler", [](Outcome& outcome) {
        const auto in = values<int>(16 * 1024), lengths = values<int>(1024, 17, 2);
        const Array<int> input(in), counts(lengths), out(1024);
        unrolled_by_compiler<<<8, 128>>>(input, counts, out, 1024);
        std::vector<int> expected(1024);
        for (int i = 0; i < 16 * 1024; ++i) {
            if (i / 1024 < lengths[i % 1024]) expected[i % 1024] += in[i] * (i / 1024 + 1);
        }
        outcome.equal(out, expected);
    });
    launches.add("work_queue", [](Outcome& outcome) {
        const auto in = values<int>(60 * 64);
        const Array<int> input(in), out(60 * 64);
        work_queue<<<16, 64>>>(input, out, 60);
        auto expected = in;
        for (int i = 0; i < 60 * 64; ++i) expected[i] *= i / 64;
        outcome.equal(out, expected);
    });
}

void add_several_elements(Launches& launches) {
    const int n = 5001;
    const auto in = values<float>(n);
    const auto add = [=, &launches](const char* name, void (*kernel)(const float*, float*, int),
                                    auto f) {
        launches.add(name, [=](Outcome& outcome) {
            const Array<float> input(in), out(n);
            kernel<<<blocks_of((n + 3) / 4), 128>>>(input, out, n);
            std::vector<float> expected(n);
            for (int i = 0; i < n; ++i) expected[i] = f(in[i], i);
            outcome.equal(out, expected);
        });
    };
    add("four_elements_a_thread", four_elements_a_thread, [](float v, int) { return v * v; });
    add("consecutive_elements", consecutive_elements, [](float v, int) { return v + 1; });
    add("vectors_with_tail", vectors_with_tail, [](float v, int i) { return v + i % 4 + 1; });
}

void add_places(Launches& launches) {
    launches.add("transpose_3d", [](Outcome& outcome) {
        const int nx = 37, ny = 11, nz = 19;
        const auto in = values<int>(nx * ny * nz);
        const Array<int> input(in), out(nx * ny * nz);
        transpose_3d<<<dim3(3, 3, 10), dim3(16, 4, 2)>>>(input, out, nx, ny, nz);
        std::vector<int> expected(nx * ny * nz);
        for (int i = 0; i < nx * ny * nz; ++i) {
            expected[(i % nx * ny + i / nx % ny) * nz + i / nx / ny] = in[i];
        }
        outcome.equal(out, expected);
    });
    const int n = 3000;
    std::vector<int> order(n);
    for (int i = 0; i < n; ++i) order[i] = i * 1013 % n;
    const auto in = values<double>(n);
    launches.add("gather", [=](Outcome& outcome) {
        const Array<int> places(order);
        const Array<double> input(in), out(n);
        gather<<<blocks_of(n), 128>>>(places, input, out, n);
        std::vector<double> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = in[order[i]];
        outcome.equal(out, expected);
    });
    launches.add("scatter", [=](Outcome& outcome) {
        const Array<int> places(order);
        const Array<double> input(in), out(n);
        scatter<<<blocks_of(n), 128>>>(places, input, out, n);
        std::vector<double> expected(n);
        for (int i = 0; i < n; ++i) expected[order[i]] = in[i];
        outcome.equal(out, expected);
    });
    launches.add("fill_border", [](Outcome& outcome) {
        const int width = 75, height = 50, pitch = 96;
        const auto image = values<float>(pitch * height);
        const Array<float> device(image);
        fill_border<<<dim3(3, 7), dim3(32, 8)>>>(device, width, height, pitch * sizeof(float));
        auto expected = image;
        for (int i = 0; i < pitch * height; ++i) {
            const int x = i % pitch, y = i / pitch;
            const bool is_edge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
            if (x < width && is_edge) expected[i] = -1;
        }
        outcome.equal(device, expected);
    });
    launches.add("module_variables", [](Outcome& outcome) {
        const auto numbers = values<float>(128), in = values<float>(1000, 97, 2);
        std::vector<int> places(in.begin(), in.end());
        check(cudaMemcpyToSymbol(table_of_module, numbers.data(), 128 * sizeof(float)));
        const Array<int> input(places);
        const Array<float> out(1000);
        module_variables<<<8, 128>>>(input, out, 1000);
        std::vector<float> expected(1000);
        for (int i = 0; i < 1000; ++i) {
            const float* v = &numbers[places[i] % 32 * 4];
            expected[i] = v[0] + v[3];
        }
        outcome.equal(out, expected);
        std::vector<int> counters(64), indices(64);
        check(cudaMemcpyFromSymbol(counters.data(), counter_of_module, 64 * sizeof(int)));
        for (int i = 0; i < 64; ++i) indices[i] = i;
        outcome.equal(Array<int>(counters), indices);
    });
}

}  // namespace

void add_grids(Launches& launches) {
    add_loops(launches);
    add_several_elements(launches);
    add_places(launches);
}

}  // namespace ordinary

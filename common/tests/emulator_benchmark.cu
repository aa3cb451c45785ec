// How fast the emulated GPU is: lane-accesses (one thread's load or store) a second, for a streaming
// kernel, a transpose and a tiled product; requests alone, with the caches modelled, with the checks
// on; by one worker and by two. Rows: kernel/mode/workers.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <functional>
#include <memory>
#include <string>

#include "emulator/emulated_launch.hpp"
#include "lab/device_buffer.hpp"
#include "lab/launch.hpp"
#include "lab/random_values.hpp"

namespace {

__global__ void add(const float* a, const float* b, float* c) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

__global__ void transpose_read_rows(const float* in, float* out, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * width + y] = in[y * width + x];
}

template <int tile>
__global__ void multiply_tiled(const float* a, const float* b, float* c, int width) {
    __shared__ float a_tile[tile][tile];
    __shared__ float b_tile[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < width; first += tile) {
        a_tile[threadIdx.y][threadIdx.x] = a[row * width + first + threadIdx.x];
        b_tile[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * width + column];
        __syncthreads();
        for (int k = 0; k < tile; ++k) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
        __syncthreads();
    }
    c[row * width + column] = sum;
}

__global__ void sum_in_a_loop(const float* in, float* out, int iterations) {
    float sum = 0;
    for (int i = 0; i < iterations; ++i) sum += in[(i % 64) * 32 + threadIdx.x];
    out[threadIdx.x] = sum;
}

struct Kernel {
    const char* name;
    double lane_accesses;
    std::function<void()> launch;
};

struct Mode {
    const char* name;
    bool caches, hazards;
};

void run(benchmark::State& state, const Kernel& kernel, const Mode& mode, unsigned workers) {
    auto gpu = std::make_unique<emulator::Gpu>(*emulator::find_architecture("hopper"), workers);
    gpu->model_caches(mode.caches);
    gpu->check_hazards(mode.hazards);
    emulator::set_current_gpu(std::move(gpu));
    for (auto _ : state) {
        kernel.launch();
        benchmark::DoNotOptimize(emulator::take_counters());
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    state.counters["lane_accesses_per_second"] =
        benchmark::Counter(kernel.lane_accesses, benchmark::Counter::kIsIterationInvariantRate);
    state.counters["peak_memory_mib"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
    constexpr int width = 1024;
    constexpr int product_width = 256;
    constexpr double product = double{product_width} * product_width;
    const auto values = lab::random_floats(width * width, 1);
    const lab::DeviceBuffer<float> a(values), b(values);
    lab::DeviceBuffer<float> c(width * width);

    const Kernel kernels[] = {
        {"stream", 3.0 * width * width,
         [&] { lab::launch(add, width * width / 512, 512)(a.get(), b.get(), c.get()); }},
        {"transpose", 2.0 * width * width,
         [&] {
             lab::launch(transpose_read_rows, dim3(width / 16, width / 16), dim3(16, 16))(
                 a.get(), c.get(), width);
         }},
        {"tiled_product_16", 2 * product * product_width + 4 * product * product_width / 16 + product,
         [&] {
             lab::launch(multiply_tiled<16>, dim3(product_width / 16, product_width / 16),
                         dim3(16, 16))(a.get(), b.get(), c.get(), product_width);
         }},
        {"tiled_product_32", 2 * product * product_width + 4 * product * product_width / 32 + product,
         [&] {
             lab::launch(multiply_tiled<32>, dim3(product_width / 32, product_width / 32),
                         dim3(32, 32))(a.get(), b.get(), c.get(), product_width);
         }},
        {"loop_of_ten_million", 32e7, [&] { lab::launch(sum_in_a_loop, 1, 32)(a.get(), c.get(), 10000000); }},
    };
    const Mode modes[] = {{"requests", false, false}, {"caches", true, false}, {"hazards", false, true}};
    for (const Kernel& kernel : kernels) {
        for (const Mode& mode : modes) {
            for (const unsigned workers : {1u, 2u}) {
                const bool single_block = std::string(kernel.name) == "loop_of_ten_million";
                if (single_block && (workers == 2 || mode.hazards)) continue;
                benchmark::RegisterBenchmark(
                    (std::string(kernel.name) + "/" + mode.name + "/workers:" + std::to_string(workers)).c_str(),
                    [&, workers](benchmark::State& state) { run(state, kernel, mode, workers); })
                    ->UseRealTime()
                    ->Unit(benchmark::kMillisecond);
            }
        }
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

// How fast the emulated GPU is: warp instructions and lane-accesses (one thread's load or store) a
// second. Rows: kernel/mode/workers; requests alone, with the caches modelled, with hazards checked.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "emulator/memory/device_memory.hpp"
#include "emulator/simt/state/gpu.hpp"

namespace {

using emulator::simt::Dimensions;
using emulator::simt::LaunchRecord;
using emulator::simt::LaunchShape;

struct Kernel {
    std::string name;
    LaunchShape shape;
    std::vector<std::uint64_t> arguments;
    std::vector<std::size_t> argument_bytes;
    double lane_accesses = 0;  // of a launch, as the source has them; 0: those that were counted
};

struct Mode {
    const char* name;
    bool caches, hazards;
};

std::uint64_t lane_accesses(const LaunchRecord& record) {
    std::uint64_t bytes = 0;
    for (const auto& site : record.sites) {
        // Shared requests do not keep their lanes: whole warps.
        bytes += site.space == emulator::simt::AccessSpace::shared
                     ? site.counters.requests * 32
                     : site.counters.lane_bytes / site.bytes_per_lane;
    }
    return bytes;
}

std::string text_of(const char* file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

void run(benchmark::State& state, const Kernel& kernel, const Mode& mode, unsigned workers) {
    emulator::simt::Options options;
    options.workers = workers;
    options.model_caches = mode.caches;
    options.check_hazards = mode.hazards;
    emulator::simt::Gpu gpu(*emulator::find_architecture("hopper"), options);
    const auto module = gpu.load(emulator::ptx::parse(text_of(LAB_KERNELS_PTX)), {});
    std::vector<std::byte> parameters;
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
        const std::size_t bytes = kernel.argument_bytes[i];
        const std::size_t at = (parameters.size() + bytes - 1) / bytes * bytes;
        parameters.resize(at + bytes);
        std::memcpy(parameters.data() + at, &kernel.arguments[i], bytes);
    }
    const auto* const found = emulator::simt::find_kernel(*module, kernel.name);
    double accesses = 0, instructions = 0;
    for (auto _ : state) {
        const LaunchRecord record = gpu.launch(*found, kernel.shape, parameters, {});
        accesses += kernel.lane_accesses != 0 ? kernel.lane_accesses
                                              : static_cast<double>(lane_accesses(record));
        instructions += static_cast<double>(record.warp_instructions);
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    state.counters["lane_accesses_per_second"] =
        benchmark::Counter(accesses, benchmark::Counter::kIsRate);
    state.counters["warp_instructions_per_second"] =
        benchmark::Counter(instructions, benchmark::Counter::kIsRate);
    state.counters["peak_memory_mib"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

template <class T>
std::uint64_t device_array(const std::vector<T>& values) {
    void* const memory = emulator::allocate_device_memory(values.size() * sizeof(T));
    std::memcpy(emulator::storage_of(memory), values.data(), values.size() * sizeof(T));
    return reinterpret_cast<std::uint64_t>(memory);
}

std::vector<Kernel> make_kernels() {
    constexpr unsigned width = 1024, product_width = 256;
    constexpr std::size_t n = std::size_t{width} * width;
    std::mt19937 random(1);
    std::vector<float> values(n);
    for (float& value : values) value = static_cast<float>(random() % 1000);
    std::vector<float> sorted(n);
    for (std::size_t i = 0; i < n; ++i) sorted[i] = static_cast<float>(i);
    std::vector<float> wanted(n);
    for (float& value : wanted) value = static_cast<float>(random() % n);
    std::vector<unsigned> next(n);
    for (unsigned& at : next) at = static_cast<unsigned>(random() % n);
    const std::uint64_t a = device_array(values), b = device_array(values),
                        c = device_array(values);
    const std::uint64_t integers = device_array(std::vector<unsigned>(n));
    const std::uint64_t in_order = device_array(sorted), searched = device_array(wanted);
    const std::uint64_t chain = device_array(next);
    const auto shape = [](Dimensions grid, Dimensions block) {
        return LaunchShape{grid, block, 0, false};
    };
    // ptxas merges loads from shared memory: what the source says, a pair for each multiply-add.
    constexpr double product = double{product_width} * product_width;
    const auto of_product = [](double tile) {
        return 2 * product * product_width + 4 * product * product_width / tile + product;
    };
    const unsigned tiles_16 = product_width / 16, tiles_32 = product_width / 32;
    return {
        {"arithmetic", shape({16}, {256}), {integers, c, 1000}, {8, 8, 4}},
        {"stream", shape({width * width / 512}, {512}), {a, b, c}, {8, 8, 8}},
        {"transpose", shape({width / 16, width / 16}, {16, 16}), {a, c, width}, {8, 8, 4}},
        {"tiled_product_16",
         shape({tiles_16, tiles_16}, {16, 16}),
         {a, b, c, product_width},
         {8, 8, 8, 4},
         of_product(16)},
        {"tiled_product_32",
         shape({tiles_32, tiles_32}, {32, 32}),
         {a, b, c, product_width},
         {8, 8, 8, 4},
         of_product(32)},
        {"sum_in_a_loop", shape({1}, {32}), {a, c, 1000000}, {8, 8, 4}},
        {"chase_pointers", shape({64}, {256}), {chain, integers, 100}, {8, 8, 4}},
        {"search_binary",
         shape({width * width / 256 / 4}, {256}),
         {in_order, searched, integers, n},
         {8, 8, 8, 4}},
        {"sort_bitonic", shape({256}, {512}), {c}, {8}},
    };
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Kernel> kernels = make_kernels();
    const Mode modes[] = {
        {"requests", false, false}, {"caches", true, false}, {"hazards", false, true}};
    for (const Kernel& kernel : kernels) {
        for (const Mode& mode : modes) {
            for (const unsigned workers : {1u, 2u}) {
                // One worker by CPU time, which other programs on the machine do not change.
                auto* const row = benchmark::RegisterBenchmark(
                    (kernel.name + "/" + mode.name + "/workers:" + std::to_string(workers)).c_str(),
                    [&, workers](benchmark::State& state) { run(state, kernel, mode, workers); });
                row->Unit(benchmark::kMillisecond);
                if (workers > 1) row->UseRealTime();
            }
        }
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

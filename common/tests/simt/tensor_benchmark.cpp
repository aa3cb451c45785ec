// Products of matrices that the emulated GPU executes in a second on one core: 16 of a kind in a loop, on registers (wgmma: on
// shared memory) that hold random numbers of the type. Rows count instructions of a warp; those of wgmma slices of m64n8.
#include <benchmark/benchmark.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "emulator/memory/device_memory.hpp"
#include "emulator/simt/alu/values/half_values.hpp"
#include "emulator/simt/state/gpu.hpp"
#include "tensor_kernels.hpp"

namespace {

using namespace emulator::simt;
using simt_test::list;

constexpr unsigned repetitions = 16, rounds = 500;

struct Product {
    std::string name, instruction;
    unsigned a, b, d;  // registers; of wgmma those of D
    std::string operands = "r", letter = "f";
    std::uint32_t (*random_word)(std::mt19937&) = nullptr;
    bool is_of_warpgroup = false;
};

float number(std::mt19937& random) { return std::normal_distribution<float>()(random); }
std::uint32_t single(std::mt19937& random) { return bits_of(number(random)); }
std::uint32_t any(std::mt19937& random) { return static_cast<std::uint32_t>(random()); }
template <class Format>
std::uint32_t pair(std::mt19937& random) {
    const std::uint32_t low = Format::from_float(number(random));
    return low | std::uint32_t{Format::from_float(number(random))} << 16;
}
// Halves of FP64, and bytes of FP8 below 2.
std::uint32_t in_range(std::mt19937& random) { return any(random) & 0xbfbfbfbfu; }

std::vector<Product> products() {
    const std::string mma = "mma.sync.aligned.", wgmma = "wgmma.mma_async.sync.aligned.m64n64k";
    return {
        {"f16", mma + "m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, "r", "f", pair<Half>},
        {"bf16", mma + "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, "r", "f", pair<BrainHalf>},
        {"tf32", mma + "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, "r", "f", single},
        {"e4m3", mma + "m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 4, "r", "f", in_range},
        {"f16 to f16", mma + "m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, "r", "r", pair<Half>},
        {"s8", mma + "m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, "r", "r", any},
        {"s4", mma + "m16n8k64.row.col.s32.s4.s4.s32", 4, 2, 4, "r", "r", any},
        {"b1", mma + "m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 2, 4, "r", "r", any},
        {"f64 k8", mma + "m16n8k8.row.col.f64.f64.f64.f64", 4, 2, 4, "d", "d", in_range},
        {"f64 k4", mma + "m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2, "d", "d", in_range},
        {"wgmma f16", wgmma + "16.f32.f16.f16", 0, 0, 32, "r", "f", pair<Half>, true},
        {"wgmma bf16", wgmma + "16.f32.bf16.bf16", 0, 0, 32, "r", "f", pair<BrainHalf>, true},
        {"wgmma tf32", wgmma + "8.f32.tf32.tf32", 0, 0, 32, "r", "f", single, true},
        {"wgmma e4m3", wgmma + "32.f32.e4m3.e4m3", 0, 0, 32, "r", "f", in_range, true},
        {"wgmma s8", wgmma + "32.s32.s8.s8", 0, 0, 32, "r", "r", any, true},
    };
}

std::string instructions_of(const Product& product) {
    std::string text;
    for (unsigned i = 0; i < repetitions; ++i) {
        if (product.is_of_warpgroup) {
            const bool has_layouts = product.name.ends_with("f16");
            text += product.instruction + " " + list(product.letter, 16, product.d) +
                    ", %x3, %x3, 1" + (product.name.ends_with("s8") ? "" : ", 1, 1") +
                    (has_layouts ? ", 0, 0" : "") + ";\n";
        } else {
            text += product.instruction + " " + list(product.letter, 16, product.d) + ", " +
                    list(product.operands, 0, product.a) + ", " +
                    list(product.operands, 8, product.b) + ", " +
                    list(product.letter, 16, product.d) + ";\n";
        }
    }
    if (product.is_of_warpgroup)
        text += "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n";
    return text;
}

// Each thread loads 16 registers of operands. Products of a warpgroup read the same from shared memory, without a swizzle.
std::string kernel_of(const Product& product) {
    const bool is_wide = product.operands == "d";
    std::string text = R"(.version 8.4
.target sm_90a
.address_size 64
.visible .entry product(.param .u64 in, .param .u32 rounds) {
  .reg .b32 %r<64>; .reg .f32 %f<64>; .reg .f64 %d<64>; .reg .b64 %x<4>; .reg .b32 %i<4>; .reg .pred %p;
  .shared .align 1024 .b8 tile[16384];
  ld.param.u64 %x1, [in]; ld.param.u32 %i1, [rounds]; mov.u32 %i2, %tid.x;
  mul.wide.u32 %x2, %i2, 128; add.s64 %x1, %x1, %x2;
  mov.u32 %i3, tile; mad.lo.u32 %i2, %i2, 128, %i3;
  mov.b64 %x3, )" + std::to_string(std::uint64_t{128 / 16} << 16 | std::uint64_t{1024 / 16} << 32) +
                       ";\n";
    for (unsigned i = 0; i < 16; ++i) {
        const std::string at = std::to_string((is_wide ? 8 : 4) * i);
        text += std::string("ld.global.") + (is_wide ? "f64 %d" : "b32 %r") + std::to_string(i) +
                ", [%x1+" + at + "];\n";
        if (!product.is_of_warpgroup) continue;
        for (const unsigned place : {4 * i, 4 * i + 64})
            text +=
                "st.shared.b32 [%i2+" + std::to_string(place) + "], %r" + std::to_string(i) + ";\n";
    }
    for (unsigned i = 16; i < 48; ++i) {
        const std::string number = std::to_string(i);
        text += "mov.b32 %r" + number + ", 0; mov.f32 %f" + number + ", 0f00000000; mov.f64 %d" +
                number + ", 0d0000000000000000;\n";
    }
    return text + "LOOP:\n" + instructions_of(product) +
           "sub.u32 %i1, %i1, 1; setp.ne.u32 %p, %i1, 0; @%p bra LOOP;\nret; }\n";
}

void run(benchmark::State& state, const Product& product) {
    Options options;
    options.workers = 1;
    Gpu gpu(*emulator::find_architecture("hopper"), options);
    const auto module = gpu.load(emulator::ptx::parse(kernel_of(product)), {});
    std::mt19937 random(1);
    std::vector<std::uint32_t> words(128 * 32);
    for (std::uint32_t& word : words) word = product.random_word(random);
    void* const memory =
        emulator::allocate_device_memory(words.size() * 4, emulator::HostAccess::allowed);
    std::memcpy(memory, words.data(), words.size() * 4);
    emulator::mark_initialised(reinterpret_cast<emulator::Address>(memory), words.size() * 4);
    std::vector<std::byte> parameters(12);
    std::memcpy(parameters.data(), &memory, 8);
    std::memcpy(parameters.data() + 8, &rounds, 4);
    const auto* const found = find_kernel(*module, "product");
    const LaunchShape shape{{1}, {product.is_of_warpgroup ? 128u : 32u}, 0, false};
    for (auto _ : state) benchmark::DoNotOptimize(gpu.launch(*found, shape, parameters, {}));
    emulator::release_device_memory(memory);
    const double executed = static_cast<double>(state.iterations()) * repetitions * rounds *
                            (product.is_of_warpgroup ? product.d / 4 : 1);
    state.counters["million_a_minute"] =
        benchmark::Counter(executed * 60e-6, benchmark::Counter::kIsRate);
}

}  // namespace

int main(int argc, char** argv) {
    for (const Product& product : products())
        benchmark::RegisterBenchmark(product.name.c_str(), run, product);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}

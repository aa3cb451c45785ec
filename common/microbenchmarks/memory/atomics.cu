// How fast the L2 performs atomic operations on global memory: by operation, by what it returns, by how many lanes of a
// warp and how many warps share an address, a sector or a line, and one after another. Prints a line each,
// `operation,result,pattern,ns`: the median time of a warp's instruction, of all SMs together.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../back_to_back.hpp"

namespace {

using back_to_back::check;
using back_to_back::median_of_three;
using back_to_back::mib;
constexpr std::size_t arena_bytes = 256 * mib;  // more than four times the L2 of an H200
constexpr unsigned warps_of_block = 16;

// ---- operations --------------------------------------------------------------------------------------

struct AddU32 {
    using Value = unsigned;
    static __device__ Value apply(Value* at) { return atomicAdd(at, 1u); }
};
struct AddF32 {
    using Value = float;
    static __device__ Value apply(Value* at) { return atomicAdd(at, 1.0f); }
};
struct AddU64 {
    using Value = unsigned long long;
    static __device__ Value apply(Value* at) { return atomicAdd(at, 1ull); }
};
struct AddF64 {
    using Value = double;
    static __device__ Value apply(Value* at) { return atomicAdd(at, 1.0); }
};
struct MaxS32 {
    using Value = int;
    static __device__ Value apply(Value* at) { return atomicMax(at, 1); }
};
struct SwapU32 {  // it always succeeds
    using Value = unsigned;
    static __device__ Value apply(Value* at) { return atomicCAS(at, 0u, 0u); }
};
struct SwapU64 {
    using Value = unsigned long long;
    static __device__ Value apply(Value* at) { return atomicCAS(at, 0ull, 0ull); }
};

// ---- patterns ----------------------------------------------------------------------------------------

// Lanes below `active` update one of `distinct` words, `stride` bytes apart; warps one of `targets` places, `spacing`
// bytes apart, which go on by `step` bytes a round within `span`. `random`: each lane anywhere in the span instead.
struct Pattern {
    unsigned active = 32, distinct = 32, stride = 4;
    unsigned targets = 1, spacing = 128;
    unsigned step = 0, span = 1u << 30;
    bool random = false;
};

__device__ unsigned hash(unsigned value) {
    value = (value ^ (value >> 16)) * 0x7feb352du;
    value = (value ^ (value >> 15)) * 0x846ca68bu;
    return value ^ (value >> 16);
}

// Rounds that depend on each other where `in_chain`: the result, which is zero but for the launch's parameter, is added
// to the next address.
template <typename Operation, bool returns>
__global__ void update(char* arena, Pattern pattern, unsigned rounds, unsigned zero) {
    using Value = typename Operation::Value;
    const unsigned warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32,
                   lane = threadIdx.x % 32;
    if (lane >= pattern.active) return;
    const unsigned mine = warp % pattern.targets * pattern.spacing,
                   of_lane = lane % pattern.distinct * pattern.stride;
    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
        unsigned at = (mine + round * pattern.step) % pattern.span + of_lane;
        if (pattern.random)
            at = hash(hash(warp * 32 + lane) + round) % (pattern.span / sizeof(Value)) *
                 sizeof(Value);
        Value* const place = reinterpret_cast<Value*>(arena + at + (sum & zero));
        if constexpr (returns) {
            sum += static_cast<unsigned>(Operation::apply(place));
        } else {
            Operation::apply(place);
        }
    }
    if (returns && sum == 0xfffffff1u && zero != 0) *arena = 1;
}

// The same without a chain: results are summed up only.
template <typename Operation>
__global__ void update_abreast(char* arena, Pattern pattern, unsigned rounds) {
    using Value = typename Operation::Value;
    const unsigned warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32,
                   lane = threadIdx.x % 32;
    if (lane >= pattern.active) return;
    const unsigned mine = warp % pattern.targets * pattern.spacing,
                   of_lane = lane % pattern.distinct * pattern.stride;
    unsigned sum = 0;
#pragma unroll 4
    for (unsigned round = 0; round < rounds; ++round) {
        unsigned at = (mine + round * pattern.step) % pattern.span + of_lane;
        if (pattern.random)
            at = hash(hash(warp * 32 + lane) + round) % (pattern.span / sizeof(Value)) *
                 sizeof(Value);
        sum += static_cast<unsigned>(Operation::apply(reinterpret_cast<Value*>(arena + at)));
    }
    if (sum == 0xfffffff1u) arena[arena_bytes] = 1;
}

// An addition by compare-and-swap, as programs write it for what has no instruction: retried until nothing came between.
__global__ void add_by_swaps(unsigned* counter, unsigned active, unsigned rounds) {
    if (threadIdx.x % 32 >= active) return;
    for (unsigned round = 0; round < rounds; ++round) {
        unsigned before = *static_cast<volatile unsigned*>(counter), assumed;
        do {
            assumed = before;
            before = atomicCAS(counter, assumed, assumed + 1);
        } while (assumed != before);
    }
}

// ---- rates -------------------------------------------------------------------------------------------

struct Gpu {
    char* arena;
    unsigned sms;
};

using Launch = std::function<void(unsigned rounds)>;

// Nanoseconds of a round: from launches of some 100 and 300 us.
double of_round(const Gpu& gpu, const Launch& launch) {
    const auto time = [&](unsigned rounds) {
        return median_of_three(gpu.arena, 1, 2, [&](int) { launch(rounds); });
    };
    unsigned few = 8;
    const double estimate = (time(3 * few) - time(few)) / (2 * few);
    few = static_cast<unsigned>(std::clamp(1e5 / std::max(1.0, estimate), 8.0, 4000.0));
    return (time(3 * few) - time(few)) / (2 * few);
}

template <typename Operation>
void print(const Gpu& gpu, const std::string& operation, const std::string& name, Pattern pattern,
           unsigned blocks, bool in_chain = false, unsigned warps = warps_of_block) {
    for (const bool returns : {false, true}) {
        if (!returns && (in_chain || operation.starts_with("compare-and-swap"))) continue;
        const auto launch = [&](unsigned rounds) {
            if (in_chain) {
                update<Operation, true><<<blocks, 32 * warps>>>(gpu.arena, pattern, rounds, 0);
            } else if (returns) {
                update_abreast<Operation><<<blocks, 32 * warps>>>(gpu.arena, pattern, rounds);
            } else {
                update<Operation, false><<<blocks, 32 * warps>>>(gpu.arena, pattern, rounds, 0);
            }
        };
        check(cudaMemset(gpu.arena, 0, arena_bytes));
        const double ns = of_round(gpu, launch) / (blocks * warps);
        std::printf("%s,%s,\"%s\",%.4f\n", operation.c_str(), returns ? "returned" : "none",
                    name.c_str(), ns);
        std::fflush(stdout);
    }
}

template <typename Operation>
void print_all(const Gpu& gpu, const std::string& operation) {
    constexpr unsigned size = sizeof(typename Operation::Value);
    const unsigned all = gpu.sms * warps_of_block;
    const auto show = [&](const std::string& name, Pattern pattern) {
        print<Operation>(gpu, operation, name, pattern, gpu.sms);
    };
    show("one lane, all warps at one address", {.active = 1});
    for (const unsigned distinct : {1u, 2u, 4u, 8u, 16u, 32u})
        show("32 lanes at " + std::to_string(distinct) + " words beside each other, all warps",
             {.distinct = distinct, .stride = size});
    show("32 lanes at 32 words, a line for each warp",
         {.stride = size, .targets = all, .spacing = 8192, .step = 32 * size});
    show("32 lanes at 32 sectors, for each warp",
         {.stride = 32, .targets = all, .spacing = 8192, .step = 1024});
    for (const unsigned kib : {1u, 64u, 16384u, 262144u})
        show("32 lanes anywhere in " + std::to_string(kib) + " KiB",
             {.span = kib * 1024, .random = true});
    print<Operation>(gpu, operation, "one lane, one warp, one after another", {.active = 1}, 1,
                     true, 1);
    print<Operation>(gpu, operation, "32 lanes at one address, one warp, one after another",
                     {.distinct = 1}, 1, true, 1);
    print<Operation>(gpu, operation, "32 lanes at 32 words, one warp, one after another",
                     {.stride = size}, 1, true, 1);
}

// The address decides, for integers alone.
void print_places(const Gpu& gpu) {
    const unsigned all = gpu.sms * warps_of_block;
    const std::string operation = "add u32";
    for (const unsigned targets : {2u, 4u, 8u, 16u, 32u})
        print<AddU32>(gpu, operation,
                      "one lane, warps at " + std::to_string(targets) + " words of a line",
                      {.active = 1, .targets = targets, .spacing = 4}, gpu.sms);
    for (const unsigned targets : {2u, 4u})
        print<AddU32>(gpu, operation,
                      "one lane, warps at " + std::to_string(targets) + " sectors of a line",
                      {.active = 1, .targets = targets, .spacing = 32}, gpu.sms);
    for (const unsigned targets : {2u, 4u, 16u, 64u, 256u, 1024u, all})
        print<AddU32>(gpu, operation, "one lane, warps at " + std::to_string(targets) + " lines",
                      {.active = 1, .targets = targets, .spacing = 128}, gpu.sms);
    for (const unsigned targets : {2u, 4u, 16u, 64u, 256u, 1024u, all}) {
        print<AddU32>(gpu, operation,
                      "32 lanes at one address, warps at " + std::to_string(targets) + " lines",
                      {.distinct = 1, .targets = targets}, gpu.sms);
        print<AddU32>(gpu, operation,
                      "32 lanes at 32 words, warps at " + std::to_string(targets) + " lines",
                      {.targets = targets}, gpu.sms);
    }
    for (const unsigned distinct : {2u, 4u, 8u, 16u})
        print<AddU32>(gpu, operation,
                      "32 lanes at " + std::to_string(distinct) + " lines, for each warp",
                      {.distinct = distinct,
                       .stride = 128,
                       .targets = all,
                       .spacing = 8192,
                       .step = 128 * distinct,
                       .span = all * 8192},
                      gpu.sms);
    for (const unsigned active : {2u, 4u, 8u, 16u})
        print<AddU32>(gpu, operation,
                      std::to_string(active) + " lanes at " + std::to_string(active) +
                          " lines, for each warp",
                      {.active = active,
                       .stride = 128,
                       .targets = all,
                       .spacing = 8192,
                       .step = 128 * active,
                       .span = all * 8192},
                      gpu.sms);
    // One SM: its port.
    print<AddU32>(gpu, operation, "one SM: one lane, a line for each warp",
                  {.active = 1, .targets = all}, 1);
    print<AddU32>(gpu, operation, "one SM: 32 lanes at 32 words, a line for each warp",
                  {.targets = all, .spacing = 8192, .step = 128}, 1);
    print<AddU32>(gpu, operation, "one SM: 32 lanes at 32 sectors, for each warp",
                  {.stride = 32, .targets = all, .spacing = 8192, .step = 1024}, 1);
    print<AddU32>(gpu, operation, "one SM: 32 lanes at one address", {.distinct = 1}, 1);
    print<AddU32>(gpu, operation, "one SM: one lane at one address", {.active = 1}, 1);
}

// All operations succeed.
void print_loops(const Gpu& gpu) {
    for (const unsigned active : {1u, 32u}) {
        for (const auto& [blocks, warps] : std::vector<std::pair<unsigned, unsigned>>{
                 {1, 1}, {1, 8}, {gpu.sms, 1}, {gpu.sms, 8}}) {
            const auto launch = [&](unsigned rounds) {
                add_by_swaps<<<blocks, 32 * warps>>>(reinterpret_cast<unsigned*>(gpu.arena), active,
                                                     rounds);
            };
            const auto time = [&](unsigned rounds) {
                return median_of_three(gpu.arena, 1, 1, [&](int) { launch(rounds); });
            };
            const double ns = (time(3) - time(1)) / 2 / (blocks * warps);
            std::printf(
                "add by compare-and-swap,returned,\"%u lanes of %u warps, at one address\",%.4f\n",
                active, blocks * warps, ns);
        }
    }
}

}  // namespace

int main() {
    Gpu gpu{};
    int sms;
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    gpu.sms = static_cast<unsigned>(sms);
    check(cudaMalloc(&gpu.arena, arena_bytes + mib));
    check(cudaMemset(gpu.arena, 0, arena_bytes + mib));
    std::printf("operation,result,pattern,ns\n");
    print_all<AddU32>(gpu, "add u32");
    print_all<AddF32>(gpu, "add f32");
    print_all<AddU64>(gpu, "add u64");
    print_all<AddF64>(gpu, "add f64");
    print_all<MaxS32>(gpu, "max s32");
    print_all<SwapU32>(gpu, "compare-and-swap u32");
    print_all<SwapU64>(gpu, "compare-and-swap u64");
    print_places(gpu);
    print_loops(gpu);
}

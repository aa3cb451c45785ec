// The cost of stores in flight to the L2, beyond one SM: a store of a warp, by the lines and the bytes of each line
// that it writes, alone and beside loads; launches that only write, of data that the L2 has or lacks; and columns of
// a matrix, which blocks of several shapes write. Prints a line each, `store,ns`: medians.
#include <cstdio>
#include <string>
#include <vector>

#include "../back_to_back.hpp"

namespace {

using back_to_back::check;
using back_to_back::median_of_three;
using back_to_back::mib;
constexpr std::size_t arena_bytes = 256 * mib;  // more than four times the L2 of an H200

// ---- rates -------------------------------------------------------------------------------------------

// `group` lanes beside each other write one line, from its byte `first` on; each warp has 8 KiB to go round in, so
// no store meets the one before. All of it stays in the L2.
struct Pattern {
    int group, first;
    bool loads;
};

__global__ void stream(char* arena, const char* in, Pattern pattern, int rounds) {
    constexpr unsigned lines = 64;
    const unsigned warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32,
                   lane = threadIdx.x % 32;
    char* const mine = arena + std::size_t{warp} * lines * 128;
    const char* const from = in + std::size_t{warp} * lines * 128;
    const unsigned group = static_cast<unsigned>(pattern.group), width = 32 / group;
    float sum = 0;
    for (unsigned round = 0; round < static_cast<unsigned>(rounds); ++round) {
        const unsigned line = (round * width + lane / group) % lines;
        const unsigned at =
            (line * 128 + static_cast<unsigned>(pattern.first) + lane % group * 4) % (lines * 128);
        *reinterpret_cast<volatile float*>(mine + at) = 1;
        if (pattern.loads) sum += __ldcg(reinterpret_cast<const float*>(from + at));
    }
    if (sum == 1e30f) *arena = 1;
}

// Nanoseconds between two stores of an SM.
double rate(char* arena, unsigned sms, Pattern pattern) {
    constexpr int warps = 16, few = 200, many = 600;
    const char* const in = arena + arena_bytes / 2;
    const auto time = [&](int rounds) {
        return median_of_three(
            arena, 1, 4, [&](int) { stream<<<sms, 32 * warps>>>(arena, in, pattern, rounds); });
    };
    return (time(many) - time(few)) / (many - few) / warps;
}

// ---- launches ----------------------------------------------------------------------------------------

__global__ void write(float* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

double write_launch(char* arena, std::size_t bytes, unsigned threads, bool is_cold) {
    return median_of_three(arena, 40, 40, [&](int i) {
        char* const at = arena + (is_cold ? static_cast<std::size_t>(i) * bytes % arena_bytes : 0);
        write<<<static_cast<unsigned>(bytes / 4 / threads), threads>>>(
            reinterpret_cast<float*>(at));
    });
}

__global__ void write_columns(float* out, unsigned side) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x,
                   y = blockIdx.y * blockDim.y + threadIdx.y;
    out[std::size_t{x} * side + y] = 1;
}

double columns(char* arena, unsigned width, unsigned height) {
    constexpr unsigned side = 2048;
    return median_of_three(arena, 1, 4, [&](int) {
        write_columns<<<dim3(side / width, side / height), dim3(width, height)>>>(
            reinterpret_cast<float*>(arena), side);
    });
}

}  // namespace

int main() {
    char* arena;
    check(cudaMalloc(&arena, arena_bytes + mib));
    int sms;
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    std::printf("store,ns\n");
    const auto print = [](const std::string& name, double ns) {
        std::printf("\"%s\",%.3f\n", name.c_str(), ns);
    };
    for (const bool loads : {false, true}) {
        for (const int group : {1, 2, 4, 8, 16, 32}) {
            const std::string lines = std::to_string(32 / group), bytes = std::to_string(4 * group);
            print(lines + " lines of " + bytes + " bytes" +
                      (loads ? ", beside a load of the same" : ""),
                  rate(arena, static_cast<unsigned>(sms), {group, 0, loads}));
        }
    }
    for (const int group : {16, 32})
        print(std::to_string(32 / group) + " times " + std::to_string(4 * group) +
                  " bytes at offset 44",
              rate(arena, static_cast<unsigned>(sms), {group, 44, false}));
    for (const auto& [kib, threads] : std::vector<std::pair<unsigned, unsigned>>{
             {4096, 256}, {4096, 512}, {4096, 1024}, {16384, 512}}) {
        for (const bool is_cold : {false, true})
            print(std::to_string(kib) + " KiB by blocks of " + std::to_string(threads) +
                      (is_cold ? ", not in the L2" : ", in the L2"),
                  write_launch(arena, std::size_t{kib} * 1024, threads, is_cold));
    }
    for (const auto& [width, height] : std::vector<std::pair<unsigned, unsigned>>{
             {8, 32}, {16, 8}, {16, 16}, {16, 32}, {32, 8}, {32, 32}})
        print("columns by blocks of " + std::to_string(width) + " x " + std::to_string(height),
              columns(arena, width, height));
}

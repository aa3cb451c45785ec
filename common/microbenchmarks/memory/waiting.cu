// How many memory instructions wait for the memory unit before a warp has to: one block, whose warps issue 24 of them with a
// look at the clock before each. Prints a line for each set of warps: how many instructions all of them had issued when the
// first warp had to wait for 40 cycles and longer, and the cycles until then. data/timing/waiting.csv has what an H200 says.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int instructions = 24;
constexpr unsigned warps = 16;
constexpr unsigned lines_apart = 64;  // floats
constexpr unsigned waits = 40;        // cycles

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "error: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

// Each of 32 lines; `times` has instructions + 1 readings for each warp.
template <bool is_store>
__global__ void issue(unsigned* times, float* data, unsigned taking_part) {
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    __syncthreads();
    if ((taking_part >> warp & 1) == 0) return;
    float* const mine = data + (warp * instructions * 32 + lane) * lines_apart;
    unsigned readings[instructions + 1];
    float values[instructions];
#pragma unroll
    for (int i = 0; i < instructions; ++i) {
        float* const at = mine + std::size_t{32} * i * lines_apart;
        asm volatile("mov.u32 %0, %%clock;" : "=r"(readings[i])::"memory");
        if (is_store)
            asm volatile("st.global.f32 [%0], %1;" ::"l"(at), "f"(1.f) : "memory");
        else
            asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(values[i]) : "l"(at) : "memory");
    }
    asm volatile("mov.u32 %0, %%clock;" : "=r"(readings[instructions])::"memory");
    float sum = 0;
    if (!is_store) {
        for (int i = 0; i < instructions; ++i) sum += values[i];
    }
    if (lane == 0) {
        for (int i = 0; i <= instructions; ++i) times[warp * (instructions + 1) + i] = readings[i];
    }
    if (sum > 1e30f) times[0] = 0;
}

struct Set {
    const char* name;
    unsigned taking_part;  // a bit for each warp; of warp w it is scheduler w % 4
};

void print(const char* instruction, const Set& set, const unsigned* times) {
    constexpr int count = instructions + 1;
    unsigned begin = ~0u, first_wait = ~0u;
    const auto each = [&](const auto& visit) {
        for (unsigned warp = 0; warp < warps; ++warp) {
            if ((set.taking_part >> warp & 1) != 0) visit(times + warp * count);
        }
    };
    each([&](const unsigned* of_warp) { begin = std::min(begin, of_warp[0]); });
    // The first one takes long in any case: its machine code is fetched.
    each([&](const unsigned* of_warp) {
        for (int i = 2; i < count; ++i) {
            if (of_warp[i] - of_warp[i - 1] < waits) continue;
            first_wait = std::min(first_wait, of_warp[i - 1] - begin);
            break;
        }
    });
    int issued = 0;
    each([&](const unsigned* of_warp) {
        issued += static_cast<int>(std::count_if(of_warp, of_warp + instructions, [&](unsigned at) {
            return at - begin <= first_wait;
        }));
    });
    if (first_wait == ~0u)
        std::printf("%s,%s,%d,none waits\n", instruction, set.name, issued);
    else
        std::printf("%s,%s,%d,%u\n", instruction, set.name, issued, first_wait);
}

}  // namespace

int main() {
    unsigned* times;
    float* data;
    check(cudaMallocManaged(&times, warps * (instructions + 1) * sizeof(unsigned)));
    check(cudaMalloc(&data, std::size_t{warps} * instructions * 32 * lines_apart * sizeof(float)));
    std::printf("instruction,warps,issued,cycles\n");
    for (const Set& set : std::vector<Set>{{"1 of one scheduler", 0x1},
                                           {"2 of one scheduler", 0x11},
                                           {"3 of one scheduler", 0x111},
                                           {"4 of one scheduler", 0x1111},
                                           {"2 of two schedulers", 0x3},
                                           {"4 of two schedulers", 0x33},
                                           {"4 of four schedulers", 0xf},
                                           {"8 of four schedulers", 0xff}}) {
        for (const bool is_store : {true, false}) {
            for (int i = 0; i < 2; ++i) {  // the second time with its machine code at hand
                (is_store ? issue<true> : issue<false>)<<<1, 32 * warps>>>(times, data,
                                                                           set.taking_part);
                check(cudaDeviceSynchronize());
            }
            print(is_store ? "stores of 32 lines" : "loads of 32 lines", set, times);
        }
    }
}

// Waits behind an SM's stores: the stores that come after them, of one SM and of all, and loads beside them. Prints
// a line each, `behind,value`: cycles.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "../back_to_back.hpp"
#include "../device_clock.hpp"

namespace {

using back_to_back::check;

constexpr unsigned warp_size = 32, issuing_warps = 16, side = 2048, block_side = 16;
constexpr int stores = 48, places = 4;
constexpr std::size_t in_queues = 62;  // of an SM: stores that wait (data/timing/waiting.csv)

// Each warp stores into so many lines, other ones three times, then the first ones again, and reads the clock behind
// each store: the L2 has them all.
template <unsigned lines>
__global__ void issue(unsigned* times, float* data) {
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / warp_size;
    const unsigned lane = threadIdx.x % warp_size;
    constexpr unsigned words = warp_size / lines;  // of a line
    float* const at =
        data + (std::size_t{warp} * places * lines + lane / words) * 64 + lane % words;
    unsigned readings[stores];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < stores; ++i) {
        asm volatile("st.global.f32 [%0], %1;" ::"l"(at + i % places * lines * 64), "f"(1.f)
                     : "memory");
        readings[i] = now();
    }
    if (lane == 0) {
        for (int i = 0; i < stores; ++i) times[warp * stores + i] = readings[i];
    }
}

struct Pace {
    double first, later;  // cycles of a store
};

// Stores are issued as those before them go on, behind those that wait.
Pace pace_of(std::vector<unsigned> times) {
    std::ranges::sort(times);
    const auto slope = [&](std::size_t from, std::size_t to) {
        return static_cast<double>(times[to] - times[from]) / static_cast<double>(to - from);
    };
    return {slope(in_queues + 8, in_queues + 20), slope(times.size() / 2, times.size() - 50)};
}

void print(const std::string& name, double value) {
    std::printf("\"%s\",%.1f\n", name.c_str(), value);
}

template <unsigned lines>
void print_lines(float* data, unsigned sms) {
    unsigned* times;
    const std::size_t of_one = issuing_warps * stores;
    check(cudaMalloc(&times, sms * of_one * sizeof(unsigned)));
    const std::string name = std::to_string(lines) + " lines a store";
    for (const unsigned blocks : {1u, sms}) {
        std::vector<unsigned> seen(of_one);
        for (int i = 0; i < 3; ++i) {  // the last time with its machine code at hand
            issue<lines><<<blocks, issuing_warps * warp_size>>>(times, data);
            check(cudaGetLastError());
            check(cudaDeviceSynchronize());
        }
        check(cudaMemcpy(seen.data(), times, of_one * sizeof(unsigned), cudaMemcpyDeviceToHost));
        const Pace pace = pace_of(seen);
        const std::string of = blocks == 1 ? ", one SM" : ", all SMs";
        print(name + of + ": one store, the first ones", pace.first);
        print(name + of + ": one store, later", pace.later);
    }
    check(cudaFree(times));
}

enum class Kind { transpose, copy_columns, copy_rows };

// Blocks of 16 x 16 threads read, past the L1, and write a matrix that the L2 has; how long each warp's load takes.
template <Kind kind>
__global__ void __launch_bounds__(block_side* block_side, 8)
    move(const float* in, float* out, unsigned* waits) {
    const unsigned x = blockIdx.x * block_side + threadIdx.x,
                   y = blockIdx.y * block_side + threadIdx.y;
    const std::size_t by_rows = std::size_t{y} * side + x, by_columns = std::size_t{x} * side + y;
    const float* const from = in + (kind == Kind::copy_columns ? by_columns : by_rows);
    float* const at = out + (kind == Kind::copy_rows ? by_rows : by_columns);
    await(static_cast<unsigned>(reinterpret_cast<std::size_t>(from)));
    await(static_cast<unsigned>(reinterpret_cast<std::size_t>(at)));
    float value;
    const unsigned begin = now();
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(value) : "l"(from) : "memory");
    await(__float_as_uint(value));
    const unsigned end = now();
    *at = value;
    const unsigned thread = threadIdx.y * block_side + threadIdx.x;
    if (thread % warp_size == 0)
        waits[(blockIdx.y * gridDim.x + blockIdx.x) * 8 + thread / warp_size] = end - begin;
}

template <Kind kind>
void print_waits(const std::string& name, float* data) {
    constexpr unsigned blocks = side / block_side;
    std::vector<unsigned> seen(std::size_t{blocks} * blocks * 8);
    unsigned* waits;
    check(cudaMalloc(&waits, seen.size() * sizeof(unsigned)));
    for (int i = 0; i < 3; ++i) {
        move<kind><<<dim3(blocks, blocks), dim3(block_side, block_side)>>>(data, data + side * side,
                                                                           waits);
        check(cudaGetLastError());
        check(cudaDeviceSynchronize());
    }
    check(cudaMemcpy(seen.data(), waits, seen.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    check(cudaFree(waits));
    // Not the first waves, nor the last one.
    std::vector<unsigned> inner(seen.begin() + seen.size() / 4, seen.end() - seen.size() / 4);
    std::ranges::sort(inner);
    for (const unsigned share : {10u, 50u, 90u})
        print(name + ": a load, quantile " + std::to_string(share) + " %",
              inner[inner.size() * share / 100]);
}

}  // namespace

int main() {
    int sms = 0;
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    float* data;
    check(cudaMalloc(&data, std::size_t{128} << 20));
    check(cudaMemset(data, 0, std::size_t{128} << 20));
    std::printf("behind,value\n");
    print_lines<8>(data, sms);
    print_lines<16>(data, sms);
    print_lines<32>(data, sms);
    print_waits<Kind::transpose>("rows read, columns written", data);
    print_waits<Kind::copy_columns>("columns read and written", data);
    print_waits<Kind::copy_rows>("rows read and written", data);
    check(cudaFree(data));
}

// How long loads from DRAM take while others are in flight: each warp asks for some requests of 128 bytes at once,
// waits for all of them, and goes on; a copy stores them, too. The pieces of a request lie in one line that neighbours
// follow (dense), in lines anywhere, or in halves or sectors of lines anywhere. Prints a line each, `flight,ns`:
// nanoseconds of such a round, from launches that differ in their number of rounds alone.
#include <algorithm>
#include <cstdio>
#include <string>

#include "../back_to_back.hpp"

namespace {

using back_to_back::check;
using back_to_back::mib;
constexpr std::size_t arena_bytes = 256 * mib;  // more than four times the L2 of an H200
constexpr unsigned words =
    arena_bytes / 2 / sizeof(unsigned);  // of what is read, and of what is written

// Where a lane's word of the k-th request lies: pieces of so many words, all of the arena once, in an order in which
// neighbours are far apart.
template <unsigned piece>
__device__ unsigned scattered(unsigned request, unsigned lane) {
    const unsigned number = request * (32 / piece) + lane / piece;
    return number * 0x9E3779B1u % (words / piece) * piece + lane % piece;
}

__device__ unsigned dense(unsigned request, unsigned lane) { return request * 32 + lane; }

using Place = unsigned (*)(unsigned, unsigned);

template <Place place, unsigned in_flight, bool copies>
__global__ void fly(const unsigned* in, unsigned* out, unsigned rounds, unsigned first_request) {
    const unsigned warps = gridDim.x * blockDim.x / 32, lane = threadIdx.x % 32;
    unsigned request = first_request + (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
        unsigned word[in_flight];
#pragma unroll
        for (unsigned i = 0; i < in_flight; ++i)
            word[i] = __ldcg(&in[place(request + i * warps, lane) % words]);
#pragma unroll
        for (unsigned i = 0; i < in_flight; ++i) sum += word[i];
        // The next round's loads wait for these.
        asm volatile("" : "+r"(sum)::"memory");
        if (sum == 77) return;
        if (copies) {
#pragma unroll
            for (unsigned i = 0; i < in_flight; ++i)
                out[place(request + i * warps, lane) % words] = word[i] + round;
        }
        request += in_flight * warps;
    }
}

// Leaves the L2 full of what nothing else uses, and clean.
__global__ void read_all(const uint4* in, unsigned n, unsigned* out) {
    unsigned sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i].x;
    if (sum == 77) *out = sum;
}

// Nanoseconds of `launches` launches, each with data that none before it touched for long.
template <class Kernel>
float nanoseconds(Kernel kernel, unsigned* arena, unsigned blocks, unsigned warps, unsigned rounds,
                  unsigned requests, unsigned& first_request) {
    constexpr int launches = 4, held = 0;
    const auto enqueue = [&](int) {
        kernel<<<blocks, 32 * warps>>>(arena, arena + words, rounds, first_request);
        first_request = (first_request + requests) % (words / 32);
    };
    return static_cast<float>(back_to_back::nanoseconds_of(arena, 0, launches, enqueue, held));
}

template <Place place, unsigned in_flight, bool copies>
void time_flights(const char* name, unsigned* arena, unsigned sms) {
    for (const unsigned warps : {1u, 4u, 16u, 32u}) {
        // At most an eighth of the arena a launch.
        const unsigned each = sms * warps * in_flight;
        const unsigned rounds = std::min(words / 32 / 8 / each, 200u);
        if (rounds < 10) continue;
        unsigned first_request = 0;
        float longest = 0, shortest = 0;
        read_all<<<sms, 1024>>>(reinterpret_cast<uint4*>(arena + 2 * words), words / 4, arena);
        for (int series = 0; series < 2; ++series) {  // the first one warms up
            longest = nanoseconds(fly<place, in_flight, copies>, arena, sms, warps, rounds,
                                  rounds * each, first_request);
            shortest = nanoseconds(fly<place, in_flight, copies>, arena, sms, warps, rounds / 5,
                                   rounds / 5 * each, first_request);
        }
        std::printf("\"%s, %u warps, %u in flight\",%.1f\n", name, warps, in_flight,
                    (longest - shortest) / static_cast<float>(rounds - rounds / 5));
    }
}

template <Place place>
void time_place(const std::string& name, unsigned* arena, unsigned sms) {
    time_flights<place, 1, false>((name + " read").c_str(), arena, sms);
    time_flights<place, 4, false>((name + " read").c_str(), arena, sms);
    time_flights<place, 16, false>((name + " read").c_str(), arena, sms);
    time_flights<place, 1, true>((name + " copied").c_str(), arena, sms);
    time_flights<place, 4, true>((name + " copied").c_str(), arena, sms);
    time_flights<place, 16, true>((name + " copied").c_str(), arena, sms);
}

}  // namespace

int main() {
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0));
    const auto sms = static_cast<unsigned>(device.multiProcessorCount);
    unsigned* arena;
    check(cudaMalloc(&arena, arena_bytes + arena_bytes / 2));
    check(cudaMemset(arena, 0, arena_bytes + arena_bytes / 2));
    std::puts("flight,ns");
    time_place<dense>("dense", arena, sms);
    time_place<scattered<32>>("lines", arena, sms);
    time_place<scattered<16>>("halves", arena, sms);
    time_place<scattered<8>>("sectors", arena, sms);
    check(cudaFree(arena));
}

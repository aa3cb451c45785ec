// Launches that stream data which the L2 lacks, back to back: reads, writes, copies and sums of two arrays of several
// sizes, by floats and by vectors of four. Each launch has other arrays than the ones before. Prints a line each,
// `stream,us`: medians.
#include <cstdio>
#include <string>

#include "../back_to_back.hpp"

namespace {

using back_to_back::check;
using back_to_back::mib;
constexpr std::size_t arena_bytes = 512 * mib;  // ten times the L2 of an H200
constexpr unsigned threads = 512;

enum class Work { read, write, copy, sum };

__device__ float total(float value) { return value; }
__device__ float total(float4 value) { return value.x + value.y + value.z + value.w; }
__device__ float plus(float a, float b) { return a + b; }
__device__ float4 plus(float4 a, float4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }

template <class T>
struct Arrays {
    const T *a, *b;
    T* out;
};

template <Work work, class T>
__global__ void stream(Arrays<T> arrays) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (work == Work::read) {
        // Never true of the data, but known only when they are there.
        const T value = arrays.a[i];
        if (total(value) == 1e30f) arrays.out[i] = value;
    }
    if (work == Work::write) arrays.out[i] = T{};
    if (work == Work::copy) arrays.out[i] = arrays.a[i];
    if (work == Work::sum) arrays.out[i] = plus(arrays.a[i], arrays.b[i]);
}

// Microseconds of a launch over arrays of so many bytes each.
template <Work work, class T>
double launch(char* arena, std::size_t bytes) {
    constexpr std::size_t arrays = work == Work::sum ? 3 : work == Work::copy ? 2 : 1;
    const std::size_t sets = arena_bytes / (arrays * bytes);
    std::size_t next = 0;
    return 1e-3 * back_to_back::median_of_three(arena, 8, 16, [&](int) {
               char* const at = arena + next++ % sets * arrays * bytes;
               const auto array = [&](std::size_t n) {
                   return reinterpret_cast<T*>(at + n % arrays * bytes);
               };
               stream<work, T><<<static_cast<unsigned>(bytes / sizeof(T) / threads), threads>>>(
                   {array(0), array(1), array(arrays - 1)});
           });
}

template <Work work>
void print(const char* what, char* arena, std::size_t bytes) {
    const std::string name = std::string(what) + ", " + std::to_string(bytes / mib) + " MiB";
    std::printf("\"%s by floats\",%.3f\n", name.c_str(), launch<work, float>(arena, bytes));
    std::printf("\"%s by vectors\",%.3f\n", name.c_str(), launch<work, float4>(arena, bytes));
}

}  // namespace

int main() {
    char* arena;
    check(cudaMalloc(&arena, arena_bytes));
    check(cudaMemset(arena, 0, arena_bytes));
    std::printf("stream,us\n");
    for (const std::size_t bytes : {mib, 4 * mib, 16 * mib, 64 * mib}) {
        print<Work::read>("read", arena, bytes);
        print<Work::write>("write", arena, bytes);
        print<Work::copy>("copy", arena, bytes);
        print<Work::sum>("sum of two", arena, bytes);
    }
    check(cudaFree(arena));
}

// The cost of stores that leave sectors of lines incomplete, beside loads: launches back to back whose warps read one array or
// two, which the L2 has, and write 128 bytes each, from the beginning of a line, from its middle or from the middle of a
// sector, or all but a word of a line or of each sector. Prints a line each, `store,us`: means.
#include <cstdio>

#include "../back_to_back.hpp"

namespace {

using back_to_back::check;

constexpr unsigned threads = 512;

// Which of its 32 words a warp writes, and where: `pitch` and `first` count words.
struct Store {
    const char* name;
    unsigned pitch, first, lanes;
};

constexpr unsigned all = ~0u;
constexpr Store stores[] = {
    {"whole lines", 32, 0, all},
    {"from the middle of lines", 32, 8, all},
    {"from the middle of sectors", 32, 11, all},
    {"from the middle of sectors that no other warp writes", 40, 3, all},
    {"all but a word of each line", 32, 0, 0xfffffffe},
    {"all but a word of each sector", 32, 0, 0xfefefefe},
};

template <int loads>
__global__ void write(const float* a, const float* b, float* out, Store store) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, warp = i / 32, lane = i % 32;
    const float value = loads == 2 ? a[i] + b[i] : a[i];
    if (store.lanes >> lane & 1) out[warp * store.pitch + store.first + lane] = value;
}

template <int loads>
void print(const Store& store, float* arrays, unsigned words) {
    const float *a = arrays, *b = arrays + words;
    float* const out = arrays + 2 * std::size_t{words};
    const double ns = back_to_back::nanoseconds_of(
        arrays, 4, 16, [&](int) { write<loads><<<words / threads, threads>>>(a, b, out, store); });
    std::printf("\"%s, %d read, %u MiB each\",%.3f\n", store.name, loads, words >> 18, 1e-3 * ns);
}

}  // namespace

int main() {
    constexpr unsigned words = 1u << 21;
    float* arrays;
    check(cudaMalloc(&arrays, 16 * std::size_t{words}));
    check(cudaMemset(arrays, 0, 16 * std::size_t{words}));
    std::printf("store,us\n");
    for (const unsigned n : {words / 2, words}) {
        for (const Store& store : stores) print<1>(store, arrays, n);
        for (const Store& store : stores) print<2>(store, arrays, n);
    }
    check(cudaFree(arrays));
}

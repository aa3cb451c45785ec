// In which order warps load from shared memory, alone and in a product of tiles, by their clocks: two blocks of 1,024 threads on
// each SM. Prints a line each, `load,value`: shares in per cent, and cycles.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "back_to_back.hpp"
#include "device_clock.hpp"

namespace {

using back_to_back::check;

constexpr unsigned block_threads = 1024, warp_size = 32, block_warps = block_threads / warp_size;
constexpr unsigned schedulers = 4, blocks_of_sm = 2;
constexpr int loads = 16, tile = 32, width = 1024;

// What a warp saw: its SM, and the clock at so many places.
template <int readings>
struct Seen {
    unsigned sm, cycles[readings];
};

__device__ unsigned sm_number() {
    unsigned number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number)::"memory");
    return number;
}

// Each warp loads 16 times, with conflicts of so many ways, and reads the clock behind each load, for which it does not wait.
template <unsigned ways>
__global__ void __launch_bounds__(block_threads, blocks_of_sm) load(Seen<loads>* seen) {
    // Apart, so that two loads do not become one of two words.
    constexpr unsigned apart = 33;
    __shared__ float words[warp_size * warp_size + loads * apart];
    for (unsigned i = threadIdx.x; i < sizeof(words) / sizeof(*words); i += block_threads)
        words[i] = 0;
    const unsigned lane = threadIdx.x % warp_size;
    const auto at = static_cast<unsigned>(__cvta_generic_to_shared(words + lane * ways));
    Seen<loads> mine{sm_number(), {}};
    float values[loads];
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < loads; ++i) {
        asm volatile("ld.shared.f32 %0, [%1];"
                     : "=f"(values[i])
                     : "r"(at + i * apart * static_cast<unsigned>(sizeof(float)))
                     : "memory");
        mine.cycles[i] = now_of_64_bits();
    }
    float sum = 0;
    for (const float value : values) sum += value;
    if (lane == 0 || sum > 1e30f)
        seen[(blockIdx.x * block_threads + threadIdx.x) / warp_size] = mine;
}

// A product of square matrices by tiles. The clock twice for each tile: before its additions and behind them.
__global__ void __launch_bounds__(block_threads, blocks_of_sm)
    multiply(Seen<2 * width / tile>* seen, const float* a, const float* b, float* c) {
    __shared__ float a_tile[tile][tile], b_tile[tile][tile];
    const unsigned row = blockIdx.y * tile + threadIdx.y;
    const unsigned column = blockIdx.x * tile + threadIdx.x;
    auto& mine = seen[(blockIdx.y * gridDim.x + blockIdx.x) * block_warps + threadIdx.y];
    if (threadIdx.x == 0) mine.sm = sm_number();
    float sum = 0;
    for (unsigned k = 0; k < width / tile; ++k) {
        a_tile[threadIdx.y][threadIdx.x] = a[row * width + k * tile + threadIdx.x];
        b_tile[threadIdx.y][threadIdx.x] = b[(k * tile + threadIdx.y) * width + column];
        __syncthreads();
        const unsigned begin = now_of_64_bits();
        for (int i = 0; i < tile; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
        await(__float_as_uint(sum));
        const unsigned end = now_of_64_bits();
        if (threadIdx.x == 0) {
            mine.cycles[2 * k] = begin;
            mine.cycles[2 * k + 1] = end;
        }
        __syncthreads();
    }
    c[row * width + column] = sum;
}

// The third launch of three: its machine code is at hand.
template <int readings, typename Launch>
std::vector<Seen<readings>> seen_by(std::size_t warps, const Launch& launch) {
    Seen<readings>* seen;
    check(cudaMalloc(&seen, warps * sizeof(*seen)));
    for (int i = 0; i < 3; ++i) {
        launch(seen);
        check(cudaGetLastError());
        check(cudaDeviceSynchronize());
    }
    std::vector<Seen<readings>> result(warps);
    check(cudaMemcpy(result.data(), seen, warps * sizeof(*seen), cudaMemcpyDeviceToHost));
    check(cudaFree(seen));
    return result;
}

void print(const std::string& name, double value) {
    std::printf("\"%s\",%.2f\n", name.c_str(), value);
}

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

// How often what is said was so, and would be by chance.
struct Shares {
    std::vector<double> seen, by_chance;

    void add(bool is_so, std::size_t of) {
        seen.push_back(is_so ? 100 : 0);
        by_chance.push_back(100.0 / static_cast<double>(of));
    }
};

// The loads of a scheduler's warps of one block in their order: how often the next one is of the warp that has waited longest,
// of those that have loaded before and will again.
void add_turns(const std::vector<Seen<loads>>& warps, Shares& longest) {
    std::vector<std::pair<unsigned, std::size_t>> issued;  // when, and by which warp
    for (std::size_t warp = 0; warp < warps.size(); ++warp) {
        for (const unsigned cycles : warps[warp].cycles) issued.emplace_back(cycles, warp);
    }
    std::ranges::sort(issued);
    std::vector<int> count(warps.size());
    std::vector<std::size_t> waiting;  // warps, those first that have waited longest
    for (const auto& [cycles, warp] : issued) {
        const auto found = std::ranges::find(waiting, warp);
        if (waiting.size() > 1 && found != waiting.end())
            longest.add(found == waiting.begin(), waiting.size());
        if (found != waiting.end()) waiting.erase(found);
        if (++count[warp] < loads) waiting.push_back(warp);
    }
}

void print_loads(unsigned sms) {
    const auto seen = seen_by<loads>(std::size_t{sms} * blocks_of_sm * block_warps, [&](auto* out) {
        load<8><<<sms * blocks_of_sm, block_threads>>>(out);
    });
    // Of each SM its blocks, by the first warp's number.
    std::map<unsigned, std::vector<std::size_t>> blocks;
    for (std::size_t first = 0; first < seen.size(); first += block_warps)
        blocks[seen[first].sm].push_back(first);
    Shares longest;
    std::vector<double> behind, all;
    for (const auto& [sm, of_sm] : blocks) {
        const unsigned zero = seen[of_sm[0]].cycles[0] - (1u << 30);
        // By scheduler and block, with the clock since then.
        std::array<std::array<std::vector<Seen<loads>>, blocks_of_sm>, schedulers> warps;
        std::array<unsigned, blocks_of_sm> first{}, last{};
        first.fill(std::numeric_limits<unsigned>::max());
        for (std::size_t block = 0; block < of_sm.size(); ++block) {
            for (unsigned warp = 0; warp < block_warps; ++warp) {
                Seen<loads> each = seen[of_sm[block] + warp];
                for (unsigned& cycles : each.cycles) cycles -= zero;
                first[block] = std::min(first[block], each.cycles[0]);
                last[block] = std::max(last[block], each.cycles[loads - 1]);
                warps[warp % schedulers][block].push_back(each);
            }
        }
        if (of_sm.size() < blocks_of_sm) continue;
        const std::size_t older = first[0] < first[1] ? 0 : 1;
        all.push_back(std::max(last[0], last[1]) - std::min(first[0], first[1]));
        for (const auto& of_scheduler : warps) {
            add_turns(of_scheduler[older], longest);
            unsigned end = 0;
            for (const Seen<loads>& warp : of_scheduler[older])
                end = std::max(end, warp.cycles[loads - 1]);
            // But the first ones of its warps, which find room in the queues.
            for (const Seen<loads>& warp : of_scheduler[1 - older]) {
                for (int i = 1; i < loads; ++i) behind.push_back(warp.cycles[i] < end ? 0 : 100);
            }
        }
    }
    const std::string what = "eight-way conflicts: ";
    print(what + "loads of the younger block behind the older one's last, %", mean(behind));
    print(what + "the next load of a block is of the warp that has waited longest, %",
          mean(longest.seen));
    print(what + "so often it would be by chance, %", mean(longest.by_chance));
    print(what + "from the first load to the last, cycles", back_to_back::median(all));
}

double quantile(std::vector<double> values, double share) {
    const auto at = values.begin() +
                    static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

void print_product() {
    constexpr int tiles = width / tile, readings = 2 * tiles;
    constexpr std::size_t bytes = std::size_t{width} * width * sizeof(float);
    float* matrices;
    check(cudaMalloc(&matrices, 3 * bytes));
    check(cudaMemset(matrices, 0, 3 * bytes));
    constexpr std::size_t words = bytes / sizeof(float);
    const auto seen = seen_by<readings>(std::size_t{tiles} * tiles * block_warps, [&](auto* out) {
        multiply<<<dim3(tiles, tiles), dim3(tile, tile)>>>(out, matrices, matrices + words,
                                                           matrices + 2 * words);
    });
    check(cudaFree(matrices));
    std::vector<double> of_tile, additions, spreads;
    for (std::size_t first = 0; first < seen.size(); first += block_warps) {
        const unsigned zero = seen[first].cycles[0];
        double begins[tiles], ends[tiles];
        // The first tile's words come from DRAM.
        for (int k = 1; k < tiles; ++k) {
            double early = std::numeric_limits<double>::infinity(), late = 0;
            begins[k] = early;
            for (unsigned warp = 0; warp < block_warps; ++warp) {
                const auto& cycles = seen[first + warp].cycles;
                const auto begin = static_cast<double>(static_cast<int>(cycles[2 * k] - zero));
                const auto end = static_cast<double>(static_cast<int>(cycles[2 * k + 1] - zero));
                begins[k] = std::min(begins[k], begin);
                early = std::min(early, end);
                late = std::max(late, end);
            }
            ends[k] = late;
            additions.push_back(ends[k] - begins[k]);
            spreads.push_back(late - early);
            if (k > 1) of_tile.push_back(begins[k] - begins[k - 1]);
        }
    }
    const std::string what = "tiles of 32 x 32: ";
    print(what + "a tile, mean, cycles", mean(of_tile));
    print(what + "a tile, quantile 50 %, cycles", quantile(of_tile, 0.5));
    print(what + "a block's additions, quantile 10 %, cycles", quantile(additions, 0.1));
    print(what + "a block's additions, quantile 90 %, cycles", quantile(additions, 0.9));
    print(what + "its warps end them within, quantile 50 %, cycles", quantile(spreads, 0.5));
}

}  // namespace

int main() {
    int sms;
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    std::printf("load,value\n");
    print_loads(static_cast<unsigned>(sms));
    print_product();
}

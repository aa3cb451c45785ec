// In which order warps load from shared memory, alone and in a product of tiles, by their clocks: two blocks of 1,024 threads on
// each SM. Prints a line each, `load,value`: shares in per cent, and cycles.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "seen_by_warps.cuh"

namespace {

using back_to_back::check;
using back_to_back::median;
using seen_by_warps::print;
using seen_by_warps::Seen;
using seen_by_warps::seen_by;
using seen_by_warps::sm_number;

constexpr unsigned block_threads = 1024, warp_size = 32, block_warps = block_threads / warp_size;
constexpr unsigned schedulers = 4, blocks_of_sm = 2;
// More words and clocks would not fit into the 32 registers that two such blocks leave a thread.
constexpr int loads = 8;
constexpr int tile = 32, width = 1024, tiles = width / tile;

// Each warp loads, with conflicts of so many ways, and reads the clock behind each load, for which it does not wait.
template <unsigned ways>
__global__ void __launch_bounds__(block_threads, blocks_of_sm) load(Seen<loads>* seen) {
    // Apart, so that two loads do not become one of two words.
    constexpr unsigned apart = 33;
    __shared__ float words[warp_size * warp_size + loads * apart];
    for (unsigned i = threadIdx.x; i < sizeof(words) / sizeof(*words); i += block_threads)
        words[i] = 0;
    const unsigned lane = threadIdx.x % warp_size;
    const auto at = static_cast<unsigned>(__cvta_generic_to_shared(words + lane * ways));
    Seen<loads> mine;
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
    mine.sm = sm_number();
    if (lane == 0 || sum > 1e30f)
        seen[(blockIdx.x * block_threads + threadIdx.x) / warp_size] = mine;
}

// A product of square matrices by tiles. The clock twice for each tile: before its additions and behind them.
__global__ void __launch_bounds__(block_threads, blocks_of_sm)
    multiply(Seen<2 * tiles>* seen, const float* a, const float* b, float* c) {
    __shared__ float a_tile[tile][tile], b_tile[tile][tile];
    const unsigned row = blockIdx.y * tile + threadIdx.y;
    const unsigned column = blockIdx.x * tile + threadIdx.x;
    auto& mine = seen[(blockIdx.y * gridDim.x + blockIdx.x) * block_warps + threadIdx.y];
    if (threadIdx.x == 0) mine.sm = sm_number();
    float sum = 0;
    for (unsigned k = 0; k < tiles; ++k) {
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

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

// The blocks of each SM: the numbers of their first warps, and the clock when the first one of all was read.
struct Sm {
    std::vector<std::size_t> first_warps;
    unsigned zero = 0;
};

template <int readings>
std::map<unsigned, Sm> blocks_of_sms(const std::vector<Seen<readings>>& seen) {
    std::map<unsigned, Sm> result;
    for (std::size_t first = 0; first < seen.size(); first += block_warps)
        result[seen[first].sm].first_warps.push_back(first);
    for (auto& [number, sm] : result) {
        const unsigned some = seen[sm.first_warps[0]].cycles[0];
        int least = 0;
        for (const std::size_t block : sm.first_warps) {
            for (unsigned warp = 0; warp < block_warps; ++warp)
                least = std::min(least, static_cast<int>(seen[block + warp].cycles[0] - some));
        }
        sm.zero = some + static_cast<unsigned>(least);
    }
    return result;
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
    Shares longest;
    std::vector<double> behind, all;
    for (const auto& [number, sm] : blocks_of_sms(seen)) {
        if (sm.first_warps.size() != blocks_of_sm) continue;
        std::array<std::array<std::vector<Seen<loads>>, blocks_of_sm>, schedulers> warps;
        std::array<unsigned, blocks_of_sm> begin{}, end{};
        begin.fill(std::numeric_limits<unsigned>::max());
        for (unsigned block = 0; block < blocks_of_sm; ++block) {
            for (unsigned warp = 0; warp < block_warps; ++warp) {
                Seen<loads> each = seen[sm.first_warps[block] + warp];
                for (unsigned& cycles : each.cycles) cycles -= sm.zero;
                begin[block] = std::min(begin[block], each.cycles[0]);
                end[block] = std::max(end[block], each.cycles[loads - 1]);
                warps[warp % schedulers][block].push_back(each);
            }
        }
        const unsigned older = begin[0] < begin[1] ? 0 : 1;
        all.push_back(std::max(end[0], end[1]));
        for (const auto& of_scheduler : warps) {
            add_turns(of_scheduler[older], longest);
            unsigned last = 0;
            for (const Seen<loads>& warp : of_scheduler[older])
                last = std::max(last, warp.cycles[loads - 1]);
            // But the first ones of its warps, which find room in the queues.
            for (const Seen<loads>& warp : of_scheduler[1 - older]) {
                for (int i = 1; i < loads; ++i) behind.push_back(warp.cycles[i] < last ? 0 : 100);
            }
        }
    }
    const std::string what = "eight-way conflicts: ";
    print(what + "loads of the younger block behind the older one's last, %", mean(behind));
    print(what + "the older block's next load is of the warp that has waited longest, %",
          mean(longest.seen));
    print(what + "so often it would be by chance, %", mean(longest.by_chance));
    print(what + "from the first load to the last, cycles", median(all));
}

// When the warps of a block began and ended the additions of each tile, the first and the last of them.
struct Block {
    std::array<double, tiles> begin{}, first_end{}, end{};
};

std::vector<Block> blocks_of(const Sm& sm, const std::vector<Seen<2 * tiles>>& seen) {
    std::vector<Block> result;
    for (const std::size_t first : sm.first_warps) {
        Block block;
        block.begin.fill(std::numeric_limits<double>::infinity());
        block.first_end = block.begin;
        for (unsigned warp = 0; warp < block_warps; ++warp) {
            const auto& cycles = seen[first + warp].cycles;
            for (int k = 0; k < tiles; ++k) {
                const double begin = cycles[2 * k] - sm.zero, end = cycles[2 * k + 1] - sm.zero;
                block.begin[k] = std::min(block.begin[k], begin);
                block.first_end[k] = std::min(block.first_end[k], end);
                block.end[k] = std::max(block.end[k], end);
            }
        }
        result.push_back(block);
    }
    return result;
}

// Readings of the blocks that were the older one of two, or the younger one, all the time from a tile to the next.
struct Tiles {
    std::vector<double> cycles, additions, spreads;
};

void add_tiles(const std::vector<Block>& blocks, std::array<Tiles, blocks_of_sm>& by_age) {
    for (const Block& block : blocks) {
        for (int k = 0; k + 1 < tiles; ++k) {
            const double from = block.begin[k], to = block.begin[k + 1];
            const auto is_beside = [&](const Block& other) {
                return &other != &block && other.begin[0] <= from && other.end[tiles - 1] >= to;
            };
            const auto beside = std::ranges::find_if(blocks, is_beside);
            if (beside == blocks.end()) continue;
            Tiles& those = by_age[block.begin[0] < beside->begin[0] ? 0 : 1];
            those.cycles.push_back(to - from);
            those.additions.push_back(block.end[k] - from);
            those.spreads.push_back(block.end[k] - block.first_end[k]);
        }
    }
}

void print_product() {
    constexpr std::size_t words = std::size_t{width} * width;
    float* matrices;
    check(cudaMalloc(&matrices, 3 * words * sizeof(float)));
    check(cudaMemset(matrices, 0, 3 * words * sizeof(float)));
    const auto seen = seen_by<2 * tiles>(std::size_t{tiles} * tiles * block_warps, [&](auto* out) {
        multiply<<<dim3(tiles, tiles), dim3(tile, tile)>>>(out, matrices, matrices + words,
                                                           matrices + 2 * words);
    });
    check(cudaFree(matrices));
    std::array<Tiles, blocks_of_sm> by_age;
    for (const auto& [number, sm] : blocks_of_sms(seen)) add_tiles(blocks_of(sm, seen), by_age);
    for (unsigned age = 0; age < blocks_of_sm; ++age) {
        const std::string what =
            std::string("tiles of 32 x 32, ") + (age == 0 ? "older" : "younger") + " block: ";
        print(what + "a tile, cycles", median(by_age[age].cycles));
        print(what + "its additions, cycles", median(by_age[age].additions));
        print(what + "its warps end them within, cycles", median(by_age[age].spreads));
    }
}

}  // namespace

int main() {
    int sms;
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    std::printf("load,value\n");
    print_loads(static_cast<unsigned>(sms));
    print_product();
}

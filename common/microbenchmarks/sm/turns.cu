// In which order memory instructions go on that wait, and what waits with them: kernels that write columns of a matrix and
// look at the clock, or not. Prints a line each, `turn,value`: shares in per cent, cycles, and microseconds where it says so.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../back_to_back.hpp"
#include "seen_by_warps.cuh"

namespace {

using back_to_back::check;
using seen_by_warps::print;
using seen_by_warps::quantile;
using seen_by_warps::Seen;
using seen_by_warps::seen_by;
using seen_by_warps::sm_number;

constexpr unsigned rows = 2048, schedulers = 4, warp_size = 32;
constexpr int instructions = 16;
constexpr unsigned block_threads = 256, block_warps = block_threads / warp_size;

// Where the program asks for it: %tid.x is read once, however often a program names it.
__device__ unsigned index_of_thread() {
    unsigned index;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(index)::"memory");
    return index;
}

// Each warp stores into 16 cache lines, or loads them, 16 times, each time others, and reads the clock behind each.
template <bool is_store>
__global__ void __launch_bounds__(1024) issue(Seen<instructions>* seen, float* data) {
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / warp_size;
    const unsigned lane = threadIdx.x % warp_size;
    float* const at = data + (std::size_t{warp} * instructions % 16384 * 16 + lane / 2) * 64;
    Seen<instructions> mine{0, {}};
    float values[instructions];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < instructions; ++i) {
        if (is_store)
            asm volatile("st.global.f32 [%0], %1;" ::"l"(at + i * 1024), "f"(1.f) : "memory");
        else
            asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(values[i]) : "l"(at + i * 1024));
        mine.cycles[i] = now();
    }
    float sum = 0;
    if (!is_store) {
        for (const float value : values) sum += value;
    }
    mine.sm = sm_number();
    if (lane == 0 || sum > 1e30f) seen[warp] = mine;
}

enum class First { index, block_index, shared };

// A column of a block of 16 x 16 threads (one store of 16 lines for each warp) or of 32 x 8 (of 32 lines). The readings: at
// the begin, behind what is asked for first, behind the thread's index, behind the address, behind the store.
template <First first, unsigned width, bool stores>
__global__ void __launch_bounds__(block_threads, 2048 / block_threads)
    store_column(Seen<5>* seen, float* data) {
    __shared__ unsigned words[warp_size];
    Seen<5> mine{0, {now()}};
    if (first == First::block_index) await(blockIdx.x);
    if (first == First::shared) {
        unsigned word;
        asm volatile("ld.shared.u32 %0, [%1];"
                     : "=r"(word)
                     : "r"(static_cast<unsigned>(__cvta_generic_to_shared(words))));
        await(word);
    }
    mine.cycles[1] = now();
    const unsigned index = index_of_thread();
    await(index);
    mine.cycles[2] = now();
    const unsigned x = index % width, y = index / width;
    constexpr unsigned height = block_threads / width;
    float* const at = data + std::size_t{blockIdx.x * width + x} * rows + blockIdx.y * height + y;
    await(static_cast<unsigned>(reinterpret_cast<std::size_t>(at)));
    mine.cycles[3] = now();
    if (stores) asm volatile("st.global.f32 [%0], %1;" ::"l"(at), "f"(1.f) : "memory");
    mine.cycles[4] = now();
    mine.sm = sm_number();
    if (index % warp_size == 0)
        seen[(blockIdx.y * gridDim.x + blockIdx.x) * block_warps + index / warp_size] = mine;
}

// Columns of a matrix of so many rows and columns, of blocks of 16 x 16 threads, each one word of its own or of a row.
template <bool reads, bool with_barrier>
__global__ void __launch_bounds__(block_threads, 2048 / block_threads)
    write_columns(const float* in, float* out, unsigned side) {
    const std::size_t x = std::size_t{blockIdx.x} * 16 + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * 16 + threadIdx.y;
    const float value = reads ? in[y * side + x] : 1;
    float* const at = out + x * side + y;
    if (with_barrier) {
        // Else the warps go on together, but each waits for its word behind the barrier.
        await(static_cast<unsigned>(reinterpret_cast<std::size_t>(at)));
        await(__float_as_uint(value));
        __syncthreads();
    }
    *at = value;
}

// How often four instructions one after another are of four schedulers, once all lines are full.
template <bool is_store>
void print_turns(float* data, unsigned sms) {
    constexpr unsigned threads = 1024;
    const auto seen = seen_by<instructions>(sms * threads / warp_size, [&](auto* out) {
        issue<is_store><<<sms, threads>>>(out, data);
    });
    std::vector<std::pair<int, unsigned>> issued;  // when, and by which scheduler, on one SM
    for (unsigned warp = 0; warp < threads / warp_size; ++warp) {
        for (const unsigned cycles : seen[warp].cycles)
            issued.emplace_back(static_cast<int>(cycles - seen[0].cycles[0]), warp % schedulers);
    }
    std::ranges::sort(issued);
    int in_turn = 0, all = 0;
    for (std::size_t i = 128; i < 256; ++i, ++all) {
        unsigned who = 0;
        for (std::size_t j = i; j < i + schedulers; ++j) who |= 1u << issued[j].second;
        in_turn += who == (1u << schedulers) - 1;
    }
    print(std::string(is_store ? "stores" : "loads") +
              ": four one after another are of four schedulers, %",
          100.0 * in_turn / all);
}

// A store of a warp: the age of its block, when its address was there, and when it had been issued.
struct Stored {
    std::size_t block;
    double ready, issued;
};

struct Shares {
    double of_oldest, by_chance;
};

// How often the oldest of the blocks whose warps wait to issue a store is the one whose store is issued next, and how often
// it would be by chance. Some instructions lie between the reading of the clock and the store.
Shares shares_of_oldest(const std::vector<std::vector<Stored>>& by_scheduler) {
    constexpr double from_address_to_store = 25;
    double oldest = 0, chances = 0, all = 0;
    for (const std::vector<Stored>& stored : by_scheduler) {
        for (auto next = stored.begin(); next != stored.end(); ++next) {
            std::set<std::size_t> waiting;
            for (auto each = next; each != stored.end(); ++each) {
                if (each->ready + from_address_to_store <= next->issued)
                    waiting.insert(each->block);
            }
            if (waiting.size() < 2 || !waiting.contains(next->block)) continue;
            ++all;
            chances += 1.0 / static_cast<double>(waiting.size());
            oldest += *waiting.begin() == next->block ? 1 : 0;
        }
    }
    return {100 * oldest / std::max(1.0, all), 100 * chances / std::max(1.0, all)};
}

template <First first, unsigned width, bool stores = true>
std::vector<Seen<5>> columns(float* data) {
    const dim3 grid(rows / width, rows * width / block_threads);
    return seen_by<5>(std::size_t{grid.x} * grid.y * block_warps, [&](auto* out) {
        store_column<first, width, stores><<<grid, block_threads>>>(out, data);
    });
}

// The blocks of each SM by when they began, with the readings of their warps.
using Blocks = std::vector<std::array<std::array<double, 5>, block_warps>>;

std::vector<Blocks> blocks_of_sms(const std::vector<Seen<5>>& seen) {
    std::map<unsigned, std::pair<unsigned, Blocks>> sms;  // with what their clocks showed first
    for (std::size_t first = 0; first < seen.size(); first += block_warps) {
        auto& [zero, blocks] =
            sms.try_emplace(seen[first].sm, seen[first].cycles[0], Blocks{}).first->second;
        auto& block = blocks.emplace_back();
        for (unsigned warp = 0; warp < block_warps; ++warp) {
            for (int i = 0; i < 5; ++i)
                block[warp][i] = static_cast<int>(seen[first + warp].cycles[i] - zero);
        }
    }
    std::vector<Blocks> result;
    for (auto& [sm, of_sm] : sms) {
        std::ranges::sort(of_sm.second, {}, [](const auto& block) {
            return std::ranges::min(block, {}, [](const auto& warp) { return warp[0]; })[0];
        });
        result.push_back(std::move(of_sm.second));
    }
    return result;
}

void print_oldest(const std::vector<Blocks>& sms) {
    std::vector<double> oldest, by_chance;
    for (const Blocks& blocks : sms) {
        std::vector<std::vector<Stored>> by_scheduler(schedulers);
        for (std::size_t age = 0; age < blocks.size(); ++age) {
            for (unsigned warp = 0; warp < block_warps; ++warp)
                by_scheduler[warp % schedulers].push_back(
                    {age, blocks[age][warp][3], blocks[age][warp][4]});
        }
        for (auto& stored : by_scheduler) std::ranges::sort(stored, {}, &Stored::issued);
        const Shares shares = shares_of_oldest(by_scheduler);
        oldest.push_back(shares.of_oldest);
        by_chance.push_back(shares.by_chance);
    }
    print("the next store is of the oldest block that waits, %", quantile(oldest, 0.5));
    print("so often it would be by chance, %", quantile(by_chance, 0.5));
}

// Within how many cycles the warps of a block come to their addresses.
void print_spreads(const std::vector<Blocks>& sms, const std::string& where) {
    constexpr std::size_t first_wave = 8;
    std::vector<double> first, later;
    for (const Blocks& blocks : sms) {
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const auto [early, late] =
                std::ranges::minmax(blocks[i], {}, [](const auto& warp) { return warp[3]; });
            (i < first_wave ? first : later).push_back(late[3] - early[3]);
        }
    }
    print("warps of a block have their addresses within, first wave" + where + ", cycles",
          quantile(first, 0.5));
    print("warps of a block have their addresses within, later waves" + where + ", cycles",
          quantile(later, 0.5));
}

// The first reading, and one a number of cycles later.
template <First first>
void print_wait(float* data, const char* what) {
    constexpr int reading = first == First::index ? 2 : 1;
    std::vector<double> cycles;
    for (const Seen<5>& each : columns<first, 32>(data))
        cycles.push_back(each.cycles[reading] - each.cycles[reading - 1]);
    print(std::string(what) + " beside stores, cycles", quantile(cycles, 0.5));
}

template <bool reads, bool with_barrier>
void print_columns(float* data, unsigned side) {
    const double ns = back_to_back::median_of_three(data, 2, 6, [&](int) {
        float* const out = data + std::size_t{side} * side;
        write_columns<reads, with_barrier>
            <<<dim3(side / 16, side / 16), dim3(16, 16)>>>(data, out, side);
    });
    print(std::string(reads ? "rows read and columns" : "columns") + " stored" +
              (with_barrier ? " behind a barrier, " : ", ") + std::to_string(side) + ", us",
          1e-3 * ns);
}

}  // namespace

int main() {
    int sms;
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    float* data;
    check(cudaMalloc(&data, std::size_t{512} << 20));
    check(cudaMemset(data, 0, std::size_t{512} << 20));
    std::printf("turn,value\n");
    print_turns<true>(data, static_cast<unsigned>(sms));
    print_turns<false>(data, static_cast<unsigned>(sms));
    const std::vector<Blocks> storing = blocks_of_sms(columns<First::index, 16>(data));
    print_oldest(storing);
    print_spreads(storing, "");
    print_spreads(blocks_of_sms(columns<First::index, 16, false>(data)), ", no columns stored");
    print_wait<First::index>(data, "threadIdx.x");
    print_wait<First::shared>(data, "a word of shared memory");
    print_wait<First::block_index>(data, "blockIdx.x");
    for (const unsigned side : {2048u, 8192u}) {
        print_columns<false, false>(data, side);
        print_columns<false, true>(data, side);
        print_columns<true, false>(data, side);
        print_columns<true, true>(data, side);
    }
    check(cudaFree(data));
}

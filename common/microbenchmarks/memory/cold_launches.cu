// Where the time of a launch goes that finds nothing in the L2, as clocks of its blocks show: copies, reads and
// writes of several sizes, each launch in other buffers than the ones before. And what the first load of a page
// takes. Prints a line each, `phase,ns`: medians over the launches.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "../back_to_back.hpp"

namespace {

using back_to_back::check;
using back_to_back::median;
using back_to_back::mib;
using Ticks = unsigned long long;
constexpr std::size_t arena_bytes = 256 * mib;  // more than four times the L2 of an H200
constexpr unsigned threads = 256;

// ---- phases of a launch ----------------------------------------------------------------------------

struct Mark {
    Ticks begin, loaded, end;
};

__device__ Ticks now() {
    Ticks ticks;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ticks)::"memory");
    return ticks;
}

// Never true of the data, but known only when they are there.
__device__ bool is_marked(float4 value) { return value.x + value.y + value.z + value.w == 1e30f; }

enum class Work { copy, read, write };

template <Work work>
__global__ void stream(const float4* in, float4* out, Mark* marks) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    Mark mark{now(), 0, 0};
    float4 value = {1, 2, 3, 4};
    if (work != Work::write) value = in[i];
    if (!is_marked(value)) mark.loaded = now();
    if (work != Work::read) out[i] = value;
    mark.end = now();
    if (threadIdx.x == 0) marks[blockIdx.x] = mark;
}

// A word of every page of 2 MiB by each SM: their addresses are known to it, their data are not there.
__global__ void touch_pages(const char* begin, std::size_t bytes, unsigned* out) {
    const std::size_t at = (std::size_t{threadIdx.x} + 1) * 2 * mib - (blockIdx.x + 1) * 128;
    if (threadIdx.x * 2 * mib >= bytes) return;
    const auto* word = reinterpret_cast<const unsigned*>(begin + at % bytes);
    if (*word == 77) *out = 77;
}

struct Phases {
    std::vector<double> launch, blocks, gap, first_data, wait_of_first_wave, wait_of_others;
};

void print(const std::string& what, const char* phase, const std::vector<double>& ns) {
    std::printf("\"%s: %s\",%.1f\n", what.c_str(), phase, median(ns));
}

double mean_wait(const std::vector<Mark>& marks, std::size_t from, std::size_t to) {
    double sum = 0;
    for (std::size_t i = from; i < to; ++i)
        sum += static_cast<double>(marks[i].loaded - marks[i].begin);
    return sum / static_cast<double>(std::max<std::size_t>(1, to - from));
}

// Blocks of one launch: by the order of their beginnings.
void note(std::vector<Mark> marks, std::size_t first_wave, Phases& phases) {
    const auto least = [&](auto member) { return std::ranges::min(marks, {}, member).*member; };
    const Ticks begin = least(&Mark::begin);
    const Ticks end = std::ranges::max(marks, {}, &Mark::end).end;
    phases.blocks.push_back(static_cast<double>(end - begin));
    phases.first_data.push_back(static_cast<double>(least(&Mark::loaded) - begin));
    std::ranges::sort(marks, {}, &Mark::begin);
    first_wave = std::min(first_wave, marks.size());
    phases.wait_of_first_wave.push_back(mean_wait(marks, 0, first_wave));
    if (first_wave < marks.size())
        phases.wait_of_others.push_back(mean_wait(marks, first_wave, marks.size()));
}

// Leaves in the L2 what no launch uses.
void flush(char* arena) { check(cudaMemset(arena + arena_bytes, 0, arena_bytes / 2)); }

template <Work work>
void print_rest(const std::string& what, const Phases& phases) {
    print(what, "the launch", phases.launch);
    print(what, "from the last end to the next launch's begin", phases.gap);
    if (work != Work::write) {
        print(what, "the first data, from the first begin", phases.first_data);
        print(what, "mean wait for data of the first wave", phases.wait_of_first_wave);
        if (!phases.wait_of_others.empty())
            print(what, "mean wait for data of later blocks", phases.wait_of_others);
    }
}

// Launches back to back, as a chapter times them: each array of a launch lies behind the one before.
template <Work work>
void time_stream(const char* name, char* arena, std::size_t bytes, unsigned sms,
                 bool touches_pages = false) {
    constexpr unsigned launches = 12, warm_up = 4;
    flush(arena);
    const std::size_t arrays = work == Work::copy ? 2 : 1;
    const std::size_t sets = arena_bytes / (arrays * bytes);
    const auto blocks = static_cast<unsigned>(bytes / sizeof(float4) / threads);
    Mark* marks;
    check(cudaMalloc(&marks, launches * blocks * sizeof(Mark)));
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    Phases phases;
    for (unsigned i = 0; i < launches + warm_up; ++i) {
        if (i == warm_up) check(cudaEventRecord(begin));
        char* const at = arena + i % sets * arrays * bytes;
        if (touches_pages)
            touch_pages<<<sms, 32>>>(at, arrays * bytes, reinterpret_cast<unsigned*>(marks));
        stream<work>
            <<<blocks, threads>>>(reinterpret_cast<const float4*>(at),
                                  reinterpret_cast<float4*>(at + (arrays - 1) * bytes),
                                  marks + (i < warm_up ? 0 : std::size_t{i - warm_up} * blocks));
    }
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    phases.launch.push_back(1e6 * milliseconds / launches);
    std::vector<Mark> all(std::size_t{launches} * blocks);
    check(cudaMemcpy(all.data(), marks, all.size() * sizeof(Mark), cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < launches; ++i) {
        const auto of_launch = all.begin() + std::ptrdiff_t{i} * blocks;
        note({of_launch, of_launch + blocks}, std::size_t{sms} * (2048 / threads), phases);
        if (i == 0) continue;
        const Ticks before = std::max_element(of_launch - blocks, of_launch, [](auto& a, auto& b) {
                                 return a.end < b.end;
                             })->end;
        const Ticks first = std::min_element(of_launch, of_launch + blocks, [](auto& a, auto& b) {
                                return a.begin < b.begin;
                            })->begin;
        // As integers: a double of today's time in nanoseconds holds multiples of 256 alone.
        phases.gap.push_back(static_cast<double>(static_cast<std::int64_t>(first - before)));
    }
    const std::string what = std::string(name) + " of " + std::to_string(bytes / mib) + " MiB" +
                             (touches_pages ? ", pages touched before" : "");
    print(what, "its blocks, from the first begin to the last end", phases.blocks);
    if (!touches_pages) print_rest<work>(what, phases);
    check(cudaEventDestroy(begin));
    check(cudaEventDestroy(end));
    check(cudaFree(marks));
}

// ---- the first load of a page ----------------------------------------------------------------------

struct Loads {
    Ticks first, second;
};

// A line of each half of a page of 2 MiB by each block, one after the other; no two blocks the same ones.
__global__ void load_page(const unsigned* page, unsigned lines_before, Loads* loads) {
    const unsigned at = (lines_before + blockIdx.x) * 32;
    const Ticks begin = clock64();
    const unsigned first = page[at];
    if (first == 77) return;
    const Ticks middle = clock64();
    const unsigned second = page[at + mib / sizeof(unsigned) + first];
    if (second == 77) return;
    loads[blockIdx.x] = {middle - begin, clock64() - middle};
}

// Each launch another page; back at the first one after `pages`, at lines that no launch loaded before.
void time_pages(char* arena, std::size_t pages, unsigned blocks, double ns_per_cycle,
                unsigned& lines_before) {
    const auto launches = static_cast<unsigned>(2 * pages);
    Loads* loads;
    check(cudaMalloc(&loads, std::size_t{launches} * blocks * sizeof(Loads)));
    for (unsigned i = 0; i < launches; ++i) {
        if (i % pages == 0 && i > 0) lines_before += blocks;
        const auto* page = reinterpret_cast<const unsigned*>(arena + i % pages * 2 * mib);
        load_page<<<blocks, 1>>>(page, lines_before, loads + std::size_t{i} * blocks);
    }
    lines_before += blocks;
    std::vector<Loads> all(std::size_t{launches} * blocks);
    check(cudaMemcpy(all.data(), loads, all.size() * sizeof(Loads), cudaMemcpyDeviceToHost));
    std::vector<double> first, second;
    for (std::size_t i = pages * blocks; i < all.size(); ++i) {
        first.push_back(static_cast<double>(all[i].first) * ns_per_cycle);
        second.push_back(static_cast<double>(all[i].second) * ns_per_cycle);
    }
    const std::string what = std::to_string(2 * pages) + " MiB, " + std::to_string(blocks) +
                             (blocks == 1 ? " block" : " blocks");
    print(what, "first load of a page", first);
    print(what, "another load of the page", second);
    check(cudaFree(loads));
}

}  // namespace

int main() {
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0));
    const auto sms = static_cast<unsigned>(device.multiProcessorCount);
    int kilohertz = 0;
    check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
    char* arena;
    check(cudaMalloc(&arena, arena_bytes + arena_bytes / 2));
    check(cudaMemset(arena, 0, arena_bytes + arena_bytes / 2));
    std::puts("phase,ns");
    for (const std::size_t bytes : {mib, 4 * mib, 16 * mib}) {
        time_stream<Work::copy>("copy", arena, bytes, sms);
        time_stream<Work::read>("read", arena, bytes, sms);
        time_stream<Work::write>("write", arena, bytes, sms);
        time_stream<Work::copy>("copy", arena, bytes, sms, true);
    }
    check(cudaMemset(arena, 0, arena_bytes));
    flush(arena);
    unsigned lines_before = 0;
    for (const std::size_t pages : {4, 16, 128}) {
        for (const unsigned blocks : {1u, sms})
            time_pages(arena, pages, blocks, 1e6 / kilohertz, lines_before);
    }
    check(cudaFree(arena));
}

// Whether lines lie in the slices of the L2 as the emulator has it (emulator/models/slice_loads): an SM sees one latency
// of all lines of a slice. Prints the standard deviations of the latencies of all lines, of those of one slice, and of one
// slice where the order of lines were another: a line each, `lines,cycles`, over all SMs.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "../back_to_back.hpp"
#include "emulator/models/memory/slice_loads.hpp"

namespace {

using back_to_back::check;
using back_to_back::mib;

constexpr unsigned slices = 94;  // of an H200
constexpr unsigned page_lines = 16384, pages = 64, lines = pages * page_lines;
constexpr unsigned numbers_of_page = 2048;
constexpr unsigned shared_bytes = 200 * 1024;  // so that an SM has one block

// On one SM, by one thread: the shortest of some latencies of each line.
__global__ void time_lines(const unsigned* memory, unsigned sm, std::uint16_t* cycles) {
    unsigned mine;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(mine));
    if (mine != sm || threadIdx.x != 0) return;
    unsigned zero = 0;
    for (unsigned line = 0; line < lines; ++line) {
        unsigned shortest = 65535;
        for (int i = 0; i < 4; ++i) {
            const long long begin = clock64();
            // Never true of the data, but known only when they are there.
            zero = __ldcg(memory + std::size_t{line} * 32 + zero);
            if (zero == 77) return;
            const auto passed = static_cast<unsigned>(clock64() - begin);
            if (i > 0) shortest = min(shortest, passed);
        }
        cycles[line] = static_cast<std::uint16_t>(shortest);
    }
}

using Latencies = std::vector<std::uint16_t>;
using Numbers = std::vector<std::uint64_t>;  // of the lines

// The first lines, within the slices that these numbers make.
double deviation(const std::vector<Latencies>& of_sms, const Numbers& numbers, unsigned count) {
    double variance = 0;
    for (const Latencies& latencies : of_sms) {
        double sums[slices]{}, squares[slices]{}, of_slice[slices]{};
        for (unsigned line = 0; line < count; ++line) {
            const std::size_t slice = numbers[line] % slices;
            sums[slice] += latencies[line];
            squares[slice] += double{1} * latencies[line] * latencies[line];
            ++of_slice[slice];
        }
        for (unsigned i = 0; i < slices; ++i) {
            if (of_slice[i] > 0) variance += squares[i] - sums[i] * sums[i] / of_slice[i];
        }
    }
    return std::sqrt(variance / count / static_cast<double>(of_sms.size()));
}

std::uint64_t number_of(std::uint64_t line) { return emulator::SliceLoads::number_of(line * 128); }

// Where the memory lies is not known: its place among 256 MiB by its first page, and what lies above by what all pages
// change in their order.
struct Place {
    std::uint64_t page = 0, above = 0;
};

Numbers numbers_at(Place place, std::uint64_t count, std::uint64_t without = 0) {
    Numbers numbers;
    for (std::uint64_t line = 0; line < count; ++line)
        numbers.push_back(number_of((line + place.page * page_lines) & ~without) ^ place.above);
    return numbers;
}

// By two SMs. The first page tells the sum of both, all pages tell which page it is.
Place best_place(const std::vector<Latencies>& of_sms) {
    const std::vector<Latencies> two(of_sms.begin(), of_sms.begin() + 2);
    std::uint64_t sum = 0;
    double least = 1e9;
    for (std::uint64_t each = 0; each < numbers_of_page; ++each) {
        const double found = deviation(two, numbers_at({0, each}, page_lines), page_lines);
        if (found < least) least = found, sum = each;
    }
    Place best;
    least = 1e9;
    for (std::uint64_t page = 0; page < 128; ++page) {
        const Place place{page, sum ^ number_of(page * page_lines) % numbers_of_page};
        const double found = deviation(two, numbers_at(place, lines), lines);
        if (found < least) least = found, best = place;
    }
    return best;
}

}  // namespace

int main() {
    int sms;
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    char* memory;
    std::uint16_t* cycles;
    check(cudaMalloc(&memory, pages * 2 * mib));
    check(cudaMemset(memory, 0, pages * 2 * mib));
    check(cudaMalloc(&cycles, lines * sizeof(std::uint16_t)));
    check(cudaFuncSetAttribute(time_lines, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               shared_bytes));
    std::vector<Latencies> of_sms;
    for (int sm = 0; sm < sms; sm += 20) {
        time_lines<<<sms, 32, shared_bytes>>>(reinterpret_cast<const unsigned*>(memory),
                                              static_cast<unsigned>(sm), cycles);
        check(cudaGetLastError());
        Latencies& latencies = of_sms.emplace_back(lines);
        check(cudaMemcpy(latencies.data(), cycles, lines * sizeof(std::uint16_t),
                         cudaMemcpyDeviceToHost));
    }
    const Place place = best_place(of_sms);
    std::printf("lines,cycles\n");
    const auto print = [&](const std::string& what, const Numbers& numbers) {
        std::printf("\"%s\",%.2f\n", what.c_str(), deviation(of_sms, numbers, lines));
    };
    print("all", Numbers(lines));
    print("of a slice", numbers_at(place, lines));
    for (unsigned bit = 0; bit < 21; ++bit)
        print("of a slice, without bit " + std::to_string(bit) + " of their numbers",
              numbers_at(place, lines, std::uint64_t{1} << bit));
}

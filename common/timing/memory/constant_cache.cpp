#include "timing/memory/constant_cache.hpp"

#include <algorithm>

namespace timing {
namespace {

constexpr emulator::Address bytes_of_line = 64;
// A LineSectors is of 128 bytes, which are two of these lines.
constexpr unsigned halves = 2, sectors_per_half = 2, sectors_of_half = 0b11;

}  // namespace

ConstantCache::ConstantCache(const Machine& machine)
    : machine_(machine), lines_(machine.constant_cache_bytes / bytes_of_line) {}

// What waits for all addresses waits longer than they keep the cache busy.
double ConstantCache::read(const Access& access, std::span<const emulator::LineSectors> lines,
                           double now) {
    const double addresses = std::max<double>(1, access.wavefronts);
    const Missed missed = look_up(lines, std::max(now, passes_.free()));
    const double cycles =
        machine_.constant_pass_cycles * addresses + machine_.constant_miss_cycles * missed.lines;
    const double passed = passes_.serve(now, cycles) + cycles;
    const double waited =
        (addresses - 1) * (machine_.constant_next_cycles - machine_.constant_pass_cycles);
    return std::max(passed, missed.arrival) - machine_.constant_pass_cycles +
           machine_.constant_cycles + waited;
}

double ConstantCache::read_parameter(double now) {
    return passes_.serve(now, machine_.constant_pass_cycles) + machine_.constant_cycles;
}

ConstantCache::Missed ConstantCache::look_up(std::span<const emulator::LineSectors> lines,
                                             double now) {
    Missed missed;
    if (lines_.empty()) return missed;
    for (const emulator::LineSectors line : lines) {
        for (unsigned half = 0; half < halves; ++half) {
            if ((line.sectors() >> sectors_per_half * half & sectors_of_half) != 0)
                look_up(line.line() / bytes_of_line + half, now, missed);
        }
    }
    return missed;
}

// A line that another load has asked for is there when it comes for that one.
void ConstantCache::look_up(emulator::Address number, double now, Missed& missed) {
    auto found = std::ranges::find(lines_, number, &Line::number);
    if (found == lines_.end()) {
        found = std::ranges::min_element(lines_, {}, &Line::used);
        const double cycles = machine_.constant_fill_cycles;
        *found = {.number = number, .arrival = fills_.serve(now, cycles) + cycles};
        ++missed.lines;
    }
    found->used = ++uses_;
    missed.arrival = std::max(missed.arrival, found->arrival);
}

}  // namespace timing

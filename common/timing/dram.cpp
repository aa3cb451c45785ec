#include "timing/dram.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace timing {
namespace {

// Neighbours share a row of DRAM and its latency.
constexpr emulator::Address row_bytes = 2048;
constexpr double max_spreads = 6;  // beyond the shortest latency
constexpr std::size_t max_banks = 1 << 16;

// As good as random, and always the same (SplitMix64).
std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

}  // namespace

Dram::Dram(const Machine& machine, double active_sms)
    : machine_(machine), cycles_per_byte_(active_sms / machine.dram_bytes_per_cycle) {
    // As many as keep up with the bandwidth, each with a line at a time.
    const double banks = machine.dram_bank_cycles / (emulator::line_bytes * cycles_per_byte_);
    banks_.resize(
        std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(banks)), 1, max_banks));
}

double Dram::serve(emulator::Address line, double bytes, double now) {
    const double duration = bytes * cycles_per_byte_;
    Server& bank = banks_[mixed(line) % banks_.size()];
    return bank.serve(share_.serve(now, duration), duration * static_cast<double>(banks_.size()));
}

double Dram::cycles(emulator::Address line) const {
    const double chance =
        static_cast<double>((mixed(line / row_bytes) >> 11) + 1) * 0x1p-53;  // above 0, at most 1
    const double spreads = std::min(-std::log(chance), max_spreads);
    return machine_.dram_cycles + (spreads - 1) * machine_.dram_spread_cycles;
}

}  // namespace timing

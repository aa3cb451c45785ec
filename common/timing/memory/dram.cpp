#include "timing/memory/dram.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "timing/machine/random.hpp"

namespace timing {
namespace {

// The exponential distribution is cut off so many spreads beyond the shortest latency.
constexpr double max_latency_spreads = 6;
// Addresses so near to each other have one latency (data/timing/streams.csv and flights.csv).
constexpr emulator::Address latency_granule_bytes = 4096;
constexpr emulator::Address channel_region_bytes = 4 << 20;
constexpr std::size_t max_banks = 1 << 16;
constexpr double access_granule_bytes = 64;
// Depth of a channel's write queue, while there is something to read (data/timing/streams.csv and flights.csv).
constexpr double write_queue_bytes = 12288;

}  // namespace

Dram::Dram(const Machine& machine, double active_sms, emulator::Address begin, std::uint64_t draw)
    : machine_(machine), begin_(begin), draw_(draw) {
    const double share = active_sms / machine.dram_bytes_per_cycle;
    cycles_per_byte_ = share * static_cast<double>(channels_.size());
    // As many as open a row in the time that so many bytes take.
    const double banks = machine.dram_bank_cycles / (machine.dram_opening_bytes * share);
    banks_.resize(
        std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(banks)), 1, max_banks));
}

std::uint64_t Dram::random_of(emulator::Address place) const { return mixed(place + mixed(draw_)); }

// By the golden ratio, as evenly as can be whatever the stride between rows (Fibonacci hashing); other regions begin with
// another channel, or arrays that are read side by side would share one.
Dram::Channel& Dram::channel_of(emulator::Address line) {
    const std::uint64_t row = (line - begin_) / row_bytes;
    const auto highest_bits =
        (row * 0x9e3779b97f4a7c15 + mixed(row / (channel_region_bytes / row_bytes))) >> 32;
    return channels_[highest_bits * channels_.size() >> 32];
}

// When the row of a line is open.
double Dram::open(emulator::Address line, double cycles, double now) {
    if (cycles <= 0) return now;
    const emulator::Address row = (line - begin_) / row_bytes;
    Bank& bank = banks_[random_of(row) % banks_.size()];
    const auto found = std::ranges::find(bank.rows, row, &Row::number);
    if (found != bank.rows.end()) return std::max(now, found->opened);
    const double opened = bank.server.serve(now, cycles);
    bank.rows[bank.next] = {row, opened};
    bank.next = (bank.next + 1) % bank.rows.size();
    return opened;
}

double Dram::read(emulator::Address line, double bytes, double share_of_opening, double now) {
    Channel& channel = channel_of(line);
    if (channel.server.free() < now || channel.waiting_bytes >= write_queue_bytes)
        drain_writes(channel, now);
    const double begin = channel.server.serve(now, bytes * cycles_per_byte_);
    // Of what the L2 has in part, a part.
    const double whole = std::min(1.0, bytes / access_granule_bytes);
    return open(line, share_of_opening * whole * machine_.dram_bank_cycles, begin);
}

void Dram::write(emulator::Address line, double bytes, double share_of_opening, double now) {
    Channel& channel = channel_of(line);
    if (channel.waiting_bytes == 0) channel.waiting_since = now;
    channel.waiting_bytes += bytes;
    const double longer = machine_.dram_write_opening_bytes / machine_.dram_opening_bytes;
    open(line, share_of_opening * longer * machine_.dram_bank_cycles, now);
}

void Dram::drain_writes(Channel& channel, double now) {
    if (channel.waiting_bytes == 0) return;
    const double free = channel.server.free();
    channel.server.serve(
        free < now ? std::max(free, channel.waiting_since) : now,
        machine_.dram_turnaround_cycles + channel.waiting_bytes * cycles_per_byte_);
    channel.waiting_bytes = 0;
}

double Dram::copy_cycles(const Machine& machine, double read_bytes, double written_bytes) {
    const double of_all = write_queue_bytes * channels * machine.sms;
    const double turns = read_bytes > 0 ? written_bytes / of_all : 0;
    return (read_bytes + written_bytes) / machine.dram_bytes_per_cycle +
           turns * machine.dram_turnaround_cycles;
}

double Dram::free() const {
    double latest = 0;
    for (const Channel& channel : channels_) {
        latest = std::max(latest, channel.server.free() + channel.waiting_bytes * cycles_per_byte_);
    }
    return latest;
}

double Dram::busy() const {
    double sum = 0;
    for (const Channel& channel : channels_) sum += channel.server.busy();
    return sum / static_cast<double>(channels_.size());
}

double Dram::cycles(emulator::Address line) const {
    const double random = uniform(random_of((line - begin_) / latency_granule_bytes));
    const double spreads = std::min(exponential(1, random), max_latency_spreads);
    return machine_.dram_cycles + (spreads - 1) * machine_.dram_spread_cycles;
}

}  // namespace timing

#include "timing/memory/l2_requests.hpp"

#include <algorithm>

#include "emulator/models/memory/slice_loads.hpp"

namespace timing {

L2Requests::L2Requests(const Machine& machine, double active_sms, double unevenness)
    : machine_(machine),
      sector_cycles_(std::max(1.0, active_sms / machine.l2_store_sectors_per_cycle)),
      bulk_line_cycles_(active_sms / machine.l2_bulk_lines_per_cycle),
      completed_cycles_(active_sms / machine.l2_completed_sectors_per_cycle),
      unevenness_(std::max(1.0, unevenness / machine.l2_slice_reserve)) {}

double L2Requests::behind_stores(double now) const {
    double sum = 0;
    for (auto each = in_flight_.rbegin(); each != in_flight_.rend() && each->arrives > now; ++each)
        sum += each->cycles;
    return std::min(sum, std::max(0.0, server_.free() - now));
}

L2Requests::Load L2Requests::load(std::size_t lines, double now) {
    const auto cycles = static_cast<double>(lines);  // a line a cycle
    const double behind = behind_stores(now);
    const double of_l2 = server_.serve(now - machine_.averaging_window_cycles, cycles) - behind;
    const double begin = std::max(port_.serve(now, cycles), of_l2);
    return {begin + cycles - 1,
            machine_.switches.waits_behind_stores ? behind : 0};  // one is part of the L2's latency
}

// Which bytes of a line are written, where its sectors are not written whole, takes as long as a sector. A store's bytes
// are taken to lie in its sectors alike, and those of stores that merge beside each other.
double L2Requests::cycles_of(const Line& line) const {
    double sectors = 0, with_mask = 0;
    for (const double bytes : line.bytes) {
        if (bytes == 0) continue;
        ++sectors;
        if (bytes < emulator::sector_bytes && machine_.switches.sends_masks) with_mask = 1;
    }
    return sector_cycles_ * (sectors + with_mask);
}

void L2Requests::merge(const Access& access, std::span<const emulator::LineSectors> lines) {
    std::vector<Line> merged;
    merged.reserve(lines.size());
    auto last = waiting_.begin();
    const double sectors = std::max<double>(1, access.sectors);
    for (const emulator::LineSectors each : lines) {
        Line line{each};
        for (std::size_t i = 0; i < line.bytes.size(); ++i) {
            if ((each.sectors() >> i & 1) != 0) line.bytes[i] = access.bytes / sectors;
        }
        while (last != waiting_.end() && last->line.line() < each.line()) ++last;
        if (last == waiting_.end() || last->line.line() != each.line()) {
            line.cycles = cycles_of(line);
        } else {
            const double before = cycles_of(*last);
            line.line = {each.line(), each.sectors() | last->line.sectors()};
            for (std::size_t i = 0; i < line.bytes.size(); ++i) line.bytes[i] += last->bytes[i];
            line.cycles = std::max(0.0, cycles_of(line) - before);
        }
        merged.push_back(line);
    }
    waiting_ = std::move(merged);
}

double L2Requests::copy(double lines, double now) {
    waiting_.clear();
    const double cycles = lines * bulk_line_cycles_;
    const double arrives = server_.serve(now, cycles) + cycles;
    send({arrives, 0, cycles}, now);
    return arrives;
}

double L2Requests::store(const Access& access, std::span<const emulator::LineSectors> lines,
                         double now, double completed) {
    if (waits_until_ <= now) waiting_.clear();
    const bool is_merged = meets_waiting(lines);
    const bool goes_to_many = lines.size() >= emulator::SliceLoads::min_lines;
    merge(access, lines);
    double cycles = 0;
    for (const Line& line : waiting_) cycles += line.cycles;
    cycles = cycles * (goes_to_many ? unevenness_ : 1) + completed * completed_cycles_;
    const auto count = static_cast<double>(lines.size());
    const double of_port = is_merged ? 0 : count * machine_.store_port_cycles;
    const double leaves = port_.serve(now, of_port);
    // Before an SM's first store the others have not stored either, and left nothing.
    if (in_flight_.empty()) server_.wait_until(leaves);
    const double taken = server_.serve(leaves - machine_.averaging_window_cycles, cycles) + cycles;
    const double arrives = std::max(leaves + of_port, taken);
    waits_until_ = arrives;
    if (access.line_count > machine_.max_merged_store_lines) waiting_.clear();
    if (is_merged) {
        in_flight_.back().arrives = arrives;
        in_flight_.back().cycles += cycles;
    } else {
        send({arrives, count, cycles}, now);
    }
    return arrives;
}

// So many lines are in flight at most, behind which a load waits. The last one stays: the next may merge with it.
void L2Requests::send(const InFlight& store, double now) {
    in_flight_.push_back(store);
    lines_in_flight_ += store.lines;
    while (in_flight_.size() > 1 && (in_flight_.front().arrives <= now ||
                                     lines_in_flight_ > machine_.max_store_lines_in_flight)) {
        lines_in_flight_ -= in_flight_.front().lines;
        in_flight_.pop_front();
    }
}

bool L2Requests::meets_waiting(std::span<const emulator::LineSectors> lines) const {
    return std::ranges::all_of(lines, [&](emulator::LineSectors each) {
        const auto is_it = [&](const Line& waiting) { return waiting.line.line() == each.line(); };
        return std::ranges::any_of(waiting_, is_it);
    });
}

}  // namespace timing

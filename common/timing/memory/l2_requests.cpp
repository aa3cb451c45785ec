#include "timing/memory/l2_requests.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "emulator/models/memory/slice_loads.hpp"

namespace timing {

L2Requests::L2Requests(const Machine& machine, double active_sms, double unevenness)
    : machine_(machine),
      sector_cycles_(std::max(1.0, active_sms / machine.l2_store_sectors_per_cycle)),
      line_cycles_(std::max(1.0, active_sms / machine.l2_store_lines_per_cycle)),
      bulk_line_cycles_(active_sms / machine.l2_bulk_lines_per_cycle),
      completed_cycles_(active_sms / machine.l2_completed_sectors_per_cycle),
      unevenness_(std::max(1.0, unevenness / machine.l2_slice_reserve)),
      gpu_cycles_per_sector_(active_sms / machine.l2_store_sectors_per_cycle),
      slice_cycles_per_sector_(machine.l2_slices / machine.l2_store_sectors_per_cycle),
      use_(machine.l2_burst_cycles),
      rest_(machine.l2_burst_cycles) {}

// What takes a slice as long as so many sectors that are stored; what arrives meanwhile waits for half of that, in the
// mean.
void L2Requests::note(double sectors, double now) {
    const double use = sectors * gpu_cycles_per_sector_;
    use_.add(use, now);
    rest_.add(use * sectors * slice_cycles_per_sector_ / 2, now);
}

// At each slice requests of all SMs meet, which send as much as this one, at any time: M/G/1, by Pollaczek and
// Khinchine. A slice that cannot keep up has a queue that grows for as long as SMs take to even out, as a reflected
// random walk does; in the mean of that time it is two thirds of what it becomes.
double L2Requests::wait_for_others() const {
    const double use = use_.rate(), rest = rest_.rate();
    if (machine_.l2_slices <= 1 || machine_.l2_burst_cycles <= 0 || use <= 0) return 0;
    const double longest =
        2.0 / 3 * std::sqrt(4 * rest * machine_.l2_burst_cycles / std::numbers::pi);
    return use < 1 ? std::min(rest / (1 - use), longest) : longest;
}

double L2Requests::behind_stores(double now) const {
    double sum = 0;
    for (auto each = on_the_way_.rbegin(); each != on_the_way_.rend() && each->arrives > now;
         ++each)
        sum += each->cycles;
    return std::min(sum, std::max(0.0, server_.free() - now));
}

L2Requests::Load L2Requests::load(std::size_t lines, double now) {
    const double cycles = static_cast<double>(lines) * machine_.l2_request_cycles;
    const double behind = behind_stores(now);
    const double of_l2 = server_.serve(now - machine_.l2_burst_cycles, cycles) - behind;
    const double begin = std::max(port_.serve(now, cycles), of_l2);
    const double left =
        begin + cycles - machine_.l2_request_cycles;  // one is part of the L2's latency
    const double wait = behind + wait_for_others();
    for (std::size_t i = 0; i < lines; ++i) note(machine_.l2_request_sectors, now);
    return {left, wait};
}

// Which bytes of a line are written, where its sectors are not written whole, takes as long as a sector. A store's bytes
// are taken to lie in its sectors alike, and those of stores that merge beside each other.
double L2Requests::cycles_of(const Line& line) const {
    double sectors = 0, with_mask = 0;
    for (const double bytes : line.bytes) {
        if (bytes == 0) continue;
        ++sectors;
        if (bytes < emulator::sector_bytes) with_mask = 1;
    }
    return std::max(line_cycles_, sector_cycles_ * (sectors + with_mask));
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
    send({arrives, 0, cycles}, now);  // beside the L1, which need not wait for it
    return arrives;
}

double L2Requests::store(const Access& access, std::span<const emulator::LineSectors> lines,
                         double now, double completed) {
    if (waits_until_ <= now) waiting_.clear();
    const bool is_merged = meets_waiting(lines);
    const bool goes_to_many = lines.size() >= emulator::SliceLoads::min_lines;
    merge(access, lines);
    double cycles = 0;
    for (const Line& line : waiting_) {
        note(line.cycles / sector_cycles_, now);
        cycles += line.cycles;
    }
    cycles = cycles * (goes_to_many ? unevenness_ : 1) + completed * completed_cycles_;
    const auto count = static_cast<double>(lines.size());
    const double of_port = is_merged ? 0 : count * machine_.store_port_cycles;
    const double leaves = port_.serve(now, of_port);
    // Before an SM's first store the others have not stored either, and left nothing.
    if (on_the_way_.empty()) server_.wait_until(leaves);
    const double taken = server_.serve(leaves - machine_.l2_burst_cycles, cycles) + cycles;
    const double arrives = std::max(leaves + of_port, taken);
    waits_until_ = arrives + machine_.merge_cycles;
    if (access.line_count > machine_.merged_store_lines) waiting_.clear();
    if (is_merged) {
        on_the_way_.back().arrives = arrives;
        on_the_way_.back().cycles += cycles;
    } else {
        accepts_ = std::max(accepts_, leaves);
        send({arrives, count, cycles}, now);
    }
    return arrives;
}

// The SM goes on when the first ones of too many have arrived. The last one stays: the next may merge with it.
void L2Requests::send(const OnTheWay& store, double now) {
    on_the_way_.push_back(store);
    lines_on_the_way_ += store.lines;
    while (on_the_way_.size() > 1) {
        const OnTheWay& first = on_the_way_.front();
        const bool are_too_many = store.lines > 0 && lines_on_the_way_ > machine_.stores_on_the_way;
        if (first.arrives > now && !are_too_many) break;
        if (are_too_many) accepts_ = std::max(accepts_, first.arrives);
        lines_on_the_way_ -= first.lines;
        on_the_way_.pop_front();
    }
}

bool L2Requests::meets_waiting(std::span<const emulator::LineSectors> lines) const {
    return std::ranges::all_of(lines, [&](emulator::LineSectors each) {
        const auto is_it = [&](const Line& waiting) { return waiting.line.line() == each.line(); };
        return std::ranges::any_of(waiting_, is_it);
    });
}

}  // namespace timing

#include "timing/memory/memory_path.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "timing/machine/random.hpp"

namespace timing {
namespace {

// A store passes the L1 line by line, and two cycles more: 10, 18 and 34 passes of 8, 16 and 32 lines (H200:
// l1tex__data_pipe_lsu_wavefronts).
constexpr double store_overhead_cycles = 2;
// Shares of first touches come from counts and fall short of 1 by a little.
constexpr double min_whole_share = 0.9;
// Of those that come from DRAM, as many as a warp may ask for before they are due.
constexpr double lines_reserved_for_new = emulator::warp_size;
constexpr std::size_t max_lines_in_flight = 4096;
// The random delay of a line behind stores stays the same for so long.
constexpr double delay_period_cycles = 1024;
constexpr std::size_t max_l1_bytes = std::size_t{4} << 20;

// Of DRAM, that the recorded blocks touch: not of constants, which have caches of their own.
emulator::Address first_row(const LaunchTrace& trace) {
    std::optional<emulator::Address> first;
    for (const BlockTrace& block : trace.blocks) {
        for (const WarpTrace& warp : block) {
            for (const Access& access : warp.accesses) {
                if (access.space == Space::constant || access.space == Space::local) continue;
                for (const emulator::LineSectors line : trace.lines_of(access))
                    first = std::min(first.value_or(line.line()), line.line());
            }
        }
    }
    return first.value_or(0) / Dram::row_bytes * Dram::row_bytes;
}

}  // namespace

MemoryPath::MemoryPath(const Machine& machine, const LaunchTrace& trace, const LaunchFacts& facts,
                       double active_sms, std::uint64_t draw)
    : machine_(machine),
      facts_(facts),
      active_sms_(active_sms),
      l1_{{std::min(facts.l1_bytes, max_l1_bytes), machine.is_l1_whole_lines}, {}},
      read_only_cache_{{machine.read_only_cache_bytes, false}, {}},
      constants_(machine),
      data_(machine.switches.fills_use_data_path),
      atomics_(machine, trace, facts, active_sms),
      requests_(machine, active_sms, facts.slice_unevenness),
      partly_written_(machine, trace, facts, active_sms),
      dram_(machine, active_sms, first_row(trace), draw),
      evictions_(trace),
      blocks_per_recorded_block_(
          static_cast<double>(facts.sm_blocks) /
          static_cast<double>(std::max<std::size_t>(1, trace.blocks.size()))),
      draw_(draw),
      writeback_delay_(machine.writeback_delay(facts.dram_bytes * facts.dram_dirty_share)) {}

double MemoryPath::serve(const Access& access, std::span<const emulator::LineSectors> lines,
                         double now, bool is_in_first_wave) {
    is_in_first_wave_ = is_in_first_wave;
    if (access.kind == Access::Kind::none) return now;
    switch (access.space) {
        case Space::shared:
            return serve_shared(access, now);
        case Space::constant:
            return constants_.read(access, now);
        default:
            break;
    }
    const bool is_texture = access.space == Space::texture;
    is_used_ |= access.space == Space::global || is_texture;
    switch (access.kind) {
        case Access::Kind::store:
            return store(access, lines, now);
        case Access::Kind::load:
            return load(access, lines, now) +
                   (is_texture ? machine_.texture_cycles - machine_.l1_cycles : 0);
        default:
            return update(access, lines, now);
    }
}

double MemoryPath::serve_shared(const Access& access, double now) {
    const bool is_atomic =
        access.kind == Access::Kind::atomic || access.kind == Access::Kind::reduction;
    const double pass = is_atomic ? machine_.shared_atomic_cycles
                                  : emulator::line_bytes / machine_.shared_bytes_per_cycle;
    const double passes = std::max<double>(1, access.wavefronts);
    shared_busy_ += pass * passes;
    return data_.serve(now, pass * passes) - 1 + machine_.shared_cycles;
}

// What a request to global memory costs the data path: its bytes, its tags or its passes through the
// banks, whichever takes longest (data/l1_strided_loads.csv).
double MemoryPath::data_cycles(const Access& access) const {
    return std::max({1.0, access.bytes / machine_.l1_bytes_per_cycle,
                     access.line_count / machine_.l1_tags_per_cycle,
                     static_cast<double>(access.wavefronts)});
}

// What the L1 lacked is written there before it is read: a line at a time.
double MemoryPath::fill_cycles(std::span<const emulator::LineSectors> lines) const {
    double cycles = 0;
    for (const emulator::LineSectors line : lines)
        cycles +=
            std::ceil(line.count() * emulator::sector_bytes / machine_.l1_fill_bytes_per_cycle);
    return cycles;
}

double MemoryPath::load(const Access& access, std::span<const emulator::LineSectors> lines,
                        double now) {
    const double data = data_cycles(access);
    const double tags = std::max(1.0, access.line_count / machine_.l1_tags_per_cycle);
    if (access.path == emulator::LoadPath::l2) {
        const double looked_up = tags_.serve(now, tags) + tags - 1;
        return data_.serve_later(fetch(lines, looked_up) - data, data);
    }
    Cache& cache = access.path == emulator::LoadPath::l1 ? l1_ : read_only_cache_;
    const auto loaded = cache.sectors.load(lines);
    double arrival = loaded.hit_sectors > 0 ? cache.arrival_in_flight(lines) : 0;
    const bool waits = loaded.fetched_sectors > 0 || arrival > now + machine_.l1_cycles;
    const double looked_up =
        waits ? tags_.serve(now, tags) + tags - 1 : data_.serve(tags_.serve(now, tags), data) - 1;
    if (!waits) return looked_up + machine_.l1_cycles;
    double whole = data;
    if (loaded.fetched_sectors > 0) {
        arrival = std::max(arrival, fetch(loaded.fetched, looked_up));
        cache.note_in_flight(loaded.fetched, arrival, now);
        whole += fill_cycles(loaded.fetched);
    }
    return data_.serve_later(std::max(arrival - whole, looked_up), whole);
}

// Whether a line comes from DRAM. Blocks of the first wave run abreast: what is new to one SM is new to all
// that ask for it, and all wait. Later ones find what others have asked for, and one request in so many waits: first those
// for sectors that the SM has not asked for, or warps that ask for the same ones would each wait for other lines.
bool MemoryPath::waits_for_dram(emulator::LineSectors line) {
    unsigned& asked = sectors_asked_[line.line()];
    const bool is_new = (line.sectors() & ~asked) != 0;
    asked |= line.sectors();
    if (facts_.dram_share_of_reads >= 1) return true;
    const bool in_order = machine_.switches.new_lines_wait;
    if (is_in_first_wave_ && in_order)
        return facts_.cold_share >= 1 && !in_l2_.contains(line.line());
    dram_requests_due_ += facts_.dram_share_of_reads;
    if (dram_requests_due_ < (is_new || !in_order ? 1 : 1 + lines_reserved_for_new)) return false;
    dram_requests_due_ -= 1;
    return true;
}

// Sectors from L2, and of these the launch's share from DRAM.
double MemoryPath::fetch(std::span<const emulator::LineSectors> lines, double now) {
    double bytes = 0;
    for (const emulator::LineSectors line : lines) bytes += line.count() * emulator::sector_bytes;
    const double rate =
        std::min(machine_.l2_bytes_per_cycle / active_sms_, machine_.l2_bytes_per_cycle_per_sm);
    const L2Requests::Load load = requests_.load(lines.size(), now);
    const double begin = l2_.serve(load.left, bytes / rate);
    return arrival_of(lines, begin, begin + bytes / rate + machine_.l2_cycles, load.wait);
}

// How long a line waits behind stores: exponentially distributed. Lines are taken to be of different slices of the L2, each
// with a queue of its own.
double MemoryPath::wait_of(emulator::Address line, double mean, double now) const {
    if (mean <= 0) return 0;
    const auto period = static_cast<std::uint64_t>(now / delay_period_cycles);
    return exponential(mean, uniform(mixed(line + mixed(period) + mixed(draw_))));
}

// Of lines that the L2 is asked for at `begin`, and has at `arrival` if these wait neither for DRAM nor behind stores.
double MemoryPath::arrival_of(std::span<const emulator::LineSectors> lines, double begin,
                              double arrival, double mean_wait) {
    const double from_l2 = arrival;
    for (const emulator::LineSectors line : lines) {
        const double wait = wait_of(line.line(), mean_wait, begin);
        arrival = std::max(arrival, from_l2 + wait);
        if (facts_.dram_bytes_per_read_sector <= 0 || is_local(line.line())) continue;
        const bool waits = waits_for_dram(line);
        const double from_dram =
            read_from_dram(line, waits, begin) + dram_.cycles(line.line()) + wait;
        evict(line.count() * facts_.dram_bytes_per_read_sector, begin);
        if (waits) {
            arrival = std::max(arrival, from_dram);
            in_l2_[line.line()] = from_dram;
        } else if (const auto found = in_l2_.find(line.line()); found != in_l2_.end()) {
            arrival = std::max(arrival, found->second);
        }
    }
    return arrival;
}

// When DRAM has served the line. The bytes of all requests are those of the lines that wait. In the first wave more of
// them wait than DRAM reads: there it reads some lines, but these whole, and a channel's queue delays them alone.
double MemoryPath::read_from_dram(emulator::LineSectors line, bool waits, double begin) {
    double bytes = line.count() * facts_.dram_bytes_per_read_sector;
    if (is_in_first_wave_ || facts_.dram_share_of_reads >= 1) {
        dram_bytes_due_ += bytes;
        if (dram_bytes_due_ < min_whole_share * line.count() * emulator::sector_bytes) return begin;
        bytes = std::exchange(dram_bytes_due_, 0);
    } else {
        if (!waits) return begin;
        bytes /= facts_.dram_share_of_reads;
    }
    return dram_.read(line.line(), bytes, facts_.share_of_rows_read, begin);
}

double MemoryPath::copy(const Access& access, std::span<const emulator::LineSectors> lines,
                        double now) {
    is_used_ = true;
    const auto count = static_cast<double>(lines.size());
    if (access.kind == Access::Kind::bulk_store) {
        const double cycles = count * machine_.bulk_store_line_cycles;
        const double begin = bulk_stores_.serve(now, cycles);
        const double sent = requests_.copy(count, begin);
        note_stored(lines, sent);
        return std::max(begin + cycles + machine_.bulk_store_cycles, sent);
    }
    const double of_lines = count * machine_.bulk_load_line_cycles;
    const double cycles = std::max(machine_.bulk_copy_cycles, of_lines);
    const double begin = bulk_loads_.serve(now, cycles);
    const double of_l2 = access.bytes * active_sms_ / machine_.l2_bytes_per_cycle;
    const double asked = l2_.serve(std::max(now, begin), of_l2);
    const double last = std::max(begin + of_lines, asked + of_l2);
    const double more = machine_.l2_cycles + machine_.bulk_load_cycles;
    return arrival_of(lines, asked + machine_.bulk_load_cycles, last + more, 0);
}

double MemoryPath::launch_tail_cycles() const {
    if (!is_used_) return 0;
    const double read_bytes = facts_.dram_bytes * (1 - facts_.dram_dirty_share);
    return machine_.launch_tail_cycles_per_sm * active_sms_ + cycles_to_last_sm(read_bytes) +
           machine_.writeback_delay(read_bytes);
}

// This SM has waited for the last of its own lines, the launch waits for the last of all.
double MemoryPath::cycles_to_last_sm(double read_bytes) const {
    if (sectors_asked_.empty()) return 0;
    const double own = static_cast<double>(sectors_asked_.size()) * emulator::line_bytes *
                       blocks_per_recorded_block_;
    const double others = std::clamp(read_bytes / own, 1.0, active_sms_);
    return facts_.cold_share * machine_.cycles_to_last_of(others);
}

double MemoryPath::store(const Access& access, std::span<const emulator::LineSectors> lines,
                         double now) {
    const double cycles = std::max(data_cycles(access), access.line_count + store_overhead_cycles);
    const double done = data_.serve(now, cycles);
    if (lines.empty()) return done;  // nothing that leaves the L1
    const double sent =
        requests_.store(access, lines, done,
                        partly_written_.completed_by(access, lines, requests_.merges(lines, done)));
    note_stored(lines, sent);
    if (machine_.stores_allocate_in_l1) l1_.sectors.fill(lines);
    return done;
}

void MemoryPath::note_stored(std::span<const emulator::LineSectors> lines, double sent) {
    acknowledged_ = std::max(acknowledged_, sent + machine_.l2_cycles + writeback_delay_);
    if (facts_.dram_bytes_per_written_sector <= 0) return;
    for (const emulator::LineSectors line : lines) {
        if (is_local(line.line())) continue;
        evict(line.count() * facts_.dram_bytes_per_written_sector, sent);
    }
}

// What comes into the L2 takes the place of what was there, of which a part has to be written to DRAM.
void MemoryPath::evict(double bytes, double now) {
    if (!machine_.switches.writes_back) return;
    evictions_.add(bytes * facts_.dram_dirty_share);
    while (const auto line = evictions_.next())
        dram_.write(line->line, line->bytes, facts_.share_of_rows_written, now);
}

double MemoryPath::update(const Access& access, std::span<const emulator::LineSectors> lines,
                          double now) {
    const double cycles = std::max({1.0, access.bytes / machine_.l1_bytes_per_cycle,
                                    access.line_count / machine_.l1_tags_per_cycle});
    const double left = data_.serve(now, cycles);
    const double done = atomics_.serve(access, lines, left) + machine_.l2_cycles;
    acknowledged_ = std::max(acknowledged_, done);
    return done;
}

double MemoryPath::Cache::arrival_in_flight(std::span<const emulator::LineSectors> lines) const {
    double latest = 0;
    if (in_flight.empty()) return latest;
    for (const emulator::LineSectors line : lines) {
        const auto found = in_flight.find(line.line());
        if (found != in_flight.end()) latest = std::max(latest, found->second);
    }
    return latest;
}

void MemoryPath::Cache::note_in_flight(std::span<const emulator::LineSectors> lines, double arrival,
                                       double now) {
    if (in_flight.size() > max_lines_in_flight) {
        std::erase_if(in_flight, [now](const auto& line) { return line.second <= now; });
    }
    for (const emulator::LineSectors line : lines) {
        double& latest = in_flight[line.line()];
        latest = std::max(latest, arrival);
    }
}

}  // namespace timing

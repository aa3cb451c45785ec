// An SM's way to memory: the data path of its L1 and shared memory, the L1, and its fair share of L2 and
// DRAM, which all SMs that have work are taken to use alike. Each is a server with a queue: a request waits
// until those before it are through.
#pragma once

#include <algorithm>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/models/memory/l1_cache.hpp"
#include "timing/machine/machine.hpp"
#include "timing/machine/server.hpp"
#include "timing/machine/trace.hpp"
#include "timing/memory/constant_cache.hpp"
#include "timing/memory/data_path.hpp"
#include "timing/memory/dram.hpp"
#include "timing/memory/evictions.hpp"
#include "timing/memory/l2_atomics.hpp"
#include "timing/memory/l2_requests.hpp"
#include "timing/memory/partly_written.hpp"

namespace timing {

class MemoryPath {
  public:
    MemoryPath(const Machine& machine, const LaunchTrace& trace, const LaunchFacts& facts,
               double active_sms, std::uint64_t draw = 0);

    // The earliest cycle at which the data path takes another access to shared memory; or, to other memory, that, the
    // tags of the L1 and the constant cache. One request waits in front of the data path and the tags.
    double accepts(Space space) const {
        const double data = data_.free() - 1;
        if (space == Space::shared) return data;
        return std::max({data, tags_.free() - 1, atomics_.accepts(), constants_.free()});
    }
    // Whether it is a store that merges with the one that waits to leave.
    bool merges(const Access& access, std::span<const emulator::LineSectors> lines,
                double now) const {
        return access.kind == Access::Kind::store && !lines.empty() && requests_.merges(lines, now);
    }
    // An access that is issued at `now`, by a block of the first wave or a later one; returns when its
    // result can be used.
    double serve(const Access& access, std::span<const emulator::LineSectors> lines, double now,
                 bool is_in_first_wave = true);
    // A copy by the copy engine; returns when its data are there, or when what it stores has been read.
    double copy(const Access& access, std::span<const emulator::LineSectors> lines, double now);
    // When everything that was written has arrived.
    double last_write_ack() const { return std::max({l2_.free(), acknowledged_, dram_.free()}); }
    // That a launch takes longer after that, if it used global memory.
    double launch_tail_cycles() const;

    const DataPath& data() const { return data_; }
    const Server& l2() const { return l2_; }
    const L2Requests& requests() const { return requests_; }
    const L2Atomics& atomics() const { return atomics_; }
    const Dram& dram() const { return dram_; }
    double shared_busy() const { return shared_busy_; }

  private:
    struct Cache {
        emulator::SectoredCache sectors;
        std::unordered_map<emulator::Address, double> in_flight;  // by line: its latest arrival

        double arrival_in_flight(std::span<const emulator::LineSectors> lines) const;
        void note_in_flight(std::span<const emulator::LineSectors> lines, double arrival,
                            double now);
    };

    double serve_shared(const Access& access, double now);
    double load(const Access& access, std::span<const emulator::LineSectors> lines, double now);
    double fetch(std::span<const emulator::LineSectors> lines, double now);
    double wait_of(emulator::Address line, double mean, double now) const;
    double arrival_of(std::span<const emulator::LineSectors> lines, double begin, double arrival,
                      double mean_wait);
    double read_from_dram(emulator::LineSectors line, bool waits, double begin);
    bool waits_for_dram(emulator::LineSectors line);
    double fill_cycles(std::span<const emulator::LineSectors> lines) const;
    double cycles_to_last_sm(double read_bytes) const;
    double store(const Access& access, std::span<const emulator::LineSectors> lines, double now);
    void note_stored(std::span<const emulator::LineSectors> lines, double sent);
    void evict(double bytes, double now);
    double update(const Access& access, std::span<const emulator::LineSectors> lines, double now);
    double data_cycles(const Access& access) const;

    const Machine& machine_;
    const LaunchFacts& facts_;
    double active_sms_;
    Cache l1_, read_only_cache_;
    ConstantCache constants_;
    std::unordered_map<emulator::Address, double> in_l2_;  // by line: since when
    DataPath data_;
    Server tags_, l2_, bulk_loads_, bulk_stores_;
    L2Atomics atomics_;
    L2Requests requests_;
    PartlyWritten partly_written_;
    Dram dram_;
    bool is_in_first_wave_ = true;
    Evictions evictions_;
    std::unordered_map<emulator::Address, unsigned>
        sectors_asked_;                     // by line, where some come from DRAM
    double blocks_per_recorded_block_ = 1;  // of the SM, for each recorded one
    std::uint64_t draw_;
    double writeback_delay_;
    double acknowledged_ = 0;  // when the L2 has answered the last store
    bool is_used_ = false;
    double shared_busy_ = 0;
    double dram_requests_due_ = 0, dram_bytes_due_ = 0;
};

}  // namespace timing

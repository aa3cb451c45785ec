// An SM's way to memory: the data path of its L1 and shared memory, the L1, and its fair share of L2 and
// DRAM, which all SMs that have work are taken to use alike. Each is a server with a queue: a request waits
// until those before it are through.
#pragma once

#include <algorithm>
#include <span>
#include <unordered_map>

#include "emulator/models/sectored_cache.hpp"
#include "timing/machine.hpp"
#include "timing/trace.hpp"

namespace timing {

// Serves one request after another.
class Server {
  public:
    // Returns when the service begins.
    double serve(double now, double duration) {
        const double begin = std::max(now, free_);
        free_ = begin + duration;
        busy_ += duration;
        return begin;
    }
    double free() const { return free_; }
    double busy() const { return busy_; }

  private:
    double free_ = 0, busy_ = 0;
};

class MemoryPath {
  public:
    MemoryPath(const Machine& machine, const LaunchFacts& facts, double active_sms);

    // The earliest cycle at which the data path takes another instruction.
    double accepts() const { return data_.free() - machine_.memory_queue_cycles; }
    // An access that is issued at `now`; returns when its result can be used.
    double serve(const Access& access, std::span<const emulator::LineSectors> lines, double now);
    // When everything that was written has arrived.
    double drained() const { return std::max({l2_.free(), stores_.free(), dram_.free()}); }

    const Server& data() const { return data_; }
    const Server& l2() const { return l2_; }
    const Server& stores() const { return stores_; }
    const Server& atomics() const { return atomics_; }
    const Server& dram() const { return dram_; }
    double shared_busy() const { return shared_busy_; }

  private:
    double serve_shared(const Access& access, double now);
    double load(const Access& access, std::span<const emulator::LineSectors> lines, double now);
    double fetch(std::span<const emulator::LineSectors> lines, double now);
    double looked_up_page(emulator::Address address, double now);
    double store(const Access& access, std::span<const emulator::LineSectors> lines, double now);
    double update(const Access& access, double now);
    double data_cycles(const Access& access) const;
    double arrival_in_flight(std::span<const emulator::LineSectors> lines) const;
    void note_in_flight(std::span<const emulator::LineSectors> lines, double arrival, double now);

    const Machine& machine_;
    const LaunchFacts& facts_;
    double active_sms_;
    emulator::SectoredCache l1_;
    std::unordered_map<emulator::Address, double> in_flight_;  // by line: its latest arrival
    std::unordered_map<emulator::Address, double> pages_;      // when their addresses are known
    double pages_known_ = 0;  // from then on other SMs have looked them up
    Server data_, l2_, stores_, atomics_, dram_;
    double shared_busy_ = 0;
    double dram_requests_due_ = 0;
};

}  // namespace timing

// Atomic operations on global memory, which slices of the L2 perform: all together so many sectors a cycle, and of one line
// one after another, those of all SMs. Measured on an H200: data/timing/atomics.csv.
#pragma once

#include <span>
#include <unordered_map>

#include "timing/machine/machine.hpp"
#include "timing/machine/server.hpp"
#include "timing/machine/trace.hpp"

namespace timing {

class L2Atomics {
  public:
    L2Atomics(const Machine& machine, const LaunchFacts& facts, double active_sms)
        : machine_(machine), facts_(facts), active_sms_(active_sms) {}

    // When a request has been served that leaves the SM at `now`.
    double serve(const Access& access, std::span<const emulator::LineSectors> lines, double now);
    // When the SM can send another one: it does not run further ahead of the L2 than stores do.
    double accepts() const { return accepts_; }
    double busy() const { return all_.busy(); }

  private:
    double cycles_of(const Access& access) const;

    const Machine& machine_;
    const LaunchFacts& facts_;
    double active_sms_;
    Server all_;
    std::unordered_map<emulator::Address, Server> lines_;
    double accepts_ = 0;
};

}  // namespace timing

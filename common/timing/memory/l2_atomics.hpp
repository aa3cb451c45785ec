// Atomic operations on global memory, which slices of the L2 perform: of all lines so many sectors a cycle, and what one
// slice has to do one after another, for all SMs. Measured on an H200: data/timing/atomics.csv.
#pragma once

#include <span>
#include <unordered_map>

#include "timing/machine/machine.hpp"
#include "timing/machine/server.hpp"
#include "timing/machine/trace.hpp"

namespace timing {

class L2Atomics {
  public:
    L2Atomics(const Machine& machine, const LaunchTrace& trace, const LaunchFacts& facts,
              double active_sms);

    // When a request has been served that leaves the L1 at `now`.
    double serve(const Access& access, std::span<const emulator::LineSectors> lines, double now);
    // When the SM can send another one: it runs no further ahead of the L2 than with stores.
    double accepts() const { return accepts_; }
    double busy() const { return busy_; }

  private:
    double slice_cycles(const Access& access, double lines) const;
    double serve_line(const Access& access, emulator::Address line, double cycles, double now);

    const Machine& machine_;
    const LaunchFacts& facts_;
    double active_sms_;
    double resident_threads_ = 0;  // of an SM
    Server port_, all_;
    std::unordered_map<emulator::Address, Server> slices_;   // or lines, where slices are not known
    std::unordered_map<emulator::Address, Server> swapped_;  // lines
    double accepts_ = 0, busy_ = 0;
};

}  // namespace timing

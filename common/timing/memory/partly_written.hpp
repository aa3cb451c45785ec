// Sectors that the warps of a block write together. They store at different times, and in between the L2 gives some of
// these sectors up, for what other blocks store: it has to read them again to go on writing them. Measured on an H200:
// data/timing/completed_sectors.csv.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "timing/machine/machine.hpp"
#include "timing/machine/trace.hpp"

namespace timing {

class PartlyWritten {
  public:
    PartlyWritten(const Machine& machine, const LaunchTrace& trace, const LaunchFacts& facts,
                  double active_sms);

    // Notes a store; `is_merged`: it leaves the SM together with the one before it. Returns how many of its sectors the L2 is
    // expected to read again.
    double completed_by(const Access& access, std::span<const emulator::LineSectors> lines,
                        bool is_merged);

  private:
    // By store that leaves sectors incomplete: of each, the probability that the L2 has given it up when another store has
    // written it before.
    std::unordered_map<const Access*, std::vector<double>> given_up_;
    std::unordered_map<emulator::Address, double> written_;  // bytes of sectors that are incomplete
};

}  // namespace timing

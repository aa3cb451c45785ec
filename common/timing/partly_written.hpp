// Sectors that the warps of a block write together. They store at different times, and in between the L2 gives some of
// these sectors up, for what other blocks store: it has to read them again to go on writing them. Measured on an H200:
// data/timing/completed_sectors.csv.
#pragma once

#include <unordered_map>

#include "timing/machine.hpp"
#include "timing/trace.hpp"

namespace timing {

class PartlyWritten {
  public:
    PartlyWritten(const Machine& machine, const LaunchTrace& trace, const LaunchFacts& facts,
                  double active_sms);

    // How many sectors of a store the L2 is expected to read again.
    double completed_by(const Access& access) const {
        const auto found = completed_.find(&access);
        return found == completed_.end() ? 0 : found->second;
    }

  private:
    std::unordered_map<const Access*, double> completed_;
};

}  // namespace timing

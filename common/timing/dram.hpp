// DRAM as one SM sees it: its fair share of the bandwidth, banks that requests queue at by chance, and
// latencies that differ from place to place.
#pragma once

#include <vector>

#include "emulator/models/coalescing.hpp"
#include "timing/machine.hpp"
#include "timing/server.hpp"

namespace timing {

class Dram {
  public:
    Dram(const Machine& machine, double active_sms);

    // Moves bytes of a line; returns when its bank begins.
    double serve(emulator::Address line, double bytes, double now);
    // From issue to use of data of this place, when nothing else is in flight.
    double cycles(emulator::Address line) const;

    double free() const { return share_.free(); }
    double busy() const { return share_.busy(); }

  private:
    const Machine& machine_;
    double cycles_per_byte_;
    Server share_;
    std::vector<Server> banks_;
};

}  // namespace timing

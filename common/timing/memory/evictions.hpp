// What leaves the L2 for DRAM while other data come in: lines that launches before have written, which are taken to be
// like those that this one writes.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "timing/machine/trace.hpp"

namespace timing {

class Evictions {
  public:
    explicit Evictions(const LaunchTrace& trace);

    struct Line {
        emulator::Address line = 0;
        double bytes = 0;
    };
    // So many bytes more have to leave.
    void add(double bytes) { due_ += bytes; }
    // The next line of those that are due.
    std::optional<Line> next();

  private:
    std::vector<Line> lines_;  // in the order in which they were written first
    std::size_t next_ = 0;
    double due_ = 0;
};

}  // namespace timing

// The constant cache of an SM, which keeps the lines of 64 bytes that were used last.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/models/memory/coalescing.hpp"
#include "timing/machine/machine.hpp"
#include "timing/machine/server.hpp"
#include "timing/machine/trace.hpp"

namespace timing {

class ConstantCache {
  public:
    explicit ConstantCache(const Machine& machine);

    // A load that is issued at `now`; returns when its result can be used. It reads one address at a time.
    double read(const Access& access, std::span<const emulator::LineSectors> lines, double now);
    // The same of a parameter, which is always there.
    double read_parameter(double now);
    // The earliest cycle at which it takes another load.
    double free() const { return passes_.free(); }

  private:
    struct Line {
        emulator::Address number = ~emulator::Address{0};  // of none
        double arrival = 0;
        std::uint64_t used = 0;
    };
    // Those that a load has to wait for.
    struct Missed {
        double lines = 0, arrival = 0;
    };

    Missed look_up(std::span<const emulator::LineSectors> lines, double now);
    void look_up(emulator::Address number, double now, Missed& missed);

    const Machine& machine_;
    std::vector<Line> lines_;
    std::uint64_t uses_ = 0;
    Server passes_, fills_;
};

}  // namespace timing

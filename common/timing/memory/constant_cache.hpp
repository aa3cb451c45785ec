// The constant cache of an SM: it reads one address at a time.
#pragma once

#include "timing/machine/machine.hpp"
#include "timing/machine/server.hpp"
#include "timing/machine/trace.hpp"

namespace timing {

class ConstantCache {
  public:
    explicit ConstantCache(const Machine& machine) : machine_(machine) {}

    // A load that is issued at `now`; returns when its result can be used.
    double read(const Access& access, double now);
    // The earliest cycle at which it takes another load.
    double free() const { return passes_.free(); }

  private:
    const Machine& machine_;
    Server passes_;
};

}  // namespace timing

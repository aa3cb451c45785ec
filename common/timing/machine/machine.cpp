#include "timing/machine/machine.hpp"

#include <algorithm>
#include <cmath>

namespace timing {
namespace {

constexpr double warp_lanes = 32;

}  // namespace

double Machine::unit_cycles(Unit unit) const {
    switch (unit) {
        case Unit::fp32:
            return warp_lanes / fp32_lanes;
        case Unit::integer:
            return warp_lanes / integer_lanes;
        case Unit::fp64:
            return warp_lanes / fp64_lanes;
        case Unit::sfu:
            return warp_lanes / sfu_lanes;
        case Unit::memory:
            return warp_lanes / memory_lanes;
        case Unit::tensor:  // as its instructions say
        case Unit::none:
            break;
    }
    return 0;
}

double Machine::writeback_delay(double missing_bytes) const {
    const double most = l2_writeback_share * l2_bytes;
    return most > 0 ? l2_writeback_cycles * std::min(1.0, missing_bytes / most) : 0;
}

double Machine::cycles_to_last_of(double count) const {
    return dram_spread_cycles * std::log(count);
}

double Machine::latency_of(Unit unit) const {
    switch (unit) {
        case Unit::fp64:
            return fp64_cycles;
        case Unit::sfu:
            return sfu_cycles;
        default:
            return alu_cycles;
    }
}

}  // namespace timing

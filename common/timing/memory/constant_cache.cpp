#include "timing/memory/constant_cache.hpp"

#include <algorithm>

namespace timing {

// A warp waits longer for the next one of several addresses than that keeps the cache busy.
double ConstantCache::read(const Access& access, double now) {
    const double addresses = std::max<double>(1, access.wavefronts);
    const double begin = passes_.serve(now, machine_.constant_pass_cycles * addresses);
    return begin + machine_.constant_cycles + (addresses - 1) * machine_.constant_next_cycles;
}

}  // namespace timing

#include "lab/measure/steady_batches.hpp"

#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

namespace lab {
namespace {

// The pause in which a throttled device cools down.
constexpr std::chrono::milliseconds recovery{20};

}  // namespace

SteadyBatch SteadyBatches::next(const std::function<Batch()>& time) {
    for (int discarded = 0;; ++discarded) {
        const Batch batch = time();
        const bool drifting = drifts_to(batch.clocks.sm_clock_mhz);
        const bool throttled = batch.clocks.throttled.value_or(false);
        const bool steady = !drifting && !throttled;
        if (steady || discarded == max_discarded) return {batch, discarded, drifting};
        if (throttled) std::this_thread::sleep_for(recovery);
    }
}

// A clock that changed for good drifts once: the next batch is compared with the new one.
bool SteadyBatches::drifts_to(double clock_mhz) {
    if (clock_mhz == 0) return false;
    const double before = std::exchange(last_mhz_, clock_mhz);
    return before != 0 && std::abs(clock_mhz - before) > max_drift * before;
}

}  // namespace lab

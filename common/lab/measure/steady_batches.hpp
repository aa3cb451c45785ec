// Which batches count: those that ran at a clock that holds still.
#pragma once

#include <functional>

#include "lab/measure/timed_batch.hpp"

namespace lab {

// A batch drifts when its clock differs by more than this share from that of the batch before it.
constexpr double max_drift = 0.01;
constexpr int max_discarded = 3;  // in a row; the next one is kept, and says what is wrong with it

struct SteadyBatch {
    Batch batch;
    int discarded = 0;
    bool drifting = false;
};

// The batches of one row, which do the same work: other work may have another clock.
class SteadyBatches {
  public:
    // Calls `time` until a batch was neither throttled nor drifting, or max_discarded were.
    SteadyBatch next(const std::function<Batch()>& time);

  private:
    bool drifts_to(double clock_mhz);

    double last_mhz_ = 0;  // 0: not known yet
};

}  // namespace lab

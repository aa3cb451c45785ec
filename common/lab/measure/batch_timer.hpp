// The time of a batch of launches on a GPU, and the SM clock while it ran.
#pragma once

#include <functional>
#include <vector>

#include "lab/device/cuda_check.hpp"

namespace lab {

class BatchTimer {
  public:
    // Loads its own kernels: loading one behind a queue that is held would wait for that queue.
    BatchTimer();
    ~BatchTimer();
    BatchTimer(const BatchTimer&) = delete;
    BatchTimer& operator=(const BatchTimer&) = delete;

    struct Result {
        double seconds = 0;       // between an event before the first launch and one after the last
        double sm_clock_mhz = 0;  // 0: the batch was too short to tell
    };
    // Calls `launch` with 0 to launches - 1. The device runs nothing until the first `held` of them wait
    // in its queue. Throws CudaError where they never do, because one of them waits for the device.
    Result time(const std::function<void(int index)>& launch, int launches, int held);

    struct Stamp;  // when and at which cycle an SM was at one end of the batch
    struct Shared;

  private:
    double sm_clock_mhz() const;

    Shared* host_ = nullptr;    // memory of the host that the device
    Shared* device_ = nullptr;  // sees here
    unsigned sm_count_ = 0;
    cudaEvent_t begin_{}, end_{};
};

}  // namespace lab

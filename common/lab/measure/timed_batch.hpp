// A batch of launches on a GPU, timed as one.
#pragma once

#include <functional>

#include "lab/device/backend.hpp"

namespace lab {

// Launches that were timed together.
struct Batch {
    double seconds = 0;  // of all of them
    ClockSample clocks;
};

namespace backend {

// Times what `launch` launches when it is called with 0 to launches - 1. The first `held` of them wait in
// the device's queue until the last of these has been made. Throws CudaError where one of them waits
// for the device. Never called on an emulated device.
Batch timed_batch(const std::function<void(int index)>& launch, int launches, int held);

}  // namespace backend
}  // namespace lab

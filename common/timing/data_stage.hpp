// The banks of the L1 and the shared memory: requests pass through them when their data are there, whichever
// was asked for first.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace timing {

class DataStage {
  public:
    // Passes of a request whose data are there at `at`; returns when the last one is through. Nothing is asked
    // for before `now` any more.
    double serve(double now, double at, double cycles) {
        forget(now);
        busy_ += cycles;
        double left = cycles, end = at;
        for (std::size_t i = index(at);; ++i) {
            if (i >= used_.size()) used_.resize(i + 1);
            const double begin = static_cast<double>(first_ + i) * slice_cycles;
            const double room =
                std::min(slice_cycles - used_[i], begin + slice_cycles - std::max(begin, at));
            const double taken = std::clamp(room, 0.0, left);
            used_[i] += taken;
            left -= taken;
            if (taken > 0) end = begin + used_[i];
            if (left <= 0) return std::max(end, at + cycles);
        }
    }
    double busy() const { return busy_; }

  private:
    static constexpr double slice_cycles = 16;

    std::size_t index(double at) const {
        const auto slice = static_cast<std::size_t>(std::floor(std::max(0.0, at) / slice_cycles));
        return std::max(slice, first_) - first_;
    }
    void forget(double now) {
        const std::size_t past = index(now);
        if (past == 0) return;
        used_.erase(used_.begin(),
                    used_.begin() + static_cast<std::ptrdiff_t>(std::min(past, used_.size())));
        first_ += past;
    }

    std::size_t first_ = 0;    // slice of used_[0]
    std::deque<double> used_;  // cycles of each slice
    double busy_ = 0;
};

}  // namespace timing

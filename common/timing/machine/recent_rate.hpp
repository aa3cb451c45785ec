// A sum over the time just past, in which what was long ago counts less (exponentially).
#pragma once

#include <cmath>

namespace timing {

class RecentRate {
  public:
    explicit RecentRate(double period) : period_(period) {}

    void add(double amount, double now) {
        if (now > noted_) {
            sum_ *= std::exp((noted_ - now) / period_);
            noted_ = now;
        }
        sum_ += amount;
    }
    // In a unit of time, as of the last amount.
    double rate() const { return sum_ / period_; }

  private:
    double period_, sum_ = 0, noted_ = 0;
};

}  // namespace timing

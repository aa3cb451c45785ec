// Serves one request after another.
#pragma once

#include <algorithm>

namespace timing {

class Server {
  public:
    // Returns when the service begins.
    double serve(double now, double duration) {
        const double begin = std::max(now, free_);
        free_ = begin + duration;
        busy_ += duration;
        return begin;
    }
    // Serves nothing before.
    void wait_until(double time) { free_ = std::max(free_, time); }
    double free() const { return free_; }
    double busy() const { return busy_; }

  private:
    double free_ = 0, busy_ = 0;
};

}  // namespace timing

// The data path of an SM's L1 and shared memory: serves requests in the order in which they come, and takes time for data
// that will come back later, at known times.
#pragma once

#include <vector>

namespace timing {

class DataPath {
  public:
    // `serves_fills`: data that come back take time, too.
    explicit DataPath(bool serves_fills = true) : serves_fills_(serves_fills) {}

    // Serves a request, in turns with data that come back meanwhile; returns when it is through. When those are through is
    // known already: what comes later waits instead.
    double serve(double now, double duration);
    // For data that come back at `at`; returns when they are through.
    double serve_later(double at, double duration);

    double free() const { return free_; }
    double busy() const { return busy_; }

  private:
    struct Interval {
        double begin, end;
    };

    // Those that now overlap wait.
    void absorb_next(std::vector<Interval>::iterator place);

    bool serves_fills_;
    double free_ = 0, busy_ = 0;
    std::vector<Interval> later_;  // ascending, with gaps between them
    std::size_t first_ = 0;        // of these, that has not passed
};

}  // namespace timing

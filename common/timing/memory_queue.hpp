// Memory instructions that schedulers have issued and the memory unit has not served yet. A warp goes on behind such an
// instruction until it needs the result. They wait in a short line of each scheduler, and then in one of the SM. Measured on
// an H200: how many wait (data/timing/waiting.csv), in which order they are served (data/timing/stored_columns.csv).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "timing/machine.hpp"
#include "timing/trace.hpp"

namespace timing {

class MemoryQueue {
  public:
    struct Entry {
        double since = 0;  // when it was issued
        std::uint32_t warp = 0, scheduler = 0;
        const Instruction* instruction = nullptr;
        const Access* access = nullptr;  // none of a shuffle
    };

    explicit MemoryQueue(const Machine& machine);

    // Whether a scheduler can issue another one.
    bool has_room(std::uint32_t scheduler) const;
    void push(const Entry& entry);
    bool empty() const { return line_.empty(); }
    // When the first in line was issued.
    double since() const { return line_.front().since; }
    // Takes the next instruction of the warp that was served last, if it `merges` with that, else the first in line.
    Entry take(const std::function<bool(const Entry&)>& merges);

  private:
    using Line = std::deque<Entry>;

    void fill_line();
    Line* next_line();

    std::vector<Line> schedulers_;
    Line line_;  // of the SM
    double scheduler_length_, length_;
    std::size_t from_ = 0;  // whose instruction joined the SM's line last
    Entry served_;
};

}  // namespace timing

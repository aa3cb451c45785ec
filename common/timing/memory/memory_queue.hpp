// Memory instructions that schedulers have issued and the memory unit has not served yet. A warp goes on behind such an
// instruction until it needs the result. They wait in a short line of each scheduler, whose first ones go on in turns into
// two lines of the SM: those to global memory into one, others past them into one that is taken to be as
// long. Measured on an H200 and an H100: how many wait
// (data/timing/waiting.csv), in which order they go on (data/timing/turns.csv).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "timing/machine/machine.hpp"
#include "timing/machine/trace.hpp"

namespace timing {

class MemoryQueue {
  public:
    struct Entry {
        double since = 0;  // when it was issued
        std::uint32_t warp = 0, scheduler = 0;
        std::uint64_t age = 0;  // of the warp: others take its place when it has ended
        const Instruction* instruction = nullptr;
        const Access* access = nullptr;  // none of a shuffle, and where a thread's index is read
        bool is_in_first_wave = true;    // its block
        bool is_shared() const { return access == nullptr || access->space == Space::shared; }
        // Whether it goes past what waits for the L1.
        bool passes() const {
            return is_shared() || access->space == Space::constant ||
                   access->kind == Access::Kind::none;
        }
    };

    explicit MemoryQueue(const Machine& machine);

    // Whether a scheduler can issue another one.
    bool has_room(std::uint32_t scheduler) const;
    void push(const Entry& entry);
    // When what an entry needs takes it.
    using Accepts = std::function<double(const Entry&)>;
    // When the next one can be served.
    double next(const Accepts& accepts) const;
    // Takes what can be served at `now`, which is not before next(): of the warp whose access was served last the
    // next one, if it `merges` with that,
    // else the one that came first.
    Entry take(double now, const Accepts& accepts, const std::function<bool(const Entry&)>& merges);
    // The warps whose instructions have gone on since this was asked.
    std::vector<std::uint32_t> last_dequeue_time() { return std::exchange(gone_on_, {}); }

  private:
    using Line = std::deque<Entry>;

    // Lets first ones of schedulers go on, as far as there is room.
    void go_on();
    bool has_room_for(const Entry& entry) const;
    Line& line_of(const Entry& entry) { return entry.passes() ? passing_ : accesses_; }
    Entry take_from(Line& line, Line::iterator place);

    std::vector<Line> schedulers_;
    Line accesses_, passing_;  // of the SM
    double scheduler_length_, length_;
    std::vector<std::uint32_t> gone_on_;
    std::size_t turn_ = 0;         // of the scheduler whose instruction may go on next
    std::optional<Entry> served_;  // of those that do not pass, the last one
};

}  // namespace timing

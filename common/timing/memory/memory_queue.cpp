#include "timing/memory/memory_queue.hpp"

#include <algorithm>
#include <limits>

namespace timing {

MemoryQueue::MemoryQueue(const Machine& machine)
    : schedulers_(machine.schedulers),
      scheduler_length_(std::max(1.0, machine.lsu_queue_per_scheduler)),
      length_(std::max(1.0, machine.lsu_queue_per_sm)) {}

bool MemoryQueue::has_room(std::uint32_t scheduler) const {
    return static_cast<double>(schedulers_[scheduler].size()) < scheduler_length_;
}

void MemoryQueue::push(const Entry& entry) {
    schedulers_[entry.scheduler].push_back(entry);
    go_on();
}

double MemoryQueue::next(const Accepts& accepts) const {
    double when = std::numeric_limits<double>::infinity();
    for (const Line* line : {&accesses_, &passing_}) {
        if (line->empty()) continue;
        when = std::min(when, std::max(line->front().since, accepts(line->front())));
    }
    return when;
}

MemoryQueue::Entry MemoryQueue::take(double now, const Accepts& accepts,
                                     const std::function<bool(const Entry&)>& merges) {
    const auto is_ready = [&](const Line& line) {
        return !line.empty() && accepts(line.front()) <= now;
    };
    if (is_ready(accesses_) && served_) {
        const auto is_of_warp = [&](const Entry& each) { return each.age == served_->age; };
        for (Line* line : {&accesses_, &schedulers_[served_->scheduler]}) {
            const auto next = std::ranges::find_if(*line, is_of_warp);
            if (next == line->end()) continue;
            if (!merges(*next)) break;
            if (line != &accesses_) gone_on_.push_back(next->warp);
            return take_from(*line, next);
        }
    }
    const bool passes = is_ready(passing_) &&
                        (!is_ready(accesses_) || passing_.front().since < accesses_.front().since);
    Line& first = passes ? passing_ : accesses_;
    return take_from(first, first.begin());
}

MemoryQueue::Entry MemoryQueue::take_from(Line& line, Line::iterator place) {
    const Entry entry = *place;
    if (!entry.passes()) served_ = entry;
    line.erase(place);
    go_on();
    return entry;
}

bool MemoryQueue::has_room_for(const Entry& entry) const {
    return static_cast<double>((entry.passes() ? passing_ : accesses_).size()) < length_;
}

void MemoryQueue::go_on() {
    // Until the first ones of all schedulers have to wait.
    for (std::size_t waiting = 0; waiting < schedulers_.size();) {
        Line& from = schedulers_[turn_];
        turn_ = (turn_ + 1) % schedulers_.size();
        if (from.empty() || !has_room_for(from.front())) {
            ++waiting;
            continue;
        }
        gone_on_.push_back(from.front().warp);
        line_of(from.front()).push_back(from.front());
        from.pop_front();
        waiting = 0;
    }
}

}  // namespace timing

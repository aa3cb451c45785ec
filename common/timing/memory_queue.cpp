#include "timing/memory_queue.hpp"

#include <algorithm>

namespace timing {
MemoryQueue::MemoryQueue(const Machine& machine)
    : schedulers_(machine.schedulers),
      scheduler_length_(std::max(1.0, machine.waiting_of_scheduler)),
      length_(std::max(1.0, machine.waiting_of_sm)) {}

bool MemoryQueue::has_room(std::uint32_t scheduler) const {
    return static_cast<double>(schedulers_[scheduler].size()) < scheduler_length_;
}

void MemoryQueue::push(const Entry& entry) {
    schedulers_[entry.scheduler].push_back(entry);
    fill_line();
}

MemoryQueue::Entry MemoryQueue::take(const std::function<bool(const Entry&)>& merges) {
    const auto is_of_warp = [&](const Entry& each) { return each.warp == served_.warp; };
    Line* line = &line_;
    auto next = std::ranges::find_if(line_, is_of_warp);
    if (next == line_.end()) {
        line = &schedulers_[served_.scheduler];
        next = std::ranges::find_if(*line, is_of_warp);
    }
    if (next == line->end() || !merges(*next)) {
        line = &line_;
        next = line_.begin();
    }
    served_ = *next;
    line->erase(next);
    fill_line();
    return served_;
}

void MemoryQueue::fill_line() {
    while (static_cast<double>(line_.size()) < length_) {
        Line* const from = next_line();
        if (from == nullptr) return;
        line_.push_back(from->front());
        from->pop_front();
    }
}

// The scheduler whose instruction joined last, as long as it has something; else the one whose instruction waits longest.
MemoryQueue::Line* MemoryQueue::next_line() {
    if (!schedulers_[from_].empty()) return &schedulers_[from_];
    Line* first = nullptr;
    for (Line& each : schedulers_) {
        if (each.empty()) continue;
        if (first == nullptr || each.front().since < first->front().since) first = &each;
    }
    if (first != nullptr) from_ = static_cast<std::size_t>(first - schedulers_.data());
    return first;
}

}  // namespace timing

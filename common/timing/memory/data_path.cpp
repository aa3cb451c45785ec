#include "timing/memory/data_path.hpp"

#include <algorithm>

namespace timing {

double DataPath::serve(double now, double duration) {
    busy_ += duration;
    const double begin = std::max(now, free_);
    free_ = begin + duration;
    while (first_ < later_.size() && later_[first_].end <= begin) ++first_;
    if (first_ < later_.size() && later_[first_].begin < free_) {
        Interval& other = later_[first_];
        const double meets = std::max(begin, other.begin);
        const double rest = free_ - meets;
        free_ += std::min(rest, other.end - meets);
        other.end += rest;
        absorb_next(later_.begin() + static_cast<std::ptrdiff_t>(first_));
    }
    return free_;
}

double DataPath::serve_later(double at, double duration) {
    if (!serves_fills_) return at + duration;
    busy_ += duration;
    later_.erase(later_.begin(), later_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
    auto place = std::ranges::lower_bound(later_, at, {}, &Interval::end);
    if (at < free_ && (place == later_.end() || place->begin > at)) {
        at = free_;
        place = std::ranges::lower_bound(later_, at, {}, &Interval::end);
    }
    if (place == later_.end() || place->begin > at) {
        place = later_.insert(place, {at, at + duration});
    } else {
        place->end += duration;
    }
    const double end = place->end;
    absorb_next(place);
    return end;
}

void DataPath::absorb_next(std::vector<Interval>::iterator place) {
    auto next = place + 1;
    for (; next != later_.end() && next->begin <= place->end; ++next)
        place->end += next->end - next->begin;
    later_.erase(place + 1, next);
}

}  // namespace timing

#include "emulator/models/memory/l2_reuse.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <tuple>
#include <unordered_map>

namespace emulator {
namespace {

constexpr unsigned even_sectors = 0x5;

// Neighbouring lines and such at a stride are followed as rarely as any.
std::uint64_t hash_of(Address line) {
    std::uint64_t x = line / line_bytes + 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

// One bit for each granule with one of these sectors.
unsigned granules_of(unsigned sectors) { return (sectors | sectors >> 1) & even_sectors; }

class Fifo {
  public:
    Fifo(std::size_t places, std::size_t max_lines) : places_(places) { lines_.reserve(max_lines); }

    void write(LineSectors line) {
        Line& found = lines_[line.line()];
        make_room(line.line(), found);
        found.present |= line.sectors();
    }

    void read(LineSectors line, L2Reuse::Reread& reread) {
        Line& found = lines_[line.line()];
        if (const unsigned missing = line.sectors() & ~found.present; missing != 0) {
            const unsigned fetched = granules_of(missing);
            reread.granules += count(fetched & granules_of(found.was_read));
            reread.sectors += count(missing & found.was_read);
            make_room(line.line(), found);
            found.present |= fetched | fetched << 1;
        }
        found.was_read |= line.sectors();
    }

  private:
    struct Line {
        unsigned present = 0, was_read = 0;  // sectors
    };

    static unsigned count(unsigned bits) { return static_cast<unsigned>(std::popcount(bits)); }

    // A line that is there keeps its place.
    void make_room(Address address, const Line& line) {
        if (line.present != 0) return;
        if (order_.size() == places_) {
            lines_[order_.front()].present = 0;
            order_.pop_front();
        }
        order_.push_back(address);
    }

    std::size_t places_;
    std::unordered_map<Address, Line> lines_;
    std::deque<Address> order_;
};

}  // namespace

L2Reuse::L2Reuse(std::uint64_t resident_blocks, std::size_t max_notes)
    : resident_blocks_(resident_blocks), max_notes_(max_notes) {}

// A block that goes on after others had their turn (they wait for each other) counts from 0 again.
void L2Reuse::at_block(std::uint64_t block) {
    if (block != block_) request_ = 0;
    block_ = block;
}

bool L2Reuse::is_followed(Address line) const {
    return (hash_of(line) & ((std::uint64_t{1} << halvings_) - 1)) == 0;
}

void L2Reuse::follow_fewer() {
    ++halvings_;
    std::erase_if(notes_, [this](const Note& each) { return !is_followed(each.line.line()); });
}

void L2Reuse::note(std::span<const LineSectors> lines, bool is_write) {
    if (resident_blocks_ == 0) return;
    ++request_;
    for (const LineSectors line : lines) {
        if (halvings_ > 0 && !is_followed(line.line())) continue;
        notes_.push_back({block_ / resident_blocks_, request_,
                          static_cast<std::uint32_t>(block_ % resident_blocks_), line, is_write});
        while (notes_.size() > max_notes_) follow_fewer();
    }
}

void L2Reuse::merge(const L2Reuse& other) {
    while (halvings_ < other.halvings_) follow_fewer();
    std::ranges::copy_if(other.notes_, std::back_inserter(notes_),
                         [this](const Note& each) { return is_followed(each.line.line()); });
    while (notes_.size() > max_notes_) follow_fewer();
}

// Most launches stream: nothing is read again, and that is found out sooner than by way of the cache.
bool L2Reuse::touches_a_line_twice() const {
    std::vector<Address> lines;
    lines.reserve(notes_.size());
    for (const Note& each : notes_) lines.push_back(each.line.line());
    std::ranges::sort(lines);
    return std::ranges::adjacent_find(lines) != lines.end();
}

L2Reuse::Reread L2Reuse::reread(double kept_bytes) const {
    const double scale = std::ldexp(1, static_cast<int>(halvings_));
    const double places = std::max(1.0, kept_bytes / line_bytes / scale);
    Reread result;
    if (static_cast<double>(notes_.size()) <= places || !touches_a_line_twice()) return result;
    std::vector<Note> notes = notes_;
    std::ranges::stable_sort(notes, {}, [](const Note& each) {
        return std::tuple(each.wave, each.request, each.block);
    });
    Fifo l2(static_cast<std::size_t>(places), notes.size());
    for (const Note& each : notes) {
        if (each.is_write)
            l2.write(each.line);
        else
            l2.read(each.line, result);
    }
    return {result.granules << halvings_, result.sectors << halvings_};
}

}  // namespace emulator

// The reads from DRAM that a launch repeats because the L2 evicted the data in between. Random reads on an H200 hit as in a cache
// that evicts the oldest line, however often it was read since; a miss fetches the 64-byte granules that
// are asked for (data/timing/reuse.csv).
//
// Blocks that are resident together are taken to run abreast, a request each in turn. Of a launch that asks for much,
// some lines are followed, chosen by a hash of their addresses, in a cache that is smaller by the same factor (SHARDS,
// Waldspurger et al., FAST 2015).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/models/memory/coalescing.hpp"

namespace emulator {

class L2Reuse {
  public:
    static constexpr double granule_bytes = 64;
    static constexpr std::size_t usual_notes = std::size_t{1} << 18;

    // `resident_blocks`: of the whole GPU; 0 where it is not asked what is read again. Where there would be more
    // than `max_notes`, only some lines are followed.
    explicit L2Reuse(std::uint64_t resident_blocks, std::size_t max_notes = usual_notes);

    // Requests that follow are of this block.
    void at_block(std::uint64_t block);
    void read(std::span<const LineSectors> lines) { note(lines, false); }
    void write(std::span<const LineSectors> lines) { note(lines, true); }
    // In any order: what is followed depends on all notes together.
    void merge(const L2Reuse& other);

    // The granules that DRAM reads again, and the sectors in them that had been read before and are asked for now.
    struct Reread {
        std::uint64_t granules = 0, sectors = 0;
        bool operator==(const Reread&) const = default;
    };
    // In an L2 that keeps `kept_bytes`.
    Reread reread(double kept_bytes) const;

  private:
    struct Note {
        std::uint64_t wave = 0;                // of blocks, ...
        std::uint32_t request = 0, block = 0;  // ... of its block, in its wave
        LineSectors line;
        bool is_write = false;
    };
    void note(std::span<const LineSectors> lines, bool is_write);
    bool is_followed(Address line) const;
    bool touches_a_line_twice() const;
    void follow_fewer();

    std::uint64_t resident_blocks_;
    std::size_t max_notes_;
    unsigned halvings_ = 0;  // one line in 2^halvings is followed
    std::uint64_t block_ = 0;
    std::uint32_t request_ = 0;
    std::vector<Note> notes_;
};

}  // namespace emulator

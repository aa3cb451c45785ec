// A cache of 128-byte lines that are filled sector by sector, or whole: the L1 of one SM.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/models/memory/coalescing.hpp"
#include "emulator/models/memory/page_table.hpp"
#include "emulator/models/warp_request.hpp"

namespace emulator {

// Fully associative with least-recently-used replacement. What decides the hits of this notebook's
// kernels is capacity, not sets; and the hash by which the hardware picks its sets is not public.
//
// Each use of a line has a number, and a log has the lines by these numbers. A line notes its last use: an
// entry of the log whose line was used again later is void. The line to evict is that of the first entry
// that is not, and lines that were used last before it are not in the cache. So neither a hit nor a miss searches.
class SectoredCache {
  public:
    static constexpr std::uint32_t usual_uses = (1u << 28) - 1;

    // `whole_lines`: a miss fetches all four sectors (Fermi; Kepler where it caches at all).
    // A cache of 0 bytes never hits. Uses are numbered from the beginning again when there were `max_uses`.
    SectoredCache(std::size_t capacity_bytes, bool whole_lines,
                  std::uint32_t max_uses = usual_uses);

    struct Loaded {
        std::size_t hit_sectors = 0;           // of the sectors asked for
        std::size_t fetched_sectors = 0;       // what the misses bring, ...
        std::span<const LineSectors> fetched;  // ... line by line: valid until the next load
    };
    // A request for distinct lines. Misses are filled at once: requests in flight count as hits.
    Loaded load(std::span<const LineSectors> lines);
    // Makes sectors present, as a store does where stores allocate.
    void fill(std::span<const LineSectors> lines) { (void)load(lines); }
    void clear() {
        oldest_ = next_;
        lines_ = 0;
    }

  private:
    // The last use, and in the low bits the sectors that were present then.
    using Line = std::uint32_t;
    static constexpr unsigned sector_bits = sectors_per_line;
    static constexpr Line all_sectors = (1u << sector_bits) - 1;
    static constexpr std::size_t lines_in_page = 512;  // 64 KiB of device memory
    using Page = std::array<Line, lines_in_page>;
    static constexpr std::size_t lines_at_once = 64;  // a request has no more

    using Sectors = std::array<Line, lines_at_once>;

    Line* place_of(LineSectors line) {
        const Address number = line.line() / line_bytes;
        return &pages_[number / lines_in_page][number % lines_in_page];
    }
    void use(std::span<const LineSectors> lines, const Sectors& wanted, Sectors& present);
    Line use(LineSectors line);
    void use_one_by_one(const std::array<Line*, lines_at_once>& places, const Sectors& wanted,
                        Sectors& present, std::size_t count);
    Line** entry(std::uint32_t use) { return &log_[use & (log_.size() - 1)]; }
    std::uint32_t skip_lines(std::uint32_t oldest, std::size_t count);
    void make_room_in_log();
    void drop_void_entries();
    void number_again();

    std::size_t capacity_lines_;
    Line also_filled_;
    std::uint32_t max_uses_;
    PageTable<Page> pages_;
    std::vector<Line*> log_;  // a ring
    // Uses; a line whose last use was before the oldest one is not present.
    std::uint32_t oldest_ = 1, next_ = 1;
    std::size_t lines_ = 0;  // that are present
    std::vector<LineSectors> fetched_;
};

}  // namespace emulator

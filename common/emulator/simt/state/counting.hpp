// The cost of each memory instruction's requests. Requests mostly repeat the pattern of the one before:
// the lanes' addresses relative to the first one's. A known pattern is only counted, by where in its line
// the first address lies; what it costs is worked out once, at the launch's end.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "emulator/models/memory/access_counters.hpp"
#include "emulator/models/memory/coalescing.hpp"
#include "emulator/models/memory/load_policy.hpp"
#include "emulator/models/memory/partial_sectors.hpp"
#include "emulator/models/shared_banks.hpp"
#include "emulator/models/warp_request.hpp"
#include "emulator/simt/state/cost_model.hpp"

namespace emulator::simt {

using LaneOffsets =
    std::array<std::uint32_t, warp_size>;  // of inactive lanes: the first active one's

constexpr std::uint32_t bank_row_bytes = 256;  // at most: 32 banks of 8 bytes
static_assert(bank_row_bytes >= line_bytes);

enum class PatternKind : std::uint8_t { contiguous, uniform, other };

struct Pattern {
    alignas(64) LaneOffsets relative{};  // to the first active lane
    std::uint32_t mask = 0;
    PatternKind kind{};
    std::uint64_t hash = 0;
    // By the first address, modulo a line; of shared memory modulo what all banks deliver in a pass.
    std::array<std::uint64_t, bank_row_bytes> seen{};
    // (Where caches are modelled) its lines relative to the first address's.
    std::array<std::unique_ptr<LineList>, line_bytes> lines;
    // (Of stores) what is less than a sector, likewise.
    std::array<std::unique_ptr<std::vector<PartialSector>>, line_bytes> parts;
};

// The requests of one instruction to one space.
class RequestCounter {
  public:
    // The pattern of a request, which the caller counts in `seen`. Null for a pattern that has not been
    // seen lately: most of those never come again, and the caller adds what the request costs.
    Pattern* find(const LaneOffsets& offsets, std::uint32_t mask, std::uint32_t bytes) {
        const std::uint32_t first = offsets[static_cast<std::size_t>(std::countr_zero(mask))];
        std::uint32_t differences = mask ^ current_->mask;
        for (std::size_t lane = 0; lane < warp_size; ++lane) {
            differences |= (offsets[lane] - first) ^ current_->relative[lane];
        }
        return differences == 0 ? current_ : find_other(offsets, mask, bytes);
    }
    void add(const AccessCounters& cost) { sums_.add(cost); }
    // Adds up what was seen.
    AccessCounters total(const CostModel& model) const;
    std::uint64_t* l1_hits() { return &sums_.l1_hit_sectors; }

  private:
    static constexpr std::size_t recent_patterns = 64;
    static constexpr std::size_t max_patterns = 256;
    static Pattern nothing_;  // matches no request

    Pattern* find_other(const LaneOffsets& offsets, std::uint32_t mask, std::uint32_t bytes);

    Pattern* current_ = &nothing_;
    struct Known {
        std::array<std::uint64_t, recent_patterns> seen_once{};  // hashes
        std::array<Pattern*, recent_patterns> by_hash{};
        std::vector<std::unique_ptr<Pattern>> patterns;
    };
    std::unique_ptr<Known> known_;
    AccessCounters sums_;
};

// An instruction with operands for which the machine code calls a subroutine.
struct RareOperandsCount {
    std::uint64_t warps = 0;         // with such a lane
    std::uint64_t parted_warps = 0;  // and others

    bool operator==(const RareOperandsCount&) const = default;
};

// The accesses of one memory instruction in a launch.
struct SiteState {
    // The allocation, or 2 GiB of it (differences of offsets have 32 bits), that it accessed last:
    // `limit` is the last offset at which an access may begin, negative before the first one.
    Address low = 0;
    std::int64_t limit = -1;
    std::byte* storage = nullptr;  // where the emulator has what lies at `low`
    // The indices of array[index] that lie in it. Index `first_index` is `first_offset` bytes from `low`.
    Address array = 0;
    std::uint32_t first_index = 0, index_span = 0, first_offset = 0;
    bool has_indices = false;
    std::uint8_t others_expected = 0;  // accesses for which no pattern of whole warps is looked for
    // Requests of whole warps, once they were seen: known to `requests`.
    Pattern* contiguous = nullptr;
    Pattern* uniform = nullptr;
    void note(Pattern* pattern) {
        if (pattern->mask != 0xffffffffu) return;
        if (pattern->kind == PatternKind::contiguous) contiguous = pattern;
        if (pattern->kind == PatternKind::uniform) uniform = pattern;
    }
    std::uint64_t parted_tries =
        0;                    // of a loop in shared memory: some lanes left it, and others not
    RequestCounter requests;  // to the space of the instruction; of a generic one, to global memory
    // The counters of a generic address in other spaces.
    struct OtherSpaces {
        RequestCounter shared, local;
    };
    std::unique_ptr<OtherSpaces> others;
    OtherSpaces& other_spaces() {
        if (!others) others = std::make_unique<OtherSpaces>();
        return *others;
    }
};

}  // namespace emulator::simt

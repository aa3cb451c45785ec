// Checks that hardware does not make: reads of uninitialised shared memory, shared-memory accesses of two
// threads that no barrier orders, barriers that not all threads reach.
//
// Pure bookkeeping over (thread, offset, instruction): it knows neither kernels nor source lines.
// `Site` numbers the instructions of a kernel; who executes them turns findings into text.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "emulator/models/warp_request.hpp"

namespace emulator {

enum class HazardKind : std::uint8_t {
    uninitialised_read,
    read_after_write,  // of another thread's write, with no barrier between
    write_after_read,
    write_after_write,
    divergent_barrier,
};

using Site = std::uint32_t;
constexpr Site no_site = 0xffffffffu;

// A thread of the block, and how often its warp has synchronised (bar.warp.sync, shuffles, votes).
struct Accessor {
    std::uint16_t thread = 0;  // its number in the block
    std::uint32_t warp_epoch = 0;
};

struct Hazard {
    HazardKind kind{};
    std::uint16_t thread = 0, other_thread = 0;
    Site site = no_site;
    Site other_site = no_site;  // none: there is no other access, or the other thread has finished
    std::uint32_t shared_offset =
        0;  // of the access, bytes from the start of the block's shared memory
};

// What makes two findings the same hazard: kind and places, whichever threads met there. A race between
// a read and a write is one, from whichever side it was seen.
using HazardIdentity = std::tuple<HazardKind, Site, Site>;
HazardIdentity identity(const Hazard& hazard);

// The shared memory of one block, from its first instruction to its last.
class SharedMemoryHazards {
  public:
    // 80 bytes for each 4-byte word of the block's shared memory; reused from block to block.
    void begin_block(std::size_t shared_bytes);

    void access(Accessor who, std::uint32_t offset, std::uint32_t bytes, AccessKind kind,
                Site site);
    // All threads of the block, or some of them in a way that orders their accesses (named barrier,
    // mbarrier), have synchronised. Accesses before and after are ordered: a race between threads that did not
    // take part can go unseen, none is made up.
    void synchronise();
    // `waiting` waits at the barrier `site`; `other` waits elsewhere or has finished (no_site).
    void divergent_barrier(Accessor waiting, Site site, std::uint16_t other, Site other_site);
    void end_block() { synchronise(); }

    // All since the last call; each pair of places once, however many threads met there.
    std::vector<Hazard> take_findings();

  private:
    struct Access {
        std::uint32_t epoch = 0;  // 0: none
        std::uint32_t warp_epoch = 0;
        std::uint16_t thread = 0;
        std::uint8_t byte_mask = 0;  // which of the word's bytes
        bool atomic = false;
        Site site = no_site;
    };
    // Of bytes that different threads write into one word only the last write is known: a race on
    // single bytes can go unseen, never be made up.
    struct Word {
        std::uint8_t written_bytes = 0;
        Access write, read, other_read;  // other_read: by another thread than `read`
    };
    static bool unordered(const Access& before, const Access& now);
    void check_word(Accessor who, std::uint32_t word, std::uint8_t byte_mask, AccessKind kind,
                    Site site);
    void report(HazardKind kind, const Access& now, std::uint32_t word, const Access& other);

    std::vector<Word> words_;
    std::uint32_t epoch_ = 1;
    // Reads of words that were not written yet. If another thread writes them before the next barrier
    // the bug is that race, and has been reported as one; threads run in no particular order.
    struct EarlyRead {
        std::uint32_t word;
        std::uint8_t byte_mask;
        Hazard hazard;
    };
    std::vector<EarlyRead> early_reads_;
    std::map<HazardIdentity, Hazard> findings_;
};

}  // namespace emulator

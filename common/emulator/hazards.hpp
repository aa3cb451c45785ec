// Checks that hardware does not make: reads of what nobody wrote, and shared-memory accesses of two
// threads that no barrier orders.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/access.hpp"
#include "emulator/program_image.hpp"

namespace emulator {

enum class HazardKind : std::uint8_t {
    uninitialised_read,
    read_after_write,   // another thread's write, no barrier between
    write_after_read,
    write_after_write,
    divergent_barrier,
};

// Who accesses: the position of a thread, and how many barriers it has passed.
struct Position {
    uint3 block{}, thread{};
    std::uint16_t thread_number = 0;   // within the block
    std::uint32_t barrier_epoch = 0;   // all barriers that this CPU thread has run so far
    std::uint32_t warp_epoch = 0;      // the warp's own synchronisations so far
};

struct Hazard {
    HazardKind kind{};
    uint3 block{}, thread{}, other_thread{};
    const void* site = nullptr;
    const void* other_site = nullptr;  // null: there is none, or the other thread has finished
    std::string array;
};

// What makes two findings the same hazard: its kind and places, whoever met there.
using HazardIdentity = std::tuple<HazardKind, const void*, const void*>;
HazardIdentity identity(const Hazard& hazard);

// One line: kernel, block, thread, both source lines and the array.
std::string text(const Hazard& hazard, const std::string& kernel);

class HazardChecker {
  public:
    // Made once for a CPU thread, used by many launches: it remembers 80 bytes for each word of shared
    // memory.
    explicit HazardChecker(const TlsBlock& shared_memory);
    void begin_launch(const dim3& block_dimensions) {
        block_dimensions_ = block_dimensions;
        found_.clear();
    }

    void access(const Position& who, std::uint64_t address, std::uint32_t bytes, Space space,
                AccessKind kind, const void* site);
    // A barrier that not all threads of the block reach at the same place.
    void divergent_barrier(const Position& waiting, const void* site, const uint3& other_thread,
                           const void* other_site);
    // Shared memory holds nothing when a block begins.
    void begin_block() { ++block_; }
    // All threads of the block have come to a barrier, or to their end.
    void end_epoch();

    // Each pair of places once, however many threads met there.
    std::vector<Hazard> hazards() const;

  private:
    struct Access {
        std::uint32_t barrier_epoch = 0;  // 0: none
        std::uint32_t warp_epoch = 0;
        std::uint16_t thread = 0;
        std::uint8_t byte_mask = 0;  // which of the word's bytes
        bool atomic = false;
        const void* site = nullptr;
    };
    // What is remembered of one 4-byte word of shared memory. Of bytes that different threads write
    // into one word only the last write is known: a race on single bytes can go unseen, never be made up.
    struct Word {
        std::uint32_t block = 0;  // in which written_bytes were written
        std::uint8_t written_bytes = 0;
        Access write, read, other_read;  // other_read: by another thread than `read`
    };

    static bool unordered(const Access& before, const Access& now);
    void check_word(const Position& who, std::uint64_t offset, std::uint8_t byte_mask,
                    AccessKind kind, const void* site);
    void report(HazardKind kind, const Position& who, const void* site, const void* other_site,
                const uint3& other_thread, const std::string& array);
    uint3 thread_index(std::uint32_t number) const;

    TlsBlock shared_memory_;
    std::vector<Word> words_;
    dim3 block_dimensions_;
    std::uint32_t block_ = 0;
    // Reads of words that were not written yet. If another thread writes them before the next barrier
    // the bug is that race, and has been reported as one; threads run in no particular order.
    struct EarlyRead {
        std::uint64_t offset;
        std::uint8_t byte_mask;
        Hazard hazard;
    };
    std::vector<EarlyRead> early_reads_;
    std::map<HazardIdentity, Hazard> found_;
};

}  // namespace emulator

// Atomic operations of shared memory that are loops in the machine code. How often they are tried depends on the warps that
// update the same words: those of a block that execute one instruction, for the n-th time since a barrier, run abreast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "emulator/models/shared_tries.hpp"

namespace emulator::simt {

struct AtomicDetail;
struct BlockState;

class SharedLoops {
  public:
    bool is_full() const { return size_ >= max_size; }
    void add(const AtomicDetail& detail, std::uint32_t warp, const SharedSwaps& swaps);
    // Counts all tries, and forgets them.
    void count(BlockState& block);

  private:
    static constexpr std::size_t max_size = 1 << 16;  // of long loops without a barrier
    struct Abreast {
        const AtomicDetail* detail = nullptr;
        std::vector<std::uint32_t> warps;
        std::vector<SharedSwaps> swaps;
    };
    using Turn = std::pair<std::uint32_t, std::uint32_t>;    // site, number since the barrier
    using OfWarp = std::pair<std::uint32_t, std::uint32_t>;  // site, warp

    std::map<Turn, Abreast> turns_;
    std::map<OfWarp, std::uint32_t> next_turns_;
    std::size_t size_ = 0;
};

}  // namespace emulator::simt

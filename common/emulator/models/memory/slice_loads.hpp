// How evenly stores into many lines lie in the slices of the L2: where some slices get more of them for long, the others
// wait. Which slice has a line was found on an H200, by the latencies that its SMs see (data/timing/slices.csv): of each
// page of 2 MiB the next 2048 numbers, in an order that sums modulo 2 of the address's bits make; a number modulo the
// slices is the slice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/models/memory/coalescing.hpp"

namespace emulator {

class SliceLoads {
  public:
    // Stores of a warp into fewer lines are not counted: the path of their sectors to the L2 takes as long
    // (data/timing/stores.csv).
    static constexpr std::size_t min_lines = 8;
    // Lines, one after another, among which the load has to be even (data/timing/columns.csv).
    static constexpr double window_lines = 32768;

    // One slice: not known, all is even.
    explicit SliceLoads(unsigned slices);

    // From now on, stores are of this block of `blocks`.
    void at_block(std::uint64_t block, std::uint64_t blocks) { part_ = block * parts / blocks; }
    void note(std::span<const LineSectors> lines);
    void merge(const SliceLoads& other);

    // The fullest slice's load over the mean, for a launch that writes `lines` lines, in windows of blocks that follow one
    // another; 1 where there are no such stores.
    double unevenness(double lines) const;

    // Modulo the slices, the slice of a line.
    static std::uint64_t number_of(Address line);

  private:
    static constexpr std::size_t parts = 64;  // of the grid

    struct Load {
        double sum = 0, most = 0;
    };
    Load load_of(std::size_t begin, std::size_t end) const;

    std::size_t slices_;
    std::size_t part_ = 0;
    std::vector<std::uint32_t> loads_;  // by part and slice
};

}  // namespace emulator

// DRAM as one SM sees it: its share of the channels, which write when they have nothing to read and take time to turn
// around, banks that open rows, and latencies that differ from address to address.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emulator/models/memory/coalescing.hpp"
#include "timing/machine/machine.hpp"
#include "timing/machine/random.hpp"
#include "timing/machine/server.hpp"

namespace timing {

class Dram {
  public:
    // Of lines as near to each other as these bytes, one opening of a row serves all.
    static constexpr emulator::Address row_bytes = 512;

    // Places count from `begin`, so that the same work elsewhere has the same random numbers; each `draw` has others.
    Dram(const Machine& machine, double active_sms, emulator::Address begin = 0,
         std::uint64_t draw = 0);

    // Reads bytes of a line; returns when its row is open. Of the rows that the SM opens, the others need a share of
    // their own: an opening costs that much of a whole one.
    double read(emulator::Address line, double bytes, double share_of_opening, double now);
    // Writes bytes of a line, as soon as its channel has nothing to read.
    void write(emulator::Address line, double bytes, double share_of_opening, double now);
    // From issue to use of data of this place, when nothing else is in flight.
    double cycles(emulator::Address line) const;

    // Of the whole GPU, to copy many bytes, or to write them.
    static double copy_cycles(const Machine& machine, double read_bytes, double written_bytes);

    // When all that was asked for is done.
    double free() const;
    double busy() const;

  private:
    struct Channel {
        Server server;
        double waiting_bytes = 0, waiting_since = 0;  // to be written
    };
    struct Row {
        emulator::Address number = ~emulator::Address{0};
        double opened = 0;
    };
    struct Bank {
        Server server;
        // Those opened last: requests for one of them that come while others wait are served with it.
        std::array<Row, 16> rows;
        std::size_t next = 0;
    };

    Channel& channel_of(emulator::Address line);
    std::uint64_t random_of(emulator::Address place) const;
    double open(emulator::Address line, double cycles, double now);
    void drain_writes(Channel& channel, double now);

    const Machine& machine_;
    emulator::Address begin_;
    std::uint64_t draw_;
    // Of the SM's share of the bandwidth, an equal part each: as few as show what turns and what is uneven, for what one
    // serves at a fraction of the speed of a GPU's channels, requests of one SM wait for each other.
    static constexpr std::size_t channels = 2;
    std::array<Channel, channels> channels_;
    double cycles_per_byte_;  // of a channel
    std::vector<Bank> banks_;
};

}  // namespace timing

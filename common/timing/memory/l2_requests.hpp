// What an SM asks of the L2: loads, and stores with their data. Stores leave the SM a line at a time; all SMs send more
// than the L2 takes, so stores queue on the way, and loads behind them. A store that is still queued merges with the next
// one, if that writes the same lines. Measured on an H200: data/timing/stores.csv, behind_stores.csv.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <span>
#include <vector>

#include "timing/machine/server.hpp"
#include "timing/machine/trace.hpp"

namespace timing {

class L2Requests {
  public:
    // `unevenness`: the load of the fullest slice over the mean, of stores into many lines.
    L2Requests(const Machine& machine, double active_sms, double unevenness = 1);

    struct Load {
        double left;  // when the last request has
        double wait;  // of a line behind stores in flight, on average
    };
    // Asks for lines.
    Load load(std::size_t lines, double now);
    // Sends what a store writes; returns when the last of it has left. `completed`: sectors that the L2 reads again
    // first.
    double store(const Access& access, std::span<const emulator::LineSectors> lines, double now,
                 double completed = 0);

    // Sends lines that the copy engine stores, beside the L1; returns when the last of them has left.
    double copy(double lines, double now);

    // Whether a store meets one that waits, and writes no other lines than that.
    bool merges(std::span<const emulator::LineSectors> lines, double now) const {
        return waits_until_ > now && meets_waiting(lines);
    }
    double free() const { return server_.free(); }
    double busy() const { return server_.busy(); }

  private:
    // A line of a store, as far as it has not left.
    struct Line {
        emulator::LineSectors line;
        std::array<double, 4> bytes{};  // that stores have written, of each sector
        double cycles = 0;              // of the last of these, beyond those before
    };

    struct InFlight {  // a store that the L2 has not taken
        double arrives, lines, cycles;
    };

    double cycles_of(const Line& line) const;
    // Whether a store writes no other lines than the waiting one.
    bool meets_waiting(std::span<const emulator::LineSectors> lines) const;
    // A store's lines wait in place of the last one's, with which they are merged.
    void merge(const Access& access, std::span<const emulator::LineSectors> lines);
    double behind_stores(double now) const;
    void send(const InFlight& store, double now);

    const Machine& machine_;
    double sector_cycles_, bulk_line_cycles_, completed_cycles_, unevenness_;
    Server port_, server_;  // the way out of the SM, and the SM's share of the L2
    std::deque<InFlight> in_flight_;
    double lines_in_flight_ = 0;
    std::vector<Line> waiting_;  // of the last store, ascending, with what was merged into it
    double waits_until_ = 0;
};

}  // namespace timing

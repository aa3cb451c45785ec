#include "timing/memory/l2_atomics.hpp"

#include <algorithm>

#include "emulator/models/memory/line_updates.hpp"

namespace timing {

// Of a line, for what lanes do to one of its sectors after another (Access::sectors).
double L2Atomics::cycles_of(const Access& access) const {
    return access.update == Access::Update::floating ? machine_.l2_float_update_cycles
                                                     : machine_.l2_update_cycles;
}

double L2Atomics::serve(const Access& access, std::span<const emulator::LineSectors> lines,
                        double now) {
    const double all = access.sectors * active_sms_ / machine_.l2_atomics_per_cycle;
    double done = all_.serve(now, all) + all;
    const double each = access.sectors * cycles_of(access) / static_cast<double>(lines.size());
    for (const emulator::LineSectors line : lines) {
        const auto found =
            facts_.updates_of_all.find(emulator::LineUpdates::place_of(line.line()));
        const double times = found == facts_.updates_of_all.end() ? 1 : found->second;
        // A swap succeeds once a round trip, if others try it, too: it has to know what the one before has left.
        const bool waits_for_others = access.update == Access::Update::swap && times > 1;
        const double cycles = times * (waits_for_others ? machine_.l2_cycles : each);
        done = std::max(done, lines_[line.line()].serve(now, cycles) + cycles);
    }
    accepts_ = std::max(accepts_, done - machine_.l2_burst_cycles);
    return done;
}

}  // namespace timing

#include "timing/memory/l2_atomics.hpp"

#include <algorithm>

#include "emulator/models/memory/line_updates.hpp"
#include "emulator/models/memory/slice_loads.hpp"

namespace timing {

L2Atomics::L2Atomics(const Machine& machine, const LaunchTrace& trace, const LaunchFacts& facts,
                     double active_sms)
    : machine_(machine), facts_(facts), active_sms_(active_sms) {
    const std::size_t warps = trace.blocks.empty() ? 0 : trace.blocks.front().size();
    resident_threads_ = facts.resident_blocks * static_cast<double>(warps) * emulator::warp_size;
}

// Of a line: sectors one after another, or the lanes that update one address, whichever takes longer.
double L2Atomics::slice_cycles(const Access& access, double lines) const {
    const bool is_double = access.update >= Access::Update::floating_64;
    const bool is_floating =
        access.update == Access::Update::floating || access.update == Access::Update::floating_64;
    const double sector = machine_.l2_update_cycles * (is_double ? 2 : 1);
    const double address =
        is_floating ? machine_.l2_float_update_cycles : machine_.l2_address_update_cycles;
    return std::max(access.sectors / lines * sector, access.wavefronts * address);
}

// All SMs do the same to a line at a time: it is busy for all of them, the request waits for itself.
double L2Atomics::serve_line(const Access& access, emulator::Address line, double cycles,
                             double now) {
    const auto found = facts_.updates_of_all.find(emulator::LineUpdates::place_of(line));
    const double times = found == facts_.updates_of_all.end() ? 1 : found->second;
    const emulator::Address slice =
        machine_.l2_slices > 1 ? emulator::SliceLoads::number_of(line) % machine_.l2_slices : line;
    busy_ += times * cycles;
    double done = slices_[slice].serve(now, times * cycles) + cycles;
    if (access.update == Access::Update::swap_loop && times > 1) {
        // A loop ends only where nothing came between, so once a round trip; those that fail are in its way.
        const double success =
            machine_.l2_swap_cycles + times * resident_threads_ * machine_.l2_contender_cycles;
        done = std::max(done, swapped_[line].serve(now, times * success) + cycles);
    }
    return done;
}

double L2Atomics::serve(const Access& access, std::span<const emulator::LineSectors> lines,
                        double now) {
    const bool returns = access.kind == Access::Kind::atomic;
    const double sent =
        std::max(returns ? machine_.atomic_port_cycles : machine_.reduction_port_cycles,
                 access.sectors * machine_.l2_update_cycles);
    const double left = port_.serve(now, sent) + sent;
    const double rate = returns ? machine_.l2_atomics_per_cycle : machine_.l2_reductions_per_cycle;
    const double all = access.sectors * active_sms_ / rate;
    double done = all_.serve(left - machine_.averaging_window_cycles, all) + all;
    done = std::max(done, left);
    const double each = slice_cycles(access, static_cast<double>(lines.size()));
    for (const emulator::LineSectors line : lines)
        done = std::max(done, serve_line(access, line.line(), each, left));
    accepts_ = std::max(accepts_, done - machine_.averaging_window_cycles);
    return done;
}

}  // namespace timing

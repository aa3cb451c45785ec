#include "emulator/runtime/predicted_time.hpp"

#include <algorithm>

#include "emulator/runtime/device.hpp"
#include "emulator/runtime/settings.hpp"
#include "emulator/simt/trace_recorder.hpp"
#include "timing/machine_table.hpp"

namespace emulator::runtime {
namespace {

struct State {
    bool is_wanted = settings().options.record_for_time;
    L2State l2 = L2State::left_by_others;
    double seconds = 0;
    double last_footprint_bytes = 0;
};
State& state() {
    static State& result = *new State;
    return result;
}

const timing::Machine& machine() {
    static const timing::Machine& result = *new timing::Machine(timing::machine_of(architecture()));
    return result;
}

// Of data that launches use again and again, the share that the L2 still has: all of what fits into the part
// that one SM's data can use, nothing of what exceeds the whole; in between replacement has thrown out some.
double kept_in_l2(double footprint_bytes) {
    const double whole = machine().l2_bytes, usable = whole * machine().l2_usable_share;
    if (footprint_bytes <= usable) return 1;
    return std::clamp((whole - footprint_bytes) / std::max(1.0, whole - usable), 0.0, 1.0);
}

double found_in_l2(double footprint_bytes) {
    switch (state().l2) {
        case L2State::cold:
            return 0;
        case L2State::warm:
            return kept_in_l2(footprint_bytes);
        case L2State::left_by_others:
            break;
    }
    // A launch as large as the one before is taken to use the same data.
    return state().last_footprint_bytes >= footprint_bytes ? kept_in_l2(footprint_bytes) : 0;
}

void add_l2(const simt::LaunchRecord& record, timing::LaunchFacts& facts) {
    const auto ratio = [](std::uint64_t part, std::uint64_t whole) {
        return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
    };
    const double footprint = static_cast<double>(record.footprint_lines) * line_bytes;
    const double missing = 1 - found_in_l2(footprint);
    const std::uint64_t asked = record.memory.l2_read_sectors_most;
    facts.cold_share = missing;
    facts.dram_share_of_reads = missing * ratio(record.l2_read_sectors_min, asked);
    facts.dram_bytes_per_read_sector = missing * ratio(record.dram_read_bytes, asked);
    facts.dram_bytes_per_written_sector =
        missing * sector_bytes *
        ratio(record.l2_write_sectors_min, record.memory.l2_write_sectors_most);
    facts.dram_bytes = missing * (static_cast<double>(record.dram_read_bytes) +
                                  static_cast<double>(record.l2_write_sectors_min) * sector_bytes);
    state().last_footprint_bytes = footprint;
}

}  // namespace

bool predicts_time() { return state().is_wanted; }

void predict_time(bool wanted, L2State l2) {
    state().is_wanted = wanted;
    state().l2 = l2;
    gpu().options().record_for_time = wanted;
}

std::optional<timing::Prediction> predict(const simt::LaunchRecord& record) {
    if (!record.recorded) return std::nullopt;
    add_l2(record, record.recorded->facts);
    timing::Prediction prediction =
        timing::predict(machine(), record.recorded->trace, record.recorded->facts);
    advance_device(prediction.seconds);
    return prediction;
}

double device_seconds() { return state().seconds; }
void advance_device(double seconds) { state().seconds += seconds; }

}  // namespace emulator::runtime

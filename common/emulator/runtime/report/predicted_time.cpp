#include "emulator/runtime/report/predicted_time.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "emulator/memory/memory_copy.hpp"
#include "emulator/models/memory/sector_set.hpp"
#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/memory/allocations.hpp"
#include "emulator/runtime/report/settings.hpp"
#include "emulator/simt/record/trace_recorder.hpp"
#include "timing/machine/trace_file.hpp"
#include "timing/memory/copy_time.hpp"

namespace emulator::runtime {
namespace {

struct ClockState {
    bool is_wanted = settings().options.record_for_time;
    L2State l2 = L2State::left_by_others;
    double seconds = 0, seconds_since_reset = 0;
    emulator::SectorSet left;  // by launches since the L2 was cold
    double last_footprint_bytes = 0;
};
ClockState& clock_state() {
    static ClockState& result = *new ClockState;
    return result;
}

void advance_device(double seconds) {
    clock_state().seconds += seconds;
    clock_state().seconds_since_reset += seconds;
}

const timing::Machine& machine() { return settings().machine; }

// The share that the L2 still has of data that launches use again and again: all of what fits into the part
// that one SM's data can use. Behind that it falls in proportion: half is left at the capacity for reuse, nothing as
// far beyond (data/timing/reuse.csv). If the oldest line made room, nothing would be left at once.
double kept_in_l2(double footprint_bytes) {
    const double usable = machine().l2_bytes * machine().l2_usable_share;
    if (footprint_bytes <= usable) return 1;
    const double to_nothing = std::max(1.0, 2 * (machine().l2_reuse_bytes - usable));
    return std::clamp(1 - (footprint_bytes - usable) / to_nothing, 0.0, 1.0);
}

// The data of a launch or of a copy.
struct Footprint {
    double bytes = 0;
    const SectorSet* touched = nullptr;  // null: which they are is not known
};

// An extrapolation from a sample of blocks may exceed the memory that there is.
double within_memory(const simt::LaunchRecord& record, std::uint64_t count, double bytes_each) {
    const double bytes = static_cast<double>(count) * bytes_each;
    const auto allocated = static_cast<double>(total_device_bytes() - free_device_bytes());
    return record.blocks_executed == record.blocks || allocated == 0 ? bytes
                                                                     : std::min(bytes, allocated);
}

Footprint footprint_of(const simt::LaunchRecord& record) {
    return {within_memory(record, record.footprint_lines, line_bytes), record.touched.get()};
}

double found_in_l2(const Footprint& data) {
    if (clock_state().l2 == L2State::warm) return kept_in_l2(data.bytes);
    if (data.touched != nullptr) {
        const auto left = static_cast<double>(clock_state().left.lines());
        const auto both = static_cast<double>(data.touched->lines_in(clock_state().left));
        return both == 0 ? 0 : both * line_bytes / data.bytes * kept_in_l2(left * line_bytes);
    }
    // Executed in part. A launch as large as the one before is taken to use the same data.
    if (clock_state().l2 == L2State::cold) return 0;
    return clock_state().last_footprint_bytes >= data.bytes ? kept_in_l2(data.bytes) : 0;
}

// The L2 evicts what it cannot hold beside these data.
void leave_in_l2(const Footprint& data) {
    clock_state().last_footprint_bytes = data.bytes;
    SectorSet& left = clock_state().left;
    const double before = static_cast<double>(left.lines()) * line_bytes;
    if (data.touched == nullptr || before + data.bytes > machine().l2_bytes) left.clear();
    if (data.touched != nullptr) left.merge(*data.touched);
}

void add_l2(const simt::LaunchRecord& record, timing::LaunchFacts& facts) {
    const auto over = [](double part, std::uint64_t sectors) {
        return sectors == 0 ? 0.0 : part / static_cast<double>(sectors);
    };
    const double missing = 1 - found_in_l2(footprint_of(record));
    const std::uint64_t asked = record.memory.l2_read_sectors_most;
    const double read_bytes = within_memory(record, record.dram_read_bytes, 1);
    const double first_sectors =
        within_memory(record, record.l2_read_sectors_min, sector_bytes) / sector_bytes;
    // Whatever was there at first: the launch itself has thrown these out.
    const L2Reuse::Reread reread = machine().switches.rereads ? record.reread : L2Reuse::Reread();
    const double reread_bytes = static_cast<double>(reread.granules) * L2Reuse::granule_bytes;
    const auto reread_sectors = static_cast<double>(reread.sectors);
    // A sector that leaves the L2 partly written is read first, to be completed.
    const double written_bytes = within_memory(
        record, record.l2_write_sectors_min + record.incomplete_sectors, sector_bytes);
    facts.cold_share = missing;
    facts.slice_unevenness = record.slice_unevenness;
    facts.dram_share_of_reads = over(missing * first_sectors + reread_sectors, asked);
    facts.dram_bytes_per_read_sector = over(missing * read_bytes + reread_bytes, asked);
    facts.dram_bytes_per_written_sector =
        missing * over(written_bytes, record.memory.l2_write_sectors_most);
    facts.dram_bytes = missing * (read_bytes + written_bytes) + reread_bytes;
    facts.dram_dirty_share = missing * written_bytes / std::max(1.0, facts.dram_bytes);
}

// Lines that the recorded SM updates, and others, too.
void add_updates(const simt::LaunchRecord& record, timing::LaunchFacts& facts) {
    if (!record.line_updates || record.line_updates->empty()) return;
    LineUpdates own;
    const timing::LaunchTrace& trace = record.recorded->trace;
    for (const timing::BlockTrace& block : trace.blocks) {
        for (const timing::WarpTrace& warp : block) {
            for (const timing::Access& access : warp.accesses) {
                if (access.updates() && access.space == timing::Space::global)
                    own.note(trace.lines_of(access));
            }
        }
    }
    const double blocks =
        static_cast<double>(facts.sm_blocks) / static_cast<double>(trace.blocks.size());
    for (std::size_t place = 0; place < LineUpdates::places; ++place) {
        if (own.at(place) == 0) continue;
        const double all =
            static_cast<double>(record.line_updates->at(place)) / record.line_updates_share;
        facts.updates_of_all[place] =
            std::max(1.0, all / (blocks * static_cast<double>(own.at(place))));
    }
}

// Appends what the time model gets (timing/machine/trace_file.hpp), behind its length in four bytes.
void write_record(const simt::LaunchRecord& record, const std::string& kernel) {
    const std::string& path = settings().records_path;
    if (path.empty()) return;
    const std::vector<std::uint8_t> bytes =
        timing::to_bytes({kernel, record.recorded->trace, record.recorded->facts});
    const auto count = static_cast<std::uint32_t>(bytes.size());
    std::ofstream file(path, std::ios::binary | std::ios::app);
    file.write(reinterpret_cast<const char*>(&count), sizeof count);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    if (!file) print_note_once("EMULATED_GPU_RECORDS: cannot write to " + path);
}

timing::Prediction prediction_of(const simt::LaunchRecord& record) {
    add_l2(record, record.recorded->facts);
    add_updates(record, record.recorded->facts);
    return timing::predict(machine(), record.recorded->trace, record.recorded->facts);
}

enum class Residence { device, page_locked, pageable };

Residence place_of(const void* pointer) {
    if (const std::optional<Memory> memory = memory_at(pointer)) {
        const bool is_of_device =
            memory->kind == MemoryKind::device || memory->kind == MemoryKind::managed;
        return is_of_device ? Residence::device : Residence::page_locked;
    }
    const bool is_variable = in_device_memory(reinterpret_cast<Address>(pointer));
    return is_variable ? Residence::device : Residence::pageable;
}

void insert_lines(const void* pointer, std::size_t bytes, SectorSet& lines) {
    constexpr unsigned all_sectors = 0xf;
    const auto begin = reinterpret_cast<Address>(pointer);
    for (Address line = begin / line_bytes; line * line_bytes < begin + bytes; ++line) {
        lines.insert(LineSectors(line * line_bytes, all_sectors));
    }
}

// A copy on the device, or a fill (`from` is null).
void predict_on_device(const void* to, const void* from, std::size_t bytes) {
    timing::CopyFacts facts{.read_bytes = from == nullptr ? 0 : static_cast<double>(bytes),
                            .written_bytes = static_cast<double>(bytes)};
    Footprint data{.bytes = facts.read_bytes + facts.written_bytes};
    SectorSet touched;
    // More is not there for anything that follows.
    if (data.bytes <= machine().l2_bytes) {
        insert_lines(to, bytes, touched);
        if (from != nullptr) insert_lines(from, bytes, touched);
        data = {static_cast<double>(touched.lines()) * line_bytes, &touched};
    }
    facts.found_in_l2 = found_in_l2(data);
    leave_in_l2(data);
    advance_device(timing::copy_seconds(machine(), facts));
}

// The executions of a kernel that reads clocks settle its first readings, then how often a loop that waits for a clock runs, then
// what others see that wait for it.
constexpr int max_executions = 4;
constexpr double settled_share = 0.01;  // of the instructions, that two executions may differ by
constexpr std::size_t max_copied_bytes = std::size_t{1} << 30;

}  // namespace

bool predicts_time() { return clock_state().is_wanted; }

void predict_time(bool wanted, L2State l2) {
    clock_state().is_wanted = wanted;
    clock_state().l2 = l2;
    clock_state().left.clear();
    gpu().options().record_for_time = wanted;
}

std::optional<timing::Prediction> predict(const simt::LaunchRecord& record,
                                          const std::string& kernel) {
    if (!record.recorded) return std::nullopt;
    timing::Prediction prediction = prediction_of(record);
    write_record(record, kernel);
    leave_in_l2(footprint_of(record));
    advance_device(prediction.seconds);
    return prediction;
}

void predict_copy(const void* to, const void* from, std::size_t bytes) {
    if (!predicts_time() || bytes == 0) return;
    const Residence source = place_of(from), target = place_of(to);
    if (source == Residence::device && target == Residence::device) {
        predict_on_device(to, from, bytes);
    } else if (source == Residence::device || target == Residence::device) {
        const bool is_pageable = source == Residence::pageable || target == Residence::pageable;
        advance_device(timing::copy_seconds(
            machine(), {.link_bytes = static_cast<double>(bytes), .is_pageable = is_pageable}));
    }
}

std::uint64_t touched_bytes(const simt::LaunchRecord& record, const void* begin,
                            std::size_t bytes) {
    if (record.touched == nullptr) return bytes;
    const auto first = reinterpret_cast<Address>(begin);
    return record.touched->lines_between(first, first + bytes) * line_bytes;
}

std::uint64_t accessed_host_bytes(const simt::LaunchRecord& record) {
    std::uint64_t bytes = 0;
    if (record.touched == nullptr) return bytes;
    for (const Memory& memory : all_allocations()) {
        const bool is_of_host =
            memory.kind == MemoryKind::host || memory.kind == MemoryKind::registered;
        if (is_of_host) bytes += touched_bytes(record, memory.begin, memory.bytes);
    }
    return bytes;
}

void predict_fill(void* to, std::size_t bytes) {
    if (predicts_time() && bytes > 0) predict_on_device(to, nullptr, bytes);
}

simt::LaunchRecord execute_with_clocks(const simt::Kernel& kernel, const Execute& execute) {
    std::optional<MemoryCopy> before;
    if (predicts_time() && simt::reads_clock(kernel)) {
        if (!simt::allocates_memory(kernel)) before = MemoryCopy::of_all(max_copied_bytes);
        if (!before)
            print_note_once(
                "clocks of kernels that allocate memory, or beside more than 1 GiB of it, do not "
                "show predicted time");
    }
    simt::LaunchRecord record = execute(nullptr);
    if (!before || !record.recorded) return record;
    for (int execution = 1; execution < max_executions; ++execution) {
        before->restore();
        timing::ClockReads clocks = prediction_of(record).clocks;
        clocks.launch_began = device_seconds() * clocks.clock_hz;
        const auto instructions = static_cast<double>(record.warp_instructions);
        record = execute(&clocks);
        const double more = static_cast<double>(record.warp_instructions) - instructions;
        if (std::abs(more) <= settled_share * instructions) return record;
    }
    print_note_once(
        "what a kernel does depends on its clock so much that the clock is not quite the predicted "
        "one");
    return record;
}

double device_seconds() { return clock_state().seconds; }

double busy_seconds() { return clock_state().seconds_since_reset; }
void reset_busy_seconds() { clock_state().seconds_since_reset = 0; }

}  // namespace emulator::runtime

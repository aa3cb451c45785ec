#include "emulator/simt/trace_recorder.hpp"

#include <algorithm>
#include <bit>

#include "emulator/models/coalescing.hpp"
#include "emulator/simt/memory.hpp"
#include "emulator/simt/timed_program.hpp"

namespace emulator::simt {
namespace {

// Enough waves of blocks to see how the first one starts, how one follows another and how the last one ends.
constexpr std::uint64_t recorded_waves = 3;
constexpr std::uint64_t most_instructions_of_a_launch = 800'000;
constexpr std::uint64_t most_instructions_of_a_warp = 16'384;

timing::Access::Kind kind_of(const MemoryDetail& detail, bool is_reduction) {
    switch (detail.kind) {
        case AccessKind::load:
            return timing::Access::Kind::load;
        case AccessKind::store:
            return timing::Access::Kind::store;
        case AccessKind::atomic:
            break;
    }
    return is_reduction ? timing::Access::Kind::reduction : timing::Access::Kind::atomic;
}

timing::Space space_of(AccessSpace space) {
    switch (space) {
        case AccessSpace::shared:
            return timing::Space::shared;
        case AccessSpace::constant:
            return timing::Space::constant;
        case AccessSpace::local:
            return timing::Space::local;
        default:
            return timing::Space::global;
    }
}

bool is_in(Address window, Address address) {
    return address >= window && address - window < window_bytes;
}

std::uint16_t distinct_addresses(const std::array<Address, warp_size>& addresses,
                                 std::uint32_t mask) {
    std::vector<Address> seen;
    for (; mask != 0; mask &= mask - 1)
        seen.push_back(addresses[static_cast<std::size_t>(std::countr_zero(mask))]);
    std::ranges::sort(seen);
    const auto rest = std::ranges::unique(seen);
    return static_cast<std::uint16_t>(seen.size() - rest.size());
}

}  // namespace

// The SM with the most blocks, in the middle of those.
TraceRecorder::TraceRecorder(const Launch& launch, const Occupancy& occupancy) : launch_(launch) {
    const std::uint64_t sms = launch.architecture.sm_count;
    const std::uint64_t blocks = launch.blocks();
    const std::uint64_t fullest = blocks % sms == 0 ? sms : blocks % sms;
    sm_ = fullest / 2;
    timing::LaunchFacts& facts = recorded_.facts;
    facts.blocks = blocks;
    facts.sm_number = sm_;
    facts.sm_blocks = (blocks - sm_ + sms - 1) / sms;
    facts.resident_blocks = std::max(1u, occupancy.blocks);
    facts.l1_bytes = launch.l1_bytes;
    const std::uint64_t recorded =
        std::min<std::uint64_t>(facts.sm_blocks, recorded_waves * facts.resident_blocks);
    recorded_.trace.blocks.resize(recorded);
    for (timing::BlockTrace& block : recorded_.trace.blocks) block.resize(launch.warps());
    most_instructions_ = std::min(most_instructions_of_a_warp,
                                  most_instructions_of_a_launch / (recorded * launch.warps()) + 1);
}

bool TraceRecorder::wants(std::uint64_t block) const {
    const std::uint64_t sms = launch_.architecture.sm_count;
    return !is_stopped_ && block % sms == sm_ && block / sms < recorded_.trace.blocks.size();
}

std::vector<std::uint64_t> TraceRecorder::blocks() const {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < recorded_.trace.blocks.size(); ++i)
        numbers.push_back(sm_ + i * launch_.architecture.sm_count);
    return numbers;
}

void TraceRecorder::execute(WarpContext& context, std::uint32_t lanes, const BasicBlock& block) {
    const std::uint64_t number = context.block->number / launch_.architecture.sm_count;
    timing::WarpTrace& warp = recorded_.trace.blocks[number][context.warp->number];
    const auto instructions = static_cast<std::uint64_t>(block.end - block.begin) + 1;
    warp.executed += instructions;
    const bool is_recorded = warp.recorded < most_instructions_;
    if (is_recorded) {
        warp.recorded += instructions;
        warp.steps.push_back({block.counter, static_cast<std::uint32_t>(warp.accesses.size())});
    }
    for (const Operation* operation = block.begin; operation != block.end; ++operation) {
        context.mask = lanes;
        const MemoryDetail* const detail =
            is_recorded ? access_of(launch_.image, *operation) : nullptr;
        if (detail != nullptr) {
            std::uint32_t active = lanes;
            if (guarded_operation(*operation) != nullptr) {
                const std::uint32_t guard = context.predicate(operation->guard);
                active &= operation->guard_negated ? ~guard : guard;
            }
            record(context, *detail, active, warp);
        }
        context.mask = lanes;
        operation->execute(context, *operation);
    }
}

void TraceRecorder::record(WarpContext& context, const MemoryDetail& detail, std::uint32_t lanes,
                           timing::WarpTrace& warp) {
    timing::Access& access = warp.accesses.emplace_back();
    if (lanes == 0 || !detail.cost.is_issued()) return;
    std::array<Address, warp_size> addresses{};
    context.mask = lanes;
    lane_addresses(context, detail, addresses);
    CostModel cost = detail.cost;
    const Address first = addresses[static_cast<std::size_t>(std::countr_zero(lanes))];
    if (is_in(shared_window, first)) cost.space = AccessSpace::shared;
    if (is_in(local_window, first)) cost.space = AccessSpace::local;
    access.kind = kind_of(detail, launch_.image.sites[detail.site].site.is_reduction);
    access.space = space_of(cost.space);
    access.bytes = static_cast<std::uint32_t>(std::popcount(lanes)) * detail.bytes;
    access.uses_l1 = detail.kind == AccessKind::load && detail.policy.path != LoadPath::l2;
    if (cost.space == AccessSpace::local) {  // interleaved by lanes, and mostly found in the L1
        access.uses_l1 = true;
        return;
    }
    if (cost.space == AccessSpace::constant) {
        access.wavefronts = distinct_addresses(addresses, lanes);
        return;
    }
    const WarpRequest request{addresses, lanes, detail.bytes};
    const AccessCounters counts = cost.cost(request);
    access.wavefronts = static_cast<std::uint16_t>(counts.wavefronts);
    access.sectors = static_cast<std::uint16_t>(counts.sectors);
    if (cost.space == AccessSpace::shared) return;
    const LineList lines = lines_of(request);
    access.first_line = static_cast<std::uint32_t>(recorded_.trace.lines.size());
    access.line_count = static_cast<std::uint32_t>(lines.count);
    const auto span = lines.span();
    recorded_.trace.lines.insert(recorded_.trace.lines.end(), span.begin(), span.end());
}

// Where warps were cut, later waves would show how blocks begin, again and again.
void TraceRecorder::keep_first_wave_if_cut() {
    const auto is_cut = [](const timing::WarpTrace& warp) { return warp.executed > warp.recorded; };
    auto& blocks = recorded_.trace.blocks;
    if (blocks.size() <= recorded_.facts.resident_blocks) return;
    const bool some_are_cut = std::ranges::any_of(
        blocks, [&](const timing::BlockTrace& block) { return std::ranges::any_of(block, is_cut); });
    if (some_are_cut) blocks.resize(recorded_.facts.resident_blocks);
}

RecordedLaunch TraceRecorder::finish(std::optional<unsigned> registers_per_thread) {
    TimedProgram timed = timed_program(launch_.image, registers_per_thread);
    recorded_.trace.program = std::move(timed.program);
    recorded_.lines = std::move(timed.lines);
    keep_first_wave_if_cut();
    return std::move(recorded_);
}

}  // namespace emulator::simt

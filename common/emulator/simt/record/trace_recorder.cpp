#include "emulator/simt/record/trace_recorder.hpp"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "emulator/models/memory/coalescing.hpp"
#include "emulator/simt/record/lane_patterns.hpp"
#include "emulator/simt/record/timed_program.hpp"
#include "emulator/simt/state/memory.hpp"
#include "timing/memory/dram.hpp"

namespace emulator::simt {
namespace {

// Enough waves of blocks to see how the first one starts, how one follows another and how the last one ends; of
// short kernels more, because the waits of single warps differ. Where there is no room for so many, the first one alone.
constexpr std::uint64_t min_waves = 3, max_waves = 12;
constexpr std::uint64_t recorded_sms = 3, max_neighbours = 8;
constexpr std::uint64_t max_instructions_of_an_sm = 250'000;
constexpr std::uint64_t max_instructions_of_a_warp = 16'384;

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
        case AccessSpace::texture:
            return timing::Space::texture;
        default:
            return timing::Space::global;
    }
}

// Whether it is a loop by itself, which ends only where its swap has succeeded.
bool is_loop(const Function& function, const BasicBlock& block) {
    return block.control == Control::branch && block.target < function.blocks.size() &&
           &function.blocks[block.target] == &block;
}

double ptx_instructions_of(const Image& image, const std::vector<timing::BlockTrace>& blocks) {
    std::size_t sum = 0;
    for (const timing::BlockTrace& block : blocks) {
        for (const timing::WarpTrace& warp : block) {
            for (const timing::Step& step : warp.steps) {
                const auto& [function, number] = image.counters[step.block];
                sum += function->block_instructions[number].size();
            }
        }
    }
    return static_cast<double>(sum);
}

// Whether so many blocks were recorded, all of them whole. Warps that were cut show again and again how blocks begin.
bool are_whole(const std::vector<timing::BlockTrace>& blocks, std::uint64_t wanted) {
    const auto is_cut = [](const timing::WarpTrace& warp) { return warp.executed > warp.recorded; };
    const auto has_cut = [&](const auto& block) { return std::ranges::any_of(block, is_cut); };
    return blocks.size() >= wanted && std::ranges::none_of(blocks, has_cut);
}

}  // namespace

// SMs that get the most blocks.
TraceRecorder::TraceRecorder(const Launch& launch, const Occupancy& occupancy)
    : launch_(launch), polls_(launch.image), resident_blocks_(std::max(1u, occupancy.blocks)) {
    const std::uint64_t sms = launch.architecture.sm_count;
    const std::uint64_t blocks = launch.blocks();
    const std::uint64_t fullest = blocks % sms == 0 ? sms : blocks % sms;
    const std::uint64_t of_sm = (blocks + sms - 1) / sms;
    const std::uint64_t count = std::min<std::uint64_t>(of_sm, max_waves * resident_blocks_);
    first_optional_ = std::min<std::uint64_t>(count, resident_blocks_);
    for (std::uint64_t i = 0; i < std::min(fullest, recorded_sms); ++i) {
        Recorded& recorded = sms_.emplace_back();
        recorded.first = i * fullest / recorded_sms;
        recorded.step = sms;
        recorded.trace.blocks.resize(count, timing::BlockTrace(launch.warps()));
    }
    const std::uint64_t neighbours = std::min(blocks, max_neighbours);
    for (std::uint64_t i = 0; i < neighbours; ++i) {
        Recorded& recorded = neighbours_.emplace_back();
        recorded.first = (blocks - neighbours) / 2 + i;
        recorded.trace.blocks.emplace_back(launch.warps());
    }
    max_instructions_ =
        std::min(max_instructions_of_a_warp,
                 max_instructions_of_an_sm / (first_optional_ * launch.warps()) + 1);
}

std::uint64_t TraceRecorder::Recorded::executed() const {
    std::uint64_t sum = 0;
    for (const timing::BlockTrace& block : trace.blocks) {
        for (const timing::WarpTrace& warp : block) sum += warp.executed;
    }
    return sum;
}

TraceRecorder::Recorded* TraceRecorder::recorded_of(std::uint64_t block) {
    for (std::vector<Recorded>* const some : {&sms_, &neighbours_}) {
        for (Recorded& recorded : *some) {
            if (block < recorded.first || (block - recorded.first) % recorded.step != 0) continue;
            if (recorded.number_of(block) < recorded.trace.blocks.size()) return &recorded;
        }
    }
    return nullptr;
}

// Blocks of an SM come one after another. Those beyond the first wave are taken as long as there is room for
// one more like those before it.
bool TraceRecorder::wants(std::uint64_t block) {
    if (is_stopped_) return false;
    Recorded* const recorded = recorded_of(block);
    if (recorded == nullptr) return false;
    const std::uint64_t number = recorded->number_of(block);
    if (number < first_optional_) return true;
    if (recorded->executed() / number * (number + 1) > max_instructions_of_an_sm)
        recorded->trace.blocks.resize(std::min<std::size_t>(recorded->trace.blocks.size(), number));
    return number < recorded->trace.blocks.size();
}

std::vector<std::uint64_t> TraceRecorder::blocks() const {
    std::vector<std::uint64_t> numbers;
    for (const std::vector<Recorded>* const some : {&sms_, &neighbours_}) {
        for (const Recorded& recorded : *some) {
            for (std::uint64_t i = 0; i < recorded.trace.blocks.size(); ++i)
                numbers.push_back(recorded.first + i * recorded.step);
        }
    }
    return numbers;
}

timing::WarpTrace& TraceRecorder::warp_of(const WarpContext& context) {
    Recorded& recorded = *recorded_of(context.block->number);
    return recorded.trace.blocks[recorded.number_of(context.block->number)][context.warp->number];
}

void TraceRecorder::note_clock(const WarpContext& context) {
    timing::WarpTrace& warp = warp_of(context);
    warp.clock_instructions.push_back(warp.executed);
}

void TraceRecorder::begin(const WarpContext& context, const BasicBlock& block) {
    timing::WarpTrace& warp = warp_of(context);
    polls_.begin(context, block, warp);
    is_in_loop_ = is_loop(*context.frame->function, block);
    const auto instructions = static_cast<std::uint64_t>(block.end - block.begin) + 1;
    warp.executed += instructions;
    if (warp.recorded >= max_instructions_) return;
    warp.recorded += instructions;
    warp.steps.push_back({block.counter, static_cast<std::uint32_t>(warp.accesses.size())});
}

void TraceRecorder::execute(WarpContext& context, std::uint32_t lanes, const Operation* begin,
                            const Operation* end) {
    Recorded& recorded = *recorded_of(context.block->number);
    timing::WarpTrace& warp = warp_of(context);
    const bool is_recorded = warp.recorded == warp.executed;  // nothing behind what was left out
    for (const Operation* operation = begin; operation != end; ++operation) {
        context.mask = lanes;
        const MemoryDetail* const detail =
            is_recorded ? access_of(launch_.image, *operation) : nullptr;
        if (detail != nullptr) {
            std::uint32_t active = lanes;
            if (guarded_operation(*operation) != nullptr) {
                const std::uint32_t guard = context.predicate(operation->guard);
                active &= operation->guard_negated ? ~guard : guard;
            }
            record(context, *detail, active, recorded, warp);
        }
        context.mask = lanes;
        operation->execute(context, *operation);
        recorded.at_hand = nullptr;
    }
}

void TraceRecorder::record(WarpContext& context, const MemoryDetail& detail, std::uint32_t lanes,
                           Recorded& recorded, timing::WarpTrace& warp) {
    timing::Access& access = warp.accesses.emplace_back();
    lanes &= detail.address_lanes;
    if (lanes == 0 || !detail.cost.is_issued()) return;
    if (detail.role == AccessRole::bulk_copy) return record_bulk(detail, recorded, access);
    if (detail.role == AccessRole::texture_fetch) return record_texture(detail, recorded, access);
    std::array<Address, warp_size> addresses{};
    context.mask = lanes;
    lane_addresses(context, detail, addresses);
    const Address first = addresses[static_cast<std::size_t>(std::countr_zero(lanes))];
    if (detail.role == AccessRole::barrier_test)
        return record_test(context, first, recorded, access);
    CostModel cost = detail.cost;
    if (is_in(shared_window, first)) cost.space = AccessSpace::shared;
    if (is_in(local_window, first)) cost.space = AccessSpace::local;
    // The tries of a loop are one access of as many passes: what a try takes has not been timed.
    if (cost.bank_atomic == BankAtomic::spin) cost.bank_atomic = BankAtomic::update;
    access.kind = kind_of(detail, launch_.image.sites[detail.site].site.is_reduction);
    access.update = update_of(detail, is_in_loop_);
    access.space = space_of(cost.space);
    access.bytes = static_cast<std::uint32_t>(std::popcount(lanes)) * detail.bytes;
    access.path = detail.policy.path;
    const auto record_lines = [&] {
        const LineList lines = lines_of({addresses, lanes, detail.bytes});
        std::vector<LineSectors>& all = recorded.trace.lines;
        access.first_line = static_cast<std::uint32_t>(all.size());
        access.line_count = static_cast<std::uint32_t>(lines.count);
        const auto span = lines.span();
        all.insert(all.end(), span.begin(), span.end());
    };
    if (cost.space == AccessSpace::local) {
        const std::uint64_t place = recorded.number_of(context.block->number) % resident_blocks_;
        const std::uint64_t warp = place * launch_.warps() + context.warp->number;
        return note_local(addresses, lanes, detail.bytes, warp, recorded.trace, access);
    }
    if (cost.space == AccessSpace::constant) {
        // An instruction loads 8 bytes at most.
        access.wavefronts = static_cast<std::uint16_t>(distinct_addresses(addresses, lanes) *
                                                       std::max(1u, detail.bytes / 8));
        return record_lines();
    }
    const WarpRequest request{addresses, lanes, detail.bytes};
    const AccessCounters counts = cost.cost(request);
    access.wavefronts = static_cast<std::uint16_t>(counts.wavefronts);
    access.sectors = static_cast<std::uint16_t>(counts.sectors);
    if (cost.space == AccessSpace::shared) return;
    if (access.updates())
        access.wavefronts = cost.is_for_one_lane ? 1 : lanes_at_one_address(addresses, lanes);
    // A load leaves the L1 through the banks that it shares with shared memory.
    if (access.kind == timing::Access::Kind::load)
        access.wavefronts =
            static_cast<std::uint16_t>(bank_passes(request, detail.kind, *cost.banks).wavefronts);
    record_lines();
}

void TraceRecorder::record_bulk(const MemoryDetail& detail, Recorded& recorded,
                                timing::Access& access) {
    access.kind = detail.kind == AccessKind::load ? timing::Access::Kind::bulk_load
                                                  : timing::Access::Kind::bulk_store;
    access.space = timing::Space::global;
    access.first_line = static_cast<std::uint32_t>(recorded.trace.lines.size());
    recorded.at_hand = &access;
}

void TraceRecorder::record_texture(const MemoryDetail& detail, Recorded& recorded,
                                   timing::Access& access) {
    access.kind = timing::Access::Kind::load;
    access.space = timing::Space::texture;
    access.path = detail.policy.path;
    access.first_line = static_cast<std::uint32_t>(recorded.trace.lines.size());
    recorded.at_hand = &access;
}

void TraceRecorder::record_test(const WarpContext& context, Address barrier,
                                const Recorded& recorded, timing::Access& access) {
    access.kind = timing::Access::Kind::barrier_test;
    access.space = timing::Space::shared;
    access.barrier = static_cast<std::uint32_t>(
        is_in(shared_window, barrier) ? barrier - shared_window : barrier);
    const auto copied = recorded.copies.find({context.block->number, access.barrier});
    if (copied != recorded.copies.end()) access.copies = copied->second;
}

void TraceRecorder::note_lines(const WarpContext& context, std::span<const LineSectors> lines) {
    Recorded& recorded = *recorded_of(context.block->number);
    if (recorded.at_hand == nullptr) return;
    recorded.trace.lines.insert(recorded.trace.lines.end(), lines.begin(), lines.end());
    recorded.at_hand->line_count += static_cast<std::uint32_t>(lines.size());
    for (const LineSectors line : lines) recorded.at_hand->bytes += line.count() * sector_bytes;
}

void TraceRecorder::note_copied(const WarpContext& context, std::uint32_t barrier) {
    Recorded& recorded = *recorded_of(context.block->number);
    // One access of the trace, whichever lanes take part: it counts once, for the barrier of the first one.
    if (recorded.at_hand == nullptr || recorded.at_hand->copies != 0) return;
    recorded.at_hand->barrier = barrier;
    recorded.at_hand->copies = ++recorded.copies[{context.block->number, barrier}];
}

// Rows of DRAM that blocks beside each other touch, over the sum of those that each touches.
double TraceRecorder::share_of_rows(bool is_store) {
    std::unordered_set<Address> of_all;
    std::size_t of_each = 0;
    for (const Recorded& neighbour : neighbours_) {
        const Recorded& recorded = *recorded_of(neighbour.first);  // as one of an SM, or alone
        std::unordered_set<Address> rows;
        for (const timing::WarpTrace& warp :
             recorded.trace.blocks[recorded.number_of(neighbour.first)]) {
            for (const timing::Access& access : warp.accesses) {
                // Constants have a cache of their own.
                if (access.space == timing::Space::constant || access.space == timing::Space::local)
                    continue;
                if (is_store ? !access.stores() : !access.loads()) continue;
                for (const LineSectors line : recorded.trace.lines_of(access))
                    rows.insert(line.line() / timing::Dram::row_bytes);
            }
        }
        of_each += rows.size();
        of_all.insert(rows.begin(), rows.end());
    }
    return of_each == 0 ? 1 : static_cast<double>(of_all.size()) / static_cast<double>(of_each);
}

RecordedLaunch TraceRecorder::finish(std::optional<unsigned> registers_per_thread) {
    const double rows_read = share_of_rows(false);
    const double rows_written = share_of_rows(true);
    Recorded& most = *std::ranges::max_element(sms_, {}, &Recorded::executed);
    RecordedLaunch result{.trace = std::move(most.trace), .facts = {}, .lines = {}};
    const std::uint64_t sms = launch_.architecture.sm_count;
    result.facts.sm_blocks = (launch_.blocks() - most.first + sms - 1) / sms;
    std::vector<timing::BlockTrace>& blocks = result.trace.blocks;
    if (!are_whole(blocks, std::min(min_waves * resident_blocks_, result.facts.sm_blocks)))
        blocks.resize(std::min<std::size_t>(blocks.size(), resident_blocks_));
    result.ptx_instructions = ptx_instructions_of(launch_.image, blocks);
    TimedProgram timed =
        timed_program(launch_.image, registers_per_thread, launch_.architecture.compute_number(),
                      launch_.options.ptxas, result.trace);
    result.trace.program = std::move(timed.program);
    result.lines = std::move(timed.lines);
    timing::LaunchFacts& facts = result.facts;
    facts.blocks = launch_.blocks();
    result.sm = most.first;
    facts.resident_blocks = resident_blocks_;
    facts.l1_bytes = launch_.l1_bytes;
    facts.share_of_rows_read = rows_read;
    facts.share_of_rows_written = rows_written;
    return result;
}

}  // namespace emulator::simt

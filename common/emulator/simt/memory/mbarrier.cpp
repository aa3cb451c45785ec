#include "emulator/simt/memory/mbarrier.hpp"

#include <bit>
#include <cstring>

#include "emulator/simt/record/hazard_checks.hpp"
#include "emulator/simt/record/trace_recorder.hpp"
#include "emulator/simt/state/cluster.hpp"
#include "emulator/simt/state/launch.hpp"

namespace emulator::simt {
namespace {

constexpr unsigned count_bits = 20;
constexpr std::uint64_t count_mask = (1u << count_bits) - 1;
constexpr std::uint64_t bytes_mask = (1u << 22) - 1;

MbarrierState load(const WarpContext& context, std::uint32_t offset) {
    std::uint64_t bits;
    std::memcpy(&bits, context.shared + offset, sizeof bits);
    return MbarrierState::from_bits(bits);
}

void store(WarpContext& context, std::uint32_t offset, MbarrierState state) {
    // Accesses before the end of a phase are ordered before those behind it.
    if (state.finish_if_complete() && context.hazards != nullptr) synchronise_block(context);
    const std::uint64_t bits = state.bits();
    std::memcpy(context.shared + offset, &bits, sizeof bits);
}

std::uint64_t value_of(WarpContext& context, const MbarrierDetail& detail, int lane) {
    if (detail.value == no_register) return 1;
    return detail.value_bytes == 8 ? context.lanes<std::uint64_t>(detail.value)[lane]
                                   : context.lanes<std::uint32_t>(detail.value)[lane];
}

void change(MbarrierState& state, MbarrierAction action, std::uint32_t value) {
    switch (action) {
        case MbarrierAction::init:
            state = {.expected = value, .pending = value};
            break;
        case MbarrierAction::arrive:
            state.pending -= value;
            break;
        case MbarrierAction::arrive_after_copies:
            state.pending -= 1;
            break;
        case MbarrierAction::arrive_drop:
            state.pending -= value;
            state.expected -= value;
            break;
        case MbarrierAction::arrive_drop_expect:
            state.expected -= 1;
            [[fallthrough]];
        case MbarrierAction::arrive_expect:
            state.pending -= 1;
            [[fallthrough]];
        case MbarrierAction::expect:
            state.bytes += static_cast<std::int32_t>(value);
            break;
        case MbarrierAction::complete:
            state.bytes -= static_cast<std::int32_t>(value);
            break;
        default:
            break;
    }
    state.pending &= count_mask;
    state.expected &= count_mask;
}

// A lane's part; what it returns goes to the result register.
std::uint64_t act(WarpContext& context, const MbarrierDetail& detail, std::uint32_t offset,
                  int lane) {
    const std::uint64_t value = value_of(context, detail, lane);
    switch (detail.action) {
        case MbarrierAction::pending_count:
            return MbarrierState::from_bits(value).pending;
        case MbarrierAction::test:
            return load(context, offset).phase != MbarrierState::from_bits(value).phase;
        case MbarrierAction::test_parity:
            return load(context, offset).phase != (value & 1);
        default:
            break;
    }
    MbarrierState state;
    if (detail.action != MbarrierAction::init) state = load(context, offset);
    const std::uint64_t before = state.bits();
    change(state, detail.action, static_cast<std::uint32_t>(value));
    ++context.execution->memory_changes;
    store(context, offset, state);
    return before;
}

}  // namespace

MbarrierState MbarrierState::from_bits(std::uint64_t bits) {
    MbarrierState state;
    state.expected = static_cast<std::uint32_t>(bits & count_mask);
    state.pending = static_cast<std::uint32_t>(bits >> count_bits & count_mask);
    // 22 bits with a sign.
    state.bytes = static_cast<std::int32_t>(
                      static_cast<std::uint32_t>(bits >> 2 * count_bits & bytes_mask) << 10) >>
                  10;
    state.phase = bits >> 63 != 0;
    return state;
}

std::uint64_t MbarrierState::bits() const {
    return expected | std::uint64_t{pending} << count_bits |
           (static_cast<std::uint64_t>(static_cast<std::int64_t>(bytes)) & bytes_mask)
               << 2 * count_bits |
           std::uint64_t{phase} << 63;
}

bool MbarrierState::finish_if_complete() {
    if (pending != 0 || bytes != 0) return false;
    phase = !phase;
    pending = expected;
    return true;
}

void shared_offsets_of(WarpContext& context, const MemoryDetail& detail, bool is_generic,
                       LaneOffsets& offsets, bool of_cluster) {
    std::array<Address, warp_size> addresses;
    lane_addresses(context, detail, addresses);
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        Address offset = addresses[static_cast<std::size_t>(lane)];
        if (is_generic)
            offset -= shared_window;
        else
            offset &= 0xffffffffu;  // 32-bit shared addresses
        const bool is_elsewhere = of_cluster && names_block(context, offset);
        check_shared(context, detail, is_elsewhere ? offset & own_offset_mask : offset, lane);
        offsets[static_cast<std::size_t>(lane)] = static_cast<std::uint32_t>(offset);
    }
}

void complete_bytes(WarpContext& context, std::uint32_t barrier, std::uint32_t bytes) {
    const InBlockOf there(context, barrier);
    const std::uint32_t barrier_offset = barrier & own_offset_mask;
    if (context.execution->recorder != nullptr)
        context.execution->recorder->note_copied(context, barrier_offset);
    MbarrierState state = load(context, barrier_offset);
    change(state, MbarrierAction::complete, bytes);
    store(context, barrier_offset, state);
}

void execute_mbarrier(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const MbarrierDetail*>(operation.detail);
    const bool is_test =
        detail.action == MbarrierAction::test || detail.action == MbarrierAction::test_parity;
    LaneOffsets offsets{};
    if (detail.action != MbarrierAction::pending_count) {
        shared_offsets_of(context, detail.place, detail.is_generic, offsets, true);
    }
    std::uint32_t answers = 0;
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint32_t address = offsets[static_cast<std::size_t>(lane)];
        const InBlockOf there(context, address);
        const std::uint64_t result = act(context, detail, address & own_offset_mask, lane);
        if (is_test) {
            answers |= static_cast<std::uint32_t>(result) << lane;
        } else if (detail.result != no_register && detail.action == MbarrierAction::pending_count) {
            context.lanes<std::uint32_t>(detail.result)[lane] = static_cast<std::uint32_t>(result);
        } else if (detail.result != no_register) {
            context.lanes<std::uint64_t>(detail.result)[lane] = result;
        }
    }
    if (!is_test) return;
    if (detail.result != no_register) {
        std::uint32_t& predicate = context.predicate(detail.result);
        predicate = (predicate & ~context.mask) | answers;
    }
    // Those that ask will ask again: others first.
    context.wants_yield = answers != context.mask;
    if (context.wants_yield && context.block->cluster->blocks.size() > 1)
        ++context.execution->polls;
}

}  // namespace emulator::simt

#include "emulator/simt/warp/special_registers.hpp"

#include <string_view>

#include "emulator/simt/record/trace_recorder.hpp"
#include "emulator/simt/state/launch.hpp"

namespace emulator::simt {
namespace {

template <class T, class F>
void fill(Warp& warp, const Operation& operation, F&& value) {
    T* const to = warp.lanes<T>(operation.destination);
    if (warp.mask == 0xffffffffu) {
        for (std::uint32_t lane = 0; lane < warp_size; ++lane) to[lane] = value(lane);
        return;
    }
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
        if ((warp.mask >> lane & 1) != 0) to[lane] = value(lane);
    }
}

const Launch& launch_of(Warp& warp) { return context_of(warp).execution->launch; }

std::uint32_t component(const Dimensions& dimensions, unsigned axis) {
    return axis == 0 ? dimensions.x : axis == 1 ? dimensions.y : dimensions.z;
}

void thread_index(Warp& warp, const Operation& operation) {
    const Dimensions& block = launch_of(warp).shape.block;
    const std::uint32_t first = context_of(warp).warp->number * warp_size;
    if (operation.variant == 0) {
        fill<std::uint32_t>(warp, operation,
                            [&](std::uint32_t lane) { return (first + lane) % block.x; });
    } else if (operation.variant == 1) {
        fill<std::uint32_t>(warp, operation,
                            [&](std::uint32_t lane) { return (first + lane) / block.x % block.y; });
    } else {
        fill<std::uint32_t>(warp, operation,
                            [&](std::uint32_t lane) { return (first + lane) / block.x / block.y; });
    }
}

void block_index(Warp& warp, const Operation& operation) {
    const std::uint32_t value = context_of(warp).block->index[operation.variant];
    fill<std::uint32_t>(warp, operation, [&](std::uint32_t) { return value; });
}

void block_dimension(Warp& warp, const Operation& operation) {
    const std::uint32_t value = component(launch_of(warp).shape.block, operation.variant);
    fill<std::uint32_t>(warp, operation, [&](std::uint32_t) { return value; });
}

void grid_dimension(Warp& warp, const Operation& operation) {
    const std::uint32_t value = component(launch_of(warp).shape.grid, operation.variant);
    fill<std::uint32_t>(warp, operation, [&](std::uint32_t) { return value; });
}

void cluster_dimension(Warp& warp, const Operation& operation) {
    const std::uint32_t value = component(launch_of(warp).shape.cluster, operation.variant);
    fill<std::uint32_t>(warp, operation, [&](std::uint32_t) { return value; });
}

// The place of the block in its cluster, that of the cluster in the grid, and how many clusters the grid has.
void index_in_cluster(Warp& warp, const Operation& operation) {
    const std::uint32_t size = component(launch_of(warp).shape.cluster, operation.variant);
    const std::uint32_t value = context_of(warp).block->index[operation.variant] % size;
    fill<std::uint32_t>(warp, operation, [&](std::uint32_t) { return value; });
}

void cluster_index(Warp& warp, const Operation& operation) {
    const std::uint32_t size = component(launch_of(warp).shape.cluster, operation.variant);
    const std::uint32_t value = context_of(warp).block->index[operation.variant] / size;
    fill<std::uint32_t>(warp, operation, [&](std::uint32_t) { return value; });
}

void grid_in_clusters(Warp& warp, const Operation& operation) {
    const LaunchShape& shape = launch_of(warp).shape;
    const std::uint32_t value =
        component(shape.grid, operation.variant) / component(shape.cluster, operation.variant);
    fill<std::uint32_t>(warp, operation, [&](std::uint32_t) { return value; });
}

void lane_number(Warp& warp, const Operation& operation) {
    fill<std::uint32_t>(warp, operation, [](std::uint32_t lane) { return lane; });
}

enum LaneMask : std::uint16_t { equal, less, less_equal, greater, greater_equal };
void lane_mask(Warp& warp, const Operation& operation) {
    fill<std::uint32_t>(warp, operation, [&](std::uint32_t lane) -> std::uint32_t {
        const std::uint32_t bit = 1u << lane;
        switch (operation.variant) {
            case equal:
                return bit;
            case less:
                return bit - 1;
            case less_equal:
                return bit | (bit - 1);
            case greater:
                return ~(bit | (bit - 1));
            default:
                return ~(bit - 1);
        }
    });
}

enum Number : std::uint16_t {
    zero,
    warp_number,
    warps,
    sm_number,
    sms,
    grid_number,
    dynamic_shared,
    total_shared,
    clock_low,
    clock_high,
    clock,
    nanoseconds,
    nanoseconds_low,
    nanoseconds_high,
    workspace_low,
    workspace_high,
    rank_in_cluster,
    blocks_of_cluster,
};
// A warp's next reading of a clock. Where time is predicted, what the execution before this one leads to expect.
double cycles(WarpContext& context) {
    Execution& execution = *context.execution;
    if (execution.recorder != nullptr) execution.recorder->note_clock(context);
    // A basic block takes some ten cycles; reading the clock takes time, too, so that it never stands.
    if (execution.launch.clocks == nullptr) return 16.0 * static_cast<double>(++execution.steps);
    return execution.launch.clocks->at(context.block->number, context.warp->number,
                                       context.warp->clock_reads++);
}

double nanoseconds_of(WarpContext& context) {
    const timing::ClockReads* const clocks = context.execution->launch.clocks;
    return cycles(context) * (clocks == nullptr ? 1 : 1e9 / clocks->clock_hz);
}

std::uint64_t number(WarpContext& context, std::uint16_t which) {
    const Launch& launch = context.execution->launch;
    const auto low = [](double value) { return static_cast<std::uint64_t>(value) & 0xffffffffu; };
    const auto high = [](double value) { return static_cast<std::uint64_t>(value) >> 32; };
    switch (which) {
        case warp_number:
            return context.warp->number;
        case warps:
            return launch.architecture.max_warps_per_sm;
        case sm_number:
            return context.block->number % launch.architecture.sm_count;
        case sms:
            return launch.architecture.sm_count;
        case grid_number:
            return launch.grid_number;
        case dynamic_shared:
            return launch.shape.dynamic_shared_bytes;
        case total_shared:
            return launch.shared_bytes;
        case clock_low:
            return low(cycles(context));
        case clock_high:
            return high(cycles(context));
        case clock:
            return static_cast<std::uint64_t>(cycles(context));
        case nanoseconds:
            return static_cast<std::uint64_t>(nanoseconds_of(context));
        case nanoseconds_low:
            return low(nanoseconds_of(context));
        case nanoseconds_high:
            return high(nanoseconds_of(context));
        case workspace_low:
            return launch.grid_workspace & 0xffffffffu;
        case workspace_high:
            return launch.grid_workspace >> 32;
        case rank_in_cluster:
            return context.block->cluster_rank;
        case blocks_of_cluster:
            return launch.cluster_blocks();
        default:
            return 0;
    }
}

template <class T>
void number_register(Warp& warp, const Operation& operation) {
    const T value = static_cast<T>(number(context_of(warp), operation.variant));
    fill<T>(warp, operation, [&](std::uint32_t) { return value; });
}

struct Named {
    std::string_view name;
    SpecialRegister found;
};
constexpr Handler in_32 = number_register<std::uint32_t>;
constexpr Handler in_64 = number_register<std::uint64_t>;
constexpr Named table[] = {
    {"%laneid", {lane_number, 4, 0, true}},
    {"%warpid", {in_32, 4, warp_number, true}},
    {"%nwarpid", {in_32, 4, warps, true}},
    {"%smid", {in_32, 4, sm_number}},
    {"%nsmid", {in_32, 4, sms, true}},
    {"%gridid", {in_64, 8, grid_number, true}},
    {"%lanemask_eq", {lane_mask, 4, equal, true}},
    {"%lanemask_lt", {lane_mask, 4, less, true}},
    {"%lanemask_le", {lane_mask, 4, less_equal, true}},
    {"%lanemask_gt", {lane_mask, 4, greater, true}},
    {"%lanemask_ge", {lane_mask, 4, greater_equal, true}},
    {"%clock", {in_32, 4, clock_low, false, true}},
    {"%clock_hi", {in_32, 4, clock_high, false, true}},
    {"%clock64", {in_64, 8, clock, false, true}},
    {"%globaltimer", {in_64, 8, nanoseconds, false, true}},
    {"%globaltimer_lo", {in_32, 4, nanoseconds_low, false, true}},
    {"%globaltimer_hi", {in_32, 4, nanoseconds_high, false, true}},
    {"%dynamic_smem_size", {in_32, 4, dynamic_shared, true}},
    {"%total_smem_size", {in_32, 4, total_shared, true}},
    {"%aggr_smem_size", {in_32, 4, total_shared, true}},
    {"%envreg1", {in_32, 4, workspace_high, true}},
    {"%envreg2", {in_32, 4, workspace_low, true}},
    {"%cluster_ctarank", {in_32, 4, rank_in_cluster}},
    {"%cluster_nctarank", {in_32, 4, blocks_of_cluster, true}},
};
constexpr Named of_axes[] = {
    {"%tid", {thread_index, 4, 0, true}},
    {"%ntid", {block_dimension, 4, 0, true}},
    {"%ctaid", {block_index}},
    {"%nctaid", {grid_dimension, 4, 0, true}},
    {"%clusterid", {cluster_index}},
    {"%nclusterid", {grid_in_clusters, 4, 0, true}},
    {"%cluster_ctaid", {index_in_cluster}},
    {"%cluster_nctaid", {cluster_dimension, 4, 0, true}},
};

}  // namespace

SpecialRegister find_special_register(const std::string& name) {
    if (name.size() > 2 && name[name.size() - 2] == '.') {
        const auto axis = static_cast<std::uint16_t>(name.back() - 'x');
        const std::string_view vector(name.data(), name.size() - 2);
        for (const Named& entry : of_axes) {
            if (entry.name != vector || axis > 2) continue;
            SpecialRegister found = entry.found;
            found.variant = axis;
            return found;
        }
    }
    for (const Named& entry : table) {
        if (entry.name == name) return entry.found;
    }
    // Registers that the driver may define, and this one does not.
    if (name.starts_with("%envreg") || name.starts_with("%pm")) return {in_32, 4, zero, true};
    return {};
}

}  // namespace emulator::simt

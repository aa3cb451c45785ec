#include "emulator/simt/hazard_checks.hpp"

#include <algorithm>
#include <bit>

#include "emulator/device_memory.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::simt {

void check_initialised(WarpContext& context, const MemoryDetail& detail, const Located& located) {
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint32_t offset = located.offsets[static_cast<std::size_t>(lane)];
        check_initialised(context, detail, context.sites[detail.site].low + offset, lane);
    }
}

void check_initialised(WarpContext& context, const MemoryDetail& detail, Address address,
                       int lane) {
    if (detail.kind != AccessKind::store && !is_initialised(address, detail.bytes)) {
        const HazardIdentity identity{HazardKind::uninitialised_read, detail.site, no_site};
        auto& texts = context.execution->hazard_texts;
        if (!texts.contains(identity)) {
            const auto allocation = allocation_at_or_below(address);
            texts[identity] = {
                context.block->number,
                place_of(context, detail.instruction, lane) + " reads uninitialised memory: byte " +
                    std::to_string(address - allocation->begin) + " of an allocation of " +
                    std::to_string(allocation->bytes) + " bytes"};
        }
    }
    if (detail.kind != AccessKind::load) mark_initialised(address, detail.bytes);
}

void check_shared_access(WarpContext& context, const MemoryDetail& detail,
                         const LaneOffsets& offsets) {
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const Accessor who{static_cast<std::uint16_t>(context.warp->number * warp_size +
                                                      static_cast<unsigned>(lane)),
                           context.warp->epoch};
        context.hazards->access(who, offsets[static_cast<std::size_t>(lane)], detail.bytes,
                                detail.kind, detail.site);
    }
}

// ---- barriers ------------------------------------------------------------------------------------

namespace {

// Numbers of instructions for the models: of memory accesses their sites, of barriers their blocks.
constexpr Site barrier_site = 0x80000000u;

const ptx::SourceLocation& location_of(const Image& image, Site site) {
    if ((site & barrier_site) != 0) {
        const auto [function, number] = image.counters[site & ~barrier_site];
        return function->source->instructions[function->blocks[number].control_instruction]
            .location;
    }
    const Image::Site& found = image.sites[site];
    return found.function->source->instructions[found.site.instruction].location;
}

// An unrolled loop has many copies of one access: a hazard of them all is one hazard.
Site first_copy(const Image& image, Site site) {
    if (site == no_site || (site & barrier_site) != 0) return site;
    const ptx::SourceLocation& wanted = location_of(image, site);
    for (Site earlier = 0; earlier < site; ++earlier) {
        const ptx::SourceLocation& location = location_of(image, earlier);
        if (location.file == wanted.file && location.line == wanted.line &&
            location.column == wanted.column &&
            image.sites[earlier].function == image.sites[site].function) {
            return earlier;
        }
    }
    return site;
}

std::string array_at(const Image& image, std::uint32_t offset) {
    std::string name = "shared memory";
    std::uint32_t nearest = 0;
    for (const auto& [variable, begin] : image.shared_offsets) {
        if (begin > offset || begin < nearest) continue;
        nearest = begin;
        name = plain_name(variable);
    }
    return name;
}

std::string text_of(const Execution& execution, const BlockState& block, const Hazard& hazard) {
    const Launch& launch = execution.launch;
    const auto place = [&](Site site) {
        return text(launch.module, location_of(launch.image, site));
    };
    std::string who = "kernel " + launch.kernel_name + ", block " +
                      index_text(block.index[0], block.index[1], block.index[2]) + ", thread " +
                      thread_text(launch, hazard.thread) + ": " + place(hazard.site);
    const std::string other = "thread " + thread_text(launch, hazard.other_thread) + " at " +
                              (hazard.other_site == no_site ? "its end" : place(hazard.other_site));
    const std::string array = array_at(launch.image, hazard.shared_offset);
    switch (hazard.kind) {
        case HazardKind::uninitialised_read:
            return who + " reads uninitialised shared memory: " + array;
        case HazardKind::read_after_write:
            return who + " reads " + array + ", which " + other +
                   " writes, with no barrier between them";
        case HazardKind::write_after_read:
            return who + " writes " + array + ", which " + other +
                   " reads, with no barrier between them";
        case HazardKind::write_after_write:
            return who + " writes " + array + ", which " + other +
                   " writes too, with no barrier between them";
        case HazardKind::divergent_barrier:
            return who + " waits at a barrier that not all threads reach: " + other;
    }
    return who;
}

}  // namespace

void check_barrier(Execution& execution, BlockState& block, unsigned number) {
    execution.hazards->synchronise();
    if (block.barriers[number].expected_threads != 0) return;  // part of the block is enough for it
    std::vector<Site> waits_at(execution.launch.threads(), no_site);
    for (const WarpState& warp : block.warps) {
        for (const Fragment& fragment : warp.fragments) {
            if (fragment.state != FragmentState::at_barrier || fragment.barrier != number) continue;
            for (std::uint32_t rest = fragment.lanes; rest != 0; rest &= rest - 1) {
                waits_at[warp.number * warp_size + static_cast<unsigned>(std::countr_zero(rest))] =
                    barrier_site | fragment.waits_at->counter;
            }
        }
    }
    const auto first = std::ranges::find_if(waits_at, [](Site site) { return site != no_site; });
    if (first == waits_at.end()) return;
    const auto thread = static_cast<std::uint16_t>(first - waits_at.begin());
    for (std::size_t other = 0; other < waits_at.size(); ++other) {
        if (waits_at[other] == *first) continue;
        execution.hazards->divergent_barrier({thread, 0}, *first, static_cast<std::uint16_t>(other),
                                             waits_at[other]);
    }
}

void collect_hazards(Execution& execution, const BlockState& block) {
    execution.hazards->end_block();
    const Image& image = execution.launch.image;
    for (Hazard hazard : execution.hazards->take_findings()) {
        hazard.site = first_copy(image, hazard.site);
        hazard.other_site = first_copy(image, hazard.other_site);
        execution.hazard_texts.try_emplace(identity(hazard), block.number,
                                           text_of(execution, block, hazard));
    }
}

}  // namespace emulator::simt

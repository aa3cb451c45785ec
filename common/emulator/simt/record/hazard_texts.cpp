// The findings of the hazard models, in words.
#include "emulator/simt/record/hazard_texts.hpp"

#include <algorithm>
#include <bit>

#include "emulator/memory/device_memory.hpp"
#include "emulator/models/hazards/global_races.hpp"
#include "emulator/models/hazards/shared_hazards.hpp"
#include "emulator/simt/state/launch.hpp"

namespace emulator::simt {
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

const Function* function_of(const Image& image, Site site) {
    return (site & barrier_site) != 0 ? image.counters[site & ~barrier_site].function
                                      : image.sites[site].function;
}

// An unrolled loop has many copies of one access or barrier: a hazard of them all is one hazard.
Site first_copy(const Image& image, Site site) {
    if (site == no_site) return site;
    const ptx::SourceLocation& wanted = location_of(image, site);
    for (Site earlier = site & barrier_site; earlier < site; ++earlier) {
        const ptx::SourceLocation& location = location_of(image, earlier);
        if (location.file == wanted.file && location.line == wanted.line &&
            location.column == wanted.column &&
            function_of(image, earlier) == function_of(image, site)) {
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

std::string thread_and_block(const Launch& launch, std::uint16_t thread, std::uint64_t block) {
    const Dimensions& grid = launch.shape.grid;
    return "thread " + thread_text(launch, thread) + " of block " +
           index_text(static_cast<std::uint32_t>(block % grid.x),
                      static_cast<std::uint32_t>(block / grid.x % grid.y),
                      static_cast<std::uint32_t>(block / grid.x / grid.y));
}

std::string place(const Launch& launch, Site site) {
    if (site == no_site) return "another instruction";
    return text(launch.module, place_in_program(launch.module, location_of(launch.image, site)));
}

// "kernel k, block (0,0,0), thread (1,0,0): a.cu:5".
std::string actor(const Launch& launch, const BlockState& block, std::uint16_t thread, Site site) {
    return "kernel " + launch.kernel_name + ", block " +
           index_text(block.index[0], block.index[1], block.index[2]) + ", thread " +
           thread_text(launch, thread) + ": " + place(launch, site);
}

// " reads A, which B writes": `other` is "thread (1,0,0) at a.cu:3" and `s`, or "other threads at a.cu:3" and nothing.
std::string race_text(HazardKind kind, const std::string& what, const std::string& other,
                      bool is_plural) {
    const std::string ending = is_plural ? "" : "s";
    switch (kind) {
        case HazardKind::read_after_write:
            return " reads " + what + ", which " + other + " write" + ending;
        case HazardKind::write_after_read:
            return " writes " + what + ", which " + other + " read" + ending;
        default:
            return " writes " + what + ", which " + other + " write" + ending + " too";
    }
}

std::string text_of(const Execution& execution, const BlockState& block, const Hazard& hazard) {
    const Launch& launch = execution.launch;
    const std::string who = actor(launch, block, hazard.thread, hazard.site);
    const bool is_plural = hazard.other_thread == no_thread;
    const std::string others =
        is_plural ? "other threads" : "thread " + thread_text(launch, hazard.other_thread);
    const std::string array = array_at(launch.image, hazard.shared_offset);
    switch (hazard.kind) {
        case HazardKind::uninitialised_read:
            return who + " reads uninitialised shared memory: " + array;
        case HazardKind::divergent_barrier:
            return who + " waits at a barrier that not all threads reach: " + others + " at " +
                   (hazard.other_site == no_site ? "its end" : place(launch, hazard.other_site));
        case HazardKind::copy_not_awaited:
            return who + " accesses " + array +
                   " while an asynchronous copy to it is under way: " + others + " at " +
                   place(launch, hazard.other_site) +
                   " has not waited for it (cp.async.wait_group)";
        default:
            return who +
                   race_text(hazard.kind, array, others + " at " + place(launch, hazard.other_site),
                             is_plural) +
                   ", with no barrier between them";
    }
}

std::string text_of(const WarpContext& context, const GlobalRace& race) {
    const Launch& launch = context.execution->launch;
    const auto allocation = allocation_at_or_below(race.address);
    const std::string what = "byte " + std::to_string(race.address - allocation->begin) +
                             " of an allocation of " + std::to_string(allocation->bytes) + " bytes";
    const bool is_plural = race.other_thread == no_thread;
    const std::string others =
        is_plural ? "other threads"
                  : "another thread (" +
                        thread_and_block(launch, race.other_thread, race.other_block) + ")";
    return actor(launch, *context.block, race.thread, race.site) +
           race_text(race.kind, what, others + " at " + place(launch, race.other_site), is_plural) +
           ", with no barrier or fence between them: a race in global memory";
}

}  // namespace

void check_barrier(Execution& execution, BlockState& block, unsigned number) {
    block.hazards->synchronise();
    if (execution.races != nullptr) execution.races->barrier(block.order);
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
        block.hazards->divergent_barrier({thread, 0}, *first, static_cast<std::uint16_t>(other),
                                         waits_at[other]);
    }
}

bool is_noted_uninitialised(const WarpContext& context, const MemoryDetail& detail) {
    return context.execution->hazard_texts.contains(
        {HazardKind::uninitialised_read, detail.site, no_site});
}

void note_uninitialised(WarpContext& context, const MemoryDetail& detail, Address address,
                        int lane) {
    const HazardIdentity identity{HazardKind::uninitialised_read, detail.site, no_site};
    auto& texts = context.execution->hazard_texts;
    if (texts.contains(identity)) return;
    const auto allocation = allocation_at_or_below(address);
    texts[identity] = {context.block->number, place_of(context, detail.instruction, lane) +
                                                  " reads uninitialised memory: byte " +
                                                  std::to_string(address - allocation->begin) +
                                                  " of an allocation of " +
                                                  std::to_string(allocation->bytes) + " bytes"};
}

void note_global_races(WarpContext& context) {
    Execution& execution = *context.execution;
    const Image& image = execution.launch.image;
    for (GlobalRace race : execution.races->take_findings()) {
        race.site = first_copy(image, race.site);
        race.other_site = first_copy(image, race.other_site);
        const HazardIdentity key = identity({race.kind, 0, 0, race.site, race.other_site, 0});
        if (execution.hazard_texts.contains(key)) continue;
        execution.hazard_texts[key] = {context.block->number, text_of(context, race)};
    }
}

void note_out_of_bounds(WarpContext& context, const MemoryDetail& detail, int lane,
                        const std::string& what) {
    const HazardIdentity identity{HazardKind::out_of_bounds, detail.site, no_site};
    auto& texts = context.execution->hazard_texts;
    if (texts.contains(identity)) return;
    texts[identity] = {context.block->number,
                       place_of(context, detail.instruction, lane) + " " + what};
}

void check_members(WarpContext& context, const BasicBlock& block, std::uint32_t participants,
                   std::uint32_t absent) {
    const auto& detail = *static_cast<const WarpWideDetail*>(block.detail);
    const std::uint32_t* const masks = context.lanes<std::uint32_t>(detail.members);
    int lane = std::countr_zero(participants);
    std::string what;
    for (std::uint32_t rest = participants; rest != 0; rest &= rest - 1) {
        const int each = std::countr_zero(rest);
        if ((masks[each] >> each & 1) != 0) continue;
        lane = each;
        what = "has a mask without the lane itself";
    }
    if (what.empty() && absent != 0)
        what = "has a mask that names lane " + std::to_string(std::countr_zero(absent)) +
               ", which does not execute it";
    if (what.empty()) return;
    const Site first = first_copy(context.execution->launch.image, barrier_site | block.counter);
    const HazardIdentity identity{HazardKind::absent_lane, first, no_site};
    context.execution->hazard_texts.try_emplace(
        identity, context.block->number,
        place_of(context, block.control_instruction, lane) + " " + what);
}

// Shared memory alone: one line that results depend on the order of warps, where nothing else is asked for.
void note_order_of_warps(Execution& execution, const BlockState& block,
                         const std::vector<Hazard>& findings) {
    for (const Hazard& hazard : findings) {
        const bool is_race = hazard.kind == HazardKind::read_after_write ||
                             hazard.kind == HazardKind::write_after_read ||
                             hazard.kind == HazardKind::write_after_write;
        const bool same_warp = hazard.other_thread != no_thread &&
                               hazard.thread / warp_size == hazard.other_thread / warp_size;
        if (!is_race || same_warp || !execution.order_note.empty()) continue;
        execution.order_note =
            "results depend on the order of warps: " + text_of(execution, block, hazard) +
            "; --check-hazards names all such places";
        return;
    }
}

void collect_hazards(Execution& execution, const BlockState& block) {
    block.hazards->end_block();
    const Image& image = execution.launch.image;
    std::vector<Hazard> findings = block.hazards->take_findings();
    if (!execution.launch.options.check_hazards)
        return note_order_of_warps(execution, block, findings);
    for (Hazard& hazard : findings) {
        hazard.site = first_copy(image, hazard.site);
        hazard.other_site = first_copy(image, hazard.other_site);
        execution.hazard_texts.try_emplace(identity(hazard), block.number,
                                           text_of(execution, block, hazard));
    }
}

}  // namespace emulator::simt

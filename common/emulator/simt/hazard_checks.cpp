#include "emulator/simt/hazard_checks.hpp"

#include <bit>

#include "emulator/device_memory.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::simt {

void check_initialised(WarpContext& context, const MemoryDetail& detail, const Located& located) {
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        check_initialised(context, detail,
                          reinterpret_cast<Address>(located.base) +
                              located.offsets[static_cast<std::size_t>(lane)],
                          lane);
    }
}

void check_initialised(WarpContext& context, const MemoryDetail& detail, Address address, int lane) {
    if (detail.kind != AccessKind::store && !is_initialised(address, detail.bytes)) {
        const HazardIdentity identity{HazardKind::uninitialised_read, detail.site, no_site};
        auto& texts = context.execution->hazard_texts;
        if (!texts.contains(identity)) {
            const auto allocation = allocation_at_or_below(address);
            texts[identity] = {context.block->number,
                               place_of(context, detail.instruction, lane) +
                                   " reads uninitialised memory: byte " +
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
        const Accessor who{
            static_cast<std::uint16_t>(context.warp->number * warp_size + static_cast<unsigned>(lane)),
            context.warp->epoch};
        context.hazards->access(who, offsets[static_cast<std::size_t>(lane)], detail.bytes, detail.kind,
                                detail.site);
    }
}

void check_barrier(Execution& execution, BlockState&, unsigned) { execution.hazards->synchronise(); }

void collect_hazards(Execution& execution, const BlockState&) {
    execution.hazards->end_block();
    (void)execution.hazards->take_findings();
}

}  // namespace emulator::simt

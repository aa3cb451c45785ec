#include "emulator/simt/warp/fences.hpp"

#include "emulator/models/memory/memory_model.hpp"
#include "emulator/simt/state/execution.hpp"

namespace emulator::simt {

// Memory is always consistent here; the caches may have to be emptied.
void execute_fence(Warp& warp, const Operation&) {
    WarpContext& context = context_of(warp);
    if (context.memory != nullptr) context.memory->queue_fence(context.warp->number);
}

void execute_active_mask(Warp& warp, const Operation& operation) {
    std::uint32_t* const to = warp.lanes<std::uint32_t>(operation.destination);
    for (int lane = 0; lane < warp_size; ++lane) {
        if ((warp.mask >> lane & 1) != 0) to[lane] = warp.mask;
    }
}

// Only accesses read a policy, and the modelled caches keep no priorities: any value serves.
void execute_cache_policy(Warp& warp, const Operation& operation) {
    std::uint64_t* const to = warp.lanes<std::uint64_t>(operation.destination);
    for (int lane = 0; lane < warp_size; ++lane) {
        if ((warp.mask >> lane & 1) != 0) to[lane] = 0;
    }
}

}  // namespace emulator::simt

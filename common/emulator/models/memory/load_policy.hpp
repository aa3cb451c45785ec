// Which cache a global load goes through, and in which unit it is fetched: the rules of the
// generations, and of the ways in which a program can ask for something else.
#pragma once

#include <cstdint>

#include "emulator/models/architecture.hpp"
#include "emulator/models/memory/cache_operator.hpp"

namespace emulator {

// -dlcm of the compilation: its own default, or loads that bypass the L1 (cg), or cached ones (ca).
enum class L1Mode : std::uint8_t { standard, bypass, cached };

enum class LoadPath : std::uint8_t { l1, read_only_cache, l2 };

struct LoadPolicy {
    LoadPath path = LoadPath::l1;
    std::uint32_t fetch_unit_bytes = 32;
};

inline LoadPolicy load_policy(const Architecture& gpu, CacheOperator cache_operator, L1Mode mode) {
    const LoadPolicy past_l1{LoadPath::l2, gpu.fetch_unit_bytes_without_l1};
    const LoadPolicy through_l1{LoadPath::l1, gpu.fetch_unit_bytes_with_l1};
    if (cache_operator == CacheOperator::l2_only) return past_l1;
    if (cache_operator == CacheOperator::all_levels) return through_l1;
    if (cache_operator == CacheOperator::read_only && gpu.read_only_path != ReadOnlyPath::none) {
        // The texture path, which fetches sectors.
        const bool own_cache = gpu.read_only_path == ReadOnlyPath::own;
        return {own_cache ? LoadPath::read_only_cache : LoadPath::l1, 32};
    }
    if (mode == L1Mode::bypass) return past_l1;
    if (mode == L1Mode::cached || gpu.l1_caches_global_loads) return through_l1;
    return past_l1;
}

}  // namespace emulator

#include "emulator/runtime/report/counters.hpp"

#include <algorithm>

namespace emulator::runtime {
namespace {

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

class List {
  public:
    void add(const std::string& name, double value) { counters.emplace_back(name, value); }
    void add(const std::string& name, std::uint64_t value) {
        add(name, static_cast<double>(value));
    }

    void add_global(const std::string& prefix, const char* nvprof_name,
                    const AccessCounters& access) {
        add(prefix + "_requests", access.requests);
        add(prefix + "_sectors", access.sectors);
        add(prefix + "_lines", access.lines);
        add(prefix + "_efficiency", percent(access.distinct_bytes, access.moved_bytes));
        add(nvprof_name, percent(access.lane_bytes, access.moved_bytes));
        add(prefix + "_lane_bytes", access.lane_bytes);
    }

    // Kernels without such accesses do not have these counters.
    void add_sectors(const std::string& prefix, const AccessCounters& access) {
        if (access.requests == 0) return;
        add(prefix + "_requests", access.requests);
        add(prefix + "_sectors", access.sectors);
    }

    void add_shared(const std::string& prefix, const AccessCounters& access) {
        if (access.wavefronts == 0) return;
        add(prefix + "_requests", access.requests);
        add(prefix + "_wavefronts", access.wavefronts);
        add(prefix + "_bank_conflicts", access.bank_conflicts);
    }

    Counters counters;
};

}  // namespace

void add_totals(simt::LaunchRecord& sum, const simt::LaunchRecord& launch) {
    sum.loads.add(launch.loads);
    sum.stores.add(launch.stores);
    sum.atomics.add(launch.atomics);
    sum.reductions.add(launch.reductions);
    sum.local_loads.add(launch.local_loads);
    sum.local_stores.add(launch.local_stores);
    sum.shared_loads.add(launch.shared_loads);
    sum.shared_stores.add(launch.shared_stores);
    sum.shared_atomics.add(launch.shared_atomics);
    sum.texture_loads.add(launch.texture_loads);
    sum.matrix_load_requests += launch.matrix_load_requests;
    sum.matrix_store_requests += launch.matrix_store_requests;
    sum.tensor_instructions += launch.tensor_instructions;
    sum.memory.add(launch.memory);
    sum.l2_read_sectors_min += launch.l2_read_sectors_min;
    sum.l2_write_sectors_min += launch.l2_write_sectors_min;
    sum.dram_read_bytes += launch.dram_read_bytes;
    sum.warp_instructions += launch.warp_instructions;
    sum.thread_instructions += launch.thread_instructions;
    sum.branches += launch.branches;
    sum.divergent_branches += launch.divergent_branches;
    sum.barriers += launch.barriers;
    sum.blocks += launch.blocks;
    sum.blocks_executed += launch.blocks_executed;
    sum.host_seconds += launch.host_seconds;
    if (launch.occupancy.blocks != 0) sum.occupancy = launch.occupancy;
    sum.hazards.insert(sum.hazards.end(), launch.hazards.begin(), launch.hazards.end());
}

Counters counters_of(const simt::LaunchRecord& totals, bool with_caches) {
    List list;
    list.add_global("load", "nvprof_gld_efficiency", totals.loads);
    list.add_global("store", "nvprof_gst_efficiency", totals.stores);
    for (const auto& [prefix, accesses] : {std::pair{"atomic", &totals.atomics},
                                           {"reduction", &totals.reductions},
                                           {"local_load", &totals.local_loads},
                                           {"local_store", &totals.local_stores},
                                           {"texture_load", &totals.texture_loads}}) {
        list.add_sectors(prefix, *accesses);
    }
    for (const auto& [prefix, accesses] : {std::pair{"shared_load", &totals.shared_loads},
                                           {"shared_store", &totals.shared_stores},
                                           {"shared_atomic", &totals.shared_atomics}}) {
        list.add_shared(prefix, *accesses);
    }
    for (const auto& [name, count] :
         {std::pair{"matrix_load_requests", totals.matrix_load_requests},
          {"matrix_store_requests", totals.matrix_store_requests},
          {"tensor_instructions", totals.tensor_instructions}}) {
        if (count != 0) list.add(name, count);
    }
    list.add("warp_instructions", totals.warp_instructions);
    list.add("thread_instructions", totals.thread_instructions);
    list.add("branches", totals.branches);
    list.add("divergent_branches", totals.divergent_branches);
    list.add("theoretical_occupancy", totals.occupancy.percent);
    // A sample of the blocks does not show what blocks share in the caches.
    if (with_caches && totals.blocks_executed == totals.blocks) {
        list.add("l1_hit_sectors", totals.memory.l1_hit_sectors);
        // Sectors of atomics alone are read from DRAM, but the L2 updates them without a read from the SM.
        list.add("l2_read_sectors_least",
                 std::min(totals.l2_read_sectors_min, totals.memory.l2_read_sectors_most));
        list.add("l2_read_sectors_most", totals.memory.l2_read_sectors_most);
        list.add("l2_write_sectors_least", totals.l2_write_sectors_min);
        list.add("l2_write_sectors_most", totals.memory.l2_write_sectors_most);
        list.add("dram_read_bytes", totals.dram_read_bytes);
    }
    return std::move(list.counters);
}

Counters reported_counters(const simt::LaunchRecord& launch, bool with_caches) {
    Counters counters = counters_of(launch, with_caches);
    const auto warps =
        std::ranges::find(counters, "warp_instructions", &Counters::value_type::first);
    warps[0].first = "ptx_instructions";
    warps[1].first = "ptx_thread_instructions";
    if (launch.machine_instructions) {
        counters.emplace(warps, "warp_instructions",
                         static_cast<double>(*launch.machine_instructions));
    }
    return counters;
}

}  // namespace emulator::runtime

#include "emulator/tracer.hpp"

#include <algorithm>
#include <string>

#include "emulator/block.hpp"
#include "emulator/coalescing.hpp"

namespace emulator {
namespace {

constexpr std::uint32_t whole_warp = 0xffffffffu;
// An index this far past the last shared array is still told as one; nothing of a kernel lies there.
constexpr std::size_t shared_memory_margin = 2048;

std::uint32_t lanes_beyond(const std::array<std::uint32_t, warp_size>& executions,
                           std::uint32_t execution) {
    std::uint32_t mask = 0;
    for (int lane = 0; lane < warp_size; ++lane) {
        mask |= static_cast<std::uint32_t>(executions[lane] > execution) << lane;
    }
    return mask;
}

std::string verb(AccessKind kind) {
    switch (kind) {
        case AccessKind::load: return "reads ";
        case AccessKind::store: return "writes ";
        case AccessKind::atomic: return "updates ";
    }
    return "";
}

std::string describe_outside(Address address, std::uint32_t bytes) {
    const auto below = allocation_at_or_below(address);
    if (!below) return "below every allocation";
    const Address past = address + bytes - below->end();
    return std::to_string(past) + (past == 1 ? " byte" : " bytes") + " past the end of an allocation of " +
           std::to_string(below->bytes) + " bytes";
}

}  // namespace

void Tracer::begin_launch(std::size_t dynamic_shared_bytes) {
    sites_.clear();
    site_index_.clear();
    site_cache_.fill(&no_site_);
    shared_memory_ = tls_block_of_this_thread();
    dynamic_shared_bytes_ = dynamic_shared_bytes;
}

void Tracer::record_slowly(Address address, std::uint32_t bytes, AccessKind kind,
                           CacheOperator cache_operator, const void* return_address) {
    Site* const site = find_or_make_site(address, bytes, kind, cache_operator, return_address);
    if (site == nullptr) return;
    if (site->executions[lane_] == Site::window) block_.wait_at_window();
    site->append(lane_, address);
}

Site* Tracer::find_or_make_site(Address address, std::uint32_t bytes, AccessKind kind,
                                CacheOperator cache_operator, const void* return_address) {
    Space space = Space::global;
    Address low = 0;
    std::size_t extent = 0;
    if (in_device_memory(address)) {
        const auto allocation = allocation_at_or_below(address);
        if (!allocation || address + bytes > allocation->end()) {
            report_access(bytes, kind, return_address, describe_outside(address, bytes));
        }
        low = allocation->begin;
        extent = allocation->bytes;
    } else if (address - shared_memory_.begin < shared_memory_.bytes + shared_memory_margin) {
        space = Space::shared;
        const auto array = shared_array_at_or_below(address - shared_memory_.begin);
        if (array) {
            low = shared_memory_.begin + array->offset;
            extent = array->dynamic ? dynamic_shared_bytes_ : array->bytes;
        }
        if (!array || address + bytes > low + extent) {
            report_access(bytes, kind, return_address,
                          array ? "outside the shared array " + array->name + " of " +
                                      std::to_string(extent) + " bytes"
                                : "shared memory before the first array");
        }
    } else {
        switch (image_section(address)) {
            case ImageSection::constant: return nullptr;
            case ImageSection::device_variable: break;
            case ImageSection::none:
                report_access(bytes, kind, return_address,
                              "memory of the host (a host pointer passed to a kernel?)");
        }
        low = address;
        extent = bytes;
    }
    if ((address & (bytes - 1)) != 0) {
        report_access(bytes, kind, return_address,
                      "a misaligned address: " + std::to_string(bytes) +
                          "-byte accesses need addresses that are multiples of " +
                          std::to_string(bytes));
    }
    // An instruction that reaches global and shared memory (a generic pointer) is two sites.
    const std::uint64_t key = (reinterpret_cast<std::uint64_t>(return_address) << 2) |
                              static_cast<std::uint64_t>(space);
    Site*& site = site_index_[key];
    if (site == nullptr) {
        sites_.push_back(
            std::make_unique<Site>(return_address, space, kind, cache_operator, bytes));
        site = sites_.back().get();
    }
    site->low = low;
    site->span = extent - bytes + 1;
    site_cache_[reinterpret_cast<std::uintptr_t>(return_address) % cached_sites] = site;
    return site;
}

void Tracer::report_access(std::uint32_t bytes, AccessKind kind, const void* return_address,
                           const std::string& why) {
    block_.fault(return_address, verb(kind) + std::to_string(bytes) +
                                     (bytes == 1 ? " byte " : " bytes ") + why);
}

void Tracer::close_warp() {
    for (const auto& site : sites_) {
        const auto [fewest, most] =
            std::minmax_element(site->executions.begin(), site->executions.end());
        if (*most == 0) continue;
        for (std::uint32_t execution = 0; execution < *most; ++execution) {
            complete(*site, &site->addresses[execution * warp_size],
                     execution < *fewest ? whole_warp : lanes_beyond(site->executions, execution));
        }
        site->executions.fill(0);
    }
}

void Tracer::close_window(std::uint32_t waiting) {
    for (const auto& site : sites_) {
        std::uint32_t most = 0;
        std::uint32_t passed_by_all = Site::window;
        for (int lane = 0; lane < warp_size; ++lane) {
            most = std::max(most, site->executions[lane]);
            if ((waiting >> lane & 1) != 0) {
                passed_by_all = std::min(passed_by_all, site->executions[lane]);
            }
        }
        // A full window that some waiting lane has not touched (it is in another branch) must be
        // emptied all the same, or the lane that filled it could never go on.
        const std::uint32_t done =
            most == Site::window && passed_by_all == 0 ? Site::window : passed_by_all;
        if (done == 0 || most == 0) continue;
        for (std::uint32_t execution = 0; execution < std::min(done, most); ++execution) {
            complete(*site, &site->addresses[execution * warp_size],
                     lanes_beyond(site->executions, execution));
        }
        std::copy(&site->addresses[done * warp_size], &site->addresses[Site::window * warp_size],
                  &site->addresses[0]);
        for (auto& executions : site->executions) executions -= std::min(executions, done);
    }
}

void Tracer::complete(Site& site, Address* addresses, std::uint32_t active_mask) {
    const Address first = addresses[std::countr_zero(active_mask)];
    if (active_mask != whole_warp) {
        for (int lane = 0; lane < warp_size; ++lane) {
            if ((active_mask >> lane & 1) == 0) addresses[lane] = first;
        }
    }
    const Address offset_in_line = first % line_bytes;
    Site::Shape& shape = site.shapes[(first / 32) % site.shapes.size()];
    bool known = shape.active_mask == active_mask && shape.offset_in_line == offset_in_line;
    if (known) {
        Address differences = 0;
        for (int lane = 0; lane < warp_size; ++lane) {
            differences |= (addresses[lane] - first) ^ shape.from_first_lane[lane];
        }
        known = differences == 0;
    }
    if (!known) {
        site.counters.add(shape.cost, shape.seen);
        shape.active_mask = active_mask;
        shape.offset_in_line = offset_in_line;
        for (int lane = 0; lane < warp_size; ++lane) {
            shape.from_first_lane[lane] = addresses[lane] - first;
        }
        shape.cost = cost_of(site, std::span<const Address, warp_size>(addresses, warp_size), active_mask);
        shape.seen = 0;
    }
    ++shape.seen;
}

AccessCounters Tracer::cost_of(const Site& site, std::span<const Address, warp_size> addresses,
                               std::uint32_t active_mask) const {
    const WarpRequest request{addresses, active_mask, site.bytes};
    AccessCounters cost;
    cost.requests = 1;
    if (site.space == Space::shared) {
        cost.wavefronts = wavefronts(request, banks_);
        cost.ideal_wavefronts = ideal_wavefronts(request, banks_);
    } else {
        const Transactions transactions = coalesce(request);
        cost.sectors = transactions.sectors;
        cost.lines = transactions.lines;
        cost.distinct_bytes = transactions.distinct_bytes;
        cost.lane_bytes = transactions.lane_bytes;
    }
    return cost;
}

void Tracer::end_launch() {
    for (const auto& site : sites_) {
        for (Site::Shape& shape : site->shapes) {
            site->counters.add(shape.cost, shape.seen);
            shape.seen = 0;
        }
    }
}

void Tracer::abandon() { begin_launch(0); }

}  // namespace emulator

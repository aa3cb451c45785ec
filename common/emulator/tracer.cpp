#include "emulator/tracer.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "emulator/block.hpp"
#include "emulator/models/coalescing.hpp"
#include "emulator/recorder.hpp"
#include "emulator/thread_state.hpp"

namespace emulator {
namespace {

constexpr std::uint32_t whole_warp = 0xffffffffu;
// An index this far past the last shared array is still told as one; nothing of a kernel lies
// there.
constexpr std::size_t shared_memory_margin = 2048;

std::uint32_t lanes_beyond(const std::array<std::uint32_t, warp_size>& next_row,
                           std::uint32_t row) {
    std::uint32_t mask = 0;
    for (int lane = 0; lane < warp_size; ++lane) {
        mask |= static_cast<std::uint32_t>(next_row[lane] > row) << lane;
    }
    return mask;
}

std::string verb(AccessKind kind) {
    switch (kind) {
        case AccessKind::load:
            return "reads ";
        case AccessKind::store:
            return "writes ";
        case AccessKind::atomic:
            return "updates ";
    }
    return "";
}

std::string describe_outside(Address address, std::uint32_t bytes) {
    const auto below = allocation_at_or_below(address);
    if (!below) return "below every allocation";
    const Address past = address + bytes - below->end();
    return std::to_string(past) + (past == 1 ? " byte" : " bytes") +
           " past the end of an allocation of " + std::to_string(below->bytes) + " bytes";
}

}  // namespace

Tracer::Tracer(Block& block, const Architecture& architecture)
    : block_(block), architecture_(architecture) {}

void Tracer::begin_launch(std::size_t dynamic_shared_bytes, std::size_t l1_bytes,
                          const TraceOptions& options) {
    abandon();
    options_ = options;
    shared_memory_ = tls_block_of_this_thread();
    dynamic_shared_bytes_ = dynamic_shared_bytes;
    if (options.model_caches) memory_.emplace(architecture_, l1_bytes);
    if (options.check_hazards) {
        if (!hazards_) hazards_ = std::make_unique<HazardChecker>(shared_memory_);
        hazards_->begin_launch(block_.dimensions());
    }
}

void Tracer::record(Address address, std::uint32_t bytes, AccessKind kind,
                    CacheOperator cache_operator, const void* return_address) {
    if (address - stack_begin_ < stack_bytes_) return;  // the lane's own variables
    const Untraced untraced;
    Site* site = site_at(return_address);
    const Address offset = address - site->low;
    if (site->return_address != return_address || offset % bytes != 0 ||
        offset / bytes >= site->checked_elements) {
        site = find_or_make_site(address, bytes, kind, cache_operator, return_address);
        if (site == nullptr) return;
    }
    if (options_.check_hazards) {
        hazards_->access(block_.position(), address, bytes, site->space, kind, return_address);
    }
    const std::uint32_t row = site->next_row[thread_state.lane];
    if (row == site->end_row) {
        open_request(*site, address);
    } else {
        append(*site, row, address);
    }
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
            case ImageSection::constant:
                return nullptr;
            case ImageSection::device_variable:
                break;
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
    const std::uint64_t key =
        (reinterpret_cast<std::uint64_t>(return_address) << 2) | static_cast<std::uint64_t>(space);
    Site*& site = site_index_[key];
    if (site == nullptr) {
        const LoadPolicy policy = kind == AccessKind::load
                                      ? load_policy(architecture_, cache_operator, options_.l1_mode)
                                      : LoadPolicy{LoadPath::l2, sector_bytes};
        sites_.push_back(std::make_unique<Site>(return_address, space, kind, policy, bytes));
        site = sites_.back().get();
    }
    site->low = low;
    site->checked_elements = extent / bytes;
    site->elements = options_.check_hazards ? 0 : site->checked_elements;
    site_at(return_address) = site;
    return site;
}

void Tracer::report_access(std::uint32_t bytes, AccessKind kind, const void* return_address,
                           const std::string& why) {
    block_.fault(return_address,
                 verb(kind) + std::to_string(bytes) + (bytes == 1 ? " byte " : " bytes ") + why);
}

void Tracer::open_request(Site& site, Address address) {
    const Untraced untraced;
    if (site.end_row == Site::window) block_.wait_at_window();
    // Meanwhile another lane may have opened it.
    const std::uint32_t row = site.next_row[thread_state.lane];
    if (row == site.end_row) {
        open_requests_.push_back({&site, row});
        site.end_row += Site::row_places;
    }
    append(site, row, address);
}

void Tracer::close_warp() {
    if (open_requests_.empty()) return;
    find_requests_of_whole_warps();
    for (const auto& [site, row] : open_requests_) complete(*site, row);
    open_requests_.clear();
    for (const auto& site : sites_) {
        if (site->end_row == 0) continue;
        site->next_row.fill(0);
        site->end_row = 0;
    }
}

void Tracer::find_requests_of_whole_warps() {
    for (const auto& site : sites_) {
        // Not std::min_element, which finds a place: no compiler turns that into vector code.
        site->of_whole_warp =
            std::reduce(site->next_row.begin(), site->next_row.end(), Site::window,
                        [](auto a, auto b) { return std::min(a, b); });
    }
}

void Tracer::close_window(std::uint32_t waiting) {
    // The row up to which every waiting lane has passed.
    const auto passed_by_all = [&](const Site& site) {
        std::uint32_t passed = Site::window;
        for (int lane = 0; lane < warp_size; ++lane) {
            if ((waiting >> lane & 1) != 0) passed = std::min(passed, site.next_row[lane]);
        }
        // A full window that some waiting lane has not touched (it is in another branch) must be
        // emptied all the same, or the lane that filled it could never go on.
        return passed == 0 && site.end_row == Site::window ? Site::window
                                                           : std::min(passed, site.end_row);
    };
    find_requests_of_whole_warps();
    for (const auto& site : sites_) site->closing = passed_by_all(*site);
    for (const auto& [site, row] : open_requests_) {
        if (row < site->closing) complete(*site, row);
    }
    std::erase_if(open_requests_,
                  [](const OpenRequest& request) { return request.row < request.site->closing; });
    for (OpenRequest& request : open_requests_) request.row -= request.site->closing;
    for (const auto& site : sites_) {
        const std::uint32_t closing = site->closing;
        if (closing == 0) continue;
        Address* const begin = site->addresses.get();
        std::copy(begin + closing, begin + site->end_row, begin);
        for (auto& row : site->next_row) row -= std::min(row, closing);
        site->end_row -= closing;
    }
}

void Tracer::complete(Site& site, std::uint32_t row) {
    Address* const addresses = &site.addresses[row];
    const std::uint32_t active_mask =
        row < site.of_whole_warp ? whole_warp : lanes_beyond(site.next_row, row);
    const Address first = addresses[std::countr_zero(active_mask)];
    if (active_mask != whole_warp) {
        for (int lane = 0; lane < warp_size; ++lane) {
            if ((active_mask >> lane & 1) == 0) addresses[lane] = first;
        }
    }
    const Address line = first / line_bytes * line_bytes;
    Site::Shape& shape = site.shapes[(first - line) / 4];
    bool known = shape.active_mask == active_mask && shape.offset_in_line == first - line;
    if (known) {
        Address differences = 0;
        for (int lane = 0; lane < warp_size; ++lane) {
            differences |= (addresses[lane] - first) ^ shape.from_first_lane[lane];
        }
        known = differences == 0;
    }
    if (!known) {
        site.counters.add(shape.cost, shape.seen);
        shape.seen = 0;
        shape.active_mask = active_mask;
        shape.offset_in_line = first - line;
        for (int lane = 0; lane < warp_size; ++lane) {
            shape.from_first_lane[lane] = addresses[lane] - first;
        }
        learn(shape, site,
              {std::span<const Address, warp_size>(addresses, warp_size), active_mask, site.bytes});
    }
    ++shape.seen;
    if (memory_ && site.space == Space::global) {
        std::array<LineSectors, 2 * warp_size> lines;
        for (std::size_t i = 0; i < shape.lines.count; ++i) {
            lines[i] = shape.lines.line[i].shifted(line);
        }
        memory_->queue(warp_, site.kind, site.policy.path, {lines.data(), shape.lines.count},
                       &site.counters.l1_hit_sectors);
    }
}

void Tracer::learn(Site::Shape& shape, const Site& site, const WarpRequest& request) const {
    shape.cost = {.requests = 1};
    if (site.space == Space::shared) {
        const BankPasses passes = bank_passes(request, site.kind, architecture_.banks);
        shape.cost.wavefronts = passes.wavefronts;
        shape.cost.bank_conflicts = passes.conflicts;
        return;
    }
    const Transactions transactions = coalesce(request);
    shape.cost.sectors = transactions.sectors;
    shape.cost.lines = transactions.lines;
    shape.cost.distinct_bytes = transactions.distinct_bytes;
    shape.cost.lane_bytes = transactions.lane_bytes;
    shape.cost.moved_bytes = site.policy.fetch_unit_bytes == line_bytes
                                 ? line_bytes * transactions.lines
                                 : sector_bytes * transactions.sectors;
    if (!memory_) return;
    const Address first = request.addresses[std::countr_zero(request.active_mask)];
    shape.lines = lines_of(request);
    for (std::size_t i = 0; i < shape.lines.count; ++i) {
        shape.lines.line[i] = shape.lines.line[i].shifted(0 - first / line_bytes * line_bytes);
    }
}

void Tracer::end_launch() {
    for (const auto& site : sites_) {
        for (Site::Shape& shape : site->shapes) {
            site->counters.add(shape.cost, shape.seen);
            shape.seen = 0;
        }
    }
    forget_sites();
}

void Tracer::abandon() {
    forget_sites();
    open_requests_.clear();
    site_index_.clear();
    sites_.clear();
    memory_.reset();
}

}  // namespace emulator

#include "emulator/recorder.hpp"

namespace emulator {
namespace {

Site no_site;

constexpr std::array<Site*, cached_sites> without_sites() {
    std::array<Site*, cached_sites> sites{};
    sites.fill(&no_site);
    return sites;
}

}  // namespace

constinit thread_local std::array<Site*, cached_sites> site_cache = without_sites();

void forget_sites() {
    site_cache.fill(&no_site);
}

void record_uncommon(Address address, std::uint32_t bytes, AccessKind kind,
                     CacheOperator cache_operator, const void* return_address) {
    if (Tracer* const tracer = thread_state.tracer) {
        tracer->record(address, bytes, kind, cache_operator, return_address);
    }
}

void open_request(Site& site, Address address) {
    thread_state.tracer->open_request(site, address);
}

}  // namespace emulator

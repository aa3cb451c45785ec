#include "emulator/models/memory_model.hpp"

#include <algorithm>

namespace emulator {

MemoryModel::MemoryModel(const Architecture& gpu, std::size_t l1_bytes)
    : l1_(l1_bytes, gpu.fetch_unit_bytes_with_l1 == 128),
      read_only_cache_(gpu.read_only_cache_bytes, false),
      stores_allocate_(gpu.stores_allocate_in_l1) {}

void MemoryModel::begin_sm() {
    l1_.clear();
    read_only_cache_.clear();
}

void MemoryModel::queue(std::size_t warp, AccessKind kind, LoadPath path,
                        std::span<const Address> sectors, std::uint64_t* hits) {
    if (queues_.size() <= warp) queues_.resize(warp + 1);
    Queue& queue = queues_[warp];
    queue.requests.push_back({kind, path, static_cast<std::uint32_t>(queue.sectors.size()),
                              static_cast<std::uint32_t>(sectors.size()), hits});
    queue.sectors.insert(queue.sectors.end(), sectors.begin(), sectors.end());
}

void MemoryModel::drain() {
    std::size_t longest = 0;
    for (const Queue& queue : queues_) longest = std::max(longest, queue.requests.size());
    for (std::size_t turn = 0; turn < longest; ++turn) {
        for (const Queue& queue : queues_) {
            if (turn >= queue.requests.size()) continue;
            const Request& request = queue.requests[turn];
            serve(request, std::span(queue.sectors).subspan(request.first, request.count));
        }
    }
    for (Queue& queue : queues_) {
        queue.requests.clear();
        queue.sectors.clear();
    }
}

void MemoryModel::serve(const Request& request, std::span<const Address> sectors) {
    if (request.kind == AccessKind::store) {
        counters_.l2_write_sectors_most += sectors.size();
        for (const Address sector : sectors) written_sectors_.insert(sector);
        if (stores_allocate_) l1_.fill(sectors);
        return;
    }
    SectoredCache::Loaded loaded{0, sectors};  // atomics, too, are done in the L2
    if (request.kind == AccessKind::load && request.path == LoadPath::l1) loaded = l1_.load(sectors);
    if (request.kind == AccessKind::load && request.path == LoadPath::read_only_cache) {
        loaded = read_only_cache_.load(sectors);
    }
    counters_.l1_hit_sectors += loaded.hits;
    *request.hits += loaded.hits;
    for (const Address sector : loaded.fetched) read_sectors_.insert(sector);
    if (request.kind == AccessKind::load) counters_.l2_read_sectors_most += loaded.fetched.size();
}

}  // namespace emulator

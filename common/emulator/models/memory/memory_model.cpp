#include "emulator/models/memory/memory_model.hpp"

#include <algorithm>

namespace emulator {

MemoryModel::MemoryModel(const Architecture& gpu, std::size_t l1_bytes, unsigned l2_slices,
                         std::uint64_t resident_blocks)
    : l1_(l1_bytes, gpu.fetch_unit_bytes_with_l1 == 128),
      read_only_cache_(gpu.read_only_cache_bytes, false),
      stores_allocate_(gpu.stores_allocate_in_l1),
      fence_invalidates_(gpu.fence_invalidates_l1),
      slice_loads_(l2_slices),
      l2_reuse_(resident_blocks) {}

void MemoryModel::begin_sm() {
    l1_.clear();
    read_only_cache_.clear();
}

void MemoryModel::queue(std::size_t warp, AccessKind kind, LoadPath path,
                        std::span<const LineSectors> lines, std::uint64_t* hits) {
    if (queues_.size() <= warp) queues_.resize(warp + 1);
    Queue& queue = queues_[warp];
    queue.requests.push_back({kind, path, static_cast<std::uint32_t>(queue.lines.size()),
                              static_cast<std::uint32_t>(lines.size()), hits});
    queue.lines.insert(queue.lines.end(), lines.begin(), lines.end());
}

void MemoryModel::queue_fence(std::size_t warp) {
    if (fence_invalidates_) queue(warp, AccessKind::load, LoadPath::l1, {}, nullptr);
}

void MemoryModel::drain() {
    std::size_t longest = 0;
    for (const Queue& queue : queues_) longest = std::max(longest, queue.requests.size());
    for (std::size_t turn = 0; turn < longest; ++turn) {
        for (const Queue& queue : queues_) {
            if (turn >= queue.requests.size()) continue;
            const Request& request = queue.requests[turn];
            serve(request, {queue.lines.data() + request.first, request.count});
        }
    }
    for (Queue& queue : queues_) {
        queue.requests.clear();
        queue.lines.clear();
    }
}

void MemoryModel::serve(const Request& request, std::span<const LineSectors> lines) {
    if (lines.empty()) return l1_.clear();
    if (request.kind == AccessKind::store) {
        for (const LineSectors touched : lines) {
            counters_.l2_write_sectors_most += touched.count();
            written_sectors_.insert(touched);
        }
        slice_loads_.note(lines);
        l2_reuse_.write(lines);
        if (stores_allocate_) l1_.fill(lines);
        return;
    }
    const bool is_load = request.kind == AccessKind::load;
    if (is_load && request.path != LoadPath::l2) {
        SectoredCache& cache = request.path == LoadPath::l1 ? l1_ : read_only_cache_;
        const SectoredCache::Loaded loaded = cache.load(lines);
        if (request.hits != nullptr) {
            counters_.l1_hit_sectors += loaded.hit_sectors;
            *request.hits += loaded.hit_sectors;
        }
        counters_.l2_read_sectors_most += loaded.fetched_sectors;
        return read_from_l2(loaded.fetched);
    }
    if (is_load) {
        for (const LineSectors touched : lines) counters_.l2_read_sectors_most += touched.count();
    } else {
        line_updates_.note(lines);
    }
    read_from_l2(lines);  // atomics, too, are done there
}

void MemoryModel::read_from_l2(std::span<const LineSectors> lines) {
    for (const LineSectors each : lines) read_sectors_.insert(each);
    l2_reuse_.read(lines);
}

}  // namespace emulator

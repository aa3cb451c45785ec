#include "emulator/hazards.hpp"

#include <algorithm>

#include "emulator/device_memory.hpp"

namespace emulator {
namespace {

std::string place(const uint3& index) {
    std::string result = "(";
    result.append(std::to_string(index.x)).append(",");
    result.append(std::to_string(index.y)).append(",");
    return result.append(std::to_string(index.z)).append(")");
}

std::string array_at(std::uint64_t offset) {
    const auto array = shared_array_at_or_below(offset);
    return array ? array->name : "shared memory";
}

}  // namespace

HazardChecker::HazardChecker(const TlsBlock& shared_memory)
    : shared_memory_(shared_memory), words_(shared_memory.bytes / 4 + 1) {}

uint3 HazardChecker::thread_index(std::uint32_t number) const {
    const unsigned row = number / block_dimensions_.x;
    return {number % block_dimensions_.x, row % block_dimensions_.y, row / block_dimensions_.y};
}

// Whether nothing makes `before` happen before `now`: no barrier of the block, nor of their warp.
bool HazardChecker::unordered(const Access& before, const Access& now) {
    if (before.barrier_epoch != now.barrier_epoch || before.thread == now.thread) return false;
    if ((before.byte_mask & now.byte_mask) == 0 || (before.atomic && now.atomic)) return false;
    const bool same_warp = before.thread / warp_size == now.thread / warp_size;
    return !same_warp || before.warp_epoch == now.warp_epoch;
}

void HazardChecker::access(const Position& who, std::uint64_t address, std::uint32_t bytes,
                           Space space, AccessKind kind, const void* site) {
    if (space == Space::shared) {
        const std::uint64_t offset = address - shared_memory_.begin;
        if (bytes < 4) {
            const auto mask = static_cast<std::uint8_t>(((1u << bytes) - 1) << (offset % 4));
            check_word(who, offset, mask, kind, site);
        } else {
            for (std::uint32_t i = 0; i < bytes; i += 4) check_word(who, offset + i, 0xf, kind, site);
        }
        return;
    }
    if (!in_device_memory(address)) return;
    if (kind != AccessKind::store && !is_initialised(address, bytes)) {
        const auto allocation = allocation_at_or_below(address);
        report(HazardKind::uninitialised_read, who, site, nullptr, {},
               "byte " + std::to_string(address - allocation->begin) + " of an allocation of " +
                   std::to_string(allocation->bytes) + " bytes");
    }
    if (kind != AccessKind::load) mark_initialised(address, bytes);
}

void HazardChecker::check_word(const Position& who, std::uint64_t offset, std::uint8_t byte_mask,
                               AccessKind kind, const void* site) {
    Word& word = words_[offset / 4];
    const bool reads = kind != AccessKind::store;
    const bool writes = kind != AccessKind::load;
    const Access now{who.barrier_epoch, who.warp_epoch, who.thread_number, byte_mask,
                     kind == AccessKind::atomic, site};
    if (word.block != block_) {
        word.block = block_;
        word.written_bytes = 0;
    }
    const auto report_race = [&](HazardKind race, const Access& other) {
        report(race, who, site, other.site, thread_index(other.thread), array_at(offset));
    };
    if (reads && (byte_mask & ~word.written_bytes) != 0) {
        early_reads_.push_back({offset, byte_mask,
                                {HazardKind::uninitialised_read, who.block, who.thread, {}, site,
                                 nullptr, ""}});
    }
    if (unordered(word.write, now)) {
        report_race(writes ? HazardKind::write_after_write : HazardKind::read_after_write, word.write);
    }
    if (writes) {
        for (const Access& read : {word.read, word.other_read}) {
            if (unordered(read, now)) report_race(HazardKind::write_after_read, read);
        }
        word.write = now;
        word.written_bytes |= byte_mask;
    }
    if (reads) {
        if (word.read.thread != now.thread) word.other_read = word.read;
        word.read = now;
    }
}

void HazardChecker::end_epoch() {
    for (EarlyRead& read : early_reads_) {
        const Word& word = words_[read.offset / 4];
        if (word.block == block_ && (read.byte_mask & ~word.written_bytes) == 0) continue;
        read.hazard.array = array_at(read.offset);
        found_.try_emplace(identity(read.hazard), read.hazard);
    }
    early_reads_.clear();
}

void HazardChecker::divergent_barrier(const Position& waiting, const void* site,
                                      const uint3& other_thread, const void* other_site) {
    report(HazardKind::divergent_barrier, waiting, site, other_site, other_thread, "");
}

void HazardChecker::report(HazardKind kind, const Position& who, const void* site,
                           const void* other_site, const uint3& other_thread,
                           const std::string& array) {
    const Hazard hazard{kind, who.block, who.thread, other_thread, site, other_site, array};
    found_.try_emplace(identity(hazard), hazard);
}

std::vector<Hazard> HazardChecker::hazards() const {
    std::vector<Hazard> result;
    for (const auto& [key, hazard] : found_) result.push_back(hazard);
    return result;
}

HazardIdentity identity(const Hazard& hazard) {
    // A race between a read and a write is one, from whichever side it was seen.
    const auto [low, high] = std::minmax(hazard.site, hazard.other_site);
    const HazardKind kind = hazard.kind == HazardKind::write_after_read ? HazardKind::read_after_write
                                                                        : hazard.kind;
    return {kind, low, high};
}

std::string text(const Hazard& hazard, const std::string& kernel) {
    const std::string who = "kernel " + kernel + ", block " + place(hazard.block) + ", thread " +
                            place(hazard.thread) + ": " + source_line(hazard.site);
    const std::string other = "thread " + place(hazard.other_thread) + " at " +
                              (hazard.other_site == nullptr ? "its end" : source_line(hazard.other_site));
    switch (hazard.kind) {
        case HazardKind::uninitialised_read:
            return who + " reads what nobody has written: " + hazard.array;
        case HazardKind::read_after_write:
            return who + " reads " + hazard.array + ", which " + other +
                   " writes, with no barrier between them";
        case HazardKind::write_after_read:
            return who + " writes " + hazard.array + ", which " + other +
                   " reads, with no barrier between them";
        case HazardKind::write_after_write:
            return who + " writes " + hazard.array + ", which " + other +
                   " writes too, with no barrier between them";
        case HazardKind::divergent_barrier:
            return who + " waits at a barrier that not all threads reach: " + other;
    }
    return who;
}

}  // namespace emulator

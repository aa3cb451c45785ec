#include "emulator/models/hazards.hpp"

#include <algorithm>

namespace emulator {

void SharedMemoryHazards::begin_block(std::size_t shared_bytes) {
    words_.assign((shared_bytes + 3) / 4, Word{});
    early_reads_.clear();
    epoch_ = 1;
}

// Whether nothing makes `before` happen before `now`: no barrier of the block, nor of their warp.
bool SharedMemoryHazards::unordered(const Access& before, const Access& now) {
    if (before.epoch != now.epoch || before.thread == now.thread) return false;
    if ((before.byte_mask & now.byte_mask) == 0 || (before.atomic && now.atomic)) return false;
    const bool same_warp = before.thread / warp_size == now.thread / warp_size;
    return !same_warp || before.warp_epoch == now.warp_epoch;
}

void SharedMemoryHazards::access(Accessor who, std::uint32_t offset, std::uint32_t bytes,
                                 AccessKind kind, Site site) {
    const std::uint32_t end = offset + bytes;
    for (std::uint32_t word = offset / 4; 4 * word < end; ++word) {
        const std::uint32_t first = std::max(offset, 4 * word) - 4 * word;
        const std::uint32_t beyond = std::min(end, 4 * word + 4) - 4 * word;
        const unsigned mask = ((1u << beyond) - 1) & ~((1u << first) - 1);
        check_word(who, word, static_cast<std::uint8_t>(mask), kind, site);
    }
}

void SharedMemoryHazards::check_word(Accessor who, std::uint32_t number, std::uint8_t byte_mask,
                                     AccessKind kind, Site site) {
    Word& word = words_[number];
    const bool reads = kind != AccessKind::store;
    const bool writes = kind != AccessKind::load;
    const Access now{epoch_, who.warp_epoch, who.thread, byte_mask, kind == AccessKind::atomic,
                     site};
    if (reads && (byte_mask & ~word.written_bytes) != 0) {
        early_reads_.push_back(
            {number,
             byte_mask,
             {HazardKind::uninitialised_read, who.thread, 0, site, no_site, 4 * number}});
    }
    if (unordered(word.write, now)) {
        const auto race = writes ? HazardKind::write_after_write : HazardKind::read_after_write;
        report(race, now, number, word.write);
    }
    if (writes) {
        for (const Access& read : {word.read, word.other_read}) {
            // An atomic is in word.write as well.
            if (read.atomic || !unordered(read, now)) continue;
            report(HazardKind::write_after_read, now, number, read);
        }
        word.write = now;
        word.written_bytes |= byte_mask;
    }
    if (reads) {
        if (word.read.thread != now.thread) word.other_read = word.read;
        word.read = now;
    }
}

void SharedMemoryHazards::synchronise() {
    for (const EarlyRead& read : early_reads_) {
        if ((read.byte_mask & ~words_[read.word].written_bytes) == 0) continue;
        findings_.try_emplace(identity(read.hazard), read.hazard);
    }
    early_reads_.clear();
    ++epoch_;
}

void SharedMemoryHazards::divergent_barrier(Accessor waiting, Site site, std::uint16_t other,
                                            Site other_site) {
    const Hazard hazard{HazardKind::divergent_barrier, waiting.thread, other, site, other_site, 0};
    findings_.try_emplace(identity(hazard), hazard);
}

void SharedMemoryHazards::report(HazardKind kind, const Access& now, std::uint32_t word,
                                 const Access& other) {
    const Hazard hazard{kind, now.thread, other.thread, now.site, other.site, 4 * word};
    findings_.try_emplace(identity(hazard), hazard);
}

std::vector<Hazard> SharedMemoryHazards::take_findings() {
    std::vector<Hazard> result;
    result.reserve(findings_.size());
    for (const auto& [key, hazard] : findings_) result.push_back(hazard);
    findings_.clear();
    return result;
}

HazardIdentity identity(const Hazard& hazard) {
    const auto [low, high] = std::minmax(hazard.site, hazard.other_site);
    const HazardKind kind =
        hazard.kind == HazardKind::write_after_read ? HazardKind::read_after_write : hazard.kind;
    return {kind, low, high};
}

}  // namespace emulator

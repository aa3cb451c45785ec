#include "emulator/models/sector_set.hpp"

#include <bit>

namespace emulator {
namespace {

// Of 16 lines of four sectors, those with at least one.
unsigned lines_of(std::uint64_t word) {
    constexpr std::uint64_t first_of_four = 0x1111111111111111u;
    const std::uint64_t pairs = word | word >> 1;
    return static_cast<unsigned>(std::popcount((pairs | pairs >> 2) & first_of_four));
}

}  // namespace

bool SectorSet::contains(Address sector) const {
    const Address number = sector / line_bytes;
    const auto page = pages_.find(number / lines_in_page);
    if (page == pages_.end()) return false;
    const Address line = number % lines_in_page;
    return (*page->second)[line / 16] >> (4 * (line % 16) + sector % line_bytes / sector_bytes) & 1;
}

void SectorSet::merge(const SectorSet& other) {
    for (const auto& [number, page] : other.pages_) {
        auto& mine = pages_[number];
        if (!mine) mine = std::make_unique<Page>();
        for (std::size_t i = 0; i < page->size(); ++i) (*mine)[i] |= (*page)[i];
    }
}

void SectorSet::clear() {
    pages_.clear();
    last_page_ = nullptr;
}

std::uint64_t SectorSet::sectors() const {
    std::uint64_t count = 0;
    for (const auto& [number, page] : pages_) {
        for (const std::uint64_t word : *page) count += static_cast<unsigned>(std::popcount(word));
    }
    return count;
}

std::uint64_t SectorSet::lines() const {
    std::uint64_t count = 0;
    for (const auto& [number, page] : pages_) {
        for (const std::uint64_t word : *page) count += lines_of(word);
    }
    return count;
}

std::uint64_t SectorSet::lines_in(const SectorSet& other) const {
    std::uint64_t count = 0;
    for (const auto& [number, page] : pages_) {
        const auto found = other.pages_.find(number);
        if (found == other.pages_.end()) continue;
        for (std::size_t i = 0; i < page->size(); ++i)
            count += lines_of((*page)[i] & (*found->second)[i]);
    }
    return count;
}

std::uint64_t SectorSet::granules() const {
    constexpr std::uint64_t even = 0x5555555555555555u;
    std::uint64_t count = 0;
    for (const auto& [number, page] : pages_) {
        for (const std::uint64_t word : *page) {
            count += static_cast<unsigned>(std::popcount((word | word >> 1) & even));
        }
    }
    return count;
}

}  // namespace emulator

#include "emulator/models/sector_set.hpp"

#include <bit>

namespace emulator {

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
    constexpr std::uint64_t first_of_four = 0x1111111111111111u;
    std::uint64_t count = 0;
    for (const auto& [number, page] : pages_) {
        for (const std::uint64_t word : *page) {
            const std::uint64_t pairs = word | word >> 1;
            count += static_cast<unsigned>(std::popcount((pairs | pairs >> 2) & first_of_four));
        }
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

#include "emulator/models/memory/sector_set.hpp"

#include <algorithm>
#include <bit>

namespace emulator {
namespace {

// The lines, of 16 with four sectors each, that have at least one.
unsigned lines_in_word(std::uint64_t word) {
    constexpr std::uint64_t first_of_four = 0x1111111111111111u;
    const std::uint64_t pairs = word | word >> 1;
    return static_cast<unsigned>(std::popcount((pairs | pairs >> 2) & first_of_four));
}

}  // namespace

bool SectorSet::contains(Address sector) const {
    const Address number = sector / line_bytes;
    const Page* const page = pages_.find(number / lines_in_page);
    if (page == nullptr) return false;
    const Address line = number % lines_in_page;
    return (*page)[line / 16] >> (4 * (line % 16) + sector % line_bytes / sector_bytes) & 1;
}

void SectorSet::merge(const SectorSet& other) {
    other.pages_.each([this](Address number, const Page& theirs) {
        Page& mine = pages_[number];
        for (std::size_t i = 0; i < theirs.size(); ++i) mine[i] |= theirs[i];
    });
}

// The sum of count(word) of all words.
template <class Count>
std::uint64_t SectorSet::sum(const Count& count) const {
    std::uint64_t sum = 0;
    pages_.each([&](Address, const Page& page) {
        for (const std::uint64_t word : page) sum += static_cast<unsigned>(count(word));
    });
    return sum;
}

std::uint64_t SectorSet::sectors() const {
    return sum([](std::uint64_t word) { return std::popcount(word); });
}

std::uint64_t SectorSet::lines() const { return sum(lines_in_word); }

std::uint64_t SectorSet::lines_in(const SectorSet& other) const {
    std::uint64_t count = 0;
    pages_.each([&](Address number, const Page& page) {
        const Page* const theirs = other.pages_.find(number);
        if (theirs == nullptr) return;
        for (std::size_t i = 0; i < page.size(); ++i)
            count += lines_in_word(page[i] & (*theirs)[i]);
    });
    return count;
}

std::optional<Address> SectorSet::find_in(const SectorSet& other,
                                          const std::function<bool(Address)>& wanted) const {
    std::optional<Address> found;
    pages_.each([&](Address number, const Page& page) {
        const Page* const theirs = other.pages_.find(number);
        if (found || theirs == nullptr) return;
        for (std::size_t i = 0; i < page.size() && !found; ++i) {
            for (std::uint64_t both = page[i] & (*theirs)[i]; both != 0 && !found;
                 both &= both - 1) {
                const auto bit = static_cast<Address>(std::countr_zero(both));
                const Address sector =
                    (number * lines_in_page + i * 16) * line_bytes + bit * sector_bytes;
                if (wanted(sector)) found = sector;
            }
        }
    });
    return found;
}

std::uint64_t SectorSet::lines_between(Address begin, Address end) const {
    const Address first = begin / line_bytes, beyond = (end + line_bytes - 1) / line_bytes;
    std::uint64_t count = 0;
    for (Address line = first; line < beyond;) {
        const Address next_page = (line / lines_in_page + 1) * lines_in_page;
        const Page* const page = pages_.find(line / lines_in_page);
        for (const Address last = std::min(next_page, beyond); line < last; ++line) {
            const Address in_page = line % lines_in_page;
            if (page != nullptr)
                count += ((*page)[in_page / 16] >> (4 * (in_page % 16)) & 0xf) != 0;
        }
    }
    return count;
}

std::uint64_t SectorSet::granules() const {
    constexpr std::uint64_t even = 0x5555555555555555u;
    return sum([](std::uint64_t word) { return std::popcount((word | word >> 1) & even); });
}

}  // namespace emulator

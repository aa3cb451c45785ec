#include "emulator/memory/memory_copy.hpp"

#include <algorithm>

namespace emulator {

std::optional<MemoryCopy> MemoryCopy::of_all(std::size_t max_bytes) {
    const std::vector<Allocation> all = all_memory();
    std::size_t bytes = 0;
    for (const Allocation& place : all) bytes += place.bytes;
    if (bytes > max_bytes) return std::nullopt;
    MemoryCopy copy;
    for (const Allocation& place : all) {
        const std::byte* const begin = storage_of(place.begin);
        Piece& piece = copy.pieces_.emplace_back(place, std::vector(begin, begin + place.bytes));
        if (const std::byte* const marks = initialisation_of(place.begin))
            piece.initialised.assign(marks, marks + place.bytes);
    }
    return copy;
}

void MemoryCopy::restore() const {
    for (const Piece& piece : pieces_) {
        std::byte* const begin = storage_of(piece.place.begin);
        // Host memory may be registered to be read alone.
        if (!std::equal(piece.bytes.begin(), piece.bytes.end(), begin))
            std::ranges::copy(piece.bytes, begin);
        if (!piece.initialised.empty())
            std::ranges::copy(piece.initialised, initialisation_of(piece.place.begin));
    }
}

}  // namespace emulator

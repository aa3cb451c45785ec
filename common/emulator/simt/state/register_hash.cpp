#include "emulator/simt/state/register_hash.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace emulator::simt {

// Hashes words in four columns, each with a chain of its own, as a multiplication takes longer than a load.
std::uint64_t hash_registers(const Frame& frame) {
    constexpr std::size_t columns = 4;
    const std::byte* const registers = frame.registers;
    const std::uint32_t bytes = frame.function->register_bytes;
    std::array<std::uint64_t, columns> hashes{};
    const auto add = [&](std::size_t column, std::uint32_t at) {
        std::uint64_t word;
        std::memcpy(&word, registers + at, sizeof(word));
        std::uint64_t& hash = hashes[column];
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    };
    std::uint32_t at = 0;
    for (; at + columns * 8 <= bytes; at += columns * 8) {
        for (std::uint32_t column = 0; column < columns; ++column) add(column, at + column * 8);
    }
    for (; at < bytes; at += 8) add(0, at);
    std::uint64_t result = 0;
    for (const std::uint64_t hash : hashes) result = (result ^ hash) * 0x9e3779b97f4a7c15u;
    return result;
}

}  // namespace emulator::simt

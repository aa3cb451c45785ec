// Whether lanes of a warp only wait for others.
#include <array>
#include <bit>
#include <cstring>

#include "emulator/simt/warp/block_runner.hpp"

namespace emulator::simt {
namespace {

// Hashes words in four columns, each with a chain of its own, as a multiplication takes longer than a load.
std::uint64_t hash_registers(const Fragment& fragment) {
    constexpr std::size_t columns = 4;
    const std::byte* const registers = fragment.frame->registers;
    const std::uint32_t bytes = fragment.frame->function->register_bytes;
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

}  // namespace

// Whether the fragment only waits for others to change memory: its registers are the same as some turns ago
// at the same place; or it has had very many turns in a kernel whose threads communicate.
bool BlockRunner::is_spinning(WarpState& warp, const Fragment& fragment) {
    constexpr unsigned min_turns = 4, max_turns = 256;
    SpinWatch& spin = warp.spin;
    if (warp.fragments.empty() && fragment.reconvergence == nullptr) {
        spin = {};
        return false;
    }
    ++spin.turns;
    if (spin.turns < min_turns) return false;
    // Hashing all registers takes longer than the turn where there are many.
    const bool is_there = spin.block == fragment.block && spin.lanes == fragment.lanes;
    const bool is_noted = std::has_single_bit(spin.turns);
    const std::uint64_t registers = is_there || is_noted ? hash_registers(fragment) : 0;
    const bool same = is_there && spin.registers == registers;
    if (same || (spin.turns >= max_turns && execution_.launch.image.traits.has_order_dependence)) {
        spin = {};
        return true;
    }
    if (is_noted) spin = {spin.turns, fragment.block, fragment.lanes, registers};
    return false;
}

}  // namespace emulator::simt

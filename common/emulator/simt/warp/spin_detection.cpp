#include <array>
#include <bit>
#include <cstring>

#include "emulator/simt/state/register_hash.hpp"
#include "emulator/simt/warp/block_runner.hpp"

namespace emulator::simt {

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
    const std::uint64_t registers = is_there || is_noted ? hash_registers(*fragment.frame) : 0;
    const bool same = is_there && spin.registers == registers;
    if (same || (spin.turns >= max_turns && execution_.launch.image.traits.has_order_dependence)) {
        spin = {};
        return true;
    }
    if (is_noted) spin = {spin.turns, fragment.block, fragment.lanes, registers};
    return false;
}

}  // namespace emulator::simt

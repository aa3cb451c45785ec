// Basic blocks of a function: their successors, and where diverged lanes reconverge.
#pragma once

#include <cstdint>
#include <vector>

namespace emulator::ptx {

// In place of a block: the end of the function.
constexpr std::uint32_t exit_block = 0xffffffff;

enum class BlockEnd : std::uint8_t {
    falls_through,  // the next instruction is the target of a branch, or the body ends
    branch,         // bra or brx.idx, guarded or not
    leaves,         // ret or exit, not guarded
    stops,          // trap or a call that never returns, not guarded
    may_leave,      // any of the last two with a guard: lanes without it go on
};

struct BasicBlock {
    std::uint32_t first = 0, end = 0;  // instructions [first, end)
    BlockEnd ending = BlockEnd::falls_through;
    // Each once; for a guarded bra first the target, then the next block. Never exit_block.
    std::vector<std::uint32_t> successors;
    bool may_reach_end = false;  // goes behind the last instruction
    // The nearest block on every path from here to the end; exit_block: none.
    std::uint32_t post_dominator = exit_block;
    // Where lanes that diverge at this block's branch reconverge: as post_dominator, but paths on which
    // lanes end early (return, exit, trap, an endless loop) do not count, because they leave nothing to
    // wait for: in "if (a) { if (b) return; } rest" all lanes that are left reconverge at the rest. It may
    // be the block itself, the head of an endless loop.
    std::uint32_t reconvergence = exit_block;
    // For a loop behind which the function ends: where lanes that break out of it reconverge. They wait there
    // for the others, which still reconverge with each other inside.
    std::uint32_t loop_exit = exit_block;
    std::uint32_t order = 0;  // of diverged lanes, those at the lowest go on first
};

struct ControlFlow {
    std::vector<BasicBlock> blocks;       // in the order of the text; the first is the entry
    std::vector<std::uint32_t> block_of;  // by instruction
};

}  // namespace emulator::ptx

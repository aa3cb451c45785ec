// Runs the warps of a block: divergence and reconvergence, calls, barriers.
//
// Lanes of a warp that diverge become fragments, which join again at the reconvergence point
// of the branch, or earlier, at any block that fragments of one activation come to: they run in the
// order of the text, and those ahead wait (as with the barriers that ptxas places: lanes that `break`,
// or go to another case of a switch, are not waited for by those that stay). With independent thread scheduling
// a fragment that does nothing but wait for others yields to them.
#pragma once

#include <cstdint>

#include "emulator/simt/state/execution.hpp"
#include "emulator/simt/state/launch.hpp"

namespace emulator::simt {

class BlockRunner {
  public:
    explicit BlockRunner(Execution& execution);

    // Once for each warp of a block's state, which serves many blocks.
    void prepare(WarpState& warp, BlockState& block);
    void begin(BlockState& block, std::uint64_t number);
    static constexpr std::uint64_t no_limit = ~std::uint64_t{0};  // of rounds
    // Gives every warp turns until the block has finished (true), or `rounds` rounds are over, or it only waits for others.
    bool run(BlockState& block, std::uint64_t rounds);
    // Throws the fault of a block in which nothing can go on.
    void report_stuck(BlockState& block);

  private:
    enum class Next : std::uint8_t { go_on, other_fragment, yield };

    void begin_checks(BlockState& block);
    void begin_warp(WarpState& warp);
    bool run_warp(WarpState& warp);  // whether a fragment has run
    bool choose_fragment(WarpState& warp);
    Next run_fragment(WarpState& warp, Fragment& fragment);
    void count(const Fragment& fragment, const BasicBlock& block);
    void execute(WarpContext& context, const Fragment& fragment, const Operation* begin,
                 const Operation* end);
    bool pauses_within(WarpState& warp, Fragment& fragment, const BasicBlock& block);
    bool resume_paused(BlockState& block);
    void enter(WarpState& warp, const Fragment& fragment);

    // Each handles the end of a block for the running fragment.
    Next end_block(WarpState& warp, Fragment& fragment, const BasicBlock& block);
    Next branch(WarpState& warp, Fragment& fragment, const BasicBlock& block);
    Next branch_indexed(WarpState& warp, Fragment& fragment, const BasicBlock& block);
    Next call(WarpState& warp, Fragment& fragment, const BasicBlock& block);
    Next return_or_exit(WarpState& warp, Fragment& fragment, const BasicBlock& block);
    Next warp_wide(WarpState& warp, Fragment& fragment, const BasicBlock& block);
    Next barrier(WarpState& warp, Fragment& fragment, const BasicBlock& block);
    Next wait_for_warpgroup(WarpState& warp, Fragment& fragment, const BasicBlock& block);
    Next wait_for_cluster(WarpState& warp, Fragment& fragment, const BasicBlock& block);
    static void leave_cluster(WarpState& warp, std::uint32_t lanes);
    static bool waits_for_cluster(const BlockState& block);
    static bool has_products(const WarpState& warp);
    static void finish_warpgroup_wait(WarpState& warp);
    Next yield(WarpState& warp, Fragment& fragment);

    void enter_function(WarpState& warp, Fragment& fragment, const BasicBlock& block,
                        const Function& callee, std::uint32_t lanes);
    void leave_function(WarpState& warp, Fragment& fragment);
    // At a block's start: joins the lanes that wait there.
    Next arrive(WarpState& warp, Fragment& fragment);
    void remove_lanes(WarpState& warp, Reconvergence* from, std::uint32_t lanes);
    void release(WarpState& warp, Reconvergence* point);
    bool release_waiting_lanes(WarpState& warp);
    bool join_warp_operation(WarpState& warp);
    void execute_together(WarpState& warp, const std::vector<Fragment*>& group,
                          std::uint32_t lanes);
    static void restore(const Fragment& fragment, std::size_t source,
                        const std::vector<std::byte>& before, std::uint32_t lanes);

    static void store_reduction(const Fragment& fragment, const BarrierDetail& detail,
                                const BarrierState& barrier);
    void join_fragments(WarpState& warp);
    static Reconvergence* common_point(Reconvergence* one, Reconvergence* other);
    void break_out(WarpState& warp, Fragment& fragment);
    void leave_points(WarpState& warp, Reconvergence* from, const Reconvergence* to,
                      std::uint32_t lanes);
    void finish_barrier_if_complete(BlockState& block, unsigned number);
    void release_barrier(BlockState& block, unsigned number);
    void note_release(BlockState& block, WarpState& warp);
    void check_time();
    void note_progress(BlockState& block);
    void check_deadlock(WarpState& warp, const Fragment& fragment);
    void keep_order(WarpState& warp, Fragment& fragment);
    void join(WarpState& warp, Fragment& fragment, const Fragment& other);
    bool is_spinning(WarpState& warp, const Fragment& fragment);
    void give_way(WarpState& warp, const Fragment& fragment);

    Execution& execution_;
    const bool independent_threads_;
    std::int64_t turn_;
    std::uint64_t rounds_ = 0;  // of all blocks
    std::uint64_t noted_blocks_ = 0, noted_changes_ = 0;
};

}  // namespace emulator::simt

// Records what the warps of one SM execute, for the time model: which basic blocks, and what each of
// their requests touches. Of a few SMs, the one that executes most is kept: a launch lasts as long as it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "emulator/ptx/parse/module.hpp"
#include "emulator/simt/record/polls.hpp"
#include "emulator/simt/state/launch.hpp"
#include "timing/machine/trace.hpp"

namespace emulator::simt {

struct RecordedLaunch {
    timing::LaunchTrace trace;
    timing::LaunchFacts facts;
    std::uint64_t sm = 0;                    // that was recorded
    double ptx_instructions = 0;             // of the recorded warps
    std::vector<ptx::SourceLocation> lines;  // by timing::Instruction::line
};

class TraceRecorder {
  public:
    TraceRecorder(const Launch& launch, const Occupancy& occupancy);

    // Whether the block is one of those that are recorded.
    bool wants(std::uint64_t block);
    std::vector<std::uint64_t> blocks() const;
    void stop() { is_stopped_ = true; }  // what is executed from now on was recorded already
    // Before the operations of a basic block.
    void begin(const WarpContext& context, const BasicBlock& block);
    // In place of the plain loop over operations.
    void execute(WarpContext& context, std::uint32_t lanes, const Operation* begin,
                 const Operation* end);

    // The lines of global memory of the bulk copy or the texture fetch at hand, and of a copy the barrier that it has
    // completed.
    void note_lines(const WarpContext& context, std::span<const LineSectors> lines);
    void note_copied(const WarpContext& context, std::uint32_t barrier);
    // A warp is about to read a clock.
    void note_clock(const WarpContext& context);

    // The recording, with registers as ptxas allots them.
    RecordedLaunch finish(std::optional<unsigned> registers_per_thread);

  private:
    // Every `step`-th block from the first one on.
    struct Recorded {
        std::uint64_t first = 0, step = 1;
        timing::LaunchTrace trace;
        timing::Access* at_hand = nullptr;  // a bulk copy or a fetch, if it is recorded
        // Bulk copies so far, by block and barrier.
        std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> copies;
        std::uint64_t number_of(std::uint64_t block) const { return (block - first) / step; }
        std::uint64_t executed() const;
    };
    Recorded* recorded_of(std::uint64_t block);
    double share_of_rows(bool is_store);
    timing::WarpTrace& warp_of(const WarpContext& context);
    void record(WarpContext& context, const MemoryDetail& detail, std::uint32_t lanes,
                Recorded& recorded, timing::WarpTrace& warp);
    void record_bulk(const MemoryDetail& detail, Recorded& recorded, timing::Access& access);
    void record_texture(const MemoryDetail& detail, Recorded& recorded, timing::Access& access);
    void record_test(const WarpContext& context, Address barrier, const Recorded& recorded,
                     timing::Access& access);

    const Launch& launch_;
    Polls polls_;
    bool is_in_loop_ = false;  // the basic block at hand is one
    bool is_stopped_ = false;
    unsigned resident_blocks_ = 1;        // on an SM
    std::uint64_t first_optional_ = 0;    // of an SM's blocks
    std::uint64_t max_instructions_ = 0;  // of a warp
    std::vector<Recorded> sms_;
    std::vector<Recorded> neighbours_;  // a block each, that follow one another
};

}  // namespace emulator::simt

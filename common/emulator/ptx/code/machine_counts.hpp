// How many instructions of the machine code warps execute, from how often they execute the blocks of the PTX.
//
// A block with an instruction that ptxas leaves in place is executed as often as the PTX's block. For the others the flow
// decides: what comes into a block leaves it. Lanes that a branch diverges make two of one; where they reconverge (BSYNC) they
// are again as many as at the region's begin (BSSY). Where that leaves a choice, loops are entered, and blocks executed,
// as often as what is known allows.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "emulator/ptx/code/machine_evidence.hpp"
#include "emulator/ptx/code/machine_flow.hpp"

namespace emulator::ptx {

// The executions of a block of the PTX, in a launch.
struct PtxBlockCount {
    std::uint64_t executions = 0, divergences = 0;
};

class MachineCounts {
  public:
    // `entry`: the block of the PTX with which the function begins.
    MachineCounts(const std::vector<MachineBlock>& code, const PtxLines& ptx, std::uint32_t entry);

    // Executions of each block.
    std::vector<std::uint64_t> executions(std::span<const PtxBlockCount> ptx) const;
    std::uint64_t instructions(std::span<const PtxBlockCount> ptx) const;

  private:
    friend class MachineFlowSolver;
    struct Edge {
        std::uint32_t from = 0, to = 0;  // no_machine_block: lanes end
        bool is_back = false;            // of a loop
    };
    struct Node {
        std::vector<std::uint32_t> in, out;  // edges
        std::vector<std::uint32_t>
            closings;  // blocks before which a region that begins here has ended
        std::uint32_t opening = no_machine_block;
        std::uint32_t size = 0;  // instructions
        bool is_entry = false;
        bool ends_region = false;  // BSYNC
        bool is_behind_region = false;
        MachineEvidence evidence;
    };

    void connect(const std::vector<MachineBlock>& code);
    void order_blocks();
    void visit(std::uint32_t root, std::vector<std::uint8_t>& state);

    std::vector<Node> nodes_;
    std::vector<Edge> edges_;
    std::vector<std::uint32_t> order_;  // each block behind those that lead to it, loops aside
    std::map<std::uint32_t, std::vector<std::uint32_t>>
        bodies_;  // of unrolled loops, by the PTX's block
    std::uint32_t entry_ = 0;
};

}  // namespace emulator::ptx

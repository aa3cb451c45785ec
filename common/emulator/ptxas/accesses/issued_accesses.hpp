// The accesses that ptxas issues for a function's loads and stores, where it does not issue them as the
// PTX writes them. Found by compiling small kernels for compute capability 9.0 (CUDA 13.0), and checked
// against an H200's counters:
//
// - Neighbouring 4- and 8-byte accesses of shared memory from one base register become one: of each
//   aligned 16 bytes one access of 16 bytes loads three or four words, one of 8 bytes the first or the
//   second half. Stores need every word of it. Nothing that may write (for
//   stores: access) shared memory may stand between them, and the alignment must follow from the code.
//   Accesses of 2 bytes are joined so in aligned 8 bytes, single bytes are not. A vector of bytes or halves counts
//   as words if it fills a word or two and every element is used.
// - Two neighbouring words of constant memory are loaded together, if they begin at a multiple of 8 (LDC.64). An SM
//   takes as long for these as for one of them (data/timing/constants.csv).
// - A vector load with unused elements loads the used ones, by the same rule.
// - Of the address of a function that is only called, the low 4 bytes are loaded.
// - A load is left out where an earlier one of the same address is still good: no store, atomic,
//   barrier or fence since, no other entry of the block.
// - A load whose bytes are not all used may load fewer.
// - Where the machine code has no access at the line of a load or store, another one has its bytes (merged_accesses.hpp).
// - An atomic operation on an address that is the same in all lanes of a warp is issued for one lane, if
//   the lanes' values can be combined first (REDUX, POPC).
//
// Where the machine code is known, it tells which accesses were not joined after all, and which were narrowed.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "emulator/ptx/flow/control_flow.hpp"
#include "emulator/ptx/flow/register_facts.hpp"
#include "emulator/ptx/parse/module.hpp"
#include "emulator/ptxas/accesses/issued_piece.hpp"

namespace emulator::ptx {

class IssuedAccesses {
  public:
    IssuedAccesses(const Function& function, const ControlFlow& flow,
                   const VariableOffset& variable_offset,
                   const std::vector<MachineAccess>* code = nullptr);

    // The accesses issued for an instruction: none where it is left out or part of another one's. Null
    // where it is issued as written.
    const std::vector<IssuedPiece>* of(std::uint32_t instruction) const;

    // Whether a generic load or store is one in the machine code, too (LD, ST). Without it: yes.
    bool is_generic(std::uint32_t instruction) const;

    // Whether an atomic operation is issued for one lane.
    bool is_for_one_lane(std::uint32_t instruction, bool is_result_read) const;

  private:
    const Function& function_;
    const std::vector<MachineAccess>* code_;  // may be null
    RegisterFacts facts_;
    std::map<std::uint32_t, std::vector<IssuedPiece>> issued_;
};

}  // namespace emulator::ptx

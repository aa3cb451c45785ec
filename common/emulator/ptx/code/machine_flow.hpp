// The basic blocks of the machine code that ptxas makes of a module, each instruction with the line of the PTX that it
// comes from.
// Source: opcodes, targets and guards as nvdisasm 13.2 prints them for sm_75, sm_80, sm_90, sm_100 and sm_120.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace emulator::ptx {

// The low nine bits of an instruction; those above select forms of its operands.
enum MachineOperation : std::uint16_t {
    machine_bsync = 0x141,
    machine_break = 0x142,
    machine_call_absolute = 0x143,
    machine_call = 0x144,
    machine_bssy = 0x145,
    machine_bra = 0x147,
    machine_warpsync = 0x148,
    machine_brx = 0x149,
    machine_nop = 0x118,
    machine_exit = 0x14d,
    machine_ret = 0x150,
};

struct MachineInstruction {
    std::uint32_t line = 0;  // of the PTX, from 1
    std::uint16_t operation = 0;
    bool is_guarded = false;

    bool operator==(const MachineInstruction&) const = default;
};

constexpr std::uint32_t no_machine_block = 0xffffffff;

struct MachineBlock {
    std::vector<MachineInstruction> instructions;
    std::uint32_t next = no_machine_block, target = no_machine_block;
    // The block of BSSY, for a region whose lanes have reconverged (BSYNC) before this block.
    std::uint32_t opening = no_machine_block;
    bool is_entry = false;        // of the function, or of one that it calls
    bool may_leave = false;       // some lanes end here: EXIT, RET
    bool is_conditional = false;  // so for some lanes only, and the branch likewise
    // A block calls a subroutine for rare operands, which is none of these blocks: about how many of its
    // instructions are executed.
    std::uint32_t called = 0;

    bool operator==(const MachineBlock&) const = default;
};

// By function, the functions that ptxas put into its code included. Left out are the subroutines for operands out of the
// usual range (divisions, roots), and what is executed by warps that ptxas took to be converged, and are not.
using MachineFlow = std::map<std::string, std::vector<MachineBlock>>;

// `compute_number`: 90 for sm_90. Throws FatbinError where the cubin is damaged.
MachineFlow read_machine_flow(std::span<const std::byte> cubin, unsigned compute_number);

}  // namespace emulator::ptx

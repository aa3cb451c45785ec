// The memory instructions of the machine code that ptxas makes of a module, each with the line of the PTX
// that it comes from.
// Source: .nv_debug_line_sass of cubins built with -lineinfo; opcodes and sizes as nvdisasm 13.2 prints them for
// sm_75, sm_80, sm_90, sm_100 and sm_120.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace emulator::ptx {

enum class MachineAccessKind : std::uint8_t {
    load,
    store,
    atomic,
    local_load,
    local_store,
    return_,
    reconvergence,  // BSYNC; of the line where the lanes go on together
    jump,           // BRA and EXIT of some lanes
};

struct MachineAccess {
    std::uint32_t line = 0;  // of the PTX, from 1
    MachineAccessKind kind{};
    std::uint8_t bytes = 4;  // of a lane
    bool is_guarded = false;
    std::uint32_t place = 0;  // in the kernel's code, counted in instructions
    bool is_generic = false;  // LD, ST

    bool operator==(const MachineAccess&) const = default;
};

// By kernel, the functions that it calls included. In order of the lines.
using MachineCode = std::map<std::string, std::vector<MachineAccess>>;

// Throws FatbinError where the cubin is damaged.
MachineCode read_machine_code(std::span<const std::byte> cubin);

}  // namespace emulator::ptx

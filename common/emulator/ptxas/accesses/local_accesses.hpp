// Accesses of local memory as ptxas issues them: variables that it keeps in registers take none, and registers
// that it spills, or that a called function has to preserve, take some that the PTX does not have.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "emulator/ptx/code/machine_code.hpp"
#include "emulator/ptx/parse/module.hpp"
#include "emulator/ptxas/accesses/issued_accesses.hpp"

namespace emulator::ptx {

struct Spill {
    bool is_load = false;
    std::uint32_t bytes = 4;  // of a lane

    bool operator==(const Spill&) const = default;
};

class LocalAccesses {
  public:
    // A function's accesses in the machine code of a kernel that may call it. Without the kernel's machine code, or
    // where the function has been inlined there, everything is as written.
    LocalAccesses(const Module& module, const std::string& kernel, const Function& function);

    // The access that is issued for a ld.local or st.local; null: as written.
    const std::vector<IssuedPiece>* of(std::uint32_t instruction) const;
    // The registers that are spilled or restored with an instruction.
    const std::vector<Spill>& spills(std::uint32_t instruction) const;

  private:
    void share_out(const Function& function, const std::vector<std::uint32_t>& instructions,
                   const std::vector<MachineAccess>& accesses);

    std::map<std::uint32_t, std::vector<IssuedPiece>> issued_;
    std::map<std::uint32_t, std::vector<Spill>> spills_;
    std::set<std::uint32_t>
        generic_lines_;  // where the machine code does not know the space (LD, ST)
};

}  // namespace emulator::ptx

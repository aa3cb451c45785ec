// Loads of global and shared memory that stand nowhere in the machine code, because another load brings what they
// do:
//
//     LDG.E.64 R18, [R14+0x8]     ld.global.u32    %r2, [%rd1+8];
//                                 ld.global.v2.u16 {%rs40, %rs41}, [%rd1+12];
//     LDG.E R10, [R2+0x4]         ld.global.v4.u8  {%rs8, %rs9, %rs10, %rs11}, [%rd4+4];
//                                 ld.global.u32    %r15, [%rd4+4];
//
// so too stores, of a structure with its padding:
//
//     STG.E.64 [R6+0x8], R10      st.global.u32    [%rd7+8], %r6;
//                                 st.global.v4.u8  [%rd7+12], {%rs1, %rs2, %rs3, %rs4};
//
// and loads of what an earlier load on every path has brought: the same bytes again, or bytes beside them
// from another block or through another register that holds the same address but for a constant:
//
//     LDS.128 R20, [R2+0x60]      ld.shared.u32 %r116, [%r75+96];
//                                 @%p11 bra END;
//                                 ld.shared.u32 %r122, [%r121+100];
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "emulator/ptx/flow/control_flow.hpp"
#include "emulator/ptx/flow/register_facts.hpp"
#include "emulator/ptx/parse/module.hpp"
#include "emulator/ptxas/accesses/issued_piece.hpp"

namespace emulator::ptx {

// Adds them to what is `issued`, and leaves what is there already.
void merge_accesses(const Function& function, const ControlFlow& flow, const RegisterFacts& facts,
                    const std::vector<MachineAccess>& code,
                    std::map<std::uint32_t, std::vector<IssuedPiece>>& issued);

}  // namespace emulator::ptx

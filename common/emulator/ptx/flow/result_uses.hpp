// Whether anything reads what an instruction writes. ptxas turns an atomic operation whose result
// nothing reads into a reduction (RED), which hardware counts apart.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/ptx/flow/control_flow.hpp"
#include "emulator/ptx/parse/module.hpp"

namespace emulator::ptx {

class ResultUses {
  public:
    // Both must outlive this.
    ResultUses(const Function& function, const ControlFlow& flow);

    // A flag for each register in the first operand; false where it is _.
    bool is_result_read(std::uint32_t instruction) const;

  private:
    struct Use {
        std::uint32_t instruction;
        bool is_read;  // else written for all lanes: what it held is lost
    };
    bool is_read_after(std::uint32_t reg, std::uint32_t instruction) const;

    const Function& function_;
    const ControlFlow& flow_;
    std::vector<std::vector<Use>> uses_;  // by register; in order, reads of an instruction first
};

}  // namespace emulator::ptx

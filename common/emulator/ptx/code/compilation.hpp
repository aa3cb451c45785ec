// The results of ptxas for a module: each kernel's resources and machine code.
#pragma once

#include <string>
#include <vector>

#include "emulator/ptx/code/machine_code.hpp"
#include "emulator/ptx/code/machine_flow.hpp"

namespace emulator::ptx {

struct KernelResources {
    std::string name;
    unsigned registers = 0;     // per thread
    unsigned shared_bytes = 0;  // static, per block
    unsigned stack_bytes = 0;   // local memory per thread, callees included where ptxas knows them
    unsigned spill_store_bytes = 0, spill_load_bytes = 0;  // in the code, not at run time

    bool operator==(const KernelResources&) const = default;
};

struct Compilation {
    std::vector<KernelResources> kernels;
    MachineCode code;     // from Volta on
    std::string release;  // of the ptxas: "13.0"; empty: not known
    MachineFlow flow{};   // from Volta on, where CodeParts::with_flow was asked for

    bool operator==(const Compilation&) const = default;
};

// The parts of the machine code that are read. Most runs do not need its flow.
enum class CodeParts { accesses, with_flow };

}  // namespace emulator::ptx

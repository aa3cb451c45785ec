// A function of a PTX module as the SIMT core runs it: basic blocks of operations, each block ended by
// what changes the flow of the warp; where each register lies; which instructions access memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/models/cache_operator.hpp"
#include "emulator/models/warp_request.hpp"
#include "emulator/ptx/module.hpp"
#include "emulator/simt/gpu.hpp"
#include "emulator/simt/operation.hpp"

namespace emulator::simt {

struct Function;

constexpr std::uint32_t no_block = 0xffffffffu;

// What ends a basic block. Everything that may suspend a warp, or part of it, ends one.
enum class Control : std::uint8_t {
    next,            // goes on with the block behind
    branch,          // lanes with a true guard go to `target`
    branch_indexed,  // brx.idx
    call,
    ret,             // of lanes with a true guard; from a kernel it is an exit
    exit,
    trap,
    barrier,         // of the block
    warp_wide,       // waits for the lanes of a member mask, then executes its operation
    yield,           // nanosleep: other fragments and warps first
    poll,            // mbarrier.try_wait: as `next`, but gives way where the answer is no
};

struct BasicBlock {
    const Operation* begin = nullptr;
    const Operation* end = nullptr;
    Control control = Control::next;
    bool guard_negated = false;
    RegisterOffset guard = no_register;
    std::uint32_t next = no_block;
    std::uint32_t target = no_block;
    std::uint32_t reconvergence = no_block;  // immediate post-dominator; no_block: the function's end
    std::uint32_t counter = 0;               // index of this block's execution counts
    const void* detail = nullptr;            // CallDetail, BarrierDetail, WarpWideDetail, ...
    std::uint32_t control_instruction = 0;
};

// An argument or result of a call, in the interleaved layout of thread-private memory.
struct ParameterCopy {
    std::uint32_t from = 0, to = 0;  // bytes from the start of the frames' parameter areas
    std::uint32_t bytes = 0;
};

struct CallDetail {
    Function* callee = nullptr;            // null: through `pointer`
    RegisterOffset pointer = no_register;  // 64-bit lanes
    std::vector<std::uint32_t> arguments, results;  // offsets in the caller's parameter area
    std::vector<std::uint32_t> argument_bytes, result_bytes;
};

struct BranchTableDetail {
    RegisterOffset index = no_register;
    std::vector<std::uint32_t> targets;
};

struct BarrierDetail {
    enum class Reduction : std::uint8_t { none, popc, all, any };
    bool waits = true;         // false: bar.arrive
    Reduction reduction{};
    bool predicate_negated = false;
    RegisterOffset barrier = no_register, threads = no_register;  // 32-bit lanes, where not constant
    std::uint32_t constant_barrier = 0, constant_threads = 0;     // threads 0: all of the block
    RegisterOffset destination = no_register;
    RegisterOffset predicate = no_register;
};

// shfl, vote, match, redux, bar.warp.sync: `operation` is executed once all lanes of the member mask
// are there.
struct WarpWideDetail {
    Operation operation;
    bool has_mask = true;  // false: the forms before Volta, for the lanes that happen to be there
    RegisterOffset members = no_register;
    // Registers that lanes read from each other, and their sizes: for fragments that meet from
    // different places.
    std::array<std::uint8_t, 4> source_bytes{};
    std::uint8_t destination_bytes = 0;
    bool only_synchronises = false;
};

// One instruction that accesses memory.
struct MemorySite {
    std::uint32_t instruction = 0;  // index into ptx::Function::instructions
    AccessSpace space{};            // of a generic address: global; other spaces are counted apart
    AccessKind kind{};
    bool is_reduction = false;
    std::uint32_t bytes = 0;  // of a lane
    CacheOperator cache_operator{};
};

// Literals and addresses that operations read as registers.
struct Constant {
    RegisterOffset offset = 0;
    std::uint8_t bytes = 4;
    std::uint64_t bits = 0;
};

// What must hold before a function runs in parallel blocks, or is refused.
struct Traits {
    bool has_order_dependence = false;  // atomics with results, volatile loads, reductions in floating point
    bool has_indirect_calls = false;
    std::vector<Function*> callees;
    std::string unsupported;  // one line; empty: it can be executed
};

struct Function {
    const ptx::Function* source = nullptr;
    std::uint64_t address = 0;  // what a function pointer holds
    bool is_decoded = false;

    std::vector<Operation> operations;
    std::vector<BasicBlock> blocks;
    // Instructions of each block in order, those that need no operation among them.
    std::vector<std::vector<std::uint32_t>> block_instructions;
    std::vector<std::shared_ptr<const void>> details;  // owns what operations point to

    std::uint32_t register_bytes = 0;
    std::vector<Constant> constants;
    // Operations whose results are the same in every block of a launch: run once for each warp.
    std::vector<Operation> launch_invariants;

    std::uint32_t parameter_bytes = 0;  // area for arguments and results, of this function and its calls
    std::vector<std::uint32_t> parameter_offsets, parameter_sizes;  // in that area, in order
    std::vector<std::uint32_t> result_offsets, result_sizes;
    std::uint32_t local_bytes = 0;   // .local variables of one activation

    std::uint32_t first_counter = 0;  // of its blocks, in the module's numbering
    std::uint32_t first_site = 0;
    std::vector<MemorySite> sites;
    std::uint32_t first_guard = 0;    // guarded operations count the lanes that they leave out
    std::vector<std::uint32_t> guarded_instructions;
    Traits traits;
};

}  // namespace emulator::simt

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

#include "emulator/models/memory/cache_operator.hpp"
#include "emulator/models/warp_request.hpp"
#include "emulator/ptx/code/machine_counts.hpp"
#include "emulator/ptx/parse/module.hpp"
#include "emulator/simt/state/cost_model.hpp"
#include "emulator/simt/state/launch_record.hpp"
#include "emulator/simt/state/operation.hpp"

namespace emulator::simt {

struct Function;
struct MemoryDetail;

constexpr std::uint32_t no_block = 0xffffffffu;

// The ends of basic blocks. Everything that may suspend a warp, or part of it, ends one.
enum class Control : std::uint8_t {
    next,            // goes on with the block behind
    branch,          // lanes with a true guard go to `target`
    branch_indexed,  // brx.idx
    call,
    ret,  // of lanes with a true guard; from a kernel it is an exit
    exit,
    trap,
    barrier,         // of the block
    warp_wide,       // waits for the lanes of a member mask, then executes its operation
    yield,           // nanosleep: other fragments and warps first
    warpgroup_wait,  // wgmma.wait_group: for products of the other warps of its group
    cluster_wait,    // barrier.cluster.wait
    poll,            // mbarrier.try_wait: as `next`, but yields where the answer is no
};

struct BasicBlock {
    const Operation* begin = nullptr;
    const Operation* end = nullptr;
    const Operation* pause = nullptr;  // the warp waits here for others that left a barrier with it
    Control control = Control::next;
    bool guard_negated = false;
    RegisterOffset guard = no_register;
    std::uint32_t next = no_block;
    std::uint32_t target = no_block;
    std::uint32_t reconvergence =
        no_block;                        // immediate post-dominator; no_block: the function's end
    std::uint32_t counter = 0;           // index of this block's execution counts
    std::uint32_t loop_exit = no_block;  // of a loop; where lanes that break out of it reconverge
    bool is_way_out = false;             // of any loop
    std::uint32_t order = 0;  // of lanes that were separated, those at the lowest go on first
    bool is_reconvergence_point = true;  // lanes that come on different paths go on together
    const void* detail = nullptr;        // CallDetail, BarrierDetail, WarpWideDetail, ...
    std::uint32_t control_instruction = 0;
};

struct CallDetail {
    const Function* callee = nullptr;               // null: through `pointer`
    RegisterOffset pointer = no_register;           // 64-bit lanes
    std::vector<std::uint32_t> arguments, results;  // offsets in the caller's area of parameters
    std::vector<std::uint32_t> argument_bytes, result_bytes;
    std::uint32_t instruction = 0;
};

struct BranchTableDetail {
    RegisterOffset index = no_register;  // 32-bit lanes
    std::vector<std::uint32_t> targets;
};

struct BarrierDetail {
    enum class Reduction : std::uint8_t { none, popc, all, any };
    bool waits = true;  // false: bar.arrive
    Reduction reduction{};
    bool predicate_negated = false;
    RegisterOffset barrier = no_register,
                   threads = no_register;                      // 32-bit lanes, where not constant
    std::uint32_t constant_barrier = 0, constant_threads = 0;  // threads 0: all of the block
    RegisterOffset destination = no_register;
    RegisterOffset predicate = no_register;
};

// wgmma.wait_group: all groups but the latest `pending`.
struct WarpgroupWaitDetail {
    std::size_t pending = 0;
};

// shfl, vote, match, redux, bar.warp.sync: `operation` is executed once all lanes of the member mask
// are there.
struct WarpWideDetail {
    Operation operation;
    bool has_members =
        true;  // false: the forms before Volta, for the lanes that happen to be there
    RegisterOffset members = no_register;
    // Registers that lanes read from each other, and the bytes of each (0: a predicate).
    std::uint8_t value_sources = 0;
    std::array<std::uint8_t, 4> source_bytes{};
};

// One instruction that accesses memory.
struct MemorySite {
    std::uint32_t instruction = 0;  // index into ptx::Function::instructions
    AccessSpace space{};            // of a generic address: global; other spaces are counted apart
    AccessKind kind{};
    bool is_reduction = false;
    std::uint32_t bytes = 0;  // of a lane
    CacheOperator cache_operator{};
    bool is_matrix = false;  // ldmatrix or stmatrix: requests of their own
    bool is_spill = false;   // of a register that ptxas spills, or that a called function preserves
};

// Literals and addresses that operations read as registers.
struct Constant {
    RegisterOffset offset = 0;
    std::uint8_t bytes = 4;
    std::uint64_t bits = 0;
};

// The operation itself where its guard may leave out lanes; else null.
const Operation* guarded_operation(const Operation& operation);

// Facts that decide how, and whether, a function is executed.
struct Traits {
    // Its results may depend on the order of blocks: atomics whose result is read, volatile loads,
    // reductions in floating point.
    bool has_order_dependence = false;
    bool may_wait_for_blocks = false;  // the first two of those
    bool has_indirect_calls = false;
    bool reads_clock = false;
    bool allocates_memory = false;  // or frees it
    std::string unsupported;        // one line; empty: it can be executed
};

struct Function {
    const ptx::Function* source = nullptr;
    std::vector<Operation> operations;
    std::vector<BasicBlock> blocks;
    // Instructions of each block in order, those that need no operation among them.
    std::vector<std::vector<std::uint32_t>> block_instructions;
    std::vector<std::shared_ptr<const void>> details;  // owns what operations point to

    std::uint32_t register_bytes = 0;
    std::vector<Constant> constants;
    // Operations whose results are the same in every block of a launch: run once for each warp.
    std::vector<Operation> launch_invariants;

    std::uint32_t parameter_bytes =
        0;  // area for arguments and results, of this function and its calls
    std::vector<std::uint32_t> parameter_offsets, parameter_sizes;  // in that area, in order
    std::vector<std::uint32_t> result_offsets, result_sizes;
    std::uint32_t local_bytes = 0;  // .local variables of one activation

    Traits traits;
};

// A kernel and the functions that it can reach, decoded for one architecture.
struct Image {
    const ptx::Module* source = nullptr;
    Function* kernel = nullptr;
    std::vector<std::unique_ptr<Function>> functions;
    // By the number of the function in the module, which its address tells; null: not reachable.
    std::vector<Function*> by_number;
    std::uint32_t static_shared_bytes = 0;
    std::uint32_t dynamic_shared_offset = 0;
    std::vector<std::pair<std::string, std::uint32_t>> shared_offsets;  // of variables
    // Numbers across all functions.
    struct Counter {
        const Function* function = nullptr;
        std::uint32_t block = 0;
    };
    std::vector<Counter> counters;  // of basic blocks
    struct Site {
        const Function* function = nullptr;
        MemorySite site;
        CostModel cost;
    };
    std::vector<Site> sites;
    struct Guarded {
        const Function* function = nullptr;
        std::uint32_t instruction = 0;
    };
    std::unordered_map<const void*, const MemoryDetail*> accesses;  // by an operation's detail
    std::vector<Guarded>
        rare_operands;             // instructions whose operands are counted by count_rare_operands
    std::vector<Guarded> guarded;  // operations that count the lanes that their guard leaves out
    std::vector<ptx::MachineCounts> machine;  // of the functions; empty: not known, or not asked
    Traits traits;                            // of all functions together
    bool uses_local_memory = false;
    bool has_pauses = false;  // in some block

    const Function* function_at(std::uint64_t address) const;
};

}  // namespace emulator::simt

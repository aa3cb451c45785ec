// What the time model executes: the instructions of a kernel, as a GPU issues them, and which of them the
// warps of one SM ran, with what their requests to memory touched.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/models/memory/coalescing.hpp"
#include "emulator/models/memory/load_policy.hpp"
#include "timing/machine/machine.hpp"

namespace timing {

enum class Space : std::uint8_t { none, global, texture, shared, constant, local };
enum class Wait : std::uint8_t {
    none,
    barrier,
    copies,  // that an mbarrier counts, at a test of it
    groups   // of the thread's own copies, all but some
};

using Register = std::uint32_t;
constexpr std::uint32_t no_access = 0xffffffffu;

struct Instruction {
    Unit unit = Unit::none;
    std::uint8_t slots = 1;  // instructions that it stands for; 0: it is free (a move, a parameter)
    Wait wait = Wait::none;
    bool writes_memory = false, reads_memory = false, orders_memory = false;
    bool reads_clock = false;      // nothing passes it
    bool reads_special = false;    // the index of the thread or the block, or the like
    bool loads_parameter = false;  // of the launch, or one of its sizes, into a register
    bool branches = false;
    bool moves = false;         // a value from register to register
    std::uint8_t operands = 0;  // different registers that a multiply-add reads, but for its guard
    bool has_no_operand_reuse = false;  // it reads three, none of them with the multiply-add before
    // Copies that go on beside the thread (cp.async), of which groups are waited for.
    enum class Copies : std::uint8_t { none, of_lanes, in_bulk };
    Copies copies = Copies::none;
    bool ends_group = false;
    std::uint8_t groups = 0;  // that need not be complete yet
    // Of products: how long they keep the tensor cores of the SM busy, and from issue to use of the result.
    double tensor_cycles = 0, tensor_latency = 0;
    Space space = Space::none;
    std::uint16_t line = 0;            // of Program::lines
    std::uint32_t access = no_access;  // which access of its basic block
    std::vector<Register> sources, destinations;
};

struct BasicBlock {
    std::vector<Instruction> instructions;  // in the order in which they are issued
};

struct Program {
    std::vector<BasicBlock> blocks;
    Register registers = 0;
    unsigned lines = 1;
};

// Local memory lies beyond all other: of each warp that is resident on the SM, a word of each lane beside each other. The
// L2 is taken to have it.
constexpr emulator::Address local_memory = emulator::Address{1} << 56;
constexpr emulator::Address local_bytes_of_warp = emulator::Address{1} << 26;
constexpr bool is_local(emulator::Address line) { return line >= local_memory; }

// A request of a warp.
struct Access {
    enum class Kind : std::uint8_t {
        none,
        load,
        store,
        atomic,
        reduction,
        bulk_load,  // by the copy engine
        bulk_store,
        barrier_test
    };
    Kind kind = Kind::none;  // none: no lane took part
    // Of an atomic operation.
    enum class Update : std::uint8_t {
        integer,
        floating,
        floating_64,
        swap,       // if it is as compared
        swap_loop,  // until nothing came between
    };
    Update update = Update::integer;
    Space space = Space::none;
    emulator::LoadPath path = emulator::LoadPath::l2;  // of a load
    // Passes through the banks of a load or of shared memory, or different constants, or of an atomic operation on
    // global memory the most lanes at one address.
    std::uint16_t wavefronts = 0;
    std::uint16_t sectors = 0;                     // of an atomic operation: updates
    std::uint32_t bytes = 0;                       // of all lanes
    std::uint32_t first_line = 0, line_count = 0;  // in LaunchTrace::lines
    // Of a bulk load or a test: the mbarrier, and how many bulk loads of its block that one had counted then.
    std::uint32_t barrier = 0, copies = 0;

    bool loads() const { return kind == Kind::load || kind == Kind::bulk_load; }
    bool updates() const { return kind == Kind::atomic || kind == Kind::reduction; }
    bool stores() const { return kind == Kind::store || kind == Kind::bulk_store; }
};

// An execution of a basic block by (lanes of) a warp.
struct Step {
    std::uint32_t block = 0;
    std::uint32_t first_access = 0;  // in WarpTrace::accesses
};

struct WarpTrace {
    std::vector<Step> steps;
    std::vector<Access> accesses;
    // Instructions of the steps that were recorded, and of all that the warp executed.
    std::uint64_t recorded = 0, executed = 0;
    std::vector<std::uint64_t> clock_instructions;  // executed by each reading of a clock
};

using BlockTrace = std::vector<WarpTrace>;

struct LaunchTrace {
    Program program;
    std::vector<BlockTrace> blocks;  // of one SM, in the order in which it gets them
    std::vector<emulator::LineSectors> lines;
    std::span<const emulator::LineSectors> lines_of(const Access& access) const {
        return {lines.data() + access.first_line, access.line_count};
    }
};

// What a launch is beyond the SM that was recorded.
struct LaunchFacts {
    std::uint64_t blocks = 1;      // of the grid
    std::uint64_t sm_blocks = 1;   // of the recorded SM
    unsigned resident_blocks = 1;  // on an SM at a time
    std::size_t l1_bytes = 0;
    // Of the sectors that SMs ask the L2 for, those that it has to get from DRAM; the bytes that DRAM then
    // moves, for each sector that SMs ask for and for each that they write.
    double dram_share_of_reads = 1;
    // Of data that nothing in the launch has touched yet, the share that the L2 lacks.
    double cold_share = 0;
    double dram_bytes_per_read_sector = 32, dram_bytes_per_written_sector = 32;
    double dram_bytes = 0;        // that the whole launch moves at least
    double dram_dirty_share = 0;  // of these, that are written
    // Rows of DRAM that neighbouring blocks touch, over the sum of those that each touches.
    double share_of_rows_read = 1, share_of_rows_written = 1;
    // Of stores into many lines: the load of the L2's fullest slice over the mean.
    double slice_unevenness = 1;
    // Of lines that the recorded SM updates by atomic operations, by emulator::LineUpdates::place_of: how many times as
    // many requests of all SMs do that. Of others it is 1.
    std::unordered_map<std::size_t, double> updates_of_all;
};

}  // namespace timing

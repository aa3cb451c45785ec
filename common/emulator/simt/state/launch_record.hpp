// Launches of the emulated GPU: what they are given, what was counted, how they fail; and loaded modules, as others see them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/models/architecture.hpp"
#include "emulator/models/memory/access_counters.hpp"
#include "emulator/models/memory/load_policy.hpp"
#include "emulator/models/memory/memory_model.hpp"
#include "emulator/models/memory/written_bytes.hpp"
#include "emulator/models/occupancy.hpp"
#include "emulator/ptx/parse/module.hpp"
#include "timing/machine/ptxas_rules.hpp"

namespace timing {
struct ClockReads;
}

namespace emulator::simt {

struct Dimensions {
    std::uint32_t x = 1, y = 1, z = 1;
};

struct LaunchShape {
    Dimensions grid, block;
    std::size_t dynamic_shared_bytes = 0;
    bool cooperative = false;   // all blocks are resident together; fails where they do not fit
    Dimensions cluster{};       // blocks of a cluster
    bool widest_banks = false;  // shared memory in its eight-byte mode, where the GPU has one
};

// A module or a launch asks for what the emulated GPU cannot do. One line that names the
// instruction and the source line.
class Unsupported : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

enum class FaultKind : std::uint8_t {
    illegal_address,
    misaligned_address,
    illegal_instruction,
    assertion,
    trap,
    time_limit,
    deadlock,
    stack_overflow,
};

// A kernel that failed. One line: what, kernel, block, thread, source line.
class Fault : public std::runtime_error {
  public:
    Fault(FaultKind kind, const std::string& text) : std::runtime_error(text), kind(kind) {}
    FaultKind kind;
};

// The counts of one memory instruction of the PTX in a launch.
enum class AccessSpace : std::uint8_t { global, shared, local, constant, texture, surface };
struct SiteRecord {
    ptx::SourceLocation location;
    AccessSpace space{};
    AccessKind kind{};
    bool is_reduction = false;  // an atomic whose result nothing reads (RED)
    bool is_spill = false;      // of a register: the PTX has no such access
    std::uint32_t bytes_per_lane = 0;
    AccessCounters counters;
};

// Instructions executed by source line.
struct LineRecord {
    ptx::SourceLocation location;
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;  // lanes with a true guard
    std::uint64_t divergent_branches = 0;
};

struct RecordedLaunch;  // ../record/trace_recorder.hpp

struct LaunchRecord {
    // Totals; `atomics` are those whose result is read, `reductions` the others.
    AccessCounters loads, stores, atomics, reductions;
    AccessCounters local_loads, local_stores;
    AccessCounters shared_loads, shared_stores, shared_atomics;
    AccessCounters texture_loads;
    std::uint64_t matrix_load_requests = 0, matrix_store_requests = 0;  // ldmatrix, stmatrix
    std::uint64_t tensor_instructions = 0;  // of warps, as the machine code has them
    MemoryCounters memory;
    std::uint64_t l2_read_sectors_min = 0, l2_write_sectors_min = 0, dram_read_bytes = 0;
    std::uint64_t incomplete_sectors = 0;  // that stores leave partly written, and nothing has read
    std::uint64_t footprint_lines = 0;     // of 128 bytes, that the launch reads or writes
    L2Reuse::Reread reread;                // beside dram_read_bytes, where its time is asked for
    double slice_unevenness = 1;           // of stores into many lines (SliceLoads)
    // By the blocks counted for it, a share of all; null: no time is asked for.
    std::shared_ptr<const LineUpdates> line_updates;
    double line_updates_share = 1;
    std::shared_ptr<const SectorSet> touched;     // the same; null: not known
    std::shared_ptr<const WrittenBytes> written;  // null: not known, or hazards are not checked
    std::uint64_t warp_instructions = 0, thread_instructions = 0;  // of the PTX
    // The machine code's instructions, of warps; nothing: not known, or not asked.
    std::optional<std::uint64_t> machine_instructions;
    std::uint64_t branches = 0, divergent_branches = 0;
    std::uint64_t barriers = 0;  // warps that arrived at a barrier
    Occupancy occupancy;
    std::vector<SiteRecord> sites;
    std::vector<LineRecord> lines;
    std::vector<std::string> hazards;
    bool depends_on_warps = false;                  // results do, in the blocks that were checked
    std::vector<std::string> notes;                 // limits of these counts, a line each
    std::string printed;                            // by printf, blocks in their order
    std::uint64_t blocks = 0, blocks_executed = 0;  // fewer when sampled
    double sampling_error = 0;                      // of the counts, relative; 0: they are exact
    double host_seconds = 0;
    std::shared_ptr<RecordedLaunch> recorded;  // null: no time is asked for
};

struct Options {
    unsigned workers =
        0;  // CPU threads; 0: as many as the machine has. Counts do not depend on it.
    bool model_caches = true;
    bool check_hazards = false;
    // An access out of bounds is a hazard, where a GPU would not notice it.
    bool keep_going = false;
    bool sample_blocks = false;        // execute enough blocks to tell the counts of all
    double time_limit_seconds = 0;     // of one launch; 0: none
    std::size_t heap_bytes = 8 << 20;  // of malloc() in kernels
    // A thread's stack for functions that call themselves: what others need is known before a launch.
    std::size_t stack_bytes = 512 << 10;
    // Gets a line about a launch that takes long: after so many seconds, and whenever twice as many have passed.
    std::function<void(const std::string&)> say;
    double seconds_to_first_note = 10;
    bool count_machine_code = false;  // where ptxas is there
    bool record_for_time = false;     // what one SM executes, for the time model
    timing::PtxasRules ptxas;         // then
    unsigned l2_slices = 1;           // then; 1: how lines lie in them is not known
    double l2_reuse_bytes = 0;  // then; that the L2 keeps of what is read at random; 0: not asked
};

// ---- textures and surfaces: filled in by the runtime, read by tex, suld and sust -----------------
enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };
struct TextureDescriptor {
    const std::byte* data = nullptr;
    std::uint32_t width = 0, height = 0, depth = 0;  // elements; 0: that dimension is not there
    std::uint64_t pitch_bytes = 0, slice_bytes = 0;
    std::uint32_t channels = 1, bytes_per_channel = 4;
    enum class Format : std::uint8_t { signed_integer, unsigned_integer, floating_point } format{};
    bool normalised_coordinates = false, linear_filter = false, read_normalised_float = false;
    bool is_layered = false;
    bool is_array = false;  // else linear memory
    bool is_freed = false;  // its memory is
    AddressMode address_mode[3] = {AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
    float border[4] = {};
};

class Module;  // a loaded PTX module: decoded functions, variables with addresses

struct KernelAttributes {
    std::size_t static_shared_bytes = 0, local_bytes = 0, constant_bytes = 0;
    std::size_t parameter_bytes = 0;
    std::vector<std::pair<std::size_t, std::size_t>> parameters;  // offset, bytes of each
    std::uint32_t max_threads_per_block = 0;                      // .maxntid, or the architecture's
};

class Kernel;  // one kernel of a loaded module

// Null for an unknown name.
const Kernel* find_kernel(const Module& module, const std::string& name);
// Blocks of a cluster, as the kernel's .reqnctapercluster has it; zeros: it has none.
Dimensions required_cluster(const Kernel& kernel);
const KernelAttributes& attributes(const Kernel& kernel);
bool reads_clock(const Kernel& kernel);
bool allocates_memory(const Kernel& kernel);  // or frees it
// Address and size of a .global or .const variable; nothing for an unknown name.
struct Symbol {
    void* address;
    std::size_t bytes;
    bool is_constant;
};
std::optional<Symbol> find_symbol(const Module& module, const std::string& name);
const ptx::Module& source_of(const Module& module);
bool is_constant(const Module& module, Address address);
// "kernels.cuh:17", with the path below which all of the module's own files lie left out.
std::string text(const Module& module, const ptx::SourceLocation& location);
// Whether it is in a header of CUDA, of its C++ libraries or of the host's compiler.
bool is_of_library(const Module& module, const ptx::SourceLocation& location);
// The line of the program itself: outwards from functions of CUDA's headers, which are inlined, to what calls them. Where
// there is none (a kernel of a library), the location as it is.
ptx::SourceLocation place_in_program(const Module& module, const ptx::SourceLocation& location);

}  // namespace emulator::simt

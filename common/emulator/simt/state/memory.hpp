// Loads, stores and atomics: what the decoder prepares, and how lanes' addresses become checked places in
// memory. Handlers are in ../memory/global_memory.cpp, ../memory/shared_memory.cpp, private_memory.cpp, ../memory/atomics.cpp.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "emulator/memory/device_memory.hpp"
#include "emulator/models/memory/load_policy.hpp"
#include "emulator/simt/state/counting.hpp"
#include "emulator/simt/state/execution.hpp"
#include "emulator/simt/state/operation.hpp"
#include "emulator/simt/state/program.hpp"

namespace emulator::simt {

// Generic addresses of shared and local memory lie in windows where no allocation is.
constexpr Address shared_window = 0x5100'0000'0000;
constexpr Address local_window = 0x5200'0000'0000;
constexpr Address window_bytes = Address{1} << 32;
constexpr Address function_window = 0x5300'0000'0000;  // addresses of functions

// Moves elements between a register and memory; one pair of types each.
struct Mover {
    // `place`: of the element in the lane that is first in memory; lanes lie `stride` bytes apart.
    void (*contiguous)(std::byte* lanes, std::byte* place, std::uint32_t stride);
    void (*uniform)(std::byte* lanes, const std::byte* place, std::uint32_t mask);  // loads alone
    void (*scattered)(std::byte* lanes, std::byte* base, const std::uint32_t* offsets,
                      std::uint32_t mask);
    // Thread-private memory, interleaved.
    void (*interleaved)(std::byte* lanes, std::byte* base, std::uint32_t offset,
                        std::uint32_t mask);
    void (*interleaved_scattered)(std::byte* lanes, std::byte* base, const std::uint32_t* offsets,
                                  std::uint32_t mask);
};
// For memory elements of `type` and registers of `register_bytes`; null where there is no such pair.
const Mover* load_mover(ptx::Type type, unsigned register_bytes);
const Mover* store_mover(ptx::Type type, unsigned register_bytes);

constexpr std::size_t max_elements = 8;

// How the time model treats an access.
enum class AccessRole : std::uint8_t {
    request,       // of a warp
    bulk_copy,     // by the copy engine
    barrier_test,  // of an mbarrier, for which copies may have to come
    texture_fetch
};

struct MemoryDetail {
    RegisterOffset base = no_register;  // none: the address is `offset` alone
    bool base_is_64_bit = true;
    // array[index]: a 64-bit register that is the same in all lanes, plus `scale` times the 32-bit `base`.
    RegisterOffset array = no_register;
    std::uint32_t scale = 0;
    bool index_is_signed = false;
    std::int64_t offset = 0;
    std::uint32_t bytes = 0;  // of a lane: all elements
    std::uint8_t elements = 1, element_bytes = 4;
    std::array<RegisterOffset, max_elements> registers{};  // no_register: `_`
    const Mover* mover = nullptr;
    std::uint32_t site = 0;         // in the module's numbering
    std::uint32_t instruction = 0;  // of the function
    AccessKind kind{};
    AccessRole role{};
    LoadPolicy policy;
    CostModel cost;
    std::uint32_t address_lanes = 0xffffffffu;  // whose addresses count
    bool is_poll = false;       // a volatile or relaxed load: others may be waited for
    bool is_strong = false;     // volatile, relaxed, acquire, release
    bool is_release = false;    // what the thread did before is fenced
    bool reads_result = false;  // of an atomic
    bool overwrites = false;    // an exchange whose result nothing reads
    bool is_floating = false;   // of an atomic
    // A generic address: counted are also the bytes of lanes in shared and local memory, as of LD and ST.
    bool counts_generic_bytes = false;
    bool is_frame_local = false;  // of a .local or .param variable: counted from the frame's base
};

// An access of a warp that lies in one piece of memory.
struct Located {
    std::byte* base = nullptr;
    alignas(64) LaneOffsets offsets;
};

Address lane_address(Warp& warp, const MemoryDetail& detail, int lane);
// The addresses of all lanes; 0 of inactive ones.
void lane_addresses(Warp& warp, const MemoryDetail& detail,
                    std::array<Address, warp_size>& addresses);

// Global memory: true where all active lanes lie in the allocation that the site accessed last (or in
// one other, which then is the one accessed last), aligned. False: lane by lane.
bool locate_global(WarpContext& context, const MemoryDetail& detail, SiteState& site,
                   Located& located);
// False: the offsets are addresses, and some are in other blocks of the cluster.
bool locate_shared(WarpContext& context, const MemoryDetail& detail, Located& located);

// Loads and stores of shared::cluster.
void access_cluster(WarpContext& context, const MemoryDetail& detail, const LaneOffsets& addresses);

// For lanes in several allocations: checks them one by one and counts the request. Returns their addresses.
std::array<Address, warp_size> count_lane_by_lane(WarpContext& context, const MemoryDetail& detail,
                                                  SiteState& site);

// The same, and calls `access(address, mask)` for each active lane, whose bit alone the mask has.
template <class Access>
void access_lane_by_lane(WarpContext& context, const MemoryDetail& detail, SiteState& site,
                         const Access& access) {
    const std::array<Address, warp_size> addresses = count_lane_by_lane(context, detail, site);
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
        access(storage_of(addresses[lane]), 1u << lane);
    }
}

// Counts a request and says what its pattern is.
PatternKind count_global(WarpContext& context, const MemoryDetail& detail, SiteState& site,
                         const Located& located);
PatternKind count_shared(WarpContext& context, const MemoryDetail& detail, RequestCounter& requests,
                         const LaneOffsets& offsets, SiteState* site = nullptr);
// Queues a request whose pattern is known for the cache model. `first`: its first address.
void queue_whole_warp(WarpContext& context, const MemoryDetail& detail, SiteState& site,
                      Pattern& pattern, Address first);
void count_local(WarpContext& context, const MemoryDetail& detail, RequestCounter& requests,
                 const LaneOffsets& offsets);

void move(WarpContext& context, const MemoryDetail& detail, PatternKind kind, std::byte* base,
          const LaneOffsets& offsets, std::uint32_t mask);

// Throw Fault unless the lane's access lies in one allocation (in the block's shared memory, in the
// thread's local memory), aligned.
void check_global(WarpContext& context, const MemoryDetail& detail, Address address, int lane);
// With Options::keep_going: whether it lies outside, where a GPU would not notice; it is reported.
bool goes_beyond(WarpContext& context, const MemoryDetail& detail, Address address, int lane);
void check_shared(WarpContext& context, const MemoryDetail& detail, Address offset, int lane);
void check_private(WarpContext& context, const MemoryDetail& detail, Address offset, int lane);
void access_local(WarpContext& context, const MemoryDetail& detail, RequestCounter& requests,
                  const LaneOffsets& offsets, bool uniform);
[[noreturn]] void fault_access(WarpContext& context, const MemoryDetail& detail, int lane,
                               FaultKind kind, const std::string& what);

// ---- handlers ------------------------------------------------------------------------------------
void execute_global(Warp& warp, const Operation& operation);
void execute_generic(Warp& warp, const Operation& operation);
void execute_shared(Warp& warp, const Operation& operation);
void execute_local(Warp& warp, const Operation& operation);
void execute_spill(Warp& warp, const Operation& operation);  // counts, and moves nothing
void execute_constant(Warp& warp, const Operation& operation);
void execute_parameter(Warp& warp, const Operation& operation);         // of calls
void execute_kernel_parameter(Warp& warp, const Operation& operation);  // of the launch

}  // namespace emulator::simt

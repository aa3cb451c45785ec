// Checks that hardware does not make: reads of uninitialised shared memory, shared-memory accesses of two
// threads that no barrier orders, barriers that not all threads reach.
//
// Pure bookkeeping over (thread, offset, instruction): it knows neither kernels nor source lines.
// `Site` numbers the instructions of a kernel; who executes them turns findings into text.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "emulator/models/warp_request.hpp"

namespace emulator {

enum class HazardKind : std::uint8_t {
    uninitialised_read,
    read_after_write,  // of another thread's write, with no barrier between
    write_after_read,
    write_after_write,
    divergent_barrier,
    copy_not_awaited,  // data of an asynchronous copy, read before its thread has waited for it
    absent_lane,  // a mask of a warp operation names lanes that are not there, or leaves out its own
    out_of_bounds,  // and the launch went on
};

using Site = std::uint32_t;
constexpr Site no_site = 0xffffffffu;
constexpr std::uint16_t no_thread = 0xffff;

// A thread of the block, and how often its warp has synchronised (bar.warp.sync, shuffles, votes).
struct Accessor {
    std::uint16_t thread = 0;  // its number in the block
    std::uint32_t warp_epoch = 0;
};

struct Hazard {
    HazardKind kind{};
    std::uint16_t thread = 0, other_thread = 0;
    Site site = no_site;
    Site other_site = no_site;  // none: there is no other access, or the other thread has finished
    std::uint32_t shared_offset =
        0;  // of the access, bytes from the start of the block's shared memory
};

// The values of the store at hand, which is yet to be made. Stores of the same value are no race worth a word.
class StoredValues {
  public:
    virtual ~StoredValues() = default;
    // Whether `thread` stores what is there, or what `other` stores to the same place by the same instruction.
    virtual bool is_same(std::uint16_t thread, std::uint16_t other) const = 0;
};

// A request of a warp.
struct WarpAccess {
    std::uint16_t first_thread = 0;  // of the warp, in its block
    std::uint32_t warp_epoch = 0;
    std::uint32_t mask = 0;
    Address base = 0;                        // of shared memory: 0
    const std::uint32_t* offsets = nullptr;  // of each lane, from the base
    std::uint32_t bytes = 0;                 // of a lane
    AccessKind kind{};
    bool is_strong = false;   // atomic or volatile: these do not race with each other
    bool overwrites = false;  // of an atomic: an exchange, whose old value nothing reads
    bool is_side_by_side = false, is_uniform = false;  // neither: it is not known how the lanes lie
    Site site = no_site;
    const StoredValues* values = nullptr;  // of plain stores
};

// Two findings are the same hazard by kind and places, whichever threads met there. A race between
// a read and a write is one, from whichever side it was seen.
using HazardIdentity = std::tuple<HazardKind, Site, Site>;
HazardIdentity identity(const Hazard& hazard);

}  // namespace emulator

// From the accesses of single lanes to the requests of warps.
//
// Lanes run one after another, so a warp's request must be put together again. Its identity: the
// static instruction (the hook's return address), and how many times the lane has executed it since
// the warp last came together. The k-th executions of one instruction by the lanes of a warp are
// one request, with the lanes that got that far as its active mask. This is what SIMT hardware does
// with structured control flow whose loops reconverge where they end; an inner loop with
// lane-dependent trip count inside another loop is the known exception.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/access.hpp"
#include "emulator/models/architecture.hpp"
#include "emulator/models/coalescing.hpp"
#include "emulator/device_memory.hpp"
#include "emulator/hazards.hpp"
#include "emulator/models/load_policy.hpp"
#include "emulator/models/memory_model.hpp"
#include "emulator/program_image.hpp"

namespace emulator {

class Block;

// One static instruction that accesses memory, and what the current warp has traced of it.
class Site {
  public:
    // The addresses of one request stand in a row, a place a lane. Rows are counted in places, so
    // that finding one takes no multiplication; they are longer than a warp, or all first lanes
    // would share few sets of the CPU's caches.
    static constexpr std::uint32_t row_places = 40;
    // Rows kept before a lane waits for its warp end here. Few, so that the traced addresses of an
    // inner loop stay in the CPU's first-level cache.
    static constexpr std::uint32_t window = 64 * row_places;

    Site() = default;
    Site(const void* return_address, Space space, AccessKind kind, LoadPolicy policy,
         std::uint32_t bytes)
        : return_address(return_address), bytes(bytes), space(space), kind(kind), policy(policy) {}

    // What the hook reads, first.
    const void* return_address = nullptr;
    // The array that this instruction accessed last: a lane may access its `elements` elements of
    // `bytes` bytes without asking again. While hazards are checked there are 0, since the checks
    // have to see every access, and `checked_elements` says how many there are.
    Address low = 0;
    Address elements = 0;
    alignas(64) std::array<std::uint32_t, warp_size> next_row{};  // of each lane
    std::unique_ptr<Address[]> addresses{new Address[window]};    // [row + lane]
    std::uint32_t end_row = 0;  // that of the lane that has come furthest
    Address checked_elements = 0;
    // While requests are completed: those that all lanes share, and those that are complete.
    std::uint32_t of_whole_warp = 0;
    std::uint32_t closing = 0;

    std::uint32_t bytes = 1;
    Space space = Space::global;
    AccessKind kind = AccessKind::load;
    LoadPolicy policy;

    // The shapes of request seen last, by where in its line the first lane's word lies, and what
    // they cost. A request whose lanes' addresses are those of a known shape, all shifted by a
    // multiple of 128 bytes, costs the same.
    struct Shape {
        std::uint32_t active_mask = 0;
        Address offset_in_line = 0;
        std::array<Address, warp_size> from_first_lane{};
        AccessCounters cost;
        std::uint64_t seen = 0;
        LineList lines;  // less the first lane's line; kept where the caches are modelled
    };
    std::array<Shape, line_bytes / 4> shapes;
    AccessCounters counters;
};

// What a launch is traced for, besides its requests.
struct TraceOptions {
    bool model_caches = false;
    bool check_hazards = false;
    L1Mode l1_mode = L1Mode::standard;
};

class Tracer {
  public:
    Tracer(Block& block, const Architecture& architecture);

    // Called for an access of the running lane that the recorder (recorder.hpp) can't take down at
    // once; `return_address` is the place in the kernel.
    void record(Address address, std::uint32_t bytes, AccessKind kind, CacheOperator cache_operator,
                const void* return_address);
    // This lane is the first of its warp to come to another request of the site.
    void open_request(Site& site, Address address);

    // ---- for the block that runs the lanes ----
    void begin_launch(std::size_t dynamic_shared_bytes, std::size_t l1_bytes,
                      const TraceOptions& options);
    void begin_warp(std::size_t warp) { warp_ = warp; }
    void set_stack(Address stack_begin, std::size_t stack_bytes) {
        stack_begin_ = stack_begin;
        stack_bytes_ = stack_bytes;
    }
    // Every lane of the warp has finished or waits at a barrier: all its requests are complete.
    void close_warp();
    // The lanes in `waiting` ran into a full window, the others will trace nothing more until the
    // warp comes together: complete what every waiting lane has passed, make room.
    void close_window(std::uint32_t waiting);
    // Whether nothing is left that only later accesses of this warp could complete.
    bool nothing_is_open() const { return open_requests_.empty(); }
    // Every warp of the block has had its turn.
    void close_turn() {
        if (memory_) memory_->drain();
    }
    void end_launch();
    // Forgets what a faulted launch has left.
    void abandon();

    std::span<const std::unique_ptr<Site>> sites() const { return sites_; }
    MemoryModel* memory() { return memory_ ? &*memory_ : nullptr; }
    const MemoryModel* memory() const { return memory_ ? &*memory_ : nullptr; }
    HazardChecker* hazards() { return options_.check_hazards ? hazards_.get() : nullptr; }
    const HazardChecker* hazards() const {
        return options_.check_hazards ? hazards_.get() : nullptr;
    }

  private:
    Site* find_or_make_site(Address address, std::uint32_t bytes, AccessKind kind,
                            CacheOperator cache_operator, const void* return_address);
    void find_requests_of_whole_warps();
    void complete(Site& site, std::uint32_t row);
    void learn(Site::Shape& shape, const Site& site, const WarpRequest& request) const;
    [[noreturn]] void report_access(std::uint32_t bytes, AccessKind kind,
                                    const void* return_address, const std::string& why);

    // A request of a site, which its first lane has opened.
    struct OpenRequest {
        Site* site;
        std::uint32_t row;
    };

    Block& block_;
    const Architecture& architecture_;
    TraceOptions options_;
    std::optional<MemoryModel> memory_;
    std::unique_ptr<HazardChecker> hazards_;
    std::size_t warp_ = 0;
    Address stack_begin_ = 0;
    std::size_t stack_bytes_ = 0;
    std::unordered_map<std::uint64_t, Site*> site_index_;
    std::vector<std::unique_ptr<Site>> sites_;
    std::vector<OpenRequest> open_requests_;  // of the warp at hand, in program order
    TlsBlock shared_memory_;
    std::size_t dynamic_shared_bytes_ = 0;
};

}  // namespace emulator

// A row of the experiment table: what it is called, what it moves and computes, how it is launched and checked.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "lab/device/backend.hpp"

namespace lab {

// The state of the L2 when a launch begins: without its data, or with what the launch before left.
enum class Cache { cold, warm };
inline const char* text(Cache cache) { return cache == Cache::cold ? "cold" : "warm"; }

// The evidence that a row gives. A GPU measures every row. Where nothing is timed, a counted row is launched whole, counted
// and validated; of a predicted row a sample of the blocks is launched, which tells its time and nothing else; a measured
// row is left out. by_size: counted or, where that would take minutes, predicted (../experiment/admission.cpp).
enum class Evidence { by_size, counted, predicted, measured };

// A kernel of the chapter, or what its rows are compared with. Only kernels are shown to a profiler:
// cuBLAS may launch more than one.
enum class Kind { kernel, memcpy, cublas };

// The grid and block of a launch, which the device has to be able to do.
struct LaunchShape {
    std::array<std::size_t, 3> grid = {1, 1, 1};  // blocks
    std::size_t threads = 1;                      // of a block
    std::size_t shared_bytes = 0;                 // of a block, beside what the kernel declares
    const void* kernel = nullptr;
};
// The shape of a Launch (launch.hpp); a function that launches by itself has none to check.
template <class Launch>
LaunchShape shape_of(const Launch& launch) {
    if constexpr (requires { launch.shape(); }) return launch.shape();
    return {};
}

// An ability of devices from one compute capability on, or of that one alone, in the plural: {9, "bulk copies"}.
struct Feature {
    int compute_capability = 0;  // major
    const char* name = "";
    bool is_compiled_in = false;  // asked of the device's code of the kernel, not of the device
    bool is_of_one_generation = false;
};

// The baseline of a variant in the same run: timed immediately after each of its repetitions. The
// ratio of the two rates, variant over reference, becomes a counter of the row.
struct Reference {
    std::string counter;  // "memcpy_ratio", "cublas_ratio"
    double bytes = 0;     // of one launch; 0: the rates are those of flops
    double flops = 0;
    std::size_t sets = 0;  // 0: those of the variant
    std::function<void(std::size_t set)> launch;
    int kernels = 1;  // as Variant::kernels
};

struct Variant {
    std::string name;  // variant_name(...)
    Kind kind = Kind::kernel;
    double bytes = 0;  // one launch has to read and write, each byte once
    double flops = 0;  // floating-point operations of one launch; 0: not stated
    // Other units of work of one launch (dependent loads, blocks, launches); 0: not stated
    double items = 0;
    // Device memory that one launch touches; with several buffer sets, that of one set.
    std::size_t working_set_bytes = 0;
    // Cold: launches rotate through buffer sets that together exceed four times the L2.
    Cache cache = Cache::warm;
    // Launches take turns on at least this many sets, where they are timed.
    std::size_t min_sets = 1;
    std::function<void()> prepare = [] {};  // poisons the output of set 0
    // May be missing where `timed` is there: then nothing is counted or shown to a profiler.
    std::function<void(std::size_t set)> launch = {};
    std::function<void()> check = [] {};  // compares the output of set 0; throws ValidationError
    std::optional<Reference> reference = std::nullopt;
    // In place of events around launches, for what events do not see (copies, page faults, the host's
    // own work): executes once and returns the seconds by the host's clock. Called on a GPU alone.
    std::function<double()> timed = {};
    // Kernels that launch() launches. A profiler counts each of them apart, and the queue holds fewer launches.
    int kernels = 1;
    // Counters of the variant's own, known when it is checked; reported with the row.
    std::function<Counters()> counters = [] { return Counters{}; };
    // The share of what can be set aside of the L2 that is, while it is timed or profiled. The reference has all of the L2.
    unsigned l2_set_aside_percent = 0;
    // Whether it uses managed memory. What the driver moves of that is counted by a process of its own
    // (--count-migrations): CUPTI takes seconds to attach, and would have a part in what is timed.
    bool migrates = false;
    Evidence evidence = Evidence::by_size;
    // Where the device cannot launch this, or lacks the feature, the row is left out.
    LaunchShape shape = {};
    Feature needs = {};
    // Rows with the same address here share their buffers.
    const void* buffers = nullptr;
    // Buffer sets that launches rotate through. Decided when the row is added.
    std::size_t sets = 1;
};

// The bytes of a row's share, for backend::L2SetAside.
inline std::size_t l2_set_aside_bytes(const Variant& row) {
    return backend::description().max_l2_set_aside_bytes * row.l2_set_aside_percent / 100;
}
// The same row while `percent` of what the device can set aside of its L2 are: "kernel/l2_set_aside:30/...".
Variant with_l2_set_aside(Variant row, unsigned percent);

}  // namespace lab

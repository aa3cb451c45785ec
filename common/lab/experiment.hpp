// The experiment table: a chapter adds its variants, a row each; run() validates all of them and then
// hands them to Google Benchmark (on a GPU: timed; on the emulated GPU: counted).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/backend.hpp"
#include "lab/benchmark_flags.hpp"
#include "lab/errors.hpp"

namespace lab {

// Prints "error: <what>" and exits. For what a chapter finds out before there is anything to run.
[[noreturn]] void stop(ExitStatus status, const std::string& what);

// What a launch finds in the L2: nothing of its own, or what the launch before has left.
enum class Cache { cold, warm };
inline const char* text(Cache cache) { return cache == Cache::cold ? "cold" : "warm"; }

// The baseline of a variant in the same run: timed immediately after each of its repetitions. The
// ratio of the two rates, variant over reference, becomes a counter of the row.
struct Reference {
    std::string counter;  // "memcpy_ratio", "cublas_ratio"
    double bytes = 0;     // of one launch; 0: the rates are those of flops
    double flops = 0;
    std::size_t sets = 1;
    std::function<void(std::size_t set)> launch;
    int kernels = 1;  // as Variant::kernels
};

// What an emulated GPU does with a row: launches it whole, counts and validates; or, where that would take
// minutes, samples it: then its predicted time is all that is reported of it.
enum class Emulation { whole, sampled };

// A kernel of the chapter, or what its rows are compared with. Only kernels are shown to a profiler:
// cuBLAS may launch more than one.
enum class Kind { kernel, memcpy, cublas };

struct Variant {
    std::string name;  // variant_name(...)
    Kind kind = Kind::kernel;
    double bytes = 0;  // one launch has to read and write, each byte once
    double flops = 0;  // floating-point operations of one launch; 0: not stated
    // What else one launch has so many of (dependent loads, blocks, launches); 0: not stated
    double items = 0;
    // Device memory that one launch touches; with several buffer sets, that of one set.
    std::size_t working_set_bytes = 0;
    // Launches rotate through this many buffer sets: cold_sets() to find the L2 cold, 1 for warm.
    std::size_t sets = 1;
    std::function<void()> prepare = [] {};  // poisons the output of set 0
    // May be missing where `timed` is there: then nothing is counted or shown to a profiler.
    std::function<void(std::size_t set)> launch = {};
    std::function<void()> check = [] {};  // compares the output of set 0; throws ValidationError
    std::optional<Reference> reference = std::nullopt;
    // In place of events around launches, for what events do not see (copies, page faults, the host's
    // own work): executes once and returns the seconds by the host's clock. Never called on an
    // emulated device.
    std::function<double()> timed = {};
    // Whether a timed launch finds the L2 cold although the name does not say cache:cold.
    bool finds_l2_cold = false;
    // That launch() launches. A profiler would count each of several apart, and the queue holds fewer
    // launches of them.
    int kernels = 1;
    // What the variant has counted by itself by the time it is checked; reported with the row.
    std::function<Counters()> counters = [] { return Counters{}; };
    // Of the L2, while it is timed or profiled: backend::L2SetAside. The reference has all of it.
    std::size_t l2_set_aside_bytes = 0;
    // Sampled: what it reads need not be filled, and is released when the time is known.
    Emulation emulation = Emulation::whole;
    // Whether it uses managed memory. What the driver moves of that is counted by a process of its own
    // (--count-migrations): CUPTI takes seconds to attach, and would have a part in what is timed.
    bool migrates = false;
};

class Experiment {
  public:
    // `chapter` is the directory's name. Reads the command line and opens the device; on wrong usage
    // or without a device it prints one line and exits.
    Experiment(std::string chapter, int argc, char** argv);

    const DeviceDescription& device() const { return backend::description(); }

    // The value of the chapter's own flag ("--total-mib="), a positive whole number. With a wrong value
    // it prints one line and exits; `explanation` is what --help says.
    std::optional<unsigned> option(const std::string& flag, const std::string& explanation);

    // Buffer sets of `working_set_bytes` each whose total is more than four times the L2, so that a
    // set has left it before its turn comes again; at most 512, so that tiny ones stay in it. 1 on an
    // emulated device, which does not time.
    std::size_t cold_sets(std::size_t working_set_bytes) const;
    std::size_t sets(Cache cache, std::size_t working_set_bytes) const {
        return cache == Cache::cold ? cold_sets(working_set_bytes) : 1;
    }

    // What an emulated GPU does with a row that `is_small` or is not; on a GPU every row is whole.
    Emulation emulation(bool is_small) const {
        return device().emulated && !is_small ? Emulation::sampled : Emulation::whole;
    }

    // Left out, with one line for all of them, where its loads would not pass the L1 as l1:off in its name says.
    void add(Variant variant);
    void add(Variant variant, Emulation emulation) {
        variant.emulation = emulation;
        add(std::move(variant));
    }
    // Validated, but neither timed nor counted: shapes that only have to be right.
    void add_validation(Variant variant) { validations_.push_back(std::move(variant)); }
    // The reference of the same run: a device-to-device copy of `bytes` bytes, "memcpy/bytes:...".
    // Left out on an emulated device.
    void add_memcpy(std::size_t bytes, Cache cache);
    // The same copy as a Variant's reference.
    Reference memcpy_reference(std::size_t bytes, Cache cache) const;

    // Returns the exit status (errors.hpp).
    int run();

  private:
    void read_flags();
    void open_device();
    int run_checked();
    void initialise_benchmark();
    bool times() const;
    void select();
    void keep_what_migrates();
    void validate();
    void validate_small();
    void launch_each_once();
    void add_context() const;

    std::string chapter_;
    std::vector<std::string> arguments_;
    BenchmarkFlags flags_;
    bool quick_ = false;
    bool launch_once_ = false;
    bool small_ = false;
    bool counts_alone_ = false;
    bool said_no_l1_off_ = false;
    std::vector<Variant> variants_;
    std::vector<Variant> validations_;
};

}  // namespace lab

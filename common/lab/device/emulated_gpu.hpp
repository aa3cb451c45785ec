// The emulated GPU is a CUDA runtime library in place of NVIDIA's. This is the only file of the harness
// that knows it: it chooses between the two libraries when a program starts, and asks the emulated one
// for what CUDA's API does not tell.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "lab/device/counts.hpp"

namespace lab::emulated_gpu {

// Whether this process has loaded the emulated runtime.
bool is_loaded();

// The flags of the emulated GPU. Each becomes an environment variable of its runtime
// (emulator/runtime/report/counters.h).
struct Flags {
    std::vector<std::pair<std::string, std::string>> variables;
    bool given() const { return !variables.empty(); }
};
// Takes --architecture=, --workers=, --no-caches, --check-hazards and --report= out of `arguments`.
// Throws UsageError for a wrong value.
Flags take_flags(std::vector<std::string>& arguments);

// Executes the program again, with the same arguments, the emulated runtime in front of NVIDIA's and the
// variables of `flags`; does not return. Throws MissingError where the library is not there, or where
// this process already is the second one.
[[noreturn]] void restart(const Flags& flags);
// Whether this process is the one that restart() made.
bool is_restarted();

// The rest only where is_loaded().

// "" for a property that the runtime does not know.
std::string property(const char* name);
void reset_counters();
// Predicts the time of the launches that follow, which find this in the L2.
void predict_time(backend::PredictedL2 l2);
// Counts of the launches since the last reset_counters().
struct Prediction {
    double seconds = 0;
    std::string bound;        // of the longest launch: "dram"
    double busy_seconds = 0;  // copies and fills included
};
Prediction prediction();
// While it lives, launches execute only enough of their blocks to tell that.
class Sampling {
  public:
    Sampling();
    ~Sampling();
    Sampling(const Sampling&) = delete;
    Sampling& operator=(const Sampling&) = delete;
    static bool is_on();
};
Counters counters();
// A line each, since the last reset_counters().
std::vector<std::string> hazards();
// Memory without a value from the program is uninitialised to --check-hazards, poison or not.
void mark_uninitialised(const void* pointer, std::size_t bytes);

}  // namespace lab::emulated_gpu

// The environment variables EMULATED_GPU_* (counters.h lists them), read once.
#pragma once

#include <string>

#include "emulator/models/architecture.hpp"
#include "emulator/simt/state/gpu.hpp"
#include "timing/machine/machine.hpp"

namespace emulator::runtime {

struct Settings {
    const Architecture* architecture = nullptr;
    simt::Options options;
    bool check_leaks = false;  // at the program's end
    std::string records_path;  // of what the time model gets of each launch; empty: not written
    std::string report_path;   // empty: no report
    timing::Machine machine;   // of the time model
};

// Read when the library is loaded. A wrong value ends the program: exit status 2 and one line.
const Settings& settings();

// The same of any environment: `value_of` returns null for a variable that is not set. Throws
// std::invalid_argument, whose text is the line.
Settings read_settings(const char* (*value_of)(const char* name));

}  // namespace emulator::runtime

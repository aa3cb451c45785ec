#include "lab/device/emulated_gpu.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "emulator/runtime/report/counters.h"
#include "lab/program/command_line.hpp"
#include "lab/program/errors.hpp"

namespace lab::emulated_gpu {
namespace {

namespace fs = std::filesystem;

// Set by restart(): a second restart would never end.
constexpr const char* restarted_variable = "LAB_EMULATED_RUNTIME_CHOSEN";
// The runtime that the programs are linked with (../meson.build), which the emulated one replaces.
constexpr const char* library = LAB_CUDART;
// Results of a chapter do not depend on which compilers of earlier releases are installed.
constexpr const char* older_compilers_variable = "EMULATED_GPU_OLDER_PTXAS";

bool sampling = false;

// The function of the emulated runtime, null with NVIDIA's. `Function` is the header's, for its type.
template <class Function>
Function* find(Function*, const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}
// A macro because only a macro sees the function's name.
#define LAB_EMULATED(function) find(function, #function)

// The folder of the emulated runtime: in the build folder, which is somewhere above the executable.
fs::path library_folder() {
    const fs::path executable = fs::read_symlink("/proc/self/exe");
    for (fs::path folder = executable.parent_path();; folder = folder.parent_path()) {
        const fs::path candidate = folder / "common/emulator/runtime";
        if (fs::exists(candidate / library)) return candidate;
        if (folder == folder.root_path()) break;
    }
    throw MissingError("the emulated GPU is not built: no common/emulator/runtime/" +
                       std::string(library) + " in a folder above " + executable.string() +
                       "; run: ninja -C build");
}

std::vector<std::string> command_line() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::string> words;
    for (std::size_t at = 0; at < all.size(); at += words.back().size() + 1) {
        words.emplace_back(all.c_str() + at);
    }
    return words;
}

void prepend_to_library_path(const fs::path& folder) {
    const char* const before = std::getenv("LD_LIBRARY_PATH");
    std::string path = folder.string();
    if (before != nullptr && *before != '\0') path += std::string(":") + before;
    setenv("LD_LIBRARY_PATH", path.c_str(), 1);
}

}  // namespace

bool is_loaded() { return LAB_EMULATED(emulatedGpuProperty) != nullptr; }

bool is_restarted() { return std::getenv(restarted_variable) != nullptr; }

Flags take_flags(std::vector<std::string>& arguments) {
    Flags flags;
    if (const auto name = take_value(arguments, "--architecture=")) {
        flags.variables.emplace_back("EMULATED_GPU", *name);
    }
    if (const auto workers = take_unsigned(arguments, "--workers=")) {
        flags.variables.emplace_back("EMULATED_GPU_WORKERS", std::to_string(*workers));
    }
    if (take_flag(arguments, "--no-caches"))
        flags.variables.emplace_back("EMULATED_GPU_CACHES", "0");
    if (take_flag(arguments, "--check-hazards")) {
        flags.variables.emplace_back("EMULATED_GPU_HAZARDS", "1");
    }
    if (const auto file = take_value(arguments, "--report=")) {
        flags.variables.emplace_back("EMULATED_GPU_REPORT", *file);
    }
    return flags;
}

void restart(const Flags& flags) {
    if (is_restarted()) {
        throw MissingError(
            "the emulated GPU's " + std::string(library) +
            " was not loaded, although LD_LIBRARY_PATH names its folder; the program "
            "must be linked with -cudart shared");
    }
    prepend_to_library_path(library_folder());
    for (const auto& [name, value] : flags.variables) setenv(name.c_str(), value.c_str(), 1);
    setenv(restarted_variable, "1", 1);
    setenv(older_compilers_variable, "", 1);
    std::vector<std::string> words = command_line();
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv("/proc/self/exe", argv.data());
    throw MissingError(std::string("the program cannot be restarted for the emulated GPU: ") +
                       std::strerror(errno));
}

std::string property(const char* name) {
    const char* const value = LAB_EMULATED(emulatedGpuProperty)(name);
    return value == nullptr ? "" : value;
}

void predict_time(backend::PredictedL2 l2) {
    const auto set = LAB_EMULATED(emulatedGpuPredictTime);
    set(l2 == backend::PredictedL2::cold   ? EMULATED_GPU_COLD_L2
        : l2 == backend::PredictedL2::warm ? EMULATED_GPU_WARM_L2
                                           : EMULATED_GPU_NO_TIME);
}

Sampling::Sampling() {
    LAB_EMULATED(emulatedGpuSample)(1);
    sampling = true;
}
Sampling::~Sampling() {
    LAB_EMULATED(emulatedGpuSample)(0);
    sampling = false;
}
bool Sampling::is_on() { return sampling; }

Prediction prediction() {
    const char* const bound = LAB_EMULATED(emulatedGpuPredictedBound)();
    return {LAB_EMULATED(emulatedGpuPredictedSeconds)(), bound == nullptr ? "" : bound,
            LAB_EMULATED(emulatedGpuBusySeconds)()};
}

void reset_counters() { LAB_EMULATED(emulatedGpuResetCounters)(); }

Counters counters() {
    Counters counters;
    const EmulatedGpuVisitor append = [](void* all, const char* name, double value) {
        static_cast<Counters*>(all)->emplace_back(name, value);
    };
    LAB_EMULATED(emulatedGpuVisitCounters)(append, &counters);
    return counters;
}

std::vector<std::string> hazards() {
    std::vector<std::string> lines;
    const unsigned count = LAB_EMULATED(emulatedGpuHazardCount)();
    lines.reserve(count);
    for (unsigned i = 0; i < count; ++i) lines.emplace_back(LAB_EMULATED(emulatedGpuHazard)(i));
    return lines;
}

void mark_uninitialised(const void* pointer, std::size_t bytes) {
    LAB_EMULATED(emulatedGpuMarkUninitialised)(pointer, bytes);
}

}  // namespace lab::emulated_gpu

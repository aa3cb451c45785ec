// The experiment table: a chapter adds its variants, a row each; run() validates all of them and then
// hands them to Google Benchmark (on a GPU: timed; on the emulated GPU: counted).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lab/device/variant.hpp"
#include "lab/experiment/admission.hpp"
#include "lab/program/benchmark_flags.hpp"
#include "lab/program/errors.hpp"

namespace lab {

// Prints "error: <what>" and exits. For what a chapter finds out before there is anything to run.
[[noreturn]] void stop(ExitStatus status, const std::string& what);

class Experiment {
  public:
    // `chapter` is the directory's name. Reads the command line and opens the device; on wrong usage
    // or without a device it prints one line and exits.
    Experiment(std::string chapter, int argc, char** argv);

    const DeviceDescription& device() const { return backend::description(); }

    // The value of the chapter's own flag ("--total-mib="), a positive whole number. With a wrong value
    // it prints one line and exits; `explanation` is what --help says.
    std::optional<unsigned> option(const std::string& flag, const std::string& explanation);

    // Whether rows are measured: an emulated GPU counts and predicts.
    bool measures() const { return !device().emulated; }

    // Left out, with one line for each reason, where the device cannot execute it (admission.hpp).
    void add(Variant row);
    void add(std::vector<Variant> rows);
    void add(Variant row, Evidence evidence);
    void add(std::vector<Variant> rows, Evidence evidence);
    // Validated, but neither timed nor counted: shapes that only have to be right.
    void add_validation(Variant shape);
    void add_validation(std::vector<Variant> shapes);
    // The least that any row can show, "launch_overhead/block:512": the time of a kernel that does nothing.
    void add_launch_overhead(unsigned block);
    // The reference of the same run: a device-to-device copy of `bytes` bytes, "memcpy/bytes:...". Measured.
    void add_memcpy(std::size_t bytes, Cache cache);
    // The same copy as a Variant's reference.
    Reference memcpy_reference(std::size_t bytes, Cache cache) const;
    // Stops with one line, which ends with `remedy`, where fewer bytes of device memory are free.
    void require_memory(std::size_t bytes, const std::string& remedy) const;

    // Returns the exit status (../device/errors.hpp).
    int run();

  private:
    void read_flags();
    void open_device();
    int run_checked();
    void initialise_benchmark();
    bool times() const { return measures() && !device().counts_migrations; }
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
    Admission admission_;
    std::vector<Variant> variants_;
    std::vector<Variant> validations_;
};

}  // namespace lab

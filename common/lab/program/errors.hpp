// The ways in which an executable can fail, and the exit status of each.
#pragma once

#include <stdexcept>

namespace lab {

enum ExitStatus { exit_done = 0, exit_check_failed = 1, exit_wrong_usage = 2, exit_missing = 3 };

// Each what() is one line: what is wrong, and how to fix it.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct MissingError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct ValidationError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
// A CUDA call that failed.
struct CudaError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace lab

// A fault of an emulated kernel: what the hardware would answer with a sticky error, or worse, let
// pass. It ends the launch; the host sees it as this exception.
#pragma once

#include <stdexcept>
#include <string>

namespace emulator {

// what() is one line that names the kernel, the block and thread, and the source line.
class Fault : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A launch or an allocation that the architecture refuses; what() says why, and what would pass.
class InvalidLaunch : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace emulator

// The error of a damaged fat binary, or of an image in it.
#pragma once

#include <stdexcept>

namespace emulator::ptx {

class FatbinError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace emulator::ptx

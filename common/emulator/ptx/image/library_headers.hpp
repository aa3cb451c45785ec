// The files of a module that are headers of a library: a reader of a report does not look for a cause in them.
#pragma once

#include <string_view>

namespace emulator::ptx {

// Headers of CUDA, of its C++ libraries and of the host's compiler, by where they are installed.
bool is_library_header(std::string_view path);

}  // namespace emulator::ptx

// The shared memory that a kernel declares, by itself and through the functions that it calls.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emulator::simt {

class Module;

// Bytes; nothing is decoded.
std::size_t static_shared_bytes_of(const Module& module, std::uint32_t kernel);

}  // namespace emulator::simt

// The two compressions of images in fat binaries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace emulator::ptx {

// Throw FatbinError where the result does not have exactly `bytes` bytes.
std::string decompress_lz4(std::span<const std::byte> block, std::uint64_t bytes);
// With the system's libzstd.so.1, which every Debian system has (dpkg needs it).
std::string decompress_zstd(std::span<const std::byte> frame, std::uint64_t bytes);

}  // namespace emulator::ptx

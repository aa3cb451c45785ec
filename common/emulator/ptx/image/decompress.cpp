// LZ4 blocks are decoded here (lz4.github.io/lz4, "LZ4 Block Format Description"); zstd by libzstd.
#include "emulator/ptx/image/decompress.hpp"

#include <dlfcn.h>

#include "emulator/ptx/image/fatbin_error.hpp"

namespace emulator::ptx {
namespace {

// The largest images of NVIDIA's libraries have tens of MiB. A damaged size must not take all memory.
constexpr std::uint64_t max_bytes = std::uint64_t{256} << 20;
// A byte of an LZ4 block adds at most 255 to a length.
constexpr std::uint64_t max_lz4_ratio = 255;

[[noreturn]] void damaged() { throw FatbinError("fat binary: damaged compressed image"); }

std::string room_for(std::uint64_t bytes) {
    if (bytes > max_bytes) throw FatbinError("fat binary: an image of more than 256 MiB");
    return std::string(bytes, '\0');
}

// A length of 15 goes on in the bytes that follow, up to one below 255.
std::size_t length_from(std::size_t nibble, std::span<const std::byte> block,
                        std::size_t& position) {
    std::size_t length = nibble;
    if (nibble != 15) return length;
    for (;;) {
        if (position == block.size()) damaged();
        const auto more = std::to_integer<std::size_t>(block[position++]);
        length += more;
        if (more != 255) return length;
    }
}

struct Zstd {
    std::size_t (*decompress)(void*, std::size_t, const void*, std::size_t) = nullptr;

    Zstd() {
        if (void* library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL)) {
            decompress = reinterpret_cast<decltype(decompress)>(dlsym(library, "ZSTD_decompress"));
        }
    }
};

}  // namespace

std::string decompress_lz4(std::span<const std::byte> block, std::uint64_t bytes) {
    if (bytes / max_lz4_ratio > block.size()) damaged();
    std::string result = room_for(bytes);
    std::size_t in = 0, out = 0;
    while (in < block.size()) {
        const auto token = std::to_integer<std::size_t>(block[in++]);
        const std::size_t literals = length_from(token >> 4, block, in);
        if (literals > block.size() - in || literals > result.size() - out) damaged();
        for (std::size_t i = 0; i < literals; ++i) result[out++] = static_cast<char>(block[in++]);
        if (in == block.size()) break;  // the last sequence has literals only
        if (block.size() - in < 2) damaged();
        const std::size_t distance = std::to_integer<std::size_t>(block[in]) |
                                     std::to_integer<std::size_t>(block[in + 1]) << 8;
        in += 2;
        const std::size_t length = length_from(token & 15, block, in) + 4;
        if (distance == 0 || distance > out || length > result.size() - out) damaged();
        // Byte by byte: the match may overlap what it writes.
        for (std::size_t i = 0; i < length; ++i, ++out) result[out] = result[out - distance];
    }
    if (out != result.size()) damaged();
    return result;
}

std::string decompress_zstd(std::span<const std::byte> frame, std::uint64_t bytes) {
    static const Zstd zstd;
    if (!zstd.decompress) {
        throw FatbinError(
            "fat binary: compressed with zstd, and there is no libzstd.so.1: install libzstd1 or "
            "rebuild with nvcc --compress-mode=none");
    }
    std::string result = room_for(bytes);
    if (zstd.decompress(result.data(), result.size(), frame.data(), frame.size()) != bytes)
        damaged();
    return result;
}

}  // namespace emulator::ptx

// Fat binaries: the containers in which nvcc embeds PTX and SASS for several architectures.
//
// A container is a header of 16 bytes (magic 0xBA55ED50, version, header size, size of the entries),
// then entries, each a header of at least 64 bytes and its image. nvcc compresses images with zstd by
// default, with LZ4 for --compress-mode=speed and in CUDA 12.
// Source: /usr/local/cuda/include/fatbinary_section.h for the wrapper; the rest from what nvcc 13.0 writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/ptx/image/fatbin_error.hpp"

namespace emulator::ptx {

enum class ImageKind : std::uint8_t { ptx, elf, other };
enum class Compression : std::uint8_t { none, lz4, zstd };

struct Image {
    ImageKind kind = ImageKind::other;
    unsigned compute_capability = 0;                                    // 75
    bool is_architecture_specific = false, is_family_specific = false;  // sm_90a, sm_100f
    std::string options;  // for ptxas: "-dlcm=cg  --generate-line-info "
    std::string name;     // of the source file, where nvcc notes it (-lineinfo, -G)
    Compression compression = Compression::none;
    std::uint64_t bytes = 0;            // of the image itself, not compressed
    std::span<const std::byte> stored;  // points into the container
};

// The argument of __cudaRegisterFatBinary.
struct Fatbin {
    std::vector<Image> images;
    // With -rdc=true: the images of every linked object, one list each. nvcc's device linker links
    // SASS only; of PTX, `images` has none and these are to be linked (../parse/link.hpp).
    std::vector<std::vector<Image>> linked_objects;
};

// `wrapper`: the structure with magic 0x466243b1, in this process; its pointers are trusted.
Fatbin read_wrapper(const void* wrapper);

// One or several containers one behind the other: a file of `nvcc -fatbin`, a section .nv_fatbin.
std::vector<Image> read_containers(std::span<const std::byte> bytes);

// Decompressed; PTX without the NUL at its end.
std::string contents(const Image& image);

// The code of one kernel or function in an ELF image (cubin).
struct CubinKernel {
    std::string name;
    std::optional<unsigned> registers;
    unsigned frame_bytes = 0;      // local memory of the kernel itself
    unsigned min_stack_bytes = 0;  // with what it calls
};
std::vector<CubinKernel> read_cubin(std::span<const std::byte> elf);

}  // namespace emulator::ptx

// Containers and their entries.
#include "emulator/ptx/image/fatbin.hpp"

#include "emulator/memory/mapped_memory.hpp"
#include "emulator/ptx/image/bytes.hpp"
#include "emulator/ptx/image/decompress.hpp"

namespace emulator::ptx {
namespace {

using Reader = Bytes<FatbinError>;

constexpr std::uint32_t wrapper_magic = 0x466243b1, container_magic = 0xba55ed50;
constexpr std::uint64_t container_header_bytes = 16, min_entry_header_bytes = 64;

struct Wrapper {
    std::uint32_t magic, version;
    const std::byte* data;
    // Version 1: the name of a file, or null. Version 2 (-rdc=true): the containers of the linked
    // objects, a null pointer behind the last.
    const void* name_or_containers;
};

// Offsets in an entry's header.
enum Field : std::uint64_t {
    kind_at = 0,               // 2 bytes
    header_bytes_at = 4,       // 4
    stored_bytes_at = 8,       // 8, with padding
    compressed_bytes_at = 16,  // 4, without; 0: not compressed
    options_at = 20,           // 4: offset of the offset and length of ptxas' options; 0: none
    capability_at = 28,        // 4
    name_at = 32,              // 4: offset of the source file's name
    name_bytes_at = 36,        // 4
    flags_at = 40,             // 8
    bytes_at = 56,             // 8, once decompressed; 0: not compressed
};
enum Flag : std::uint64_t {
    is_lz4 = 0x2000,
    is_zstd = 0x8000,
    is_architecture_specific = 0x100000,
    is_family_specific = 0x200000,
};

Image read_entry(const Reader& container, std::uint64_t start, std::uint64_t* length) {
    const auto header_bytes = container.at<std::uint32_t>(start + header_bytes_at);
    const auto stored_bytes = container.at<std::uint64_t>(start + stored_bytes_at);
    if (header_bytes < min_entry_header_bytes)
        throw FatbinError("fat binary: damaged entry header");
    const Reader header(container.part(start, header_bytes), "fat binary: entry header");
    const auto stored = container.part(start + header_bytes, stored_bytes);

    Image image;
    const auto kind = header.at<std::uint16_t>(kind_at);
    image.kind = kind == 1 ? ImageKind::ptx : kind == 2 ? ImageKind::elf : ImageKind::other;
    image.compute_capability = header.at<std::uint32_t>(capability_at);
    const auto flags = header.at<std::uint64_t>(flags_at);
    image.is_architecture_specific = flags & is_architecture_specific;
    image.is_family_specific = flags & is_family_specific;
    image.compression = flags & is_zstd  ? Compression::zstd
                        : flags & is_lz4 ? Compression::lz4
                                         : Compression::none;
    if (const auto bytes = header.at<std::uint32_t>(name_bytes_at)) {
        image.name = header.text(header.at<std::uint32_t>(name_at), bytes);
    }
    // In SASS that place holds something else.
    const auto options = header.at<std::uint32_t>(options_at);
    if (image.kind == ImageKind::ptx && options) {
        image.options = header.text(header.at<std::uint32_t>(options),
                                    header.at<std::uint32_t>(options + std::uint64_t{4}));
    }
    image.stored = stored;
    image.bytes = stored_bytes;
    if (image.compression != Compression::none) {
        const auto compressed = header.at<std::uint32_t>(compressed_bytes_at);
        if (compressed > stored_bytes) throw FatbinError("fat binary: damaged entry header");
        image.stored = stored.first(compressed);
        image.bytes = header.at<std::uint64_t>(bytes_at);
    }
    *length = header_bytes + stored_bytes;
    return image;
}

// Sets the container's length, its header included.
std::vector<Image> read_container(std::span<const std::byte> bytes, std::uint64_t* length) {
    const Reader reader(bytes, "fat binary");
    if (reader.at<std::uint32_t>(0) != container_magic) {
        throw FatbinError("fat binary: its magic number is not 0xba55ed50");
    }
    const auto header_bytes = reader.at<std::uint16_t>(6);
    const auto entries_bytes = reader.at<std::uint64_t>(8);
    if (header_bytes < container_header_bytes) throw FatbinError("fat binary: damaged header");
    const Reader entries(reader.part(header_bytes, entries_bytes), "fat binary");
    std::vector<Image> images;
    for (std::uint64_t position = 0; position < entries.size();) {
        std::uint64_t entry_bytes = 0;
        images.push_back(read_entry(entries, position, &entry_bytes));
        position += entry_bytes;
    }
    *length = header_bytes + entries_bytes;
    return images;
}

// In this process' memory, where only its own header says how long it is.
std::vector<Image> read_trusted_container(const std::byte* data) {
    const Reader header({data, container_header_bytes}, "fat binary");
    const std::uint64_t entries_bytes = header.at<std::uint64_t>(8);
    const std::uint64_t bytes = header.at<std::uint16_t>(6) + entries_bytes;
    if (bytes < entries_bytes || !is_mapped(data, bytes))
        throw FatbinError("fat binary: damaged header: its " + std::to_string(entries_bytes) +
                          " bytes are more than there are");
    std::uint64_t length = 0;
    return read_container({data, bytes}, &length);
}

}  // namespace

Fatbin read_wrapper(const void* wrapper) {
    Wrapper fields;
    std::memcpy(&fields, wrapper, sizeof fields);
    if (fields.magic != wrapper_magic || fields.data == nullptr) {
        throw FatbinError("fat binary: the wrapper's magic number is not 0x466243b1");
    }
    Fatbin result;
    result.images = read_trusted_container(fields.data);
    if (fields.version == 2 && fields.name_or_containers) {
        const auto* containers = static_cast<const std::byte* const*>(fields.name_or_containers);
        for (; *containers; ++containers) {
            result.linked_objects.push_back(read_trusted_container(*containers));
        }
    }
    return result;
}

std::vector<Image> read_containers(std::span<const std::byte> bytes) {
    std::vector<Image> result;
    while (!bytes.empty()) {
        std::uint64_t length = 0;
        std::vector<Image> images = read_container(bytes, &length);
        result.insert(result.end(), std::make_move_iterator(images.begin()),
                      std::make_move_iterator(images.end()));
        bytes = bytes.subspan(length);
        // Containers are aligned to 8 bytes.
        while (!bytes.empty() && bytes.front() == std::byte{0}) bytes = bytes.subspan(1);
    }
    return result;
}

std::string contents(const Image& image) {
    std::string result;
    if (image.compression == Compression::none) {
        result.assign(reinterpret_cast<const char*>(image.stored.data()), image.stored.size());
    } else if (image.compression == Compression::lz4) {
        result = decompress_lz4(image.stored, image.bytes);
    } else {
        result = decompress_zstd(image.stored, image.bytes);
    }
    if (image.kind == ImageKind::ptx) result.resize(std::min(result.size(), result.find('\0')));
    return result;
}

}  // namespace emulator::ptx

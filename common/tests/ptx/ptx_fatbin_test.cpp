// Fat binaries, built here byte by byte after what nvcc 13.0 writes.
#include "emulator/ptx/image/fatbin.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

#include "emulator/ptx/image/elf.hpp"

namespace emulator::ptx {
namespace {

template <class T>
void put(std::string& bytes, std::size_t at, T value) {
    if (bytes.size() < at + sizeof value) bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::string padded(std::string text) {
    text.resize((text.size() + 7) / 8 * 8);
    return text;
}

struct EntryShape {
    std::uint16_t kind = 1;
    std::uint32_t capability = 75;
    std::uint64_t flags = 0x11;
    std::string options = {}, name = {};
    std::uint32_t compressed_bytes = 0;
    std::uint64_t bytes = 0;
};

// Header: 64 bytes, then the name, then the place of the options, then the options.
std::string entry(const EntryShape& shape, const std::string& image) {
    std::string header(64, '\0');
    put<std::uint16_t>(header, 0, shape.kind);
    put<std::uint16_t>(header, 2, 0x101);
    put<std::uint32_t>(header, 16, shape.compressed_bytes);
    put<std::uint32_t>(header, 28, shape.capability);
    put<std::uint64_t>(header, 40, shape.flags);
    put<std::uint64_t>(header, 56, shape.bytes);
    if (!shape.name.empty()) {
        put<std::uint32_t>(header, 32, 64);
        put<std::uint32_t>(header, 36, static_cast<std::uint32_t>(shape.name.size()));
        header += padded(shape.name);
    }
    const auto options_at = static_cast<std::uint32_t>(header.size());
    put<std::uint32_t>(header, 20, options_at);
    put<std::uint32_t>(header, options_at, options_at + 8);
    put<std::uint32_t>(header, options_at + 4, static_cast<std::uint32_t>(shape.options.size()));
    header += padded(shape.options);
    put<std::uint32_t>(header, 4, static_cast<std::uint32_t>(header.size()));
    put<std::uint64_t>(header, 8, padded(image).size());
    return header + padded(image);
}

std::string container(const std::string& entries) {
    std::string result(16, '\0');
    put<std::uint32_t>(result, 0, 0xba55ed50);
    put<std::uint16_t>(result, 4, 1);
    put<std::uint16_t>(result, 6, 16);
    put<std::uint64_t>(result, 8, entries.size());
    return result + entries;
}

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

const std::string ptx_text = ".version 9.0\n.target sm_75\n";

TEST(Fatbin, ImagesOfSeveralArchitectures) {
    const std::string file =
        container(entry({.options = "-dlcm=cg  ", .name = "a.cu"}, ptx_text + '\0') +
                  entry({.kind = 2, .capability = 90, .flags = 0x100011},
                        "\x7f"
                        "ELF image")) +
        container(entry({.kind = 8, .capability = 100, .flags = 0x200011}, "nvvm"));
    const std::vector<Image> images = read_containers(bytes_of(file));
    ASSERT_EQ(images.size(), 3u);
    EXPECT_EQ(images[0].kind, ImageKind::ptx);
    EXPECT_EQ(images[0].compute_capability, 75u);
    EXPECT_EQ(images[0].options, "-dlcm=cg  ");
    EXPECT_EQ(images[0].name, "a.cu");
    EXPECT_EQ(images[0].compression, Compression::none);
    EXPECT_EQ(contents(images[0]), ptx_text);
    EXPECT_EQ(images[1].kind, ImageKind::elf);
    EXPECT_TRUE(images[1].is_architecture_specific);
    EXPECT_EQ(images[1].options, "");
    EXPECT_EQ(images[2].kind, ImageKind::other);
    EXPECT_TRUE(images[2].is_family_specific);
    EXPECT_TRUE(read_containers({}).empty());
    EXPECT_TRUE(read_containers(bytes_of(container(""))).empty());
}

// The block format's own example of an overlapping match: "ab", then 10 bytes from 2 back, then "xyz12".
TEST(Fatbin, Lz4) {
    const std::string block = std::string(
                                  "\x26"
                                  "ab"
                                  "\x02\x00",
                                  5) +
                              "\x50"
                              "xyz12";
    const std::string expected =
        "abababababab"
        "xyz12";
    EntryShape shape{.flags = 0x2011,
                     .compressed_bytes = static_cast<std::uint32_t>(block.size()),
                     .bytes = expected.size()};
    const auto image = [&] { return container(entry(shape, block)); };
    std::string file = image();
    EXPECT_EQ(read_containers(bytes_of(file))[0].compression, Compression::lz4);
    EXPECT_EQ(contents(read_containers(bytes_of(file))[0]), expected);
    // A wrong size is found out, either way; so is an absurd one.
    for (const std::uint64_t wrong : {std::uint64_t{16}, std::uint64_t{18}, ~std::uint64_t{0}}) {
        shape.bytes = wrong;
        file = image();
        EXPECT_THROW(contents(read_containers(bytes_of(file))[0]), FatbinError) << wrong;
    }
}

// Lengths above 14 go on in further bytes: 15 + 255 + 3 literals.
TEST(Fatbin, Lz4LongLiterals) {
    const std::string literals(273, 'q');
    const std::string block = "\xf0\xff\x03" + literals;
    const std::string file =
        container(entry({.flags = 0x2011,
                         .compressed_bytes = static_cast<std::uint32_t>(block.size()),
                         .bytes = literals.size()},
                        block));
    EXPECT_EQ(contents(read_containers(bytes_of(file))[0]), literals);
}

// RFC 8878: magic, a frame header with the content's size in one byte, one raw block that is the last.
TEST(Fatbin, Zstd) {
    const std::string frame =
        std::string("\x28\xb5\x2f\xfd\x20\x05", 6) + std::string("\x29\x00\x00", 3) + "hello";
    const std::string file = container(entry(
        {.flags = 0x8011, .compressed_bytes = static_cast<std::uint32_t>(frame.size()), .bytes = 5},
        frame));
    const Image image = read_containers(bytes_of(file))[0];
    EXPECT_EQ(image.compression, Compression::zstd);
    EXPECT_EQ(contents(image), "hello");
}

std::string refusal(const EntryShape& shape, const std::string& content) {
    const std::string file = container(entry(shape, content));
    try {
        contents(read_containers(bytes_of(file))[0]);
    } catch (const FatbinError& error) {
        return error.what();
    }
    return "";
}

// Found by fuzzing: 31 KB that claimed some hundred MiB, all of which were allocated and cleared before they were
// found to be damaged. A byte of LZ4 stands for 255 at most; zstd has no such limit.
TEST(Fatbin, SizesThatNoImageHas) {
    const std::string content(1000, 'q');
    EntryShape shape{.flags = 0x2011, .compressed_bytes = 1000, .bytes = 300'000'000};
    EXPECT_EQ(refusal(shape, content), "fat binary: damaged compressed image");
    shape.flags = 0x8011;
    EXPECT_EQ(refusal(shape, content), "fat binary: an image of more than 256 MiB");
}

struct Wrapper {
    std::uint32_t magic, version;
    const void* data;
    const void* more;
};

TEST(Fatbin, Wrapper) {
    const std::string own = container(""), first = container(entry({.name = "a.cu"}, ptx_text)),
                      second = container(entry({.capability = 90}, ptx_text));
    Wrapper wrapper{0x466243b1, 1, first.data(), nullptr};
    EXPECT_EQ(read_wrapper(&wrapper).images.size(), 1u);
    EXPECT_TRUE(read_wrapper(&wrapper).linked_objects.empty());
    // -rdc=true: the linked objects, a null pointer behind the last.
    const void* const objects[] = {first.data(), second.data(), nullptr};
    wrapper = {0x466243b1, 2, own.data(), objects};
    const Fatbin linked = read_wrapper(&wrapper);
    EXPECT_TRUE(linked.images.empty());
    ASSERT_EQ(linked.linked_objects.size(), 2u);
    EXPECT_EQ(linked.linked_objects[1].at(0).compute_capability, 90u);
    wrapper.magic = 5;
    EXPECT_THROW(read_wrapper(&wrapper), FatbinError);
}

// What a process has of 48-bit addresses ends far before these sizes; the last two overflow with the header.
TEST(Fatbin, SizesBeyondTheProcessAreRefused) {
    std::string data = container(entry({}, ptx_text));
    const Wrapper wrapper{0x466243b1, 1, data.data(), nullptr};
    ASSERT_EQ(read_wrapper(&wrapper).images.size(), 1u);
    for (const std::uint64_t bytes :
         {std::uint64_t{1} << 48, std::uint64_t{1} << 63, UINT64_MAX - 15, UINT64_MAX}) {
        put<std::uint64_t>(data, 8, bytes);
        EXPECT_THROW(read_wrapper(&wrapper), FatbinError) << bytes;
    }
}

// Three sections beside the first: names, symbols, .nv.info with registers and frame of one kernel.
std::string cubin() {
    const std::string names = std::string("\0.symtab\0.nv.info\0.strtab\0kernel\0", 34);
    std::string symbols(2 * 24, '\0');
    put<std::uint32_t>(symbols, 24, 26);
    std::string info;
    const auto attribute = [&](std::uint8_t kind, std::uint32_t value) {
        info += std::string("\x04") + static_cast<char>(kind) + std::string("\x08\x00", 2);
        put<std::uint32_t>(info, info.size(), 1);
        put<std::uint32_t>(info, info.size(), value);
    };
    attribute(0x2f, 32);                         // registers
    info += std::string("\x03\x1b\xff\x00", 4);  // one without data of its own
    attribute(0x11, 400);                        // frame
    attribute(0x12, 416);                        // stack
    std::string file(64, '\0');
    std::memcpy(file.data(),
                "\x7f"
                "ELF\x02\x01\x01",
                7);
    std::string headers(64, '\0');
    const auto section = [&](std::uint32_t name, const std::string& data, std::uint32_t link) {
        const std::size_t header = headers.size();
        headers.resize(header + 64);
        put<std::uint32_t>(headers, header, name);
        put<std::uint32_t>(headers, header + 4, 1);
        put<std::uint64_t>(headers, header + 0x18, file.size());
        put<std::uint64_t>(headers, header + 0x20, data.size());
        put<std::uint32_t>(headers, header + 0x28, link);
        file += data;
    };
    section(18, names, 0);
    section(1, symbols, 1);
    section(9, info, 2);
    put<std::uint64_t>(file, 0x28, file.size());
    put<std::uint16_t>(file, 0x3a, 64);
    put<std::uint16_t>(file, 0x3c, 4);
    put<std::uint16_t>(file, 0x3e, 1);
    return file + headers;
}

TEST(Fatbin, RegistersOfACubin) {
    const std::string file = cubin();
    const std::vector<CubinKernel> kernels = read_cubin(bytes_of(file));
    ASSERT_EQ(kernels.size(), 1u);
    EXPECT_EQ(kernels[0].name, "kernel");
    EXPECT_EQ(kernels[0].registers, 32u);
    EXPECT_EQ(kernels[0].frame_bytes, 400u);
    EXPECT_EQ(kernels[0].min_stack_bytes, 416u);
    EXPECT_THROW(read_cubin(bytes_of(ptx_text)), FatbinError);
}

// Damaged bytes: a result or a FatbinError, whatever they are.
TEST(Fatbin, NameInAnEmptyTable) {
    // As a damaged cubin may have it: there is no byte that the name could begin at.
    const CubinReader nothing({}, "cubin");
    EXPECT_EQ(nothing.name(0), "");
    EXPECT_THROW(nothing.name(1), FatbinError);
}

TEST(Fatbin, Mutations) {
    const std::string block = std::string(
                                  "\x26"
                                  "ab"
                                  "\x02\x00",
                                  5) +
                              "\x50"
                              "xyz12";
    const std::string file =
        container(entry({.options = "-dlcm=cg", .name = "a.cu"}, ptx_text) +
                  entry({.flags = 0x2011, .compressed_bytes = 11, .bytes = 17}, block));
    const std::string elf = cubin();
    std::mt19937 random(7);
    int read = 0, refused = 0;
    for (int i = 0; i < 6000; ++i) {
        std::string text = i % 2 ? file : elf;
        for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
            text[random() % text.size()] = static_cast<char>(random() % 3 ? random() : 0xff);
        }
        if (random() % 4 == 0) text.resize(random() % text.size());
        try {
            if (i % 2) {
                for (const Image& image : read_containers(bytes_of(text))) {
                    if (image.bytes < 1 << 20) (void)contents(image);
                }
            } else {
                (void)read_cubin(bytes_of(text));
            }
            ++read;
        } catch (const FatbinError&) {
            ++refused;
        }
    }
    EXPECT_GT(read, 300);
    EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace emulator::ptx

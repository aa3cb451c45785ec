// Registers and stack of the kernels in a cubin, from its .nv.info section.
// Source: what `ptxas -v` and readelf say of the same kernels for sm_75 and sm_90.
#include <map>

#include "emulator/ptx/bytes.hpp"
#include "emulator/ptx/fatbin.hpp"

namespace emulator::ptx {
namespace {

using Reader = Bytes<FatbinError>;

constexpr std::uint32_t elf_magic = 0x464c457f;
constexpr std::uint8_t elf_class_64 = 2;

struct Section {
    std::string name;
    std::uint32_t link = 0, info = 0;
    std::span<const std::byte> data;  // empty where the file has none
};

std::vector<Section> read_sections(const Reader& elf) {
    if (elf.at<std::uint32_t>(0) != elf_magic || elf.at<std::uint8_t>(4) != elf_class_64) {
        throw FatbinError("cubin: not a 64-bit ELF file");
    }
    const auto table = elf.at<std::uint64_t>(0x28);
    const std::uint64_t entry_bytes = elf.at<std::uint16_t>(0x3a);
    const auto count = elf.at<std::uint16_t>(0x3c), names_index = elf.at<std::uint16_t>(0x3e);
    if (table > elf.size()) throw FatbinError("cubin: truncated or damaged");
    const auto names_at = elf.at<std::uint64_t>(table + names_index * entry_bytes + 0x18);
    std::vector<Section> sections;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t header = table + i * entry_bytes;
        const std::uint32_t type = elf.at<std::uint32_t>(header + 4);
        Section section;
        section.name = elf.name(names_at + elf.at<std::uint32_t>(header));
        section.link = elf.at<std::uint32_t>(header + 0x28);
        section.info = elf.at<std::uint32_t>(header + 0x2c);
        constexpr std::uint32_t null = 0, no_bits = 8;
        if (type != null && type != no_bits) {
            section.data = elf.part(elf.at<std::uint64_t>(header + 0x18),
                                    elf.at<std::uint64_t>(header + 0x20));
        }
        sections.push_back(std::move(section));
    }
    return sections;
}

std::string symbol_name(const std::vector<Section>& sections, const Section& symbols,
                        std::uint32_t index) {
    if (symbols.link >= sections.size()) throw FatbinError("cubin: truncated or damaged");
    const Reader table(symbols.data, "cubin"), names(sections[symbols.link].data, "cubin");
    return names.name(table.at<std::uint32_t>(index * std::uint64_t{24}));
}

// Attributes: a format byte, a kind byte, then two bytes of value or (format 4) of size.
void read_attributes(const std::vector<Section>& sections, const Section& symbols,
                     const Reader& info, std::map<std::string, CubinKernel>& kernels) {
    constexpr std::uint8_t sized = 4, register_count = 0x2f, frame_size = 0x11, min_stack = 0x12;
    for (std::uint64_t position = 0; position + 4 <= info.size();) {
        const auto format = info.at<std::uint8_t>(position);
        const auto kind = info.at<std::uint8_t>(position + 1);
        const auto size = info.at<std::uint16_t>(position + 2);
        position += 4;
        if (format != sized) continue;
        const bool is_wanted = kind == register_count || kind == frame_size || kind == min_stack;
        if (is_wanted && size >= 8) {
            const auto symbol = info.at<std::uint32_t>(position);
            const auto value = info.at<std::uint32_t>(position + 4);
            CubinKernel& kernel = kernels[symbol_name(sections, symbols, symbol)];
            if (kind == register_count) kernel.registers = value;
            if (kind == frame_size) kernel.frame_bytes = value;
            if (kind == min_stack) kernel.min_stack_bytes = value;
        }
        position += size;
    }
}

}  // namespace

std::vector<CubinKernel> read_cubin(std::span<const std::byte> bytes) {
    const Reader elf(bytes, "cubin");
    const std::vector<Section> sections = read_sections(elf);
    std::map<std::string, CubinKernel> kernels;
    for (const Section& section : sections) {
        if (section.name != ".nv.info") continue;
        if (section.link >= sections.size()) throw FatbinError("cubin: truncated or damaged");
        std::size_t symbols = 0;
        while (symbols < sections.size() && sections[symbols].name != ".symtab") ++symbols;
        if (symbols == sections.size()) throw FatbinError("cubin: no symbol table");
        read_attributes(sections, sections[symbols], Reader(section.data, "cubin"), kernels);
    }
    std::vector<CubinKernel> result;
    for (auto& [name, kernel] : kernels) {
        kernel.name = name;
        result.push_back(std::move(kernel));
    }
    return result;
}

}  // namespace emulator::ptx

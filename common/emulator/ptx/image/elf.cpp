#include "emulator/ptx/image/elf.hpp"

namespace emulator::ptx {
namespace {

constexpr std::uint32_t elf_magic = 0x464c457f;
constexpr std::uint8_t elf_class_64 = 2;

}  // namespace

std::vector<Section> read_sections(const CubinReader& elf) {
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
    const CubinReader table(symbols.data, "cubin"), names(sections[symbols.link].data, "cubin");
    return names.name(table.at<std::uint32_t>(index * std::uint64_t{24}));
}

}  // namespace emulator::ptx

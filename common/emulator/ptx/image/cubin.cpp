// Registers and stack of the kernels in a cubin, from its .nv.info section.
// Source: what `ptxas -v` and readelf say of the same kernels for sm_75 and sm_90.
#include <map>

#include "emulator/ptx/image/elf.hpp"

namespace emulator::ptx {
namespace {

// Attributes: a format byte, a kind byte, then two bytes of value or (format 4) of size.
void read_attributes(const std::vector<Section>& sections, const Section& symbols,
                     const CubinReader& info, std::map<std::string, CubinKernel>& kernels) {
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
    const CubinReader elf(bytes, "cubin");
    const std::vector<Section> sections = read_sections(elf);
    std::map<std::string, CubinKernel> kernels;
    for (const Section& section : sections) {
        if (section.name != ".nv.info") continue;
        if (section.link >= sections.size()) throw FatbinError("cubin: truncated or damaged");
        std::size_t symbols = 0;
        while (symbols < sections.size() && sections[symbols].name != ".symtab") ++symbols;
        if (symbols == sections.size()) throw FatbinError("cubin: no symbol table");
        read_attributes(sections, sections[symbols], CubinReader(section.data, "cubin"), kernels);
    }
    std::vector<CubinKernel> result;
    for (auto& [name, kernel] : kernels) {
        kernel.name = name;
        result.push_back(std::move(kernel));
    }
    return result;
}

}  // namespace emulator::ptx

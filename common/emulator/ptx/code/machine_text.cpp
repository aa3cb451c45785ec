#include "emulator/ptx/code/machine_text.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace emulator::ptx {
namespace {

constexpr std::string_view code_prefix = ".text.";

const Section* section_named(const std::vector<Section>& sections, std::string_view name) {
    const auto found = std::ranges::find(sections, name, &Section::name);
    return found == sections.end() ? nullptr : &*found;
}

// The function whose address is at each place of a section. Cubins for sm_75 have relocations of 16 bytes,
// later ones have an addend behind them.
std::map<std::uint64_t, std::string> names_of_addresses(const std::vector<Section>& sections,
                                                        const std::string& of) {
    const Section* relocations = section_named(sections, ".rela" + of);
    const std::uint64_t entry_bytes = relocations != nullptr ? 24 : 16;
    if (relocations == nullptr) relocations = section_named(sections, ".rel" + of);
    if (relocations == nullptr) return {};
    if (relocations->link >= sections.size()) throw FatbinError("cubin: truncated or damaged");
    std::map<std::uint64_t, std::string> names;
    const CubinReader entries(relocations->data, "cubin");
    for (std::uint64_t at = 0; at + entry_bytes <= entries.size(); at += entry_bytes) {
        const auto symbol = static_cast<std::uint32_t>(entries.at<std::uint64_t>(at + 8) >> 32);
        names[entries.at<std::uint64_t>(at)] =
            symbol_name(sections, sections[relocations->link], symbol);
    }
    return names;
}

// The functions behind the first one of a section.
std::vector<MachineText::Inner> inner_functions(const std::vector<Section>& sections,
                                                const Section& code) {
    constexpr std::uint8_t function_type = 2;
    constexpr std::uint64_t entry_bytes = 24;
    const Section* const symbols = section_named(sections, ".symtab");
    if (symbols == nullptr) return {};
    std::vector<MachineText::Inner> inner;
    const CubinReader entries(symbols->data, "cubin");
    for (std::uint64_t at = 0; at + entry_bytes <= entries.size(); at += entry_bytes) {
        const bool is_function = (entries.at<std::uint8_t>(at + 4) & 0xf) == function_type;
        const auto address = entries.at<std::uint64_t>(at + 8);
        const std::size_t section = entries.at<std::uint16_t>(at + 6);
        if (!is_function || address == 0 || section >= sections.size()) continue;
        if (&sections[section] != &code) continue;
        const auto index = static_cast<std::uint32_t>(at / entry_bytes);
        inner.push_back({symbol_name(sections, *symbols, index), address});
    }
    return inner;
}

}  // namespace

std::vector<MachineText> read_machine_texts(std::span<const std::byte> cubin) {
    const std::vector<Section> sections = read_sections(CubinReader(cubin, "cubin"));
    const Section* const table = section_named(sections, ".nv_debug_line_sass");
    if (table == nullptr) return {};
    const auto names = names_of_addresses(sections, table->name);
    std::vector<MachineText> texts;
    for (LineSequence& lines : read_line_table(table->data)) {
        const auto name = names.find(lines.address_field);
        if (name == names.end()) continue;
        const Section* const code =
            section_named(sections, std::string(code_prefix) + name->second);
        if (code == nullptr) continue;
        texts.push_back({name->second, CubinReader(code->data, "cubin"), std::move(lines),
                         inner_functions(sections, *code)});
    }
    return texts;
}

}  // namespace emulator::ptx

// Sections and symbols of a cubin, a 64-bit ELF file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emulator/ptx/image/bytes.hpp"
#include "emulator/ptx/image/fatbin.hpp"

namespace emulator::ptx {

using CubinReader = Bytes<FatbinError>;

struct Section {
    std::string name;
    std::uint32_t link = 0, info = 0;
    std::span<const std::byte> data;  // empty where the file has none
};

// Both throw FatbinError where the file is damaged.
std::vector<Section> read_sections(const CubinReader& elf);
std::string symbol_name(const std::vector<Section>& sections, const Section& symbols,
                        std::uint32_t index);

}  // namespace emulator::ptx

// Source locations: .file, .loc with what it is inlined from, and the names in .debug_str.
// Source: NVIDIA, PTX ISA, section 11.5 (debugging directives).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulator/ptx/parse/module.hpp"
#include "emulator/ptx/parse/scanner.hpp"

namespace emulator::ptx {

class Locations {
  public:
    // Each behind the name of its directive.
    void parse_file(Scanner& scanner, Module& module);
    SourceLocation parse_loc(Scanner& scanner);
    void parse_section(Scanner& scanner);

    // .loc of different functions are not each other's callers.
    void start_function() { callers_.clear(); }
    // Fills in the names of inlined functions, which .debug_str gives after the code.
    void finish(Module& module);

  private:
    struct Place {
        std::uint32_t file, line, column;
        bool operator==(const Place&) const = default;
    };
    struct Inlining {
        Place place;
        std::int32_t inlined_at;
        std::string_view label;
        std::uint64_t offset;
        bool operator==(const Inlining&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Place& place) const;
        std::size_t operator()(const Inlining& inlining) const;
    };

    Place parse_place(Scanner& scanner);
    void parse_strings(Scanner& scanner);

    std::unordered_map<Place, std::int32_t, Hash> callers_;  // place -> its own inlined_at
    std::unordered_map<Inlining, std::int32_t, Hash> indices_;
    std::vector<Inlining> inlinings_;  // as Module::inlined_at
    std::string debug_strings_;
    std::unordered_map<std::string_view, std::size_t> debug_labels_;  // position in debug_strings_
};

}  // namespace emulator::ptx

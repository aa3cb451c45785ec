// Names that a function's body declares, block by block: registers, variables, labels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace emulator::ptx {

class Scopes {
  public:
    using Scope = std::uint32_t;
    static constexpr Scope outermost = 0;

    Scopes();

    // False where blocks are nested too deeply.
    bool open();
    bool close();  // false: the outermost is no block
    Scope current() const { return current_; }

    enum class Kind : std::uint8_t { none, reg, variable, label, table };
    struct Found {
        Kind kind = Kind::none;
        std::uint32_t index = 0;
    };

    // In the current scope; false where the name is there already.
    bool declare(std::string_view name, Kind kind, std::uint32_t index);
    // %r<12>: `count` registers from `first_index` on.
    void declare_numbered(std::string_view prefix, std::uint32_t first_index, std::uint32_t count);

    // A register or variable as the current scope sees it. Labels and tables may be used before they
    // are declared: they are found after the last line only.
    Found find(std::string_view name) const;
    Found find_label_or_table(std::string_view name, Scope from) const;

  private:
    struct Name {
        Scope scope;
        std::string_view text;
        bool operator==(const Name&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Name& name) const {
            return std::hash<std::string_view>()(name.text) ^ (name.scope * 0x9e3779b97f4a7c15u);
        }
    };
    struct Range {
        std::uint32_t first_index, count;
    };
    struct Facts {
        Scope parent;
        std::uint32_t depth;
        bool has_names = false;
        std::vector<std::pair<std::string_view, Range>> numbered;
    };
    Found find_numbered(const Facts& facts, std::string_view name) const;

    std::vector<Facts> scopes_;
    Scope current_ = outermost;
    std::unordered_map<Name, Found, Hash> names_;
};

}  // namespace emulator::ptx

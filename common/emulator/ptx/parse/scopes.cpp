// Look-up of names from the innermost block outwards.
#include "emulator/ptx/parse/scopes.hpp"

#include <charconv>

namespace emulator::ptx {
namespace {

constexpr std::uint32_t max_scope_depth = 64;

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Scopes::Scopes() { scopes_.push_back({outermost, 0, false, {}}); }

bool Scopes::open() {
    const std::uint32_t depth = scopes_[current_].depth + 1;
    if (depth > max_scope_depth) return false;
    scopes_.push_back({current_, depth, false, {}});
    current_ = static_cast<Scope>(scopes_.size() - 1);
    return true;
}

bool Scopes::close() {
    if (current_ == outermost) return false;
    current_ = scopes_[current_].parent;
    return true;
}

bool Scopes::declare(std::string_view name, Kind kind, std::uint32_t index) {
    scopes_[current_].has_names = true;
    return names_.emplace(Name{current_, name}, Found{kind, index}).second;
}

void Scopes::declare_numbered(std::string_view prefix, std::uint32_t first_index,
                              std::uint32_t count) {
    scopes_[current_].numbered.push_back({prefix, {first_index, count}});
}

Scopes::Found Scopes::find_numbered(const Facts& facts, std::string_view name) const {
    // A prefix may end in digits itself: "r12" may be number 12 of r<> or number 2 of r1<>.
    std::size_t digits = name.size();
    while (digits > 0 && is_decimal_digit(name[digits - 1])) --digits;
    if (digits == name.size()) return {};
    for (const auto& [prefix, range] : facts.numbered) {
        if (prefix.size() < digits || prefix.size() >= name.size()) continue;
        if (!name.starts_with(prefix)) continue;
        const std::string_view number = name.substr(prefix.size());
        if (number.size() > 1 && number[0] == '0') continue;
        std::uint32_t value = 0;
        const auto [stop, error] =
            std::from_chars(number.data(), number.data() + number.size(), value);
        if (error != std::errc() || stop != number.data() + number.size()) continue;
        if (value < range.count) return {Kind::reg, range.first_index + value};
    }
    return {};
}

Scopes::Found Scopes::find(std::string_view name) const {
    for (Scope scope = current_;; scope = scopes_[scope].parent) {
        const Facts& facts = scopes_[scope];
        if (!facts.numbered.empty()) {
            const Found found = find_numbered(facts, name);
            if (found.kind != Kind::none) return found;
        }
        if (facts.has_names) {
            const auto found = names_.find({scope, name});
            const bool is_wanted = found != names_.end() && (found->second.kind == Kind::reg ||
                                                             found->second.kind == Kind::variable);
            if (is_wanted) return found->second;
        }
        if (scope == outermost) return {};
    }
}

Scopes::Found Scopes::find_label_or_table(std::string_view name, Scope from) const {
    for (Scope scope = from;; scope = scopes_[scope].parent) {
        const auto found = scopes_[scope].has_names ? names_.find({scope, name}) : names_.end();
        const bool is_wanted = found != names_.end() && (found->second.kind == Kind::label ||
                                                         found->second.kind == Kind::table);
        if (is_wanted) return found->second;
        if (scope == outermost) return {};
    }
}

}  // namespace emulator::ptx

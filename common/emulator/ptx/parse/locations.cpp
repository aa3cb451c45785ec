// .loc 1 14 9, function_name $L__info_string0, inlined_at 1 30 5
#include "emulator/ptx/parse/locations.hpp"

#include "emulator/ptx/parse/constant_expression.hpp"

namespace emulator::ptx {
namespace {

constexpr std::uint64_t max_file_number = 1 << 16;

std::uint32_t parse_number(Scanner& scanner, const char* what) {
    const std::uint64_t value = scanner.unsigned_integer(what);
    if (value > 0x7fffffff) scanner.fail(std::string(what) + " out of range");
    return static_cast<std::uint32_t>(value);
}

}  // namespace

std::size_t Locations::Hash::operator()(const Place& place) const {
    const std::uint64_t mixed =
        (std::uint64_t{place.file} << 44) ^ (std::uint64_t{place.line} << 16) ^ place.column;
    return (mixed * 0x9e3779b97f4a7c15u) >> 17;
}

std::size_t Locations::Hash::operator()(const Inlining& inlining) const {
    return (*this)(inlining.place) ^ static_cast<std::size_t>(inlining.inlined_at * 0x85ebca6bu) ^
           std::hash<std::string_view>()(inlining.label);
}

void Locations::parse_file(Scanner& scanner, Module& module) {
    const std::uint64_t number = scanner.unsigned_integer("a file number");
    if (number >= max_file_number) scanner.fail("file number out of range");
    if (module.files.size() <= number) module.files.resize(number + 1);
    module.files[number] = scanner.string_literal();
    while (scanner.accept(',')) scanner.unsigned_integer("a time stamp or size");
}

Locations::Place Locations::parse_place(Scanner& scanner) {
    Place place;
    place.file = parse_number(scanner, "a file number");
    place.line = parse_number(scanner, "a line number");
    place.column = parse_number(scanner, "a column");
    return place;
}

SourceLocation Locations::parse_loc(Scanner& scanner) {
    const Place place = parse_place(scanner);
    SourceLocation location{place.file, place.line, place.column, -1};
    if (scanner.accept(',')) {
        if (scanner.identifier() != "function_name") scanner.fail("expected function_name");
        Inlining inlining{};
        inlining.label = scanner.expect_identifier("the label of a function's name");
        if (scanner.accept('+')) inlining.offset = scanner.unsigned_integer("an offset");
        scanner.expect(',');
        if (scanner.identifier() != "inlined_at") scanner.fail("expected inlined_at");
        inlining.place = parse_place(scanner);
        // The caller's place has a .loc of its own before this one; it leads on outwards.
        const auto caller = callers_.find(inlining.place);
        inlining.inlined_at = caller == callers_.end() ? -1 : caller->second;
        const auto [entry, is_new] =
            indices_.emplace(inlining, static_cast<std::int32_t>(inlinings_.size()));
        if (is_new) inlinings_.push_back(inlining);
        location.inlined_at = entry->second;
    }
    callers_[place] = location.inlined_at;
    return location;
}

void Locations::parse_section(Scanner& scanner) {
    const std::string_view name = scanner.dotted_name();
    scanner.expect('{');
    if (name == "debug_str") return parse_strings(scanner);
    scanner.skip_to_closing('{', '}');
}

void Locations::parse_strings(Scanner& scanner) {
    while (!scanner.accept('}')) {
        if (scanner.peek() == '.') {
            if (scanner.dotted_name() != "b8") scanner.fail("expected .b8 in .debug_str");
            do {
                debug_strings_ += static_cast<char>(parse_constant(scanner).bits);
            } while (scanner.accept(','));
        } else {
            const std::string_view label = scanner.expect_identifier("a label or .b8");
            scanner.expect(':');
            debug_labels_.emplace(label, debug_strings_.size());
        }
    }
}

void Locations::finish(Module& module) {
    for (const Inlining& inlining : inlinings_) {
        const auto& [file, line, column] = inlining.place;
        std::string name;
        const auto label = debug_labels_.find(inlining.label);
        if (label != debug_labels_.end()) {
            const std::size_t start = label->second + inlining.offset;
            if (start >= label->second && start < debug_strings_.size()) {
                name = debug_strings_.c_str() + start;
            }
        }
        module.inlined_at.emplace_back(SourceLocation{file, line, column, inlining.inlined_at},
                                       std::move(name));
    }
}

}  // namespace emulator::ptx

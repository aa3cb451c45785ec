// White space, names and numbers of PTX text.
#include "emulator/ptx/parse/scanner.hpp"

#include <array>
#include <charconv>
#include <cstring>

#include "emulator/ptx/parse/module.hpp"

namespace emulator::ptx {
namespace {

constexpr std::uint8_t starts_name = 1, continues_name = 2, is_digit = 4;

constexpr std::array<std::uint8_t, 256> character_classes() {
    std::array<std::uint8_t, 256> classes{};
    for (int c = 'a'; c <= 'z'; ++c) classes[c] = starts_name | continues_name;
    for (int c = 'A'; c <= 'Z'; ++c) classes[c] = starts_name | continues_name;
    for (int c = '0'; c <= '9'; ++c) classes[c] = continues_name | is_digit;
    for (const unsigned char c : {'_', '$'}) classes[c] = starts_name | continues_name;
    classes['%'] = starts_name;
    for (int c = 128; c < 256; ++c) classes[c] = starts_name | continues_name;  // UTF-8
    return classes;
}
constexpr std::array<std::uint8_t, 256> classes = character_classes();

bool is(char character, std::uint8_t wanted) {
    return classes[static_cast<unsigned char>(character)] & wanted;
}

// ASCII only, so that a message is one printable line.
std::string printable(std::string_view text) {
    std::string result;
    for (char c : text.substr(0, 60)) result += c >= ' ' && c < 127 ? c : '?';
    return result;
}

}  // namespace

Scanner::Scanner(std::string_view text)
    : text_(text.substr(0, text.find('\0'))), at_(text_.c_str()), end_(at_ + text_.size()) {
    if (text_.size() > 0x7fffffff) throw ParseError("PTX line 1: more than 2 GiB of text");
}

void Scanner::fail(const std::string& what) const {
    throw ParseError("PTX line " + std::to_string(line_) + ": " + printable(what));
}

void Scanner::expect(char wanted) {
    if (accept(wanted)) return;
    const std::string found = at_ == end_ ? "the end of the text" : std::string("'") + *at_ + "'";
    fail(std::string("expected '") + wanted + "', found " + found);
}

bool Scanner::starts_identifier(char character) { return is(character, starts_name); }
bool Scanner::continues_identifier(char character) { return is(character, continues_name); }

std::string_view Scanner::identifier() {
    skip_space();
    const char* start = at_;
    if (!starts_identifier(*at_)) return {};
    do {
        ++at_;
    } while (continues_identifier(*at_));
    return {start, static_cast<std::size_t>(at_ - start)};
}

std::string_view Scanner::expect_identifier(const char* what) {
    const std::string_view name = identifier();
    if (name.empty()) fail(std::string("expected ") + what);
    return name;
}

std::string_view Scanner::dotted_name() {
    if (!accept('.')) return {};
    const char* start = at_;
    while (continues_identifier(*at_) || (at_[0] == ':' && at_[1] == ':'))
        at_ += *at_ == ':' ? 2 : 1;
    if (at_ == start) fail("expected a name after '.'");
    return {start, static_cast<std::size_t>(at_ - start)};
}

std::string_view Scanner::number() {
    skip_space();
    const char* start = at_;
    while (is(*at_, continues_name) || *at_ == '.') ++at_;
    return {start, static_cast<std::size_t>(at_ - start)};
}

std::uint64_t Scanner::unsigned_integer(const char* what) {
    const std::string_view digits = number();
    const bool is_hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
    const char* end = digits.data() + digits.size();
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(digits.data() + (is_hexadecimal ? 2 : 0), end, value,
                                               is_hexadecimal ? 16 : 10);
    if (error != std::errc() || stop != end) {
        fail(std::string("expected ") + what + ", found '" + std::string(digits) + "'");
    }
    return value;
}

std::string Scanner::string_literal() {
    expect('"');
    std::string result;
    while (*at_ != '"') {
        if (at_ == end_ || *at_ == '\n') fail("string without its closing quote");
        if (*at_ != '\\' || at_ + 1 == end_) {
            result += *at_++;
            continue;
        }
        // As in C; of what is no escape (a path of Windows) the backslash stays.
        const char escaped = at_[1];
        constexpr std::string_view letters = "nrt0\"\\", meanings("\n\r\t\0\"\\", 6);
        const std::size_t found = letters.find(escaped);
        if (found == std::string_view::npos) {
            result += '\\';
            result += escaped;
        } else {
            result += meanings[found];
        }
        if (escaped == '\n') ++line_;
        at_ += 2;
    }
    ++at_;
    return result;
}

void Scanner::skip_line() {
    const void* newline = std::memchr(at_, '\n', end_ - at_);
    at_ = newline ? static_cast<const char*>(newline) : end_;
}

void Scanner::skip_to_closing(char opening, char closing) {
    for (unsigned depth = 1; depth > 0;) {
        const char next = peek();
        if (at_ == end_) fail(std::string("'") + opening + "' without its '" + closing + "'");
        if (next == '"') {
            string_literal();
            continue;
        }
        if (next == opening) ++depth;
        if (next == closing) --depth;
        ++at_;
    }
}

void Scanner::skip_comment() {
    if (at_[1] == '/') return skip_line();
    for (at_ += 2; at_ != end_; ++at_) {
        if (*at_ == '\n') ++line_;
        if (at_[0] == '*' && at_[1] == '/') {
            at_ += 2;
            return;
        }
    }
    fail("comment without its end");
}

void Scanner::skip_more_space() {
    for (;;) {
        switch (*at_) {
            case '\n':
                ++line_;
                [[fallthrough]];
            case ' ':
            case '\t':
            case '\r':
            case '\v':
            case '\f':
                ++at_;
                break;
            case '/':
                if (at_[1] != '/' && at_[1] != '*') return;
                skip_comment();
                break;
            case '#':  // a line marker of the C preprocessor
                skip_line();
                break;
            default:
                return;
        }
    }
}

}  // namespace emulator::ptx

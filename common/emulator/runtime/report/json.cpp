#include "emulator/runtime/report/json.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace emulator::runtime {
namespace {

// Bytes of the UTF-8 sequence at the start of `text`; 0: it is none.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t length = byte(0) < 0x80                      ? 1
                               : byte(0) >= 0xc2 && byte(0) < 0xe0 ? 2
                               : byte(0) >= 0xe0 && byte(0) < 0xf0 ? 3
                               : byte(0) >= 0xf0 && byte(0) < 0xf5 ? 4
                                                                   : 0;
    if (length == 0 || length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
    }
    return length;
}

}  // namespace

void JsonLine::separate() {
    if (needs_comma_) text_ += ", ";
    needs_comma_ = true;
}

void JsonLine::quote(std::string_view text) {
    text_ += '"';
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const char first = text.front();
        if (length == 0) {
            text_ += "\\ufffd";  // file names may hold any bytes
        } else if (first == '"' || first == '\\') {
            text_ += '\\';
            text_ += first;
        } else if (static_cast<unsigned char>(first) < 0x20) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", first);
            text_ += escaped;
        } else {
            text_ += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    text_ += '"';
}

JsonLine& JsonLine::open(char bracket) {
    separate();
    text_ += bracket;
    needs_comma_ = false;
    return *this;
}

JsonLine& JsonLine::close(char bracket) {
    text_ += bracket;
    needs_comma_ = true;
    return *this;
}

JsonLine& JsonLine::key(std::string_view name) {
    separate();
    quote(name);
    text_ += ": ";
    needs_comma_ = false;
    return *this;
}

JsonLine& JsonLine::value(std::string_view text) {
    separate();
    quote(text);
    return *this;
}

JsonLine& JsonLine::value(double number) {
    if (!std::isfinite(number)) return null();
    separate();
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    text_.append(digits, end);
    return *this;
}

JsonLine& JsonLine::value(std::uint64_t number) {
    separate();
    text_ += std::to_string(number);
    return *this;
}

JsonLine& JsonLine::value(bool truth) {
    separate();
    text_ += truth ? "true" : "false";
    return *this;
}

JsonLine& JsonLine::null() {
    separate();
    text_ += "null";
    return *this;
}

}  // namespace emulator::runtime

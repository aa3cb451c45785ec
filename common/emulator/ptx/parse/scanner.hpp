// Reads PTX text from left to right: white space, comments, names, punctuation. It keeps the line
// number for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace emulator::ptx {

class Scanner {
  public:
    explicit Scanner(std::string_view text);  // what follows a NUL is ignored
    Scanner(const Scanner&) = delete;
    Scanner& operator=(const Scanner&) = delete;

    // Views that the scanner returns point into its own copy of the text.
    const char* position() const { return at_; }
    std::uint32_t line() const { return line_; }
    [[noreturn]] void fail(const std::string& what) const;

    void skip_space() {
        while (*at_ == ' ' || *at_ == '\t') ++at_;
        if (static_cast<unsigned char>(*at_) <= ' ' || *at_ == '/' || *at_ == '#')
            skip_more_space();
    }
    bool at_end() {
        skip_space();
        return at_ == end_;
    }
    // The next character that is no white space; NUL at the end.
    char peek() {
        skip_space();
        return *at_;
    }
    bool accept(char wanted) {
        if (peek() != wanted || at_ == end_) return false;
        ++at_;
        return true;
    }
    void expect(char wanted);
    // The character right behind, white space or not.
    char next_character() const { return *at_; }
    char character_after_next() const { return at_ == end_ ? '\0' : at_[1]; }
    bool next_is(std::string_view text) const {
        return std::string_view(at_, end_ - at_).starts_with(text);
    }
    void skip_character() { at_ += at_ != end_; }

    static bool starts_identifier(char character);
    static bool continues_identifier(char character);

    // An identifier; empty where none starts here.
    std::string_view identifier();
    std::string_view expect_identifier(const char* what);

    // The name of a directive or modifier behind its dot: letters, digits, _ and "::".
    // Empty where the next character is no dot.
    std::string_view dotted_name();

    // Letters, digits, dots: a number or a version as written.
    std::string_view number();
    std::uint64_t unsigned_integer(const char* what);

    std::string string_literal();

    // To the end of the line, or behind the closing brace (comments and strings count).
    void skip_line();
    void skip_to_closing(char opening, char closing);

  private:
    void skip_more_space();
    void skip_comment();

    std::string text_;
    const char* at_;
    const char* end_;
    std::uint32_t line_ = 1;
};

}  // namespace emulator::ptx

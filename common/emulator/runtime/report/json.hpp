// JSON on one line, written piece by piece.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace emulator::runtime {

class JsonLine {
  public:
    JsonLine& begin_object() { return open('{'); }
    JsonLine& end_object() { return close('}'); }
    JsonLine& begin_array() { return open('['); }
    JsonLine& end_array() { return close(']'); }

    JsonLine& key(std::string_view name);
    JsonLine& value(std::string_view text);
    JsonLine& value(const char* text) { return value(std::string_view(text)); }
    JsonLine& value(double number);
    JsonLine& value(std::uint64_t number);
    JsonLine& value(unsigned number) { return value(std::uint64_t{number}); }
    JsonLine& value(bool truth);
    JsonLine& null();

    template <class Value>
    JsonLine& field(std::string_view name, const Value& content) {
        return key(name).value(content);
    }

    const std::string& text() const { return text_; }

  private:
    JsonLine& open(char bracket);
    JsonLine& close(char bracket);
    void separate();
    void quote(std::string_view text);

    std::string text_;
    bool needs_comma_ = false;
};

}  // namespace emulator::runtime

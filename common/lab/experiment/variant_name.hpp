// Names of variants in Google Benchmark's style: "read_offset/offset:11/block:512/n:1048576".
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

namespace lab {

struct Parameter {
    std::string text;
    Parameter(const char* key, const char* value) : text(std::string(key) + ":" + value) {}
    Parameter(const char* key, const std::string& value) : text(std::string(key) + ":" + value) {}
    // A number, or the sides of a block or grid (dim3) as "32x8".
    template <class Value>
    Parameter(const char* key, Value value) : text(std::string(key) + ":") {
        if constexpr (requires { value.y; }) {
            text += std::to_string(value.x) + "x" + std::to_string(value.y);
        } else {
            text += std::to_string(value);
        }
    }
};

inline std::string variant_name(std::string kernel, std::initializer_list<Parameter> parameters) {
    for (const Parameter& parameter : parameters) kernel += "/" + parameter.text;
    return kernel;
}

}  // namespace lab

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
    template <class Integer>
    Parameter(const char* key, Integer value)
        : text(std::string(key) + ":" + std::to_string(value)) {}
};

inline std::string variant_name(std::string kernel, std::initializer_list<Parameter> parameters) {
    for (const Parameter& parameter : parameters) kernel += "/" + parameter.text;
    return kernel;
}

}  // namespace lab

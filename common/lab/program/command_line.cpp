#include "lab/program/command_line.hpp"

#include <algorithm>
#include <charconv>

#include "lab/program/errors.hpp"

namespace lab {
namespace {

auto find_prefix(auto& arguments, const std::string& prefix) {
    return std::find_if(arguments.begin(), arguments.end(),
                        [&](const std::string& argument) { return argument.starts_with(prefix); });
}

}  // namespace

bool take_flag(std::vector<std::string>& arguments, const std::string& flag) {
    const auto found = std::find(arguments.begin(), arguments.end(), flag);
    if (found == arguments.end()) return false;
    arguments.erase(found);
    return true;
}

std::optional<std::string> take_value(std::vector<std::string>& arguments,
                                      const std::string& prefix) {
    const auto found = find_prefix(arguments, prefix);
    if (found == arguments.end()) return std::nullopt;
    std::string value = found->substr(prefix.size());
    arguments.erase(found);
    return value;
}

std::optional<unsigned> take_unsigned(std::vector<std::string>& arguments,
                                      const std::string& prefix) {
    const auto text = take_value(arguments, prefix);
    if (!text) return std::nullopt;
    unsigned value = 0;
    const char* const end = text->data() + text->size();
    const auto result = std::from_chars(text->data(), end, value);
    if (result.ec != std::errc() || result.ptr != end || value == 0) {
        throw UsageError(prefix + *text + ": a positive whole number is needed");
    }
    return value;
}

bool has_argument(const std::vector<std::string>& arguments, const std::string& prefix) {
    return find_prefix(arguments, prefix) != arguments.end();
}

}  // namespace lab

// Flags that are the lab's own are taken out of the arguments; Google Benchmark gets the rest.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lab {

// Removes the first argument that equals `flag`; whether there was one.
bool take_flag(std::vector<std::string>& arguments, const std::string& flag);

// Removes the first argument that begins with `prefix` ("--architecture=") and returns the rest of it.
std::optional<std::string> take_value(std::vector<std::string>& arguments,
                                      const std::string& prefix);

// The same for a positive whole number; throws UsageError for anything else.
std::optional<unsigned> take_unsigned(std::vector<std::string>& arguments,
                                      const std::string& prefix);

bool has_argument(const std::vector<std::string>& arguments, const std::string& prefix);

}  // namespace lab

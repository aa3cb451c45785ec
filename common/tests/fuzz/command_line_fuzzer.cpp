// Command lines, an argument a line: flags are taken, or a UsageError says which one is wrong.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "lab/program/benchmark_flags.hpp"
#include "lab/program/command_line.hpp"
#include "lab/program/errors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
    std::vector<std::string> arguments;
    for (std::string line; std::getline(lines, line);) arguments.push_back(line);
    try {
        (void)lab::take_flag(arguments, "--quick");
        (void)lab::take_value(arguments, "--architecture=");
        (void)lab::take_unsigned(arguments, "--workers=");
        (void)lab::has_argument(arguments, "--benchmark_filter=");
        (void)lab::take_benchmark_flags(arguments);
        for (const std::string& argument : arguments) (void)lab::name_filter(argument);
    } catch (const lab::UsageError&) {  // it says which one
    }
    return 0;
}

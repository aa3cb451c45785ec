#include "emulator/ptxas/instructions/thread_registers.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>

namespace timing {
namespace {

// Those that hold neither values that live where a block begins nor loaded ones: the stack pointer and two addresses in the
// making.
constexpr unsigned in_use = 5;
// In kernels with few registers also parameters, and where ptxas uses all of these an address for each load: by the
// rows of data/loads_ahead.csv without computed addresses (6 to 10) and with (12 to 15, median 13).
constexpr unsigned in_use_of_few = 8, in_use_for_addresses = 13;
constexpr unsigned min_free = 4;

bool loads_global(const Instruction& instruction) {
    return instruction.unit == Unit::memory && instruction.reads_memory &&
           !instruction.writes_memory && instruction.space != Space::shared &&
           !instruction.destinations.empty();
}

// Whether a quarter of the loads from global memory, or more, have an address that is computed for one or two of them.
bool computes_addresses(const std::vector<Instruction>& line) {
    std::vector<unsigned> readers(line.size());  // of what an instruction computes
    std::vector<std::vector<std::size_t>> read_by_loads;
    std::unordered_map<Register, std::size_t> definitions;  // of values, not of those from before
    for (std::size_t i = 0; i < line.size(); ++i) {
        std::vector<std::size_t> read;
        for (const Register source : line[i].sources) {
            const auto definition = definitions.find(source);
            if (definition == definitions.end()) continue;
            ++readers[definition->second];
            read.push_back(definition->second);
        }
        if (loads_global(line[i])) read_by_loads.push_back(std::move(read));
        for (const Register result : line[i].destinations) definitions[result] = i;
    }
    const auto is_for_few = [&](std::size_t definition) {
        return line[definition].slots > 0 && !line[definition].reads_memory &&
               readers[definition] <= 2;
    };
    const auto computed = static_cast<std::size_t>(std::ranges::count_if(
        read_by_loads, [&](const auto& read) { return std::ranges::any_of(read, is_for_few); }));
    return computed > 0 && computed * 4 >= read_by_loads.size();
}

unsigned used_by_others(unsigned registers, const std::vector<Instruction>& line) {
    if (registers > few_registers) return in_use;
    const bool is_short = registers == few_registers && computes_addresses(line);
    return is_short ? in_use_for_addresses : in_use_of_few;
}

}  // namespace

unsigned free_registers(unsigned registers, unsigned live, const std::vector<Instruction>& line) {
    const unsigned taken = live + used_by_others(registers, line);
    return std::max(registers, taken + min_free) - taken;
}

}  // namespace timing

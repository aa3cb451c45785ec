#include "emulator/runtime/memory/host_hazards.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "emulator/memory/device_memory.hpp"
#include "emulator/runtime/memory/allocations.hpp"
#include "emulator/runtime/report/failures.hpp"
#include "emulator/runtime/report/report.hpp"
#include "emulator/runtime/report/settings.hpp"

namespace emulator::runtime {
namespace {

constexpr std::size_t max_leaks = 8;  // that are named one by one

std::string bytes_text(std::size_t bytes) {
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

}  // namespace

void check_copied_to_host(const void* from, std::size_t bytes) {
    const auto address = reinterpret_cast<Address>(from);
    const Uninitialised missing = uninitialised_in(address, bytes);
    if (missing.bytes == 0) return;
    const auto allocation = allocation_at_or_below(missing.first);
    note_host_hazard("copies " + bytes_text(missing.bytes) +
                     " that nothing has written to the host, the first of them byte " +
                     std::to_string(missing.first - allocation->begin) + " of an allocation of " +
                     bytes_text(allocation->bytes));
}

void report_leaks() {
    if (!settings().check_leaks) return;
    std::vector<Memory> left;
    for (const Memory& memory : all_allocations()) {
        if (memory.kind != MemoryKind::registered) left.push_back(memory);
    }
    if (left.empty()) return;
    std::ranges::sort(left, {}, &Memory::id);
    std::size_t bytes = 0;
    std::string each;
    for (std::size_t i = 0; i < left.size(); ++i) {
        bytes += left[i].bytes;
        if (i < max_leaks)
            each += (i == 0 ? "" : ", ") + std::to_string(left[i].bytes) + " (allocation " +
                    std::to_string(left[i].id) + ")";
    }
    if (left.size() > max_leaks) each += ", ...";
    report_hazard(std::to_string(left.size()) +
                      (left.size() == 1 ? " allocation" : " allocations") + " of " +
                      bytes_text(bytes) + " in all never freed: " + each,
                  {});
}

}  // namespace emulator::runtime

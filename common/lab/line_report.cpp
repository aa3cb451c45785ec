#include "lab/line_report.hpp"

#include <cstdio>
#include <string>

#include "emulator/program_image.hpp"

namespace lab {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string name(const emulator::SiteReport& site) {
    const char* const kinds[] = {"load", "store", "atomic"};
    const std::string space = site.space == emulator::Space::shared ? "shared " : "global ";
    return space + kinds[static_cast<int>(site.kind)] + " of " + std::to_string(site.bytes);
}

}  // namespace

void print_line_report(const emulator::LaunchCounters& launched) {
    std::printf("%-34s %-22s %12s %9s %10s %8s %9s %9s\n", "source line", "access, bytes a lane",
                "requests", "sectors/", "efficiency", "L1 hits", "wavefr./", "conflicts");
    std::printf("%-34s %-22s %12s %9s %10s %8s %9s %9s\n", "", "", "", "request", "%", "%", "request", "");
    for (const emulator::SiteReport& site : launched.sites) {
        const emulator::AccessCounters& cost = site.counters;
        std::printf("%-34s %-22s %12llu ", emulator::source_line(site.return_address).c_str(),
                    name(site).c_str(), static_cast<unsigned long long>(cost.requests));
        if (site.space == emulator::Space::shared) {
            std::printf("%9s %10s %8s %9.2f %9llu\n", "", "", "", ratio(cost.wavefronts, cost.requests),
                        static_cast<unsigned long long>(cost.bank_conflicts));
        } else {
            std::printf("%9.2f %10.1f %8.1f\n", ratio(cost.sectors, cost.requests),
                        100 * ratio(cost.distinct_bytes, cost.moved_bytes),
                        100 * ratio(cost.l1_hit_sectors, cost.sectors));
        }
    }
}

}  // namespace lab

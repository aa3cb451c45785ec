#include "emulator/ptx/code/older_ptxas.hpp"

#include <charconv>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "emulator/ptx/image/child_program.hpp"

namespace emulator::ptx {
namespace {

namespace fs = std::filesystem;

// Source: NVIDIA, PTX ISA, "Release Notes": the version that came with each release.
constexpr std::pair<std::string_view, std::string_view> releases[] = {{"12.9", "8.8"},
                                                                      {"11.8", "7.8"}};

fs::path folder_of_releases() {
    if (const char* given = std::getenv("EMULATED_GPU_OLDER_PTXAS")) return given;
    return find_above_library(fs::path(".venv") / "ptxas");
}

// The word behind a directive at the begin of a line; empty: there is none.
std::string_view operand_of(std::string_view text, std::string_view directive) {
    for (std::size_t at = text.find(directive); at != text.npos;
         at = text.find(directive, at + 1)) {
        if (at > 0 && text[at - 1] != '\n') continue;
        const std::string_view rest = text.substr(at + directive.size());
        const std::size_t begin = rest.find_first_not_of(" \t");
        if (begin == 0 || begin == rest.npos) continue;
        return rest.substr(begin, rest.find_first_of(" \t\r\n,", begin) - begin);
    }
    return {};
}

std::string replaced(std::string_view text, std::string_view part, std::string_view by) {
    std::string result(text);
    result.replace(static_cast<std::size_t>(part.data() - text.data()), part.size(), by);
    return result;
}

// "sm_90a": 90; "8.8": 8, 8.
unsigned number_at(std::string_view text) {
    unsigned number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}
unsigned number_of_target(std::string_view target) {
    constexpr std::string_view prefix = "sm_";
    return target.starts_with(prefix) ? number_at(target.substr(prefix.size())) : 0;
}
std::pair<unsigned, unsigned> version_of(std::string_view text) {
    const std::size_t point = text.find('.');
    return {number_at(text), point == text.npos ? 0 : number_at(text.substr(point + 1))};
}

}  // namespace

std::vector<OlderPtxas> find_older_ptxas() {
    std::vector<OlderPtxas> found;
    const fs::path folder = folder_of_releases();
    if (folder.empty()) return found;
    for (const auto& [release, ptx_version] : releases) {
        const fs::path program = folder / release / "nvidia" / "cuda_nvcc" / "bin" / "ptxas";
        if (is_program(program)) found.push_back({program, release, ptx_version});
    }
    return found;
}

std::string with_target(std::string_view text, std::string_view architecture) {
    const std::string_view target = operand_of(text, ".target");
    if (number_of_target(target) <= number_of_target(architecture)) return std::string(text);
    return replaced(text, target, architecture);
}

std::string with_version(std::string_view text, std::string_view at_most) {
    const std::string_view version = operand_of(text, ".version");
    if (version_of(version) <= version_of(at_most)) return std::string(text);
    return replaced(text, version, at_most);
}

}  // namespace emulator::ptx

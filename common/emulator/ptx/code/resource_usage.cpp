// Runs ptxas without a shell, in a temporary folder, and reads its report.
#include "emulator/ptx/code/resource_usage.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <system_error>

#include "emulator/ptx/code/older_ptxas.hpp"
#include "emulator/ptx/code/ptxas_cache.hpp"
#include "emulator/ptx/image/child_program.hpp"
#include "emulator/ptx/image/fatbin.hpp"

namespace emulator::ptx {
namespace {

namespace fs = std::filesystem;

fs::path find_in_path() {
    const char* path = std::getenv("PATH");
    std::stringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (!folder.empty() && is_program(fs::path(folder) / "ptxas"))
            return fs::path(folder) / "ptxas";
    }
    return {};
}

// Any entry of the folder whose name starts so; empty: none.
fs::path entry_of(const fs::path& folder, std::string_view start, const fs::path& rest) {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder, failure)) {
        const bool is_named_so = entry.path().filename().native().starts_with(start);
        if (is_named_so && fs::exists(entry.path() / rest, failure)) return entry.path() / rest;
    }
    return {};
}

// In the Python environment of the project.
fs::path find_in_environment() {
    const fs::path packages = entry_of(find_above_library(fs::path(".venv") / "lib"), "python3",
                                       fs::path("site-packages") / "nvidia");
    const fs::path found =
        packages.empty() ? fs::path() : entry_of(packages, "cu", fs::path("bin") / "ptxas");
    return is_program(found) ? found : fs::path();
}

// Those of the fat binary's options that change the code.
std::vector<std::string> options_that_matter(std::string_view options) {
    constexpr std::string_view starts[] = {
        "-maxrregcount=",
        "--maxrregcount=",
        "-dlcm=",
        "--def-load-cache=",
        "-dscm=",
        "--def-store-cache=",
        "-O",
        "--opt-level=",
        "-c",
        "--compile-only",
        "-g",
        "--device-debug",
        "-maxntid=",
        "--maxntid=",
    };
    std::vector<std::string> result;
    std::istringstream words{std::string(options)};
    for (std::string word; words >> word;) {
        for (std::string_view start : starts) {
            const bool has_value = start.ends_with('=') || start == "-O";
            if (has_value ? word.starts_with(start) : word == start) result.push_back(word);
        }
    }
    return result;
}

// ".target sm_90a" compiles for sm_90a, not for sm_90.
std::string with_suffix_of_target(std::string architecture, std::string_view text) {
    constexpr std::string_view directive = ".target ";
    const std::size_t found = text.find(directive);
    if (found == text.npos) return architecture;
    const std::string_view target = text.substr(found + directive.size());
    if (!target.starts_with(architecture) || target.size() <= architecture.size())
        return architecture;
    const char suffix = target[architecture.size()];
    if (suffix == 'a' || suffix == 'f') architecture += suffix;
    return architecture;
}

unsigned number_before(std::string_view line, std::string_view unit) {
    const std::size_t found = line.find(unit);
    if (found == line.npos) return 0;
    std::size_t start = found;
    while (start > 0 && line[start - 1] >= '0' && line[start - 1] <= '9') --start;
    unsigned value = 0;
    std::from_chars(line.data() + start, line.data() + found, value);
    return value;
}

std::string contents_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Empty where a cubin of another version cannot be read: what it would tell is then not known.
template <class Reader>
auto read(Reader reader, const std::string& cubin)
    -> decltype(reader(std::span<const std::byte>())) {
    try {
        return reader(std::as_bytes(std::span(cubin)));
    } catch (const FatbinError&) {
        return {};
    }
}

// Notes of the cubins of CUDA 13 name it; empty: not known.
std::string release_of(std::string_view cubin) {
    constexpr std::string_view words = "Cuda compilation tools, release ";
    const std::size_t found = cubin.find(words);
    if (found == cubin.npos) return {};
    const std::string_view rest = cubin.substr(found + words.size());
    return std::string(rest.substr(0, rest.find_first_not_of("0123456789.")));
}

// Before Volta instructions are of another size and code.
constexpr unsigned first_with_known_code = 70;

// 90 of "sm_90a".
unsigned number_of(std::string_view architecture) {
    unsigned number = 0;
    const std::string_view digits = architecture.substr(architecture.find('_') + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

void read_code(const std::string& cubin, unsigned number, CodeParts parts, Compilation& into) {
    if (number < first_with_known_code) return;
    into.code = read(read_machine_code, cubin);
    if (parts != CodeParts::with_flow) return;
    into.flow = read(
        [&](std::span<const std::byte> bytes) { return read_machine_flow(bytes, number); }, cubin);
}

// "Feature 'redux.sync' requires .target sm_80 or higher" of "ptxas a.ptx, line 9; error   : Feature ..."; empty: none.
std::string first_error_of(std::string_view report) {
    const std::size_t found = report.find("; error");
    if (found == report.npos) return {};
    const std::string_view line = report.substr(found, report.find('\n', found) - found);
    const std::size_t colon = line.find(": ");
    return colon == line.npos ? std::string() : std::string(line.substr(colon + 2));
}

// `error`: what it says of a text that it does not compile.
std::optional<Compilation> compile_with(const fs::path& ptxas, std::string_view text,
                                        const std::string& architecture, std::string_view options,
                                        CodeParts parts, std::string& error) {
    std::vector<std::string> arguments = {
        "-v", "-lineinfo", "--gpu-name=" + with_suffix_of_target(architecture, text)};
    for (std::string& option : options_that_matter(options)) arguments.push_back(std::move(option));
    const PtxasCache cache(ptxas, arguments, text, parts);
    if (auto compilation = cache.read()) return compilation;

    const TemporaryFolder folder;
    if (folder.path().empty()) return std::nullopt;
    const fs::path module = folder.path() / "module.ptx", report = folder.path() / "report.txt",
                   cubin = folder.path() / "module.cubin";
    std::ofstream out(module, std::ios::binary);
    out << text;
    out.close();
    std::vector<std::string> command = {ptxas};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.insert(command.end(), {"-o", cubin, module});
    if (!out || !run(std::move(command), report)) {
        error = first_error_of(contents_of(report));
        return std::nullopt;
    }
    const std::string code = contents_of(cubin);
    Compilation compilation{parse_ptxas_report(contents_of(report)), {}, release_of(code)};
    read_code(code, number_of(architecture), parts, compilation);
    cache.write(compilation);
    return compilation;
}

}  // namespace

fs::path find_ptxas() {
    if (const char* given = std::getenv("EMULATED_GPU_PTXAS")) {
        return is_program(given) ? fs::path(given) : fs::path();
    }
    if (const fs::path found = find_in_path(); !found.empty()) return found;
    if (const fs::path found = find_in_environment(); !found.empty()) return found;
    const fs::path toolkit = "/usr/local/cuda/bin/ptxas";
    return is_program(toolkit) ? toolkit : fs::path();
}

std::vector<KernelResources> parse_ptxas_report(std::string_view report) {
    constexpr std::string_view entry = "Compiling entry function '", properties = "properties for ";
    std::vector<KernelResources> kernels;
    std::string_view function;  // whose properties the next line has
    while (!report.empty()) {
        const std::string_view line = report.substr(0, report.find('\n'));
        report.remove_prefix(std::min(report.size(), line.size() + 1));
        if (const std::size_t at = line.find(entry); at != line.npos) {
            const std::string_view rest = line.substr(at + entry.size());
            kernels.emplace_back().name = rest.substr(0, rest.find('\''));
        } else if (const std::size_t at = line.find(properties); at != line.npos) {
            function = line.substr(at + properties.size());
        } else if (kernels.empty()) {
            continue;
        } else if (line.find(" bytes stack frame") != line.npos) {
            if (function != kernels.back().name) continue;
            kernels.back().stack_bytes = number_before(line, " bytes stack frame");
            kernels.back().spill_store_bytes = number_before(line, " bytes spill stores");
            kernels.back().spill_load_bytes = number_before(line, " bytes spill loads");
        } else if (line.find(": Used ") != line.npos) {
            KernelResources& kernel = kernels.back();
            kernel.registers = number_before(line, " registers");
            kernel.shared_bytes = number_before(line, " bytes smem");
            kernel.stack_bytes =
                std::max(kernel.stack_bytes, number_before(line, " bytes cumulative stack size"));
        }
    }
    return kernels;
}

std::optional<Compilation> compile(std::string_view text, const std::string& architecture,
                                   std::string_view options, CodeParts parts,
                                   std::string* refusal) {
    const std::string lowered = with_target(text, architecture);
    const fs::path ptxas = find_ptxas();
    std::string error;
    if (!ptxas.empty()) {
        if (auto compilation = compile_with(ptxas, lowered, architecture, options, parts, error))
            return compilation;
    }
    for (const OlderPtxas& older : find_older_ptxas()) {
        error.clear();
        auto compilation = compile_with(older.program, with_version(lowered, older.ptx_version),
                                        architecture, options, parts, error);
        if (!error.empty() && refusal != nullptr)
            *refusal = "ptxas " + std::string(older.release) + ": " + error;
        if (!compilation) continue;
        compilation->release = older.release;
        return compilation;
    }
    return std::nullopt;
}

}  // namespace emulator::ptx

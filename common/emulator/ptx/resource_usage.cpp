// Runs ptxas without a shell, in a temporary folder, and reads its report.
#include "emulator/ptx/resource_usage.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <system_error>
#include <thread>

#include "emulator/ptx/fatbin.hpp"
#include "emulator/ptx/ptxas_cache.hpp"

namespace emulator::ptx {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds time_limit{120};

bool is_program(const fs::path& path) {
    std::error_code failure;
    return fs::is_regular_file(path, failure) && access(path.c_str(), X_OK) == 0;
}

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

// In the environment beside this library: build folders lie in the project.
fs::path find_in_environment() {
    Dl_info own{};
    static const char marker = 0;
    if (!dladdr(&marker, &own) || !own.dli_fname) return {};
    std::error_code failure;
    fs::path folder = fs::absolute(own.dli_fname, failure).parent_path();
    for (;; folder = folder.parent_path()) {
        const fs::path packages =
            entry_of(folder / ".venv" / "lib", "python3", fs::path("site-packages") / "nvidia");
        fs::path found =
            packages.empty() ? fs::path() : entry_of(packages, "cu", fs::path("bin") / "ptxas");
        if (!found.empty() && is_program(found)) return found;
        if (folder == folder.parent_path()) return {};
    }
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

class TemporaryFolder {
  public:
    TemporaryFolder() {
        const char* parent = std::getenv("TMPDIR");
        std::string name =
            std::string(parent && *parent ? parent : "/tmp") + "/emulated-gpu-XXXXXX";
        if (mkdtemp(name.data())) path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code failure;
        if (!path_.empty()) fs::remove_all(path_, failure);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const fs::path& path() const { return path_; }  // empty: it cannot be made

  private:
    fs::path path_;
};

// Without LD_PRELOAD: ptxas is none of the emulated program's.
std::vector<char*> environment() {
    std::vector<char*> result;
    for (char** entry = environ; *entry; ++entry) {
        if (std::strncmp(*entry, "LD_PRELOAD=", 11) != 0) result.push_back(*entry);
    }
    result.push_back(nullptr);
    return result;
}

bool wait_for(pid_t child) {
    const auto end = std::chrono::steady_clock::now() + time_limit;
    auto pause = std::chrono::microseconds(500);
    for (;;) {
        int status = 0;
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (ended < 0 && errno != EINTR) return false;
        if (std::chrono::steady_clock::now() > end) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return false;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, std::chrono::microseconds(20000));
    }
}

// Whether the program ended with 0; what it prints goes to `report`.
bool run(std::vector<std::string> command, const fs::path& report) {
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return false;
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, report.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    const int failure = posix_spawn(&child, command[0].c_str(), &actions, nullptr, arguments.data(),
                                    environment().data());
    posix_spawn_file_actions_destroy(&actions);
    return failure == 0 && wait_for(child);
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
MachineCode machine_code_of(const std::string& cubin) {
    try {
        return read_machine_code(std::as_bytes(std::span(cubin)));
    } catch (const FatbinError&) {
        return {};
    }
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

std::optional<Compilation> compile(std::string_view text, std::string architecture,
                                   std::string_view options) {
    const fs::path ptxas = find_ptxas();
    if (ptxas.empty()) return std::nullopt;
    std::vector<std::string> arguments = {
        "-v", "-lineinfo", "--gpu-name=" + with_suffix_of_target(std::move(architecture), text)};
    for (std::string& option : options_that_matter(options)) arguments.push_back(std::move(option));
    const PtxasCache cache(ptxas, arguments, text);
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
    if (!out || !run(std::move(command), report)) return std::nullopt;
    Compilation compilation{parse_ptxas_report(contents_of(report)),
                            machine_code_of(contents_of(cubin))};
    cache.write(compilation);
    return compilation;
}

}  // namespace emulator::ptx

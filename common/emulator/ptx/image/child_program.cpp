#include "emulator/ptx/image/child_program.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>

namespace emulator::ptx {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds time_limit{120};

// Without LD_PRELOAD: these are none of the emulated program's.
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

}  // namespace

bool is_program(const fs::path& path) {
    std::error_code failure;
    return fs::is_regular_file(path, failure) && access(path.c_str(), X_OK) == 0;
}

fs::path find_above_library(const fs::path& relative) {
    Dl_info own{};
    static const char marker = 0;
    if (!dladdr(&marker, &own) || !own.dli_fname) return {};
    std::error_code failure;
    fs::path folder = fs::absolute(own.dli_fname, failure).parent_path();
    for (;; folder = folder.parent_path()) {
        if (fs::exists(folder / relative, failure)) return folder / relative;
        if (folder == folder.parent_path()) return {};
    }
}

TemporaryFolder::TemporaryFolder() {
    const char* parent = std::getenv("TMPDIR");
    std::string name = std::string(parent && *parent ? parent : "/tmp") + "/emulated-gpu-XXXXXX";
    if (mkdtemp(name.data())) path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code failure;
    if (!path_.empty()) fs::remove_all(path_, failure);
}

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

}  // namespace emulator::ptx

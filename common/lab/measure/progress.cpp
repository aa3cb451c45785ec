#include "lab/measure/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace lab {
namespace {

constexpr std::chrono::seconds between_lines{10};

std::size_t columns() {
    winsize size{};
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20;
    return known ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(std::string phase, std::size_t all)
    : phase_(std::move(phase)), all_(all), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
    if (terminal_ && done_ > 0) std::fputs("\r\x1b[K", stderr);
}

void Progress::step(const std::string& name) {
    ++done_;
    std::string line =
        "[lab] " + phase_ + " " + std::to_string(done_) + "/" + std::to_string(all_) + " " + name;
    if (terminal_) {
        line.resize(std::min(line.size(), columns() - 1));
        std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (done_ > 1 && done_ < all_ && now - last_line_ < between_lines) return;
    std::fprintf(stderr, "%s\n", line.c_str());
    last_line_ = now;
}

}  // namespace lab

// How far a phase of a run has come, on standard error: on a terminal a line that counts and goes away,
// elsewhere a line now and then, so that a log shows progress and little else.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace lab {

class Progress {
  public:
    Progress(std::string phase, std::size_t all);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // `name` is what begins now.
    void step(const std::string& name);

  private:
    std::string phase_;
    std::size_t all_;
    std::size_t done_ = 0;
    bool terminal_;
    std::chrono::steady_clock::time_point last_line_;
};

}  // namespace lab

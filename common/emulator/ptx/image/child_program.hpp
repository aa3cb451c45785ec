// Programs that this library runs: where they are, and running them without a shell.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace emulator::ptx {

bool is_program(const std::filesystem::path& path);
// `relative` in the nearest folder above this library that has it: build folders lie in the project. Empty: nowhere.
std::filesystem::path find_above_library(const std::filesystem::path& relative);

class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }  // empty: it cannot be made

  private:
    std::filesystem::path path_;
};

// Whether the program ended with 0; what it prints goes to `report`.
bool run(std::vector<std::string> command, const std::filesystem::path& report);

}  // namespace emulator::ptx

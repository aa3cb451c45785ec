// The answers of ptxas, kept on disk from run to run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/ptx/code/compilation.hpp"

namespace emulator::ptx {

class PtxasCache {
  public:
    // The file for these inputs; `ptxas` counts by its path, size and time of change.
    PtxasCache(const std::filesystem::path& ptxas, const std::vector<std::string>& options,
               std::string_view text, CodeParts parts = CodeParts::accesses);

    // Nothing where the file is missing or damaged.
    std::optional<Compilation> read() const;
    // Best effort: without a place to write it does nothing.
    void write(const Compilation& compilation) const;

  private:
    std::filesystem::path file_;  // empty: no cache folder
};

}  // namespace emulator::ptx

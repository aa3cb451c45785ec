// Says how far a long launch has come, and where it stands when nothing changes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "emulator/simt/state/launch_record.hpp"

namespace emulator::simt {

class LaunchWatch {
  public:
    LaunchWatch(const Options& options, std::string kernel_name, std::uint64_t blocks,
                std::chrono::steady_clock::time_point started);

    // Notes a worker's progress since it called last, and the place of one of its warps. Any worker may call it.
    void note(std::uint64_t finished_blocks, std::uint64_t memory_changes,
              const std::function<std::string()>& place);

  private:
    std::string progress(double elapsed) const;
    std::string standstill(double elapsed, const std::string& place) const;

    const Options& options_;
    const std::string kernel_name_;
    const std::uint64_t blocks_;
    const std::chrono::steady_clock::time_point started_;
    std::mutex mutex_;
    std::uint64_t finished_ = 0, changes_ = 0;
    std::uint64_t said_finished_ = 0, said_changes_ = 0;  // at the line before
    double next_seconds_;                                 // when the next line is due
};

}  // namespace emulator::simt

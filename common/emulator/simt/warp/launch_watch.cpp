#include "emulator/simt/warp/launch_watch.hpp"

#include <utility>

namespace emulator::simt {

LaunchWatch::LaunchWatch(const Options& options, std::string kernel_name, std::uint64_t blocks,
                         std::chrono::steady_clock::time_point started)
    : options_(options),
      kernel_name_(std::move(kernel_name)),
      blocks_(blocks),
      started_(started),
      next_seconds_(options.seconds_to_first_note) {}

void LaunchWatch::note(std::uint64_t finished_blocks, std::uint64_t memory_changes,
                       const std::function<std::string()>& place) {
    if (!options_.say) return;
    const std::lock_guard lock(mutex_);
    finished_ += finished_blocks;
    changes_ += memory_changes;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started_;
    if (elapsed.count() < next_seconds_) return;
    next_seconds_ *= 2;
    const bool stands_still = finished_ == said_finished_ && changes_ == said_changes_;
    options_.say(stands_still ? standstill(elapsed.count(), place()) : progress(elapsed.count()));
    said_finished_ = finished_;
    said_changes_ = changes_;
}

std::string LaunchWatch::progress(double elapsed) const {
    const auto percent = static_cast<unsigned>(100.0 * static_cast<double>(finished_) /
                                               static_cast<double>(blocks_));
    return "kernel " + kernel_name_ + ": " + std::to_string(percent) + " % of " +
           std::to_string(blocks_) + " blocks after " +
           std::to_string(static_cast<std::uint64_t>(elapsed)) + " s";
}

std::string LaunchWatch::standstill(double elapsed, const std::string& place) const {
    return place + ": after " + std::to_string(static_cast<std::uint64_t>(elapsed)) +
           " s no block has finished and no memory has changed lately; if it waits "
           "for the host: "
           "the emulated GPU executes a kernel before its launch returns, so the host has to write "
           "before the launch";
}

}  // namespace emulator::simt

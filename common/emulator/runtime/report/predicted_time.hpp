// The time of launches as the model predicts it, where it is asked for, and the clock of the device that it
// advances.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "emulator/simt/state/gpu.hpp"
#include "timing/sm/launch_time.hpp"

namespace emulator::runtime {

// The L2's content when a launch begins.
enum class L2State {
    left_by_others,  // what earlier launches left there
    cold,            // nothing of its own
    warm,            // all of its data, where they fit
};

bool predicts_time();
void predict_time(bool wanted, L2State state);

// Predicts the time of a launch that was recorded; nothing where no time is asked for. Advances the clock.
std::optional<timing::Prediction> predict(const simt::LaunchRecord& record,
                                          const std::string& kernel);

// Executes a kernel. One that reads clocks, where time is asked for, is executed again with the times that were
// predicted for its readings, until it executes as many instructions as before, to 1 %; what the other executions
// did to memory is undone.
// Its clocks show 16 cycles a basic block where memory is too large to be copied, or where it allocates memory.
using Execute = std::function<simt::LaunchRecord(const timing::ClockReads*)>;
simt::LaunchRecord execute_with_clocks(const simt::Kernel& kernel, const Execute& execute);

// Predicts the time of a copy or of a fill, and advances the clock; does nothing where no time is asked for.
void predict_copy(const void* to, const void* from, std::size_t bytes);
void predict_fill(void* to, std::size_t bytes);

// The bytes of [begin, begin + bytes) that a launch touches; all of them where that is not known.
std::uint64_t touched_bytes(const simt::LaunchRecord& record, const void* begin, std::size_t bytes);
// The bytes of page-locked host memory that it touches; 0 where that is not known.
std::uint64_t accessed_host_bytes(const simt::LaunchRecord& record);

// Seconds since the device was opened, as predicted: what it does, it does one after another, and nothing else takes time.
double device_seconds();

// The part of these since the last reset.
double busy_seconds();
void reset_busy_seconds();

}  // namespace emulator::runtime

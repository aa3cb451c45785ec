// Which work of other streams comes before the next work of a stream, and launches that nothing orders although one
// writes what the other accesses: hazards, where these are checked. Work is taken to be ordered where that is not known.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>

#include "emulator/runtime/api/programs.hpp"
#include "emulator/simt/state/gpu.hpp"

namespace emulator::runtime {

// How much of each stream's work has come to pass, by the stream's number.
using StreamClock = std::map<unsigned long long, std::uint64_t>;

// Work is about to begin in a stream: the default stream waits for the blocking ones, and they for it.
void begin_stream_work(cudaStream_t stream);
// The work that an event in the stream stands for, and that a stream waits for it.
StreamClock stream_clock(cudaStream_t stream);
void wait_for_clock(cudaStream_t stream, const StreamClock& clock);

void check_stream_order(const Launch& launch, const simt::LaunchRecord& record);
// The host has waited for the GPU.
void forget_launches_in_streams();

// Waits for everything: what kernels printed appears. Throws ApiError with a sticky error.
void synchronise();
std::uint64_t synchronisations();  // so far

}  // namespace emulator::runtime

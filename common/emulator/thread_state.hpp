// What the running CPU thread emulates at this moment.
#pragma once

#include "emulator/cuda_on_cpu.h"

namespace emulator {

class Block;
class Tracer;

struct ThreadState {
    Tracer* tracer = nullptr;  // null while host code runs: the hooks return at once
    Block* block = nullptr;
    uint3 thread_index{};
    uint3 block_index{};
    dim3 block_dimensions;
    dim3 grid_dimensions;
    std::uint32_t lane = 0;
};

extern constinit thread_local ThreadState thread_state;

// The emulator's own work on a lane. Templates of the standard library that it uses may be linked in
// the instrumented form that a kernel's source has brought along; they must not be traced.
class Untraced {
  public:
    Untraced() : tracer_(thread_state.tracer) { thread_state.tracer = nullptr; }
    ~Untraced() { thread_state.tracer = tracer_; }
    Untraced(const Untraced&) = delete;
    Untraced& operator=(const Untraced&) = delete;

  private:
    Tracer* tracer_;
};

}  // namespace emulator

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
};

extern constinit thread_local ThreadState thread_state;

}  // namespace emulator

// The functions that cuda_on_cpu.h declares, for the lane that runs on this CPU thread.
#include "emulator/cuda_on_cpu.h"

#include "emulator/block.hpp"
#include "emulator/thread_state.hpp"

namespace emulator {

uint3 thread_index() { return thread_state.thread_index; }
uint3 block_index() { return thread_state.block_index; }
dim3 block_dimensions() { return thread_state.block_dimensions; }
dim3 grid_dimensions() { return thread_state.grid_dimensions; }
int lane_index() { return thread_state.block->lane_index(); }

std::uint64_t exchange(unsigned mask, std::uint64_t value, int source_lane) {
    const Untraced untraced;
    return thread_state.block->wait_for_warp(Block::WarpOperation::exchange, mask, value,
                                             source_lane);
}

}  // namespace emulator

using emulator::Block;
using emulator::thread_state;

// Each takes its own return address: it is the barrier's place in the kernel.
void __syncthreads() {
    const emulator::Untraced untraced;
    thread_state.block->wait_at_barrier(0, __builtin_return_address(0));
}

int __syncthreads_count(int predicate) {
    const emulator::Untraced untraced;
    return thread_state.block->wait_at_barrier(predicate, __builtin_return_address(0));
}

int __syncthreads_or(int predicate) {
    const emulator::Untraced untraced;
    return thread_state.block->wait_at_barrier(predicate, __builtin_return_address(0)) != 0;
}

int __syncthreads_and(int predicate) {
    const emulator::Untraced untraced;
    return thread_state.block->wait_at_barrier(!predicate, __builtin_return_address(0)) == 0;
}

void __syncwarp(unsigned mask) {
    const emulator::Untraced untraced;
    thread_state.block->wait_for_warp(Block::WarpOperation::synchronise, mask, 0,
                                      thread_state.block->lane_index());
}

unsigned __ballot_sync(unsigned mask, int predicate) {
    const emulator::Untraced untraced;
    return static_cast<unsigned>(thread_state.block->wait_for_warp(
        Block::WarpOperation::ballot, mask, predicate != 0, thread_state.block->lane_index()));
}

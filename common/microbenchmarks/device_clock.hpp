// For kernels that read the clock.
#pragma once

__device__ inline unsigned now() {
    unsigned cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
    return cycles;
}

// Nothing passes it before the value is there.
__device__ inline void await(unsigned value) {
    asm volatile("{.reg .pred p; setp.eq.u32 p, %0, 0x7ffffff1; @p trap;}" ::"r"(value) : "memory");
}

// The lower half of all bits. Each reading is one instruction that waits for nothing (CS2R); now() may be one that takes longer (S2UR).
__device__ inline unsigned now_of_64_bits() {
    unsigned long long cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return static_cast<unsigned>(cycles);
}

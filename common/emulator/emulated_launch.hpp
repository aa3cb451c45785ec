// What lab::launch becomes on the emulated GPU. Included by instrumented code: nothing here may be
// traced, or the arguments' way to the kernel would be taken for the kernel's own accesses.
#pragma once

#include "emulator/gpu.hpp"

namespace emulator {

// What -Xptxas -dlcm=cg and =ca are to nvcc: loads of kernels launched from such a source go past the
// L1, or through it where the architecture's default is to go past.
#if defined(LAB_LOADS_BYPASS_L1)
static constexpr L1Mode l1_mode_of_this_source = L1Mode::bypass;
#elif defined(LAB_LOADS_THROUGH_L1)
static constexpr L1Mode l1_mode_of_this_source = L1Mode::cached;
#else
static constexpr L1Mode l1_mode_of_this_source = L1Mode::standard;
#endif

void launch_and_collect(const Kernel& kernel, const LaunchShape& shape);

// Counters of all launches through launch_on_current_gpu since the last call.
LaunchCounters take_counters();

// Runs one thread. No lambda, whose conversion to a function would be one call more for each.
template <class Thread>
__attribute__((no_sanitize("thread"))) void run_thread(const void* thread) {
    (*static_cast<const Thread*>(thread))();
}

// Static, as l1_mode_of_this_source is: sources of both kinds in one executable must not share it.
template <class... Parameters>
static void launch_on_current_gpu(void (*kernel)(Parameters...), const LaunchShape& shape,
                                  Parameters... arguments) {
    const auto thread = [=]() __attribute__((no_sanitize("thread"), always_inline)) {
        kernel(arguments...);
    };
    launch_and_collect({reinterpret_cast<const void*>(kernel), run_thread<decltype(thread)>,
                        &thread, l1_mode_of_this_source},
                       shape);
}

}  // namespace emulator

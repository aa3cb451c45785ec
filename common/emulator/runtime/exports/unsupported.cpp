// A stub of every function of NVIDIA's runtime, so that no program fails to start: it says in one line
// that the function is not supported and returns cudaErrorNotSupported. Stubs are weak: the functions
// that are implemented take their place. NVIDIA's declarations must not be included here.

namespace emulator::runtime {
int refuse_call(const char* function);  // ../api/device.cpp
}

#define FUNCTION(name) \
    extern "C" [[gnu::weak]] int name() { return emulator::runtime::refuse_call(#name); }
#include "emulator/runtime/exports/functions.inc"
#undef FUNCTION

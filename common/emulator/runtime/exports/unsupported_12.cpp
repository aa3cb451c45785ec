// As unsupported.cpp, for the functions of CUDA 12 alone.

namespace emulator::runtime {
int refuse_call(const char* function);  // ../api/device.cpp
}

#define FUNCTION(name) \
    extern "C" [[gnu::weak]] int name() { return emulator::runtime::refuse_call(#name); }
#include "emulator/runtime/exports/functions_12.inc"
#undef FUNCTION

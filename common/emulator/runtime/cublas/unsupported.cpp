// A stub of every function of NVIDIA's cuBLAS, so that no program fails to start: it is refused by its name. Stubs are
// weak: the functions that are implemented take their place.
#include "emulator/runtime/report/counters.h"

#define FUNCTION(name)                               \
    extern "C" [[gnu::weak]] int name() {            \
        emulatedGpuRefuse(#name);                    \
        return 15; /* CUBLAS_STATUS_NOT_SUPPORTED */ \
    }
#include "emulator/runtime/cublas/functions.inc"
#undef FUNCTION

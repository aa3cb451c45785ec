#include "prefetch.hpp"

// Inline PTX does not run on an emulated GPU.
Kernel prefetching_read_offset_wide() { return nullptr; }

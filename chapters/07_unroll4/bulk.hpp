// The vector addition by the copy engine.
#pragma once

#include "evict_last.hpp"

// Whether the device has bulk copies: compute capability 9.0 or newer.
bool has_bulk_copies();

// For offsets that are multiples of 4. Four elements a thread; blocks of up to 512 threads.
AddKernel bulk_add();

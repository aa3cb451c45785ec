// The vector addition by the copy engine.
#pragma once

#include "evict_last.hpp"

constexpr lab::Feature bulk_copies = {9, "bulk copies"};

// For offsets that are multiples of 4. Four elements a thread; blocks of up to 512 threads.
lab::AddKernel bulk_add();

// Kernels of chapter 03: none of its own. The chapter compiles chapter 02's kernel twice.
#pragma once

#include "../02_misaligned_reads/kernels.cuh"

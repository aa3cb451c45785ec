// Chapter 13 studies the kernels of chapter 10 in blocks of other shapes: it has none of its own.
#pragma once

#include "../10_transpose_naive/kernels.cuh"

// NVIDIA's own transpose, where cuBLAS was found when this was built.
#pragma once

#include <cstddef>

// Enqueues cublasSgeam: `in`, rows x columns, transposed to `out`. Throws std::runtime_error.
using Geam = void (*)(const float* in, float* out, std::size_t rows, std::size_t columns);

// Null where there is no cuBLAS.
Geam cublas_sgeam();

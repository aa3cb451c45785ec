// The load kernels in two machine codes: l1.cu is compiled with -dlcm=ca and with -dlcm=cg.
#pragma once

#include <cstddef>

using LoadKernel = void (*)(const float* in, float* out, std::size_t n, unsigned parameter);
struct LoadKernels {
    LoadKernel strided, permuted, misaligned, broadcast, scattered, segments;
    void (*bytes)(const unsigned char* in, unsigned char* out, std::size_t n, unsigned stride);
};

namespace l1_on {
LoadKernels load_kernels();
}
namespace l1_off {
LoadKernels load_kernels();
}

// The load kernels in two machine codes: l1.cu is compiled with -dlcm=ca and with -dlcm=cg.
#pragma once

#include <cstddef>

using LaunchLoad = void (*)(unsigned grid, unsigned block, const float* in, float* out,
                            std::size_t n, unsigned parameter);
struct LoadKernels {
    LaunchLoad strided, permuted, misaligned, broadcast, scattered, segments;
    void (*bytes)(unsigned grid, unsigned block, const unsigned char* in, unsigned char* out,
                  std::size_t n, unsigned stride);
};

namespace l1_on {
LoadKernels load_kernels();
}
namespace l1_off {
LoadKernels load_kernels();
}

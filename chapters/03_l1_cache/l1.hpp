// Chapter 02's kernel in two machine codes: l1.cu is compiled with -dlcm=ca and with -dlcm=cg.
#pragma once

#include <cstddef>

using AddKernel = void (*)(const float* a, const float* b, float* c, std::size_t n,
                           std::size_t offset);

namespace l1_on {
AddKernel read_offset_kernel();
}
namespace l1_off {
AddKernel read_offset_kernel();
}

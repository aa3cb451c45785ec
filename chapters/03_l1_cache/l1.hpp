// Chapter 02's kernel in two machine codes: l1.cu is compiled with -dlcm=ca and with -dlcm=cg.
#pragma once

#include <cstddef>

namespace l1_on {
void launch_read_offset(unsigned grid, unsigned block, const float* a, const float* b, float* c,
                        std::size_t n, std::size_t offset, std::size_t shared_bytes);
}
namespace l1_off {
void launch_read_offset(unsigned grid, unsigned block, const float* a, const float* b, float* c,
                        std::size_t n, std::size_t offset, std::size_t shared_bytes);
}

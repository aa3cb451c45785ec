// Chapter 02's kernel in two machine codes: l1.cu is compiled with -dlcm=ca and with -dlcm=cg.
#pragma once

#include "problems/array_sum.hpp"

namespace l1_on {
lab::AddKernel read_offset_kernel();
}
namespace l1_off {
lab::AddKernel read_offset_kernel();
}

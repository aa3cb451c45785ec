#include "emulator/ptx/image/library_headers.hpp"

#include <gtest/gtest.h>

namespace emulator::ptx {
namespace {

// As nvcc names them where NVIDIA, PyPI, conda, Debian or a cluster's modules installed it; and CCCL from its repository.
TEST(LibraryHeaders, AreKnownWhereverTheyAreInstalled) {
    for (const char* const path :
         {"/usr/local/cuda/bin/../targets/x86_64-linux/include/device_atomic_functions.hpp",
          "/usr/local/cuda-12.4/include/sm_32_intrinsics.hpp",
          "/home/me/.venv/lib/python3.11/site-packages/nvidia/cu13/include/crt/"
          "device_functions.hpp",
          "/opt/conda/envs/cuda/targets/x86_64-linux/include/cuda_fp16.hpp",
          "/usr/include/cub/block/block_reduce.cuh",
          "/apps/nvidia/12.4/include/cooperative_groups/details/coalesced_scan.h",
          "/apps/toolkit/include/cuda/std/__cmath/abs.h",
          "/home/me/cccl/cub/cub/agent/agent_reduce.cuh", "/usr/include/c++/12/cmath"}) {
        EXPECT_TRUE(is_library_header(path)) << path;
    }
}

TEST(LibraryHeaders, FilesOfAProgramAreNone) {
    for (const char* const path :
         {"/home/me/cuda-samples/include/reduce.cuh", "/home/me/nvidia/project/include/tile.cuh",
          "/home/me/project/include/cuda/kernels.cuh", "kernels.cuh", "/home/me/cub/kernels.cu",
          ""}) {
        EXPECT_FALSE(is_library_header(path)) << path;
    }
}

}  // namespace
}  // namespace emulator::ptx

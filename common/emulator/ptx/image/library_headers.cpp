#include "emulator/ptx/image/library_headers.hpp"

#include <algorithm>
#include <array>

namespace emulator::ptx {
namespace {

using namespace std::string_view_literals;

// Packages of distributions, and NVIDIA's installers.
constexpr std::array roots{"/usr/include/"sv, "/usr/lib/"sv, "/usr/local/cuda"sv, "/opt/cuda"sv,
                           "/opt/nvidia/"sv};
// PyPI's wheels; a toolkit (conda's, too); CCCL as its repository has it.
constexpr std::array folders{"-packages/nvidia/"sv, "-linux/include/"sv, "/thrust/thrust/"sv,
                             "/cub/cub/"sv, "/libcudacxx/include/"sv};
// The headers of a toolkit elsewhere, in its folder `include`.
constexpr std::array names{"crt/"sv,           "cccl/"sv,   "cooperative_groups"sv,
                           "cub/"sv,           "thrust/"sv, "cuda/std/"sv,
                           "cuda/__"sv,        "nv/"sv,     "sm_"sv,
                           "device_atomic_"sv, "cuda_fp"sv, "cuda_bf16"sv,
                           "curand_"sv,        "mma.h"sv};

}  // namespace

bool is_library_header(std::string_view path) {
    if (std::ranges::any_of(roots, [&](auto root) { return path.starts_with(root); })) return true;
    const auto is_below = [&](auto folder) { return path.find(folder) != path.npos; };
    if (std::ranges::any_of(folders, is_below)) return true;
    constexpr auto include = "/include/"sv;
    const std::size_t at = path.rfind(include);
    if (at == std::string_view::npos) return false;
    const std::string_view rest = path.substr(at + include.size());
    return std::ranges::any_of(names, [&](auto name) { return rest.starts_with(name); });
}

}  // namespace emulator::ptx

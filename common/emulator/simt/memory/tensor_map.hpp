// The content that cuTensorMapEncodeTiled writes into a CUtensorMap (128 bytes, opaque to programs), and what
// cp.async.bulk.tensor reads from it. NVIDIA's own layout is not public; kernels only pass it on.
#pragma once

#include <cstdint>

namespace emulator::simt {

// Values as those of CUtensorMapInterleave, CUtensorMapSwizzle and CUtensorMapFloatOOBfill.
enum class TensorInterleave : std::uint8_t { none, bytes_16, bytes_32 };
enum class TensorSwizzle : std::uint8_t {
    none,
    bytes_32,
    bytes_64,
    bytes_128,
    bytes_128_atom_32,
    bytes_128_atom_32_flip_8,
    bytes_128_atom_64,
};
enum class TensorFill : std::uint8_t { zero, nan };

struct TensorMap {
    static constexpr std::uint32_t expected_mark = 0x54454d50;  // others were not encoded here
    static constexpr int max_rank = 5;

    std::uint32_t mark = 0;
    std::uint8_t rank = 0;
    std::uint8_t data_type = 0;  // of CUtensorMapDataType
    std::uint8_t element_bytes = 0;
    TensorInterleave interleave{};
    TensorSwizzle swizzle{};
    TensorFill fill{};
    std::uint8_t element_stride[max_rank] = {};  // elements between those that are copied, 1 to 8
    std::uint8_t unused = 0;
    std::uint64_t address = 0;
    std::uint64_t size[max_rank] = {};  // of the tensor, in elements, innermost first
    std::uint64_t stride[max_rank - 1] =
        {};                            // bytes from element to element of dimension 1, 2, ...
    std::uint16_t box[max_rank] = {};  // of a copy, in elements, 1 to 256
};
static_assert(sizeof(TensorMap) <= 128);

}  // namespace emulator::simt

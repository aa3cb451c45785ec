#include "emulator/simt/tensor/matrix_address.hpp"

namespace emulator::simt {

void execute_matrix_address(Warp& warp, const Operation& operation) {
    const auto& detail = *static_cast<const MatrixAddressDetail*>(operation.detail);
    std::uint64_t* const to = warp.lanes<std::uint64_t>(operation.destination);
    const std::uint32_t* const stride = warp.lanes<std::uint32_t>(detail.stride);
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
        const std::uint64_t element =
            std::uint64_t{detail.row[lane]} * stride[lane] + detail.column[lane];
        std::uint64_t base = static_cast<std::uint64_t>(detail.offset);
        if (detail.base != no_register) {
            base += detail.base_is_64_bit ? warp.lanes<std::uint64_t>(detail.base)[lane]
                                          : warp.lanes<std::uint32_t>(detail.base)[lane];
        }
        to[lane] = base + element * detail.bits / 8;
    }
}

void execute_join_bytes(Warp& warp, const Operation& operation) {
    std::uint32_t joined[warp_size]{};
    for (unsigned i = 0; i < 4; ++i) {
        const std::uint32_t* const from = warp.lanes<std::uint32_t>(operation.source[i]);
        for (std::size_t lane = 0; lane < warp_size; ++lane)
            joined[lane] |= (from[lane] & 0xff) << 8 * i;
    }
    std::uint32_t* const to = warp.lanes<std::uint32_t>(operation.destination);
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
        if ((warp.mask >> lane & 1) != 0) to[lane] = joined[lane];
    }
}

}  // namespace emulator::simt

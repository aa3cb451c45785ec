#include "emulator/simt/tensor/warpgroup_product.hpp"

#include <bit>
#include <cstring>

#include "emulator/simt/state/launch.hpp"
#include "emulator/simt/tensor/matrix_descriptor.hpp"

namespace emulator::simt {
namespace {

constexpr unsigned warps_per_group = 4, rows_per_warp = 16, piece_bytes = 16;

// Reads pieces of 16 bytes of the block's shared memory.
class Pieces {
  public:
    Pieces(WarpContext& context, const MemoryDetail& detail, RegisterOffset descriptor)
        : context_(context),
          detail_(detail),
          lane_(std::countr_zero(context.mask)),
          at_(MatrixDescriptor::from_bits(context.lanes<std::uint64_t>(descriptor)[lane_])) {}

    // Rows of A (columns of B) from `first` on; `count` is a multiple of eight.
    void read(std::uint32_t first, unsigned count, bool is_across_k,
              std::byte (*rows)[max_row_bytes]) {
        if (is_across_k) return transpose(first / 8, count / 8, rows);
        for (unsigned row = 0; row < count; ++row) {
            for (unsigned i = 0; i < 2; ++i)
                std::memcpy(rows[row] + piece_bytes * i, piece(at_.piece_along_k(first + row, i)),
                            piece_bytes);
        }
    }

  private:
    // Elements of 16 bits, 16 of a row.
    void transpose(std::uint32_t first, unsigned count, std::byte (*rows)[max_row_bytes]) {
        for (unsigned group = 0; group < count; ++group) {
            for (unsigned k = 0; k < 16; ++k) {
                const std::byte* const from = piece(at_.piece_across_k(k, first + group));
                for (unsigned i = 0; i < 8; ++i)
                    std::memcpy(rows[8 * group + i] + 2 * k, from + 2 * i, 2);
            }
        }
    }
    const std::byte* piece(std::uint32_t offset) {
        check_shared(context_, detail_, offset, lane_);
        if (context_.hazards != nullptr) [[unlikely]] {
            const auto thread = static_cast<std::uint16_t>(context_.warp->number * warp_size +
                                                           static_cast<unsigned>(lane_));
            context_.hazards->access({thread, context_.warp->epoch}, offset, piece_bytes,
                                     AccessKind::load, detail_.site);
        }
        return context_.shared + offset;
    }

    WarpContext& context_;
    const MemoryDetail& detail_;
    const int lane_;
    const MatrixDescriptor at_;
};

void require_whole_group(WarpContext& context, std::uint32_t instruction) {
    const unsigned first = context.warp->number / warps_per_group * warps_per_group;
    const LaunchShape& shape = context.execution->launch.shape;
    if (std::size_t{shape.block.x} * shape.block.y * shape.block.z >=
        std::size_t{first + warps_per_group} * warp_size)
        return;
    throw fault_at(context, FaultKind::illegal_instruction, instruction,
                   std::countr_zero(context.mask),
                   "wgmma needs a whole warpgroup: four warps, the first a multiple of four");
}

}  // namespace

void execute_warpgroup_product(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const WarpgroupProductDetail*>(operation.detail);
    const MatrixProductDetail& product = detail.product;
    require_whole_group(context, detail.shared.instruction);
    const int lane = std::countr_zero(context.mask);
    RowBytes<max_rows> rows;
    if (detail.a == no_register) {
        rows.gather(warp, std::span(product.a).first(4), 2, piece_bytes);
    } else {
        const std::uint32_t first = context.warp->number % warps_per_group * rows_per_warp;
        Pieces(context, detail.shared, detail.a)
            .read(first, rows_per_warp, detail.a_is_across_k, rows.rows);
    }
    const LeftMatrix a(product, rows, detail.is_negated);
    Pieces of_b(context, detail.shared, detail.b);
    const std::size_t of_tile = product.d_type == ResultType::f16 ? 2 : 4;
    const bool adds = (context.predicate(detail.adds) >> lane & 1) != 0;
    for (std::size_t tile = 0; tile < detail.sums.size() / of_tile; ++tile) {
        RowBytes<columns> b;
        of_b.read(static_cast<std::uint32_t>(tile) * columns, columns, detail.b_is_across_k,
                  b.rows);
        const auto sums = std::span(detail.sums).subspan(tile * of_tile, of_tile);
        a.multiply(warp, b, adds ? sums : std::span<const RegisterOffset>(), sums);
    }
    ++context.warp->group_products;
}

void execute_warpgroup_commit(Warp& warp, const Operation&) {
    WarpState& state = *context_of(warp).warp;
    state.product_groups.push_back(state.group_products);
}

}  // namespace emulator::simt

// cp.async.bulk.tensor: boxes of a tensor that a tensor map describes, to and from shared memory.
#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/simt/memory/asynchronous_copy.hpp"
#include "emulator/simt/memory/mbarrier.hpp"
#include "emulator/simt/memory/tensor_map.hpp"
#include "emulator/simt/state/launch.hpp"
#include "emulator/simt/tensor/matrix_descriptor.hpp"

namespace emulator::simt {
namespace {

std::uint32_t row_bytes_of(TensorSwizzle swizzle) {
    switch (swizzle) {
        case TensorSwizzle::bytes_32:
            return 32;
        case TensorSwizzle::bytes_64:
            return 64;
        case TensorSwizzle::bytes_128:
            return 128;
        default:
            return 0;
    }
}

struct Box {
    std::uint32_t extent[max_tensor_rank];  // in elements that are copied
    std::uint32_t elements = 1;
    explicit Box(const TensorMap& map) {
        for (unsigned i = 0; i < max_tensor_rank; ++i) {
            extent[i] = i < map.rank
                            ? (map.box[i] + map.element_stride[i] - 1u) / map.element_stride[i]
                            : 1;
            elements *= extent[i];
        }
    }
};

// The pattern that fills what lies outside of a tensor of floating-point numbers.
std::uint64_t fill_bits(const TensorMap& map) {
    if (map.fill == TensorFill::zero) return 0;
    return map.element_bytes == 8   ? 0x7ff8000000000000u
           : map.element_bytes == 4 ? 0x7fffffffu
                                    : 0x7fffu;
}

// The bytes that the copy engine reads and writes at a time.
constexpr std::int64_t unit_bytes = 16;

[[noreturn]] void refuse(WarpContext& context, const BulkCopyDetail& detail, int lane,
                         const std::string& why) {
    throw fault_at(context, FaultKind::illegal_instruction, detail.global.instruction, lane, why);
}

class TensorCopy {
  public:
    TensorCopy(WarpContext& context, const BulkCopyDetail& detail, const TensorMap& map, int lane)
        : context_(context),
          detail_(detail),
          map_(map),
          lane_(lane),
          box_(map),
          fill_(fill_bits(map)),
          row_bytes_(row_bytes_of(map.swizzle)) {
        for (unsigned i = 0; i < map.rank; ++i) {
            start_[i] = context.lanes<std::int32_t>(detail.coordinates[i])[lane];
        }
        check_start();
    }

    std::uint32_t bytes() const { return box_.elements * map_.element_bytes; }

    // `is_first`: of the blocks that a multicast copy goes to. It reads global memory once.
    void run(std::uint32_t shared_offset, bool is_first) {
        is_first_ = is_first;
        std::uint32_t at = shared_offset;
        const std::uint32_t row_bytes = box_.extent[0] * map_.element_bytes;
        for (std::uint32_t row = 0; row < box_.elements / box_.extent[0]; ++row, at += row_bytes) {
            copy_row(row, at);
        }
    }

  private:
    // No manual says so: an H200 stops at either with "an illegal instruction was encountered".
    void check_start() const {
        if (std::int64_t{start_[0]} * map_.element_bytes % unit_bytes != 0) {
            refuse(context_, detail_, lane_,
                   "a tensor copy begins at element " + std::to_string(start_[0]) +
                       " of a row, which is no multiple of 16 bytes");
        }
        if (!detail_.to_shared && start_[0] < 0) {
            refuse(context_, detail_, lane_,
                   "a tensor copy stores from element " + std::to_string(start_[0]) +
                       " of a row, which lies before the tensor");
        }
    }

    void copy_row(std::uint32_t row, std::uint32_t at) {
        Address address = map_.address;
        bool inside = true;
        for (unsigned i = 1; i < map_.rank; ++i) {
            const std::int64_t place = std::int64_t{start_[i]} +
                                       std::int64_t{row % box_.extent[i]} * map_.element_stride[i];
            row /= box_.extent[i];
            inside &= place >= 0 && static_cast<std::uint64_t>(place) < map_.size[i];
            address += static_cast<Address>(place) * map_.stride[i - 1];
        }
        const std::int64_t first = start_[0];
        const auto size = static_cast<std::int64_t>(map_.size[0]);
        const std::int64_t step = map_.element_stride[0];
        // The elements [begin, end) of the row lie in the tensor.
        std::int64_t begin = first < 0 ? (-first + step - 1) / step : 0;
        std::int64_t end = first < size ? (size - first + step - 1) / step : 0;
        // An H200 stores whole units, also of one that the tensor's last element begins.
        const std::int64_t in_piece = unit_bytes / map_.element_bytes;
        if (!detail_.to_shared && step == 1) end = (end + in_piece - 1) / in_piece * in_piece;
        end = std::min<std::int64_t>(inside ? end : 0, box_.extent[0]);
        begin = std::min(begin, end);
        const auto element = [&](std::int64_t i) {
            return address + static_cast<Address>((first + i * step) * map_.element_bytes);
        };
        if (begin < end) check_and_queue(element(begin), element(end - 1) + map_.element_bytes);
        for (std::int64_t i = 0; i < box_.extent[0]; ++i, at += map_.element_bytes) {
            std::byte* const place = context_.shared + swizzled(at, row_bytes_);
            if (step == 1 && at % unit_bytes == 0 && i >= begin && i + in_piece <= end) {
                std::byte* const outside = storage_of(element(i));
                std::memcpy(detail_.to_shared ? place : outside,
                            detail_.to_shared ? outside : place, unit_bytes);
                i += in_piece - 1;
                at += static_cast<std::uint32_t>(unit_bytes) - map_.element_bytes;
                continue;
            }
            const bool is_inside = i >= begin && i < end;
            if (detail_.to_shared) {
                const void* const from = &fill_;
                std::memcpy(place, is_inside ? storage_of(element(i)) : from, map_.element_bytes);
            } else if (is_inside) {
                std::memcpy(storage_of(element(i)), place, map_.element_bytes);
            }
        }
    }

    void check_and_queue(Address begin, Address end) {
        MemoryDetail piece = detail_.global;
        piece.bytes = 1;
        check_global(context_, piece, begin, lane_);
        check_global(context_, piece, end - 1, lane_);
        if (!is_first_) return;
        queue_bulk(context_, detail_.to_shared ? AccessKind::load : AccessKind::store, begin,
                   end - begin);
    }

    WarpContext& context_;
    const BulkCopyDetail& detail_;
    const TensorMap& map_;
    int lane_;
    Box box_;
    std::uint64_t fill_;
    std::uint32_t row_bytes_;  // of the swizzle
    std::int32_t start_[max_tensor_rank] = {};
    bool is_first_ = true;
};

// The map at the lane's address, which must be one that cuTensorMapEncodeTiled made.
TensorMap map_at(WarpContext& context, const BulkCopyDetail& detail, Address address, int lane) {
    MemoryDetail place = detail.global;
    place.bytes = 64;
    check_global(context, place, address, lane);
    check_global(context, place, address + 64, lane);
    TensorMap map;
    std::memcpy(static_cast<void*>(&map), storage_of(address), sizeof map);
    const auto unless = [&](bool is_right, const std::string& why) {
        if (!is_right) refuse(context, detail, lane, why);
    };
    unless(map.mark == TensorMap::expected_mark,
           "the tensor map was not made by cuTensorMapEncodeTiled");
    unless(map.rank == detail.rank, "the tensor map has " + std::to_string(map.rank) +
                                        " dimensions, the instruction " +
                                        std::to_string(detail.rank));
    unless(map.interleave == TensorInterleave::none, "interleaved tensor maps are not supported");
    unless(map.swizzle <= TensorSwizzle::bytes_128,
           "this swizzle of a tensor map is not supported");
    return map;
}

}  // namespace

void execute_tensor_copy(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const BulkCopyDetail*>(operation.detail);
    const auto& [maps, shared, barrier] = BulkOperands(context, detail);
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto at = static_cast<std::size_t>(lane);
        const TensorMap map = map_at(context, detail, maps[at], lane);
        TensorCopy copy(context, detail, map, lane);
        MemoryDetail last = detail.shared;
        last.bytes = 1;
        check_shared(context, last, (shared[at] & own_offset_mask) + copy.bytes() - 1, lane);
        const auto run = [&](std::uint32_t to, std::uint32_t signals, bool is_first) {
            {
                const InBlockOf there(context, to);
                copy.run(to & own_offset_mask, is_first);
                note_shared(context, detail, lane, to & own_offset_mask, copy.bytes());
            }
            if (detail.to_shared) complete_bytes(context, signals, copy.bytes());
        };
        for_destinations(context, detail, lane, shared[at], barrier[at], run);
    }
}

}  // namespace emulator::simt

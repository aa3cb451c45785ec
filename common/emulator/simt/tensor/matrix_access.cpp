#include "emulator/simt/tensor/matrix_access.hpp"

#include <cstring>
#include <utility>

#include "emulator/simt/memory/mbarrier.hpp"
#include "emulator/simt/record/hazard_checks.hpp"
#include "emulator/simt/state/launch.hpp"

namespace emulator::simt {
namespace {

constexpr std::size_t side = 8, row_bytes = 16;

struct Matrix {
    std::uint16_t elements[side][side];

    void transpose() {
        for (std::size_t row = 0; row < side; ++row) {
            for (std::size_t column = 0; column < row; ++column)
                std::swap(elements[row][column], elements[column][row]);
        }
    }
};

void write_lanes(Warp& warp, RegisterOffset to, const Matrix& matrix) {
    std::uint32_t words[warp_size];
    std::memcpy(words, matrix.elements, sizeof(words));
    std::uint32_t* const lanes = warp.lanes<std::uint32_t>(to);
    for (unsigned lane = 0; lane < warp_size; ++lane) {
        if ((warp.mask >> lane & 1) != 0) lanes[lane] = words[lane];
    }
}

}  // namespace

void execute_matrix_access(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const MatrixAccessDetail*>(operation.detail);
    const std::uint32_t mask = context.mask;
    LaneOffsets offsets{};
    // Whichever lanes execute it together: the addresses of all count.
    context.mask = detail.address_lanes;
    shared_offsets_of(context, detail, detail.is_generic, offsets);
    for (std::size_t lane = side * detail.elements; lane < warp_size; ++lane)
        offsets[lane] = offsets[0];
    const PatternKind kind =
        count_shared(context, detail, context.sites[detail.site].requests, offsets);
    if (context.hazards != nullptr) [[unlikely]]
        check_shared_access(context, detail, offsets, kind);
    context.mask = mask;
    for (std::size_t i = 0; i < detail.elements; ++i) {
        Matrix matrix;
        const auto row = [&](std::size_t j) { return context.shared + offsets[side * i + j]; };
        if (detail.kind == AccessKind::load) {
            for (std::size_t j = 0; j < side; ++j)
                std::memcpy(matrix.elements[j], row(j), row_bytes);
            if (detail.is_transposed) matrix.transpose();
            if (detail.registers[i] != no_register) write_lanes(warp, detail.registers[i], matrix);
        } else {
            std::memcpy(matrix.elements, warp.lanes<std::byte>(detail.registers[i]),
                        sizeof(matrix));
            if (detail.is_transposed) matrix.transpose();
            for (std::size_t j = 0; j < side; ++j)
                std::memcpy(row(j), matrix.elements[j], row_bytes);
            ++context.execution->memory_changes;
        }
    }
}

void execute_matrix_transpose(Warp& warp, const Operation& operation) {
    Matrix matrix;
    std::memcpy(matrix.elements, warp.lanes<std::byte>(operation.source[0]), sizeof(matrix));
    matrix.transpose();
    write_lanes(warp, operation.destination, matrix);
}

}  // namespace emulator::simt

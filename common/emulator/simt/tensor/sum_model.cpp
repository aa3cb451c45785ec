#include "emulator/simt/tensor/sum_model.hpp"

#include <array>

namespace emulator::simt {
namespace {

#include "tensor_core_table.inc"

std::string_view name_of(MatrixType type) {
    switch (type) {
        case MatrixType::f16:
            return "f16";
        case MatrixType::bf16:
            return "bf16";
        case MatrixType::tf32:
            return "tf32";
        case MatrixType::f64:
            return "f64";
        case MatrixType::e4m3:
        case MatrixType::e5m2:
            return "fp8";
        case MatrixType::s8:
        case MatrixType::u8:
            return "int8";
        case MatrixType::s4:
        case MatrixType::u4:
            return "int4";
        default:
            return "b1";
    }
}

}  // namespace

const TensorCore* find_tensor_core(MatrixType type, unsigned compute_number,
                                   bool is_of_warpgroups) {
    const TensorCore* found = nullptr;
    for (const TensorCore& each : table) {
        if (each.operands != name_of(type) || each.compute_number > compute_number ||
            each.is_of_warpgroups != is_of_warpgroups)
            continue;
        if (found == nullptr || each.compute_number > found->compute_number) found = &each;
    }
    return found;
}

}  // namespace emulator::simt

// How tensor cores add: the rows of data/tensor_cores.csv.
//
// Sources: Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ CS 7:e330 (2021);
// Khattak, Mikaitis, "Accurate models of NVIDIA tensor cores", arXiv:2512.07004; Xie, Wang, Yang, Yang, "MMA-Sim",
// arXiv:2511.10909, which found these models equal to the hardware bit by bit.
#pragma once

#include <cstdint>
#include <string_view>

namespace emulator::simt {

// Types of the elements of A and B.
enum class MatrixType : std::uint8_t { f16, bf16, tf32, f64, e4m3, e5m2, s8, u8, s4, u4, b1 };

// Products are exact. So many of them and the accumulator are added at a time: all are aligned to the largest exponent among
// them (of a product the sum of its factors' exponents), truncated to `fraction_bits` fraction bits, and added exactly.
// The sum is truncated to FP32, or rounded to the nearest FP16.
struct SumModel {
    std::uint8_t fraction_bits = 0;
    std::uint8_t products = 0;
    std::uint8_t result_bits = 23;  // fraction bits that an FP32 result keeps
    // Machine code without an instruction for it: the accumulator is added last, by an addition of FP32, to a sum of the tensor cores
    // (FP8 on Hopper), or to a chain of fused multiply-adds (m8n8k4 of FP16 from Ampere on).
    bool adds_last = false;
};

// The arithmetic of a compute capability's tensor cores with one type. Integers and FP64 are exact, or rounded after each product.
struct TensorCore {
    unsigned compute_number = 0;    // the first that has it: 80 for 8.0
    std::string_view operands;      // "f16", "bf16", "tf32", "f64", "fp8", "int8", "int4", "b1"
    bool is_of_warpgroups = false;  // wgmma, else mma.sync
    SumModel sum;
    double products_per_cycle = 0;  // multiply-adds of an SM, dense
    double latency_cycles = 0;      // from issue to use; 0: the time that the tensor cores take
};

// The row of the latest capability up to `compute_number`; null where the tensor cores lack the type.
const TensorCore* find_tensor_core(MatrixType type, unsigned compute_number,
                                   bool is_of_warpgroups = false);

// Bits of an element.
constexpr unsigned bits_of(MatrixType type) {
    switch (type) {
        case MatrixType::f64:
            return 64;
        case MatrixType::tf32:
            return 32;
        case MatrixType::f16:
        case MatrixType::bf16:
            return 16;
        case MatrixType::s4:
        case MatrixType::u4:
            return 4;
        case MatrixType::b1:
            return 1;
        default:
            return 8;
    }
}
constexpr bool is_integer(MatrixType type) { return type >= MatrixType::s8; }

}  // namespace emulator::simt

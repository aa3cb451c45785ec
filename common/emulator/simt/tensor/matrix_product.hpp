// D = A B + C of one warp: mma.sync, and what wmma.mma is made of.
//
// A fragment holds, in the lanes 4 g to 4 g + 3 of a register, consecutive elements of row g of A (of column g of B): 16 bytes, of
// FP64 32. Registers go through the row groups g + 8 first, then along the row. Lane 4 g + t of C and D has the columns
// 2 t and 2 t + 1 of row g, then of row g + 8. So the PTX manual has it for all shapes but m8n8k4 of FP16, where each
// of four pairs of quads (lanes 4 q to 4 q + 3 and 4 q + 16 to 4 q + 19) multiplies matrices of its own.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "emulator/simt/state/operation.hpp"
#include "emulator/simt/tensor/fused_sums.hpp"
#include "emulator/simt/tensor/matrix_elements.hpp"
#include "emulator/simt/tensor/sum_model.hpp"

namespace emulator::simt {

enum class ResultType : std::uint8_t { f32, f16, f64, s32 };

struct MatrixProductDetail {
    MatrixType a_type{}, b_type{};
    ResultType c_type{}, d_type{};
    std::uint8_t rows = 16;
    std::uint16_t inner = 16;                                // up to 256 single bits
    bool saturates = false;                                  // integers
    bool is_and = false;                                     // single bits: and, else exclusive or
    bool a_is_column_major = false, b_is_row_major = false;  // of m8n8k4 of FP16 alone
    SumModel sum;
    std::array<RegisterOffset, 8> a{}, b{}, c{}, d{};

    // The bytes of a row of A, and of a column of B.
    unsigned row_bytes() const { return inner * bits_of(a_type) / 8; }
};

// Rows of A as numbers, for products with eight columns of B at a time.
class LeftMatrix {
  public:
    LeftMatrix(const MatrixProductDetail& detail, const RowBytes<max_rows>& rows,
               bool is_negated = false);
    // D = A B + C. `b`: columns. C and D: registers as those of m16n8; without C the sums begin with zero.
    void multiply(Warp& warp, const RowBytes<columns>& b, std::span<const RegisterOffset> c,
                  std::span<const RegisterOffset> d) const;

  private:
    void multiply_floats(Warp& warp, const RowBytes<columns>& of_b,
                         std::span<const RegisterOffset> c,
                         std::span<const RegisterOffset> d) const;
    void multiply_integers(Warp& warp, const RowBytes<columns>& of_b,
                           std::span<const RegisterOffset> c,
                           std::span<const RegisterOffset> d) const;
    void sum_integers(const RowBytes<columns>& of_b, std::int32_t (*sums)[columns]) const;
    void count_bits(const RowBytes<columns>& of_b, std::int32_t (*sums)[columns]) const;

    const MatrixProductDetail& detail_;
    const RowBytes<max_rows>& rows_;  // single bits
    RowFactors floats_;               // or
    std::int32_t integers_[max_rows][max_inner];
};

void execute_matrix_product(Warp& warp, const Operation& operation);
void execute_quad_products(Warp& warp, const Operation& operation);  // m8n8k4 of FP16

}  // namespace emulator::simt

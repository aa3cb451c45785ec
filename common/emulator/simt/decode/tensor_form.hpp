// The modifiers of an instruction of the tensor cores.
#pragma once

#include <optional>
#include <string>

#include "emulator/ptx/parse/module.hpp"
#include "emulator/simt/tensor/matrix_product.hpp"

namespace emulator::simt {

struct TensorForm {
    unsigned m = 0, n = 0, k = 0;  // 0: it has no shape
    ResultType d{}, c{};
    MatrixType a = MatrixType::f16, b = MatrixType::f16;
    bool a_is_column_major = false, b_is_row_major = false;

    unsigned bits() const { return bits_of(a); }
    // Bits of a row of an operand register's four lanes.
    unsigned piece_bits() const { return a == MatrixType::f64 ? 256 : 128; }
    unsigned pieces() const { return k * bits() / piece_bits(); }
};

// "16-bit" types of results: registers hold two.
constexpr unsigned result_bytes(ResultType type) {
    return type == ResultType::f16 ? 2 : type == ResultType::f64 ? 8 : 4;
}

// The form of mma, wmma.mma and wgmma.mma_async. Nothing where a type is unknown.
std::optional<TensorForm> product_form(const ptx::Instruction& instruction);
// The form of wmma.load and wmma.store: the shape, and the last type.
std::optional<TensorForm> access_form(const ptx::Instruction& instruction);

// The first compute capability, times ten, that has the product, by the PTX manual's notes on targets. 0: no such product.
unsigned first_with_product(const TensorForm& form, bool is_wmma);

// wgmma.mma_async, of the instructions of wgmma.
bool is_warpgroup_product(const ptx::Instruction& instruction);
// Whether the PTX manual has it among the shapes and types of wgmma. Single bits are left out: nothing tells their rate.
bool has_warpgroup_product(const TensorForm& form);

// Instructions of the tensor cores in the machine code for mma, wmma.mma and wgmma.mma_async; 0 for all else. As ptxas makes them for sm_75, sm_80 and
// sm_90; of Volta four steps for each m8n8k4 (two with FP16 sums), as its machine code was published.
unsigned machine_products(const ptx::Instruction& instruction, unsigned compute_number);

}  // namespace emulator::simt

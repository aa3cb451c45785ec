// mma.sync, ldmatrix, stmatrix, movmatrix, wmma.
#include <algorithm>

#include "emulator/simt/decode/decode.hpp"
#include "emulator/simt/decode/tensor_form.hpp"
#include "emulator/simt/tensor/matrix_access.hpp"
#include "emulator/simt/tensor/matrix_address.hpp"
#include "emulator/simt/warp/warp_communication.hpp"

namespace emulator::simt {

using ptx::OperandKind;

namespace {

bool is_tensor_instruction(const std::string& opcode) {
    static constexpr const char* opcodes[] = {"mma", "wmma", "ldmatrix", "stmatrix", "movmatrix"};
    return std::ranges::find(opcodes, opcode) != std::end(opcodes);
}

std::string capability(unsigned number) {
    return std::to_string(number / 10) + "." + std::to_string(number % 10);
}

}  // namespace

// All lanes of the warp take part: those that have diverged wait for each other first, once in a basic block.
void FunctionDecoder::converge_warp() {
    if (blocks_.back().is_converged) return;
    const std::vector<std::string> modifiers{"warp", "sync"};
    auto& detail = new_detail<WarpWideDetail>();
    detail.operation.execute = find_warp_wide("bar", modifiers).execute;
    detail.members = constant(4, 0xffffffffu);
    end_block(Control::warp_wide).detail = &detail;
    blocks_.back().first_instruction = at_;
    blocks_.back().is_converged = true;
}

void FunctionDecoder::require_capability(unsigned first) {
    const unsigned number = module_.architecture.compute_number();
    if (number >= first) return;
    throw Refused{"it needs compute capability " + capability(first) + ", this GPU has " +
                  capability(number)};
}

bool FunctionDecoder::tensor(const ptx::Instruction& instruction) {
    const std::string& opcode = instruction.opcode;
    if (!is_tensor_instruction(opcode)) return false;
    branch_around();
    converge_warp();
    blocks_.back().instructions.push_back(at_);
    if (opcode == "mma") {
        multiply_matrices(instruction);
    } else if (opcode == "wmma") {
        if (has(instruction, "mma"))
            multiply_tiles(instruction);
        else
            access_tile(instruction);
    } else if (opcode == "movmatrix") {
        require_capability(75);
        Operation operation;
        operation.execute = execute_matrix_transpose;
        operation.destination = offset_of(instruction.operands[0]);
        operation.source[0] = as_register(instruction.operands[1], 4);
        emit(operation);
    } else {
        access_matrices(instruction);
    }
    return true;
}

// The operation without its registers.
MatrixProductDetail& FunctionDecoder::emit_product(const ptx::Instruction& instruction,
                                                   const TensorForm& form, unsigned rows) {
    const TensorCore* const core = find_tensor_core(form.a, module_.architecture.compute_number());
    if (core == nullptr) throw Refused{"the tensor cores of this GPU lack the type"};
    auto& detail = new_detail<MatrixProductDetail>();
    detail.a_type = form.a;
    detail.b_type = form.b;
    detail.c_type = form.c;
    detail.d_type = form.d;
    detail.rows = static_cast<std::uint8_t>(rows);
    detail.inner = static_cast<std::uint16_t>(form.k);
    detail.saturates = has(instruction, "satfinite");
    detail.is_and = has(instruction, "and");
    detail.sum = core->sum;
    const unsigned number = module_.architecture.compute_number();
    const bool is_byte = form.a == MatrixType::e4m3 || form.a == MatrixType::e5m2;
    if ((is_byte && number == 90) || (form.a == MatrixType::f16 && form.k == 4 && number >= 80))
        detail.sum.adds_last = true;
    Operation operation;
    const bool is_quads = form.a == MatrixType::f16 && form.k == 4;
    operation.execute = is_quads ? execute_quad_products : execute_matrix_product;
    operation.detail = &detail;
    emit(operation);
    return detail;
}

std::vector<RegisterOffset> FunctionDecoder::results_of(const ptx::Operand& operand,
                                                        ResultType type) {
    std::vector<RegisterOffset> registers;
    for (const ptx::Operand& element : elements_of(operand)) {
        registers.push_back(element.kind == OperandKind::sink
                                ? new_register(std::max(4u, result_bytes(type)))
                                : offset_of(element));
    }
    return registers;
}

std::vector<RegisterOffset> FunctionDecoder::sources_of(const ptx::Operand& operand,
                                                        unsigned bytes) {
    std::vector<RegisterOffset> registers;
    for (const ptx::Operand& element : elements_of(operand))
        registers.push_back(as_register(element, bytes));
    return registers;
}

namespace {

constexpr unsigned operand_bytes(const TensorForm& form) {
    return form.a == MatrixType::f64 ? 8 : 4;
}

// Registers of C or D in this number of groups of eight rows.
constexpr unsigned result_registers(ResultType type, unsigned groups) {
    return type == ResultType::f16 ? groups : 2 * groups;
}

template <std::size_t n>
void fill(std::array<RegisterOffset, n>& to, const std::vector<RegisterOffset>& from,
          std::size_t first, std::size_t count) {
    std::ranges::copy(from.begin() + static_cast<std::ptrdiff_t>(first),
                      from.begin() + static_cast<std::ptrdiff_t>(first + count), to.begin());
}

}  // namespace

void FunctionDecoder::multiply_matrices(const ptx::Instruction& instruction) {
    for (const char* const name : {"sp", "sp::ordered_metadata", "block_scale", "kind::f8f6f4",
                                   "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"}) {
        if (has(instruction, name)) throw Refused{"products with ." + std::string(name)};
    }
    const auto form = product_form(instruction);
    const unsigned first = form ? first_with_product(*form, false) : 0;
    if (first == 0 || instruction.operands.size() != 4) throw Refused{};
    require_capability(first);
    const bool is_quads = form->a == MatrixType::f16 && form->k == 4;
    if (form->a == MatrixType::b1 && has(instruction, "and")) require_capability(80);
    const auto a = sources_of(instruction.operands[1], operand_bytes(*form)),
               b = sources_of(instruction.operands[2], operand_bytes(*form)),
               c = sources_of(instruction.operands[3], std::max(4u, result_bytes(form->c))),
               d = results_of(instruction.operands[0], form->d);
    const unsigned groups = form->m / 8;
    const auto sums = [&](ResultType type) {
        return is_quads ? (type == ResultType::f16 ? 4u : 8u) : result_registers(type, groups);
    };
    const unsigned of_a = is_quads ? 2 : groups * form->pieces();
    const unsigned of_b = is_quads ? 2 : form->pieces();
    if (a.size() != of_a || b.size() != of_b || c.size() != sums(form->c) ||
        d.size() != sums(form->d))
        throw Refused{"the number of its registers"};
    MatrixProductDetail& detail = emit_product(instruction, *form, form->m);
    detail.a_is_column_major = form->a_is_column_major;
    detail.b_is_row_major = form->b_is_row_major;
    fill(detail.a, a, 0, a.size());
    fill(detail.b, b, 0, b.size());
    fill(detail.c, c, 0, c.size());
    fill(detail.d, d, 0, d.size());
}

// ldmatrix.sync.aligned.m8n8.x4{.trans}{.shared}.b16 {registers}, [address]; stmatrix has the address first.
void FunctionDecoder::access_matrices(const ptx::Instruction& instruction) {
    const bool is_load = instruction.opcode == "ldmatrix";
    require_capability(is_load ? 75 : 90);
    if (!has(instruction, "m8n8") || !has(instruction, "b16")) throw Refused{};
    MemoryDetail at;
    place(at, instruction.operands[is_load ? 1 : 0], 16, AccessKind::load);
    const ptx::Operand& list = instruction.operands[is_load ? 0 : 1];
    emit_matrix_access(at, is_load, matrix_space(instruction) == ptx::Space::generic,
                       is_load ? results_of(list, ResultType::f32) : sources_of(list, 4),
                       has(instruction, "trans"));
}

ptx::Space FunctionDecoder::matrix_space(const ptx::Instruction& instruction) const {
    const bool is_shared = std::ranges::any_of(
        instruction.modifiers, [](const auto& modifier) { return modifier.starts_with("shared"); });
    return is_shared ? ptx::Space::shared : space_of(instruction).value_or(ptx::Space::generic);
}

// `at`: the address alone.
void FunctionDecoder::emit_matrix_access(const MemoryDetail& at, bool is_load, bool is_generic,
                                         std::span<const RegisterOffset> registers,
                                         bool is_transposed) {
    const std::size_t count = registers.size();
    if (count != 1 && count != 2 && count != 4) throw Refused{};
    auto& detail = new_detail<MatrixAccessDetail>();
    static_cast<MemoryDetail&>(detail) = at;
    detail.kind = is_load ? AccessKind::load : AccessKind::store;
    detail.bytes = 16;
    detail.is_generic = is_generic;
    detail.is_transposed = is_transposed;
    detail.elements = static_cast<std::uint8_t>(count);
    detail.element_bytes = 4;
    detail.address_lanes = count == 4 ? 0xffffffffu : (1u << 8 * count) - 1;
    std::ranges::copy(registers, detail.registers.begin());
    add_site(detail, AccessSpace::shared, false, CacheOperator::standard);
    // Two matrices of a load with the same rows do not share a pass, as two quarters of a warp would: an H200 counts each of 168
    // patterns so (data/nvidia-h200/counters/matrix_patterns.csv).
    detail.cost.kind = image_.sites.back().cost.kind = AccessKind::store;
    image_.sites.back().site.is_matrix = true;
    Operation operation;
    operation.execute = execute_matrix_access;
    operation.detail = static_cast<const MemoryDetail*>(&detail);
    emit(operation);
}

}  // namespace emulator::simt

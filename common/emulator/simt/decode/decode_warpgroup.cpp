// wgmma.mma_async, .fence, .commit_group, .wait_group; setmaxnreg.
#include <algorithm>

#include "emulator/simt/decode/decode.hpp"
#include "emulator/simt/decode/tensor_form.hpp"
#include "emulator/simt/tensor/warpgroup_product.hpp"

namespace emulator::simt {

using ptx::Operand;
using ptx::OperandKind;

namespace {

// Factors of 1 and -1.
bool is_minus_one(const Operand& operand) { return static_cast<std::int32_t>(operand.bits) == -1; }

}  // namespace

// wgmma belongs to sm_90a, whose instructions later GPUs lack.
void FunctionDecoder::require_warpgroups() {
    require_capability(90);
    if (module_.architecture.compute_number() != 90)
        throw Refused{"only compute capability 9.0 (sm_90a) has it"};
}

bool FunctionDecoder::warpgroup(const ptx::Instruction& instruction) {
    if (instruction.opcode != "wgmma") return false;
    require_warpgroups();
    if (has(instruction, "sp")) throw Refused{"products with .sp"};
    branch_around();
    converge_warp();
    blocks_.back().instructions.push_back(at_);
    if (has(instruction, "mma_async")) {
        multiply_in_warpgroup(instruction);
    } else if (has(instruction, "commit_group")) {
        Operation operation;
        operation.execute = execute_warpgroup_commit;
        emit(operation);
    } else if (has(instruction, "wait_group")) {
        auto& detail = new_detail<WarpgroupWaitDetail>();
        detail.pending = instruction.operands[0].bits;
        end_block(Control::warpgroup_wait).detail = &detail;
    } else if (!has(instruction, "fence")) {
        throw Refused{};
    }
    return true;
}

// {d}, a or {a}, b, add{, factor of a, factor of b{, layout of a where it is in shared memory, layout of b}}
void FunctionDecoder::multiply_in_warpgroup(const ptx::Instruction& instruction) {
    const auto form = product_form(instruction);
    const auto& operands = instruction.operands;
    if (!form || !has_warpgroup_product(*form) || operands.size() < 4) throw Refused{};
    const TensorCore* const core =
        find_tensor_core(form->a, module_.architecture.compute_number(), true);
    if (core == nullptr) throw Refused{"the tensor cores of this GPU lack the type"};
    auto& detail = new_detail<WarpgroupProductDetail>();
    MatrixProductDetail& product = detail.product;
    product.a_type = form->a;
    product.b_type = form->b;
    product.c_type = product.d_type = form->d;
    product.inner = static_cast<std::uint16_t>(form->k);
    product.saturates = has(instruction, "satfinite");
    product.sum = core->sum;
    detail.sums = results_of(operands[0], form->d);
    const unsigned of_tile = form->d == ResultType::f16 ? 2 : 4;
    if (detail.sums.size() != form->n / 8 * of_tile) throw Refused{"the number of its registers"};
    const bool is_a_in_registers = operands[1].kind == OperandKind::vector;
    if (is_a_in_registers) {
        const auto a = sources_of(operands[1], 4);
        if (a.size() != 4) throw Refused{"the number of its registers"};
        std::ranges::copy(a, product.a.begin());
    } else {
        detail.a = as_register(operands[1], 8);
    }
    detail.b = as_register(operands[2], 8);
    detail.adds = operands[3].kind == OperandKind::immediate
                      ? constant(0, operands[3].bits != 0 ? 0xffffffffu : 0)
                      : as_register(operands[3], 0);
    if (operands.size() > 5)
        detail.is_negated = is_minus_one(operands[4]) != is_minus_one(operands[5]);
    const auto layout = [&](std::size_t i) { return i < operands.size() && operands[i].bits != 0; };
    detail.a_is_across_k = !is_a_in_registers && layout(6);
    detail.b_is_across_k = layout(is_a_in_registers ? 6 : 7);
    detail.shared.bytes = 16;
    detail.shared.kind = AccessKind::load;
    // No request of a warp: how many passes through the banks the tensor cores take is not known, and they are not counted.
    add_site(detail.shared, AccessSpace::surface, false, CacheOperator::standard);
    Operation operation;
    operation.execute = execute_warpgroup_product;
    operation.detail = &detail;
    emit(operation);
}

}  // namespace emulator::simt

// Operations that give the same in every block of a launch: parameters, addresses of arrays, thread indices.
#include <algorithm>

#include "emulator/simt/decode/decode.hpp"
#include "emulator/simt/record/rare_operands.hpp"

namespace emulator::simt {

void FunctionDecoder::count_definitions() {
    const auto count = [&](const auto& self, const ptx::Operand& operand) -> void {
        if (operand.kind == ptx::OperandKind::reg) ++definitions_[register_offsets_[operand.index]];
        if (operand.kind == ptx::OperandKind::address) return;
        for (const ptx::Operand& inner : operand.elements) self(self, inner);
    };
    const auto count_uses = [&](const auto& self, const ptx::Operand& operand) -> void {
        if (operand.kind == ptx::OperandKind::reg) ++use_counts_[register_offsets_[operand.index]];
        for (const ptx::Operand& inner : operand.elements) self(self, inner);
    };
    for (const ptx::Instruction& instruction : source_.instructions) {
        const ptx::Guard guard = instruction.guard;
        if (guard.reg >= 0) ++use_counts_[register_offsets_[static_cast<std::size_t>(guard.reg)]];
        for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
            const ptx::Operand& operand = instruction.operands[i];
            const bool is_destination = i == 0 && (operand.kind == ptx::OperandKind::reg ||
                                                   operand.kind == ptx::OperandKind::vector);
            if (is_destination) {
                count(count, operand);
            } else {
                count_uses(count_uses, operand);
            }
        }
        // A call through a pointer reads it; of other instructions the first register is written.
        const bool reads_first = instruction.opcode == "call" || instruction.opcode == "brx";
        if (reads_first && !instruction.operands.empty())
            count_uses(count_uses, instruction.operands[0]);
    }
}

bool FunctionDecoder::is_uniform(RegisterOffset offset) const { return uniform_.contains(offset); }

bool FunctionDecoder::is_invariant(RegisterOffset offset) const {
    if (offset == no_register || invariants_.contains(offset)) return true;
    return std::ranges::any_of(function_.constants,
                               [&](const Constant& constant) { return constant.offset == offset; });
}

void FunctionDecoder::note_rare_operands(const ptx::Instruction& instruction,
                                         const Operation& quotient) {
    if (module_.source.machine_flow.empty() || instruction.guard.reg >= 0) return;
    const auto found = rare_operands_of(instruction);
    if (!found || quotient.source[0] == no_register || quotient.source[1] == no_register) return;
    auto& detail = new_detail<RareOperandsDetail>();
    detail = *found;
    detail.number = static_cast<std::uint32_t>(image_.rare_operands.size());
    image_.rare_operands.push_back({&function_, at_});
    Operation operation;
    operation.execute = count_rare_operands;
    operation.source = quotient.source;
    operation.detail = &detail;
    emit(operation);
}

void FunctionDecoder::emit_pure(const Operation& operation) {
    const auto defined_once = [&](RegisterOffset offset) {
        const auto found = definitions_.find(offset);
        return offset == no_register || found == definitions_.end() || found->second == 1;
    };
    const bool is_guarded = source_.instructions[at_].guard.reg >= 0;
    const bool hoists =
        source_.is_kernel && !is_guarded && operation.destination != no_register &&
        defined_once(operation.destination) && defined_once(operation.second_destination) &&
        std::ranges::all_of(operation.source,
                            [&](RegisterOffset source) { return is_invariant(source); });
    if (!hoists) {
        emit(operation);
        return;
    }
    const auto same_in_all_lanes = [&](RegisterOffset source) {
        return source == no_register || uniform_.contains(source) || !invariants_.contains(source);
    };
    const bool depends_on_thread =
        operation.detail == nullptr && operation.source[0] == no_register;
    if (!depends_on_thread && std::ranges::all_of(operation.source, same_in_all_lanes)) {
        uniform_.insert(operation.destination);
    }
    function_.launch_invariants.push_back(operation);
    invariants_.insert(operation.destination);
    if (operation.second_destination != no_register)
        invariants_.insert(operation.second_destination);
}

}  // namespace emulator::simt

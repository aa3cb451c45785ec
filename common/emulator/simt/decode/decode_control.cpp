// Branches, calls, barriers, operations across lanes, hints.
#include <algorithm>

#include "emulator/simt/decode/decode.hpp"
#include "emulator/simt/record/hazard_checks.hpp"
#include "emulator/simt/warp/builtin_functions.hpp"
#include "emulator/simt/warp/fences.hpp"
#include "emulator/simt/warp/warp_communication.hpp"

namespace emulator::simt {

using ptx::OperandKind;

bool FunctionDecoder::control(const ptx::Instruction& instruction) {
    const std::string& opcode = instruction.opcode;
    const ptx::Guard guard = instruction.guard;
    const auto end_guarded = [&](Control control) -> BasicBlock& {
        blocks_.back().instructions.push_back(at_);
        BasicBlock& block = end_block(control);
        if (guard.reg >= 0) {
            block.guard = register_offsets_[static_cast<std::size_t>(guard.reg)];
            block.guard_negated = guard.negated;
        }
        return block;
    };
    if (opcode == "bra") {
        const std::uint32_t target = source_.labels[instruction.operands[0].index].instruction;
        end_guarded(Control::branch).target = target;
        return true;
    }
    if (opcode == "ret") return end_guarded(Control::ret), true;
    if (opcode == "exit") return end_guarded(Control::exit), true;
    if (opcode == "brx") {
        branch_around();
        auto& table = new_detail<BranchTableDetail>();
        table.index = as_register(instruction.operands[0], 4);
        const std::string& name = instruction.operands[1].symbol;
        const auto found = std::ranges::find(source_.branch_tables, name, &ptx::BranchTable::name);
        if (found == source_.branch_tables.end()) throw Refused{"no table " + name};
        for (const std::uint32_t label : found->labels) {
            table.targets.push_back(source_.labels[label].instruction);
        }
        branch_tables_.push_back(&table);
        blocks_.back().instructions.push_back(at_);
        end_block(Control::branch_indexed).detail = &table;
        return true;
    }
    if (opcode == "trap") {
        branch_around();
        blocks_.back().instructions.push_back(at_);
        end_block(Control::trap);
        return true;
    }
    if (opcode == "nanosleep") {
        branch_around();
        blocks_.back().instructions.push_back(at_);
        end_block(Control::yield);
        return true;
    }
    return false;
}

bool FunctionDecoder::communication(const ptx::Instruction& instruction) {
    const WarpWideForm form = find_warp_wide(instruction.opcode, instruction.modifiers);
    if (form.execute == nullptr) return false;
    branch_around();
    const bool only_synchronises = instruction.opcode == "bar";
    const std::size_t first = only_synchronises ? 0 : 1;
    auto& detail = new_detail<WarpWideDetail>();
    detail.has_members = form.has_members;
    detail.value_sources = static_cast<std::uint8_t>(form.value_sources);
    detail.operation.execute = form.execute;
    if (!only_synchronises) {
        const ptx::Operand& destination = instruction.operands[0];
        detail.operation.destination = offset_of(destination);
        if (destination.has_second) {
            detail.operation.second_destination = offset_of(destination.elements.back());
        }
    }
    const unsigned value_bytes =
        instruction.opcode == "vote" ? 0 : std::max(4u, ptx::bytes_of(type_of(instruction)));
    for (std::size_t i = first; i < instruction.operands.size(); ++i) {
        const ptx::Operand& source = instruction.operands[i];
        const std::size_t number = i - first;
        if (number >= 4) throw Refused{};
        const unsigned bytes = number < form.value_sources ? value_bytes : 4;
        detail.source_bytes[number] = static_cast<std::uint8_t>(bytes);
        if (bytes == 0 && source.kind == OperandKind::immediate) {
            detail.operation.source[number] = constant(0, source.bits != 0 ? 0xffffffffu : 0);
        } else {
            detail.operation.source[number] = as_register(source, bytes);
        }
        if (source.negated) detail.operation.variant = 1;
        detail.members = detail.operation.source[number];
    }
    blocks_.back().instructions.push_back(at_);
    end_block(Control::warp_wide).detail = &detail;
    return true;
}

bool FunctionDecoder::barrier(const ptx::Instruction& instruction) {
    using Reduction = BarrierDetail::Reduction;
    if (instruction.opcode != "bar" && instruction.opcode != "barrier") return false;
    if (has(instruction, "cluster")) return cluster_barrier(instruction), true;
    branch_around();
    auto& detail = new_detail<BarrierDetail>();
    detail.waits = !has(instruction, "arrive");
    std::size_t next = 0;
    const auto& operands = instruction.operands;
    if (has(instruction, "red")) {
        detail.reduction = has(instruction, "popc")  ? Reduction::popc
                           : has(instruction, "and") ? Reduction::all
                                                     : Reduction::any;
        detail.destination = offset_of(operands[next++]);
        const ptx::Operand& predicate = operands.back();
        detail.predicate = predicate.kind == OperandKind::immediate
                               ? constant(0, predicate.bits != 0 ? 0xffffffffu : 0)
                               : as_register(predicate, 0);
        detail.predicate_negated = predicate.negated;
    }
    const std::size_t end = operands.size() - (detail.reduction == Reduction::none ? 0 : 1);
    const auto value = [&](RegisterOffset& offset, std::uint32_t& constant_value) {
        const ptx::Operand& operand = operands[next++];
        if (operand.kind == OperandKind::immediate) {
            constant_value = static_cast<std::uint32_t>(operand.bits);
        } else {
            offset = as_register(operand, 4);
        }
    };
    if (next < end) value(detail.barrier, detail.constant_barrier);
    if (next < end) value(detail.threads, detail.constant_threads);
    blocks_.back().instructions.push_back(at_);
    end_block(Control::barrier).detail = &detail;
    return true;
}

std::vector<std::uint32_t> FunctionDecoder::parameter_areas(const ptx::Operand& list,
                                                            std::vector<std::uint32_t>& bytes) {
    std::vector<std::uint32_t> offsets;
    for (const ptx::Operand& element : list.elements) {
        const auto found = parameter_offsets_.find(element.symbol);
        if (element.kind != OperandKind::symbol || found == parameter_offsets_.end()) {
            throw Refused{"an argument that is no .param variable"};
        }
        offsets.push_back(found->second);
        bytes.push_back(variable_bytes_.at(element.symbol));
    }
    return offsets;
}

bool FunctionDecoder::call(const ptx::Instruction& instruction) {
    if (instruction.opcode != "call") return false;
    branch_around();
    auto& detail = new_detail<CallDetail>();
    const auto& operands = instruction.operands;
    std::size_t next = 0;
    if (operands[next].kind == OperandKind::list) {
        detail.results = parameter_areas(operands[next++], detail.result_bytes);
    }
    const ptx::Operand& target = operands[next++];
    if (next < operands.size() && operands[next].kind == OperandKind::list) {
        detail.arguments = parameter_areas(operands[next], detail.argument_bytes);
    }
    blocks_.back().instructions.push_back(at_);
    if (target.kind == OperandKind::reg) {
        detail.pointer = register_offsets_[target.index];
        function_.traits.has_indirect_calls = true;
        end_block(Control::call).detail = &detail;
        return true;
    }
    if (const auto number = module_.function_number(target.symbol)) {
        detail.callee = image_.by_number[*number];
        end_block(Control::call).detail = &detail;
        return true;
    }
    // Functions of CUDA's runtime on the GPU.
    if (target.symbol.starts_with("__cudaCDP") || target.symbol.starts_with("__cuda_syscall_cnp"))
        throw LaunchesKernels();
    const BuiltinFunction builtin = find_builtin_function(target.symbol);
    if (builtin.execute == nullptr) {
        throw Refused{"the function " + target.symbol + " is defined nowhere"};
    }
    if (builtin.depends_on_order) function_.traits.has_order_dependence = true;
    function_.traits.allocates_memory |= target.symbol == "malloc" || target.symbol == "free";
    Operation operation;
    operation.execute = builtin.execute;
    operation.detail = &detail;
    detail.instruction = at_;
    emit(operation);
    end_block(Control::next);
    return true;
}

bool FunctionDecoder::hint(const ptx::Instruction& instruction) {
    static constexpr const char* without_effect[] = {
        "prefetch", "prefetchu", "applypriority", "discard",
        "brkpt",    "pmevent",   "setmaxnreg",    "griddepcontrol",
    };
    const std::string& opcode = instruction.opcode;
    if (opcode == "setmaxnreg") require_capability(90);
    if (std::ranges::find(without_effect, opcode) != std::end(without_effect)) return true;
    Operation operation;
    if (opcode == "membar" || opcode == "fence") {
        const bool beyond_block = has(instruction, "gl") || has(instruction, "gpu") ||
                                  has(instruction, "sys") || has(instruction, "cluster");
        if (has(instruction, "mbarrier_init")) return true;
        if (module_.checks_hazards) {
            operation.execute = execute_fence_check;
            emit(operation);
        }
        if (!beyond_block) return true;
        operation.execute = execute_fence;
        emit(operation);
        return true;
    }
    if (opcode == "activemask" || opcode == "createpolicy") {
        operation.execute = opcode == "activemask" ? execute_active_mask : execute_cache_policy;
        operation.destination = offset_of(instruction.operands[0]);
        emit(operation);
        return true;
    }
    return false;
}

// Where the machine code is known, only those where it has a barrier for diverged lanes (BSYNC).
void FunctionDecoder::find_reconvergence_points() {
    const auto code = image_.source->machine_code.find(source_.name);
    if (code == image_.source->machine_code.end()) return;
    std::unordered_set<std::uint32_t> lines;
    for (const ptx::MachineAccess& each : code->second) {
        if (each.kind == ptx::MachineAccessKind::reconvergence) lines.insert(each.line);
    }
    for (std::size_t i = 0; i < function_.blocks.size(); ++i) {
        const std::uint32_t first = blocks_[i].first_instruction,
                            last = function_.blocks[i].control_instruction;
        bool& is_reconvergence_point = function_.blocks[i].is_reconvergence_point;
        is_reconvergence_point = false;
        for (std::uint32_t at = first; at <= last && at < source_.instructions.size(); ++at) {
            is_reconvergence_point |= lines.contains(source_.instructions[at].text_line);
        }
    }
}

}  // namespace emulator::simt

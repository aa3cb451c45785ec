// Basic blocks and their successors.
#include "emulator/ptx/flow/control_flow.hpp"

#include <algorithm>

#include "emulator/ptx/flow/reconvergence.hpp"

namespace emulator::ptx {
namespace {

using Names = std::unordered_set<std::string>;

// The callee is the first operand, or the second behind a list of results.
const Operand* callee_of(const Instruction& call) {
    for (const Operand& operand : call.operands) {
        if (operand.kind != OperandKind::list) return &operand;
    }
    return nullptr;
}

bool never_returns(const Function& function, const Instruction& call, const Names& without_return) {
    const Operand* callee = callee_of(call);
    if (!callee) return false;
    if (callee->kind == OperandKind::symbol) return without_return.contains(callee->symbol);
    for (const CallPrototype& prototype : function.call_prototypes) {
        if (prototype.name == call.operands.back().symbol) return prototype.no_return;
    }
    return false;
}

BlockEnd ending_of(const Function& function, const Instruction& instruction,
                   const Names& without_return) {
    const std::string& opcode = instruction.opcode;
    if (opcode == "bra" || opcode == "brx") return BlockEnd::branch;
    BlockEnd result = BlockEnd::falls_through;
    if (opcode == "ret" || opcode == "exit") result = BlockEnd::leaves;
    if (opcode == "trap") result = BlockEnd::stops;
    if (opcode == "call" && never_returns(function, instruction, without_return)) {
        result = BlockEnd::stops;
    }
    const bool is_guarded = instruction.guard.reg >= 0;
    return result != BlockEnd::falls_through && is_guarded ? BlockEnd::may_leave : result;
}

// Labels that a branch may go to.
std::vector<std::uint32_t> targets_of(const Function& function, const Instruction& branch) {
    std::vector<std::uint32_t> labels;
    for (const Operand& operand : branch.operands) {
        if (operand.kind == OperandKind::label) labels.push_back(operand.index);
        if (operand.kind != OperandKind::symbol || branch.opcode != "brx") continue;
        for (const BranchTable& table : function.branch_tables) {
            if (table.name == operand.symbol) labels = table.labels;
        }
    }
    return labels;
}

void add_once(std::vector<std::uint32_t>& values, std::uint32_t value) {
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

}  // namespace

Names functions_without_return(const Module& module) {
    Names names;
    for (const Function& function : module.functions) {
        if (function.no_return) names.insert(function.name);
    }
    return names;
}

ControlFlow analyse_control_flow(const Function& function, const Names& without_return) {
    const auto count = static_cast<std::uint32_t>(function.instructions.size());
    std::vector<BlockEnd> endings(count);
    std::vector<bool> starts_block(count + std::size_t{1});
    starts_block[0] = true;
    for (const Label& label : function.labels) starts_block[label.instruction] = true;
    for (std::uint32_t i = 0; i < count; ++i) {
        endings[i] = ending_of(function, function.instructions[i], without_return);
        if (endings[i] != BlockEnd::falls_through) starts_block[i + 1] = true;
    }

    ControlFlow result;
    result.block_of.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        if (starts_block[i]) result.blocks.emplace_back().first = i;
        result.blocks.back().end = i + 1;
        result.block_of[i] = static_cast<std::uint32_t>(result.blocks.size() - 1);
    }
    for (BasicBlock& block : result.blocks) {
        const Instruction& last = function.instructions[block.end - 1];
        block.ending = endings[block.end - 1];
        const bool goes_on = block.ending == BlockEnd::falls_through ||
                             block.ending == BlockEnd::may_leave || last.guard.reg >= 0;
        if (block.ending == BlockEnd::branch) {
            // A label behind the last instruction is the end of the function.
            for (std::uint32_t label : targets_of(function, last)) {
                const std::uint32_t target = function.labels[label].instruction;
                if (target < count) {
                    add_once(block.successors, result.block_of[target]);
                } else {
                    block.may_reach_end = true;
                }
            }
        }
        if (goes_on && block.end < count) add_once(block.successors, result.block_of[block.end]);
        if (goes_on && block.end == count) block.may_reach_end = true;
    }
    find_reconvergence(result);
    return result;
}

}  // namespace emulator::ptx

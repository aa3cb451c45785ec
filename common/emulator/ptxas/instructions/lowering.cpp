#include "emulator/ptxas/instructions/lowering.hpp"

#include <algorithm>

#include "emulator/ptxas/instructions/combining.hpp"
#include "emulator/ptxas/instructions/instruction_kinds.hpp"

namespace timing {
namespace {

namespace ptx = emulator::ptx;
using ptx::OperandKind;

void add_registers(const ptx::Operand& operand, Register first, std::vector<Register>& list) {
    if (operand.kind == OperandKind::reg) list.push_back(first + operand.index);
    for (const ptx::Operand& element : operand.elements) add_registers(element, first, list);
}

void add_operands(const ptx::Instruction& instruction, Register first, Instruction& result) {
    if (instruction.guard.reg >= 0)
        result.sources.push_back(first + static_cast<Register>(instruction.guard.reg));
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        const bool is_destination = i == 0 && writes_its_first_operand(instruction);
        add_registers(instruction.operands[i], first,
                      is_destination ? result.destinations : result.sources);
    }
}

Space space_of(const ptx::Instruction& instruction) {
    if (has_any(instruction, {"shared", "shared::cta"})) return Space::shared;
    if (is_any(instruction.opcode, {"ldmatrix", "stmatrix"})) return Space::shared;
    if (has(instruction, "const")) return Space::constant;
    if (has(instruction, "local")) return Space::local;
    return Space::global;
}

// Machine instructions in place of one, where it is not one.
struct Cost {
    Unit unit = Unit::integer;
    unsigned slots = 1;
};

Cost cost_of_integer(const ptx::Instruction& instruction) {
    const std::string& opcode = instruction.opcode;
    const bool is_wide = is_64_bit_integer(instruction);
    if (is_any(opcode, {"div", "rem"})) return {Unit::integer, is_wide ? 70u : 20u};
    if (is_any(opcode, {"mul", "mad"})) return {Unit::fp32, is_wide ? 4u : 1u};
    // A sum is an addition or, to even out the two, a product with one.
    if (is_any(opcode, {"add", "sub"}) && !is_wide) return {Unit::fp32, 1};
    if (is_any(opcode, {"popc", "clz", "brev", "bfind"})) return {Unit::sfu, 1};
    return {Unit::integer, is_wide ? 2u : 1u};
}

Cost cost_of_float(const ptx::Instruction& instruction) {
    const std::string& opcode = instruction.opcode;
    const bool is_double = has(instruction, "f64");
    const Unit unit = is_double ? Unit::fp64 : Unit::fp32;
    if (is_any(opcode, {"ex2", "lg2", "sin", "cos", "tanh"})) return {Unit::sfu, 1};
    if (is_any(opcode, {"rcp", "rsqrt", "sqrt", "div"})) {
        if (has_any(instruction, {"approx", "full"})) return {Unit::sfu, 1};
        return {unit, is_double ? 12u : 9u};
    }
    return {unit, 1};
}

// %clock, %clock_hi, %clock64, %globaltimer and its halves.
bool reads_clock(const ptx::Instruction& instruction) {
    return std::ranges::any_of(instruction.operands, [](const ptx::Operand& operand) {
        return operand.kind == OperandKind::special &&
               (operand.symbol.starts_with("%clock") || operand.symbol.starts_with("%globaltimer"));
    });
}

// The size of a block or of the grid.
bool is_launch_size(const ptx::Operand& operand) {
    return operand.kind == OperandKind::special &&
           (operand.symbol.starts_with("%ntid") || operand.symbol.starts_with("%nctaid"));
}

bool reads_special(const ptx::Instruction& instruction) {
    return instruction.opcode == "mov" &&
           std::ranges::any_of(instruction.operands, [](const ptx::Operand& operand) {
               return operand.kind == OperandKind::special;
           });
}

Cost cost_of(const ptx::Instruction& instruction) {
    const std::string& opcode = instruction.opcode;
    if (is_any(opcode, {"cvta", "pragma", "nop"})) return {Unit::none, 0};
    // wgmma's fence and wait; the end of a group is part of its last product.
    if (opcode == "wgmma") return {Unit::none, has(instruction, "commit_group") ? 0u : 1u};
    if (reads_clock(instruction)) return {Unit::none, 1};
    if (opcode == "mov") {
        if (std::ranges::any_of(instruction.operands, is_launch_size)) return {Unit::none, 1};
        const bool reads_index = std::ranges::any_of(instruction.operands, [](const auto& operand) {
            return operand.kind == OperandKind::special && operand.symbol.starts_with("%tid");
        });
        // In line with memory instructions (data/timing/turns.csv, an H100; other generations are taken to be alike).
        if (reads_index) return {Unit::memory, 1};
        return reads_special(instruction) ? Cost{Unit::sfu, 1} : Cost{Unit::none, 0};
    }
    if (opcode == "cvt") {
        if (is_float(instruction)) return {Unit::sfu, 1};
        const bool widens_unsigned = has(instruction, "u64") && has(instruction, "u32");
        return {Unit::integer, widens_unsigned ? 0u : 1u};
    }
    // ptxas merges logic on predicates into the comparisons.
    if (has(instruction, "pred")) return {Unit::none, 0};
    return is_float(instruction) ? cost_of_float(instruction) : cost_of_integer(instruction);
}

Instruction::Copies copies_of(const ptx::Instruction& instruction) {
    using enum Instruction::Copies;
    if (instruction.opcode != "cp" || !has(instruction, "async")) return none;
    return has(instruction, "bulk") ? in_bulk : of_lanes;
}

Instruction lower_memory(const ptx::Instruction& instruction) {
    Instruction result;
    const std::string& opcode = instruction.opcode;
    if (has(instruction, "param")) {  // of the kernel: an operand in the constant bank
        result.slots = 0;
        return result;
    }
    result.unit = Unit::memory;
    result.space = space_of(instruction);
    result.copies = copies_of(instruction);
    result.reads_memory =
        !is_any(opcode, {"st", "stmatrix"}) && (opcode != "wmma" || has(instruction, "load"));
    result.writes_memory = !is_any(opcode, {"ld", "ldu", "tex", "tld4", "ldmatrix"}) &&
                           (opcode != "wmma" || has(instruction, "store"));
    result.orders_memory = has_any(instruction, {"volatile", "acquire", "release", "acq_rel"});
    return result;
}

// cp.async...commit_group, .wait_group N and .wait_all.
bool orders_copies(const ptx::Instruction& instruction) {
    return instruction.opcode == "cp" &&
           has_any(instruction, {"commit_group", "wait_group", "wait_all"});
}

Instruction lower_order_of_copies(const ptx::Instruction& instruction) {
    Instruction result;
    result.unit = Unit::integer;
    result.orders_memory = true;
    result.copies = copies_of(instruction);
    const bool commits = has(instruction, "commit_group");
    result.ends_group = commits || has(instruction, "wait_all");  // a commit, and a wait for all
    if (!commits) result.wait = Wait::groups;
    if (!instruction.operands.empty())
        result.groups = static_cast<std::uint8_t>(instruction.operands[0].bits);
    return result;
}

// A test of a barrier in shared memory.
bool is_phase_test(const ptx::Instruction& instruction) {
    return instruction.opcode == "mbarrier" && has_any(instruction, {"test_wait", "try_wait"});
}

// The registers that it reads, but for its guard.
std::uint8_t different_registers(const ptx::Instruction& instruction) {
    std::vector<Register> list;
    for (std::size_t i = 1; i < instruction.operands.size(); ++i)
        add_registers(instruction.operands[i], 0, list);
    std::ranges::sort(list);
    const auto rest = std::ranges::unique(list);
    return static_cast<std::uint8_t>(list.size() - rest.size());
}

Instruction lower_one(const ptx::Instruction& instruction, Register first) {
    Instruction result;
    if (orders_copies(instruction)) {
        result = lower_order_of_copies(instruction);
    } else if (accesses_memory(instruction)) {
        result = lower_memory(instruction);
    } else {
        const Cost cost = cost_of(instruction);
        result.unit = cost.unit;
        result.slots = static_cast<std::uint8_t>(cost.slots);
        result.orders_memory = is_any(instruction.opcode, {"membar", "fence", "mbarrier"});
        if (is_phase_test(instruction)) result.wait = Wait::copies;
        result.reads_clock = reads_clock(instruction);
        result.reads_special = reads_special(instruction);
        result.loads_parameter = instruction.opcode == "mov" &&
                                 std::ranges::any_of(instruction.operands, is_launch_size);
    }
    add_operands(instruction, first, result);
    result.moves = instruction.opcode == "mov" && result.slots == 0 && !result.sources.empty();
    if (is_any(instruction.opcode, {"fma", "mad"}))
        result.operands = different_registers(instruction);
    return result;
}

bool loads_parameter(const ptx::Function& function, const ptx::Instruction& instruction) {
    if (!function.is_kernel || instruction.opcode != "ld" || !has(instruction, "param"))
        return false;
    const std::string& name = instruction.operands[1].elements[0].symbol;
    return std::ranges::find(function.parameters, name, &ptx::Variable::name) !=
           function.parameters.end();
}

}  // namespace

void note_kept_operands(std::vector<Instruction>& block) {
    const Instruction* before = nullptr;
    for (Instruction& each : block) {
        if (each.unit != Unit::fp32 || each.operands == 0) continue;
        const auto is_kept = [&](Register source) {
            return std::ranges::find(before->sources, source) != before->sources.end();
        };
        each.has_no_operand_reuse =
            each.operands == 3 && before != nullptr && std::ranges::none_of(each.sources, is_kept);
        before = &each;
    }
}

std::vector<Instruction> lower(const ptx::Function& function, std::span<const std::uint32_t> block,
                               Register first_register) {
    std::vector<Instruction> lowered;
    for (const std::uint32_t at : block)
        lowered.push_back(lower_one(function.instructions[at], first_register));
    combine(function, block, lowered);
    return lowered;
}

bool varies(const ptx::Function& function, const ptx::Instruction& instruction) {
    // The phase of a barrier is the same for all threads that test it.
    if (is_phase_test(instruction)) return false;
    if (accesses_memory(instruction)) return !loads_parameter(function, instruction);
    return std::ranges::any_of(instruction.operands, [](const ptx::Operand& operand) {
        return operand.kind == OperandKind::special && !is_launch_size(operand) &&
               !operand.symbol.starts_with("%ctaid");
    });
}

std::vector<bool> parameters_of(const ptx::Function& function) {
    std::vector<bool> result(function.registers.size()), is_written(result.size());
    const auto note = [&](const ptx::Operand& target, bool is_parameter) {
        if (target.kind != OperandKind::reg) return;
        result[target.index] = is_parameter && !is_written[target.index];
        is_written[target.index] = true;
    };
    for (const ptx::Instruction& instruction : function.instructions) {
        if (instruction.operands.empty() || !writes_its_first_operand(instruction)) continue;
        const bool renames = instruction.opcode == "cvta" &&
                             instruction.operands[1].kind == OperandKind::reg &&
                             result[instruction.operands[1].index];
        note(instruction.operands[0], renames || loads_parameter(function, instruction));
        for (const ptx::Operand& each : instruction.operands[0].elements) note(each, false);
    }
    return result;
}

Instruction lower_control(const ptx::Instruction& instruction, Register first_register) {
    Instruction result;
    const std::string& opcode = instruction.opcode;
    if (is_any(opcode, {"shfl", "redux"})) {
        result.unit = Unit::memory;
    } else if (is_any(opcode, {"vote", "match", "activemask", "createpolicy"})) {
        result.unit = Unit::integer;
    } else if (is_any(opcode, {"bar", "barrier"})) {
        result.wait =
            has(instruction, "arrive") || has(instruction, "warp") ? Wait::none : Wait::barrier;
        result.orders_memory = true;
    } else if (!is_any(opcode, {"bra", "brx", "ret", "exit", "call", "nanosleep"})) {
        result.slots = 0;  // a guard that the core executes as a branch around the instruction
    }
    // Lanes that have diverged wait for each other there; the instruction itself follows.
    if (is_any(opcode, {"mma", "wmma", "wgmma", "ldmatrix", "stmatrix", "movmatrix"}))
        return result;
    result.branches = is_any(opcode, {"bra", "brx"});
    add_operands(instruction, first_register, result);
    return result;
}

Instruction lower_guard(const ptx::Instruction& instruction, Register first_register) {
    Instruction result;
    result.slots = 0;
    result.sources.push_back(first_register + static_cast<Register>(instruction.guard.reg));
    return result;
}

}  // namespace timing

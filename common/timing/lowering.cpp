#include "timing/lowering.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace timing {
namespace {

namespace ptx = emulator::ptx;
using ptx::OperandKind;

bool has(const ptx::Instruction& instruction, std::string_view modifier) {
    return std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
}

bool has_any(const ptx::Instruction& instruction, std::initializer_list<std::string_view> which) {
    return std::ranges::any_of(which, [&](auto modifier) { return has(instruction, modifier); });
}

bool is_any(std::string_view opcode, std::initializer_list<std::string_view> which) {
    return std::ranges::find(which, opcode) != which.end();
}

bool is_64_bit_integer(const ptx::Instruction& instruction) {
    return has_any(instruction, {"s64", "u64", "b64"});
}

void add_registers(const ptx::Operand& operand, Register first, std::vector<Register>& list) {
    if (operand.kind == OperandKind::reg) list.push_back(first + operand.index);
    for (const ptx::Operand& element : operand.elements) add_registers(element, first, list);
}

bool writes_its_first_operand(const ptx::Instruction& instruction) {
    return !is_any(instruction.opcode, {"st", "red", "bra", "brx", "bar", "barrier", "membar",
                                        "fence", "cp", "ret", "exit", "trap", "prefetch", "sust"});
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
    if (has(instruction, "shared")) return Space::shared;
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

bool is_float(const ptx::Instruction& instruction) {
    return has_any(instruction, {"f32", "f64", "f16", "f16x2", "bf16", "bf16x2"});
}

Cost cost_of(const ptx::Instruction& instruction) {
    const std::string& opcode = instruction.opcode;
    if (is_any(opcode, {"cvta", "pragma", "nop"})) return {Unit::none, 0};
    if (reads_clock(instruction)) return {Unit::none, 1};
    if (opcode == "mov") {
        const bool is_special = std::ranges::any_of(instruction.operands, [](const auto& operand) {
            return operand.kind == OperandKind::special;
        });
        return is_special ? Cost{Unit::sfu, 1} : Cost{Unit::none, 0};
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
    result.reads_memory = opcode != "st";
    result.writes_memory = !is_any(opcode, {"ld", "ldu", "tex", "tld4"});
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

bool accesses_memory(const ptx::Instruction& instruction) {
    return is_any(instruction.opcode,
                  {"ld", "ldu", "st", "atom", "red", "tex", "tld4", "suld", "sust", "cp"});
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
        if (instruction.opcode == "mbarrier" && has_any(instruction, {"test_wait", "try_wait"}))
            result.wait = Wait::copies;
        result.reads_clock = reads_clock(instruction);
    }
    add_operands(instruction, first, result);
    return result;
}

bool is_plain(const ptx::Instruction& instruction, std::string_view opcode) {
    return instruction.opcode == opcode && instruction.guard.reg < 0;
}

bool is_register(const ptx::Operand& operand, std::uint32_t index) {
    return operand.kind == OperandKind::reg && operand.index == index;
}

// Registers that hold the address of a variable, and never anything else.
std::unordered_set<std::uint32_t> bases_of(const ptx::Function& function) {
    std::unordered_set<std::uint32_t> bases;
    std::unordered_map<std::uint32_t, unsigned> definitions;
    for (const ptx::Instruction& instruction : function.instructions) {
        if (instruction.operands.empty() || !writes_its_first_operand(instruction)) continue;
        const ptx::Operand& target = instruction.operands[0];
        if (target.kind != OperandKind::reg) continue;
        ++definitions[target.index];
        if (instruction.opcode == "mov" && instruction.operands[1].kind == OperandKind::symbol)
            bases.insert(target.index);
    }
    std::erase_if(bases, [&](std::uint32_t base) { return definitions[base] != 1; });
    return bases;
}

bool is_near(const ptx::Instruction& instruction) {
    return has_any(instruction, {"shared", "const"});
}

// Whether a register is only where accesses find their address; `near`: in shared or constant memory.
bool is_address_alone(const ptx::Function& function, std::uint32_t index, bool near) {
    for (const ptx::Instruction& instruction : function.instructions) {
        const bool adds_to_addresses = accesses_memory(instruction) && instruction.opcode != "cp" &&
                                       (is_near(instruction) || !near);
        const bool writes = writes_its_first_operand(instruction);
        for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
            const ptx::Operand& operand = instruction.operands[i];
            if (is_register(operand, index) && !(i == 0 && writes)) return false;
            const bool is_address = operand.kind == OperandKind::address && adds_to_addresses;
            for (const ptx::Operand& element : operand.elements) {
                if (is_register(element, index) && !is_address) return false;
                // Coordinates of a texture, or of a tensor, are a list in the address.
                for (const ptx::Operand& coordinate : element.elements) {
                    if (is_register(coordinate, index)) return false;
                }
            }
        }
    }
    return true;
}

// Of 24 bits with a sign.
bool fits_an_instruction(const ptx::Operand& operand) {
    constexpr std::int64_t limit = std::int64_t{1} << 23;
    const auto value = static_cast<std::int64_t>(operand.bits);
    return operand.kind == OperandKind::immediate && value >= -limit && value < limit;
}

// An access adds a constant to its address by itself; in shared and constant memory the address of a variable, too.
// What adds them before is no instruction.
void fold_addresses(const ptx::Function& function, std::span<const std::uint32_t> block,
                    std::vector<Instruction>& lowered) {
    std::optional<std::unordered_set<std::uint32_t>> bases;
    for (std::size_t i = 0; i < block.size(); ++i) {
        const ptx::Instruction& instruction = function.instructions[block[i]];
        if (!is_plain(instruction, "add") || is_float(instruction)) continue;
        if (!bases) bases = bases_of(function);
        const bool adds_constant = std::ranges::any_of(instruction.operands, fits_an_instruction);
        const bool adds_base =
            std::ranges::any_of(instruction.operands, [&](const ptx::Operand& operand) {
                return operand.kind == OperandKind::reg && bases->contains(operand.index);
            });
        if (!adds_constant && !adds_base) continue;
        if (is_address_alone(function, instruction.operands[0].index, !adds_constant))
            lowered[i].slots = 0;
    }
}

// What a machine instruction adds something to while it does its own work.
enum class Addend : std::uint8_t { none, product, shifted, shifted_word, sum };

bool is_32_bit_sum(const ptx::Instruction& instruction) {
    return is_plain(instruction, "add") && has_any(instruction, {"s32", "u32"});
}

Addend addend_of(const ptx::Instruction& instruction) {
    if (instruction.opcode == "mul" && has(instruction, "wide")) return Addend::product;
    if (instruction.opcode == "shl" && is_64_bit_integer(instruction)) return Addend::shifted;
    if (is_plain(instruction, "shl") && has(instruction, "b32")) return Addend::shifted_word;
    return is_32_bit_sum(instruction) ? Addend::sum : Addend::none;
}

// Whether a sum takes it in: of 64 bits IMAD.WIDE, or LEA and LEA.HI; of 32 bits LEA, or IADD3 of three numbers.
bool takes_in(const ptx::Instruction& sum, Addend addend) {
    if (sum.opcode == "add" && is_64_bit_integer(sum))
        return addend == Addend::product || addend == Addend::shifted;
    return is_32_bit_sum(sum) && (addend == Addend::shifted_word || addend == Addend::sum);
}

// A product, shift or sum whose only use is the sum behind it is no instruction of its own.
void fuse_sums(const ptx::Function& function, std::span<const std::uint32_t> block,
               std::vector<Instruction>& lowered) {
    std::unordered_map<Register, std::size_t> maker;
    std::unordered_map<Register, unsigned> uses;
    for (const Instruction& instruction : lowered) {
        for (const Register each : instruction.sources) ++uses[each];
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
        const ptx::Instruction& instruction = function.instructions[block[i]];
        bool is_fused = false;
        for (const Register each : lowered[i].sources) {
            const auto found = maker.find(each);
            if (found == maker.end() || uses[each] != 1) continue;
            const Addend addend = addend_of(function.instructions[block[found->second]]);
            if (lowered[i].slots == 0 || !takes_in(instruction, addend)) continue;
            lowered[found->second].slots = 0;
            lowered[i].slots = addend == Addend::shifted ? 2 : 1;
            lowered[i].unit = addend == Addend::product ? Unit::fp32 : Unit::integer;
            is_fused = true;
            break;
        }
        for (const Register each : lowered[i].destinations) maker.erase(each);
        if (!is_fused && addend_of(instruction) != Addend::none && !lowered[i].destinations.empty())
            maker[lowered[i].destinations[0]] = i;
    }
}

}  // namespace

std::vector<Instruction> lower(const ptx::Function& function, std::span<const std::uint32_t> block,
                               Register first_register) {
    std::vector<Instruction> lowered;
    for (const std::uint32_t at : block)
        lowered.push_back(lower_one(function.instructions[at], first_register));
    fold_addresses(function, block, lowered);
    fuse_sums(function, block, lowered);
    return lowered;
}

bool varies(const ptx::Instruction& instruction) {
    if (accesses_memory(instruction)) return !has(instruction, "param");
    return std::ranges::any_of(instruction.operands, [](const ptx::Operand& operand) {
        return operand.kind == OperandKind::special && !operand.symbol.starts_with("%ntid") &&
               !operand.symbol.starts_with("%ctaid") && !operand.symbol.starts_with("%nctaid");
    });
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
    add_operands(instruction, first_register, result);
    return result;
}

}  // namespace timing

#include "emulator/ptx/unrolled_loops.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "emulator/ptx/register_facts.hpp"

namespace emulator::ptx {
namespace {

using Instructions = std::vector<Instruction>;

// A loop whose rounds can be counted: do { ... counter += step; } while (counter < bound).
struct Loop {
    std::uint32_t head = 0, latch = 0;  // first instruction, and the branch back to it
    std::uint32_t test = 0;             // the setp
    std::uint32_t counter = 0;          // a register
    Operand bound;
    std::int64_t step = 0;
    unsigned factor = 0;
};

bool is_branch(const Instruction& instruction) { return instruction.opcode == "bra"; }

bool ends_straight_code(const Instruction& instruction) {
    static constexpr std::array<std::string_view, 5> opcodes = {"ret", "exit", "trap", "brx",
                                                                "call"};
    return std::ranges::find(opcodes, instruction.opcode) != opcodes.end();
}

std::optional<MachineAccessKind> kind_of(const Instruction& instruction) {
    if (instruction.modifiers.empty()) return std::nullopt;
    const std::string& space = instruction.modifiers[0];
    if (space.starts_with("param") || space == "const") return std::nullopt;
    const bool is_local =
        std::ranges::find(instruction.modifiers, "local") != instruction.modifiers.end();
    if (instruction.opcode == "ld")
        return is_local ? MachineAccessKind::local_load : MachineAccessKind::load;
    if (instruction.opcode == "st")
        return is_local ? MachineAccessKind::local_store : MachineAccessKind::store;
    if (instruction.opcode == "atom" || instruction.opcode == "red")
        return MachineAccessKind::atomic;
    return std::nullopt;
}

unsigned copies_of(const Instruction& instruction, const std::vector<MachineAccess>& code) {
    const auto kind = kind_of(instruction);
    const auto at_line =
        std::ranges::equal_range(code, instruction.text_line, {}, &MachineAccess::line);
    return static_cast<unsigned>(std::ranges::count(at_line, *kind, &MachineAccess::kind));
}

class Finder {
  public:
    Finder(const Function& function, const std::vector<MachineAccess>& code)
        : function_(function), code_(code) {
        for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
            for (const std::uint32_t reg : written_registers(function.instructions[i])) {
                writes_[reg].push_back(i);
            }
        }
    }

    std::optional<Loop> loop_at(std::uint32_t latch) const {
        const Instruction& branch = function_.instructions[latch];
        if (!is_branch(branch) || branch.guard.reg < 0 || branch.guard.negated) return {};
        Loop loop;
        loop.latch = latch;
        loop.head = target_of(branch);
        if (loop.head >= latch || !is_simple(loop)) return {};
        loop.factor = factor_of(loop);
        if (loop.factor == 0 || !find_counter(loop)) return {};
        return loop;
    }

  private:
    std::uint32_t target_of(const Instruction& branch) const {
        return function_.labels[branch.operands[0].index].instruction;
    }

    // One way in, one way out, and every round's lanes together at the end.
    bool is_simple(const Loop& loop) const {
        const auto is_inside = [&](std::uint32_t i) { return i > loop.head && i <= loop.latch; };
        for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
            const Instruction& instruction = function_.instructions[i];
            const bool inside = i >= loop.head && i <= loop.latch;
            if (inside && ends_straight_code(instruction)) return false;
            if (i == loop.latch || !is_branch(instruction)) continue;
            const std::uint32_t target = target_of(instruction);
            if (inside ? !is_inside(target) || target <= i : is_inside(target)) return false;
        }
        for (const BranchTable& table : function_.branch_tables) {
            for (const std::uint32_t label : table.labels) {
                if (is_inside(function_.labels[label].instruction)) return false;
            }
        }
        return true;
    }

    // Of the memory instructions that the machine code has; 0: it is not unrolled with a remainder.
    unsigned factor_of(const Loop& loop) const {
        std::map<unsigned, unsigned> found;  // how many have so many copies
        for (std::uint32_t i = loop.head; i < loop.latch; ++i) {
            const Instruction& instruction = function_.instructions[i];
            if (!kind_of(instruction)) continue;
            if (const unsigned copies = copies_of(instruction, code_)) ++found[copies];
        }
        if (found.size() != 1) return 0;
        for (const unsigned factor : {2u, 4u, 8u}) {
            if (found.begin()->first == 2 * factor - 1) return factor;
        }
        return 0;
    }

    // The one place inside the loop that writes a register, if every round comes by.
    std::optional<std::uint32_t> only_write(const Loop& loop, std::uint32_t reg) const {
        std::optional<std::uint32_t> found;
        const auto writes = writes_.find(reg);
        if (writes == writes_.end()) return found;
        for (const std::uint32_t at : writes->second) {
            if (at < loop.head || at > loop.latch) continue;
            if (found || function_.instructions[at].guard.reg >= 0) return {};
            found = at;
        }
        for (std::uint32_t i = loop.head; found && i < *found; ++i) {
            const Instruction& instruction = function_.instructions[i];
            if (is_branch(instruction) && target_of(instruction) > *found) return {};
        }
        return found;
    }

    bool is_written(const Loop& loop, std::uint32_t reg) const {
        const auto writes = writes_.find(reg);
        return writes != writes_.end() && std::ranges::any_of(writes->second, [&](auto at) {
                   return at >= loop.head && at <= loop.latch;
               });
    }

    bool find_counter(Loop& loop) const {
        const auto guard = static_cast<std::uint32_t>(function_.instructions[loop.latch].guard.reg);
        const auto test = only_write(loop, guard);
        if (!test) return false;
        loop.test = *test;
        const Instruction& setp = function_.instructions[*test];
        if (setp.opcode != "setp" || setp.operands.size() != 3 || setp.operands[0].has_second ||
            setp.modifiers.size() != 2) {
            return false;
        }
        return is_counter(loop, setp, 1, 2) || is_counter(loop, setp, 2, 1);
    }

    bool is_counter(Loop& loop, const Instruction& setp, std::size_t counter,
                    std::size_t bound) const {
        const Operand &counted = setp.operands[counter], &end = setp.operands[bound];
        if (counted.kind != OperandKind::reg) return false;
        const bool is_constant = end.kind == OperandKind::immediate ||
                                 (end.kind == OperandKind::reg && !is_written(loop, end.index));
        const auto write = only_write(loop, counted.index);
        if (!is_constant || !write || *write > loop.test) return false;
        const Instruction& add = function_.instructions[*write];
        const std::string& type = setp.modifiers[1];
        const bool is_integer = type == "s32" || type == "u32" || type == "s64" || type == "u64";
        if (!is_integer || add.opcode != "add" || add.modifiers.size() != 1 ||
            add.modifiers[0].size() != 3 || add.modifiers[0].substr(1) != type.substr(1) ||
            add.operands[1].kind != OperandKind::reg || add.operands[1].index != counted.index ||
            add.operands[2].kind != OperandKind::immediate) {
            return false;
        }
        loop.counter = counted.index;
        loop.bound = end;
        loop.step = static_cast<std::int64_t>(add.operands[2].bits);
        std::string_view comparison = setp.modifiers[0];
        if (counter == 2 && comparison != "ne")
            comparison = comparison == "lt" ? "gt" : comparison == "gt" ? "lt" : "";
        return loop.step != 0 &&
               (comparison == "ne" || comparison == (loop.step > 0 ? "lt" : "gt"));
    }

    const Function& function_;
    const std::vector<MachineAccess>& code_;
    std::map<std::uint32_t, std::vector<std::uint32_t>> writes_;  // by register
};

Operand reg(std::uint32_t index) {
    Operand operand;
    operand.kind = OperandKind::reg;
    operand.index = index;
    return operand;
}

Operand immediate(std::int64_t value) {
    Operand operand;
    operand.kind = OperandKind::immediate;
    operand.bits = static_cast<std::uint64_t>(value);
    operand.literal = Type::s64;
    return operand;
}

class Unroller {
  public:
    Unroller(Function& function, const Loop& loop)
        : function_(function),
          loop_(loop),
          place_(function.instructions[loop.test]),
          type_("s" + place_.modifiers[1].substr(1)) {
        left_ = add_register("left", type_ == "s32" ? Type::s32 : Type::s64);
        more_ = add_register("more", Type::pred);
        none_ = add_register("none", Type::pred);
        is_test_read_ = is_read_besides_latch();
        is_straight_ = std::none_of(function.instructions.begin() + loop.head,
                                    function.instructions.begin() + loop.latch, is_branch);
    }

    void unroll() {
        const auto after = add_label("end");
        rounds_left();
        add("setp", {"eq", type_}, {reg(none_), reg(left_), reg(left_)});
        for (unsigned rounds = loop_.factor; rounds > 1; rounds /= 2) {
            const auto next = add_label("next"), again = add_label("again");
            if (rounds != loop_.factor) rounds_left();
            more_than(rounds);
            branch(next, true);
            set_label(again);
            for (unsigned i = 0; i < rounds; ++i) body(is_test_read_);
            add("setp", {"ne", type_}, {reg(none_), reg(left_), reg(left_)});
            if (rounds == loop_.factor) {
                rounds_left();
                more_than(rounds);
                branch(again, false);
            }
            set_label(next);
        }
        out_.push_back(place_);
        add("or", {"pred"}, {reg(more_), place_.operands[0], reg(none_)});
        branch(after, true);
        body(true);
        set_label(after);
        put_in_place();
    }

  private:
    std::uint32_t add_register(const char* what, Type type) {
        function_.registers.push_back(
            {"%unrolled_" + std::string(what) + std::to_string(function_.registers.size()), type});
        return static_cast<std::uint32_t>(function_.registers.size() - 1);
    }

    // Places of new labels count from the loop's head, until they are put in place.
    std::uint32_t add_label(const char* what) {
        const auto index = static_cast<std::uint32_t>(function_.labels.size());
        function_.labels.push_back({"unrolled_" + std::string(what) + std::to_string(index), 0});
        new_labels_.push_back(index);
        return index;
    }
    void set_label(std::uint32_t label) {
        function_.labels[label].instruction = static_cast<std::uint32_t>(out_.size());
    }

    Instruction& add(const char* opcode, std::vector<std::string> modifiers,
                     std::vector<Operand> operands) {
        Instruction instruction;
        instruction.opcode = opcode;
        instruction.modifiers = std::move(modifiers);
        instruction.operands = std::move(operands);
        instruction.location = place_.location;
        instruction.text_line = place_.text_line;
        instruction.text = place_.text;
        return out_.emplace_back(std::move(instruction));
    }

    void rounds_left() {
        const Operand counter = reg(loop_.counter);
        const bool is_up = loop_.step > 0;
        if (is_up) {
            add("sub", {type_}, {reg(left_), loop_.bound, counter});
        } else {
            add("sub", {type_}, {reg(left_), counter, loop_.bound});
        }
    }

    void more_than(unsigned rounds) {
        const std::int64_t step = loop_.step > 0 ? loop_.step : -loop_.step;
        add("setp", {"gt", type_}, {reg(more_), reg(left_), immediate((rounds - 1) * step)});
    }

    void branch(std::uint32_t label, bool if_not) {
        Operand target;
        target.kind = OperandKind::label;
        target.index = label;
        Instruction& instruction = add("bra", {}, {target});
        instruction.guard = {static_cast<std::int32_t>(more_), if_not};
    }

    void body(bool with_test) {
        const auto first = static_cast<std::uint32_t>(out_.size());
        std::map<std::uint32_t, std::uint32_t> copies;  // of labels inside
        for (std::uint32_t i = loop_.head; i < loop_.latch; ++i) {
            Instruction instruction = function_.instructions[i];
            if (i == loop_.test && !with_test) {
                if (is_straight_) continue;
                instruction = nothing();  // branches count places
            }
            if (is_branch(instruction)) {
                Operand& target = instruction.operands[0];
                const std::uint32_t at = function_.labels[target.index].instruction;
                const auto [copy, is_new] = copies.try_emplace(target.index, 0);
                if (is_new) {
                    copy->second = add_label("inside");
                    function_.labels[copy->second].instruction = first + at - loop_.head;
                }
                target.index = copy->second;
            }
            out_.push_back(std::move(instruction));
        }
    }

    Instruction nothing() const {
        Instruction result = place_;
        result.opcode = "mov";
        result.modifiers = {type_};
        result.operands = {reg(left_), reg(left_)};
        return result;
    }

    bool is_read_besides_latch() const {
        const std::uint32_t predicate = place_.operands[0].index;
        for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
            const Instruction& instruction = function_.instructions[i];
            if (i == loop_.latch || i == loop_.test) continue;
            if (instruction.guard.reg == static_cast<std::int32_t>(predicate)) return true;
            for (const Operand& operand : instruction.operands) {
                if (operand.kind == OperandKind::reg && operand.index == predicate) return true;
            }
        }
        return false;
    }

    void put_in_place() {
        Instructions& all = function_.instructions;
        const auto grown = static_cast<std::uint32_t>(out_.size()) - (loop_.latch + 1 - loop_.head);
        std::vector<bool> is_new(function_.labels.size());
        for (const std::uint32_t label : new_labels_) is_new[label] = true;
        for (std::uint32_t i = 0; i < function_.labels.size(); ++i) {
            std::uint32_t& at = function_.labels[i].instruction;
            if (is_new[i])
                at += loop_.head;
            else if (at > loop_.latch)
                at += grown;
            else if (at > loop_.head)
                at = loop_.head;  // nothing goes there any more
        }
        const auto begin = all.begin() + loop_.head;
        all.erase(begin, begin + (loop_.latch + 1 - loop_.head));
        all.insert(all.begin() + loop_.head, out_.begin(), out_.end());
    }

    Function& function_;
    const Loop& loop_;
    const Instruction place_;  // the test, as the PTX has it
    const std::string type_;   // of differences
    std::uint32_t left_ = 0, more_ = 0, none_ = 0;
    bool is_test_read_ = false, is_straight_ = false;
    std::vector<std::uint32_t> new_labels_;
    Instructions out_;
};

void unroll_loops(Function& function, const std::vector<MachineAccess>& code) {
    for (std::uint32_t i = static_cast<std::uint32_t>(function.instructions.size()); i-- > 0;) {
        const Instruction& branch = function.instructions[i];
        if (!is_branch(branch) || branch.guard.reg < 0) continue;
        if (function.labels[branch.operands[0].index].instruction >= i) continue;
        if (const auto loop = Finder(function, code).loop_at(i)) Unroller(function, *loop).unroll();
    }
}

}  // namespace

void unroll_loops(Module& module) {
    for (Function& function : module.functions) {
        const auto code = module.machine_code.find(function.name);
        if (code != module.machine_code.end()) unroll_loops(function, code->second);
    }
}

}  // namespace emulator::ptx

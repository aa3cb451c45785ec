#include "emulator/ptxas/accesses/unrolled_loops.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "emulator/ptx/flow/counted_loops.hpp"

namespace emulator::ptx {
namespace {

using Instructions = std::vector<Instruction>;

bool is_branch(const Instruction& instruction) { return instruction.opcode == "bra"; }

Operand reg(std::uint32_t index) {
    Operand operand;
    operand.kind = OperandKind::reg;
    operand.index = index;
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
        if (const auto loop = counted_loop(function, code, i)) Unroller(function, *loop).unroll();
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

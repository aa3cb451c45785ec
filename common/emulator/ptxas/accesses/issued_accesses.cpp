#include "emulator/ptxas/accesses/issued_accesses.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>
#include <tuple>

#include "emulator/ptx/parse/types.hpp"
#include "emulator/ptxas/accesses/machine_accesses.hpp"
#include "emulator/ptxas/accesses/merged_accesses.hpp"

namespace emulator::ptx {
namespace {

constexpr std::int64_t window_words = 4;
constexpr std::uint32_t no_register = 0xffffffff;  // the base of all places that are known

// A load or store that ptxas may reorder: not guarded, not volatile, not ordered.
struct Access {
    Space space{};
    std::uint32_t base = 0;  // a register's index, or behind the registers the number of a symbol
    LowBits base_bits;
    std::int64_t offset = 0;
    std::uint32_t element_bytes = 0, elements = 1;
    std::uint32_t used = 0;  // bit i: element i is read, or stored
    std::uint32_t bytes() const { return element_bytes * elements; }
    // The size of the words that are joined: halves with halves alone.
    std::int64_t word() const { return element_bytes == 2 ? 2 : word_bytes; }
};

// A vector of short elements that are all used is as good as the words that it fills.
void join_elements(Access& access) {
    const std::uint32_t all = (1u << access.elements) - 1;
    if (access.element_bytes >= word_bytes || access.bytes() < word_bytes || access.used != all)
        return;
    access.elements = access.bytes() / word_bytes;
    access.element_bytes = word_bytes;
    access.used = (1u << access.elements) - 1;
}

std::uint32_t words_of(const Access& access, std::int64_t first_byte) {
    std::uint32_t mask = 0;
    for (std::uint32_t i = 0; i < access.elements; ++i) {
        if ((access.used >> i & 1) == 0) continue;
        const std::int64_t begin = first_byte + i * access.element_bytes;
        for (std::int64_t byte = begin; byte < begin + access.element_bytes;
             byte += access.word()) {
            mask |= 1u << byte / access.word();
        }
    }
    return mask;
}

class Finder {
  public:
    Finder(const Function& function, const ControlFlow& flow, const RegisterFacts& facts,
           const std::vector<MachineAccess>* code,
           std::map<std::uint32_t, std::vector<IssuedPiece>>& issued)
        : function_(function), flow_(flow), facts_(facts), code_(code), issued_(issued) {
        mark_reads();
    }

    void find() {
        std::vector<Available> at_end(flow_.blocks.size());
        for (std::uint32_t block = 0; block < flow_.blocks.size(); ++block) {
            available_ = {};
            if (const auto before = only_predecessor(block)) available_ = at_end[*before];
            const BasicBlock& here = flow_.blocks[block];
            for (std::uint32_t i = here.first; i < here.end; ++i) visit(i);
            close_all();
            at_end[block] = std::move(available_);
        }
    }

  private:
    using Load = std::tuple<Space, std::uint32_t, std::int64_t, std::string>;  // with its type
    using Available = std::map<Load, std::uint32_t>;
    struct Window {
        std::uint32_t base = 0;
        std::int64_t offset = 0;  // from the base to the window's first byte
        std::int64_t word = word_bytes;
        bool is_half = false;  // only two words are known to be aligned, or are joined
        std::uint32_t words = 0;
        std::vector<std::pair<std::uint32_t, std::int64_t>> members;  // instruction, offset
    };

    void mark_reads() {
        is_read_.resize(function_.registers.size());
        is_called_.resize(function_.registers.size());
        const auto mark = [&](const auto& self, const Operand& operand) -> void {
            if (operand.kind == OperandKind::reg) is_read_[operand.index] = true;
            for (const Operand& inner : operand.elements) self(self, inner);
        };
        for (const Instruction& instruction : function_.instructions) {
            const bool writes = !written_registers(instruction).empty();
            if (instruction.guard.reg >= 0)
                is_read_[static_cast<std::size_t>(instruction.guard.reg)] = true;
            for (std::size_t i = writes ? 1 : 0; i < instruction.operands.size(); ++i) {
                const Operand& operand = instruction.operands[i];
                const bool is_target =
                    instruction.opcode == "call" && operand.kind == OperandKind::reg;
                if (is_target)
                    is_called_[operand.index] = true;
                else
                    mark(mark, operand);
            }
        }
    }

    // The low word of the address of a function that is only called is loaded.
    bool is_only_called(const Instruction& load) const {
        const Operand& result = load.operands[0];
        return result.kind == OperandKind::reg && is_called_[result.index] &&
               !is_read_[result.index];
    }

    // The one block from which another is entered, if it stands before it.
    std::optional<std::uint32_t> only_predecessor(std::uint32_t block) const {
        std::optional<std::uint32_t> found;
        for (std::uint32_t i = 0; i < flow_.blocks.size(); ++i) {
            const auto& successors = flow_.blocks[i].successors;
            if (std::ranges::find(successors, block) == successors.end()) continue;
            if (found || i >= block) return std::nullopt;
            found = i;
        }
        return block == 0 ? std::nullopt : found;
    }

    std::optional<Access> access_of(const Instruction& instruction, bool is_load) {
        if (instruction.guard.reg >= 0 || is_ordered(instruction)) return std::nullopt;
        const Operand& at = instruction.operands[is_load ? 1 : 0];
        const Operand& values = instruction.operands[is_load ? 0 : 1];
        if (at.kind != OperandKind::address || at.elements.size() != 1) return std::nullopt;
        const Operand& base = at.elements[0];
        if (base.kind != OperandKind::reg && base.kind != OperandKind::symbol) return std::nullopt;
        Access access{space_of(instruction), key_of(base), facts_.low_bits(base), at.offset};
        // Variables of shared memory stand beside each other: ptxas joins accesses of two of them.
        if (code_ && base.kind == OperandKind::symbol && access.space == Space::shared) {
            if (const auto place = facts_.variable_offset(base.symbol)) {
                access.base = no_register;
                access.offset += static_cast<std::int64_t>(*place);
                access.base_bits.value = 0;
            }
        }
        Type type = Type::none;
        for (const std::string& modifier : instruction.modifiers) {
            if (type_named(modifier) != Type::none) type = type_named(modifier);
        }
        access.element_bytes = bytes_of(type);
        const bool is_vector = values.kind == OperandKind::vector;
        access.elements = is_vector ? static_cast<std::uint32_t>(values.elements.size()) : 1;
        for (std::uint32_t i = 0; i < access.elements; ++i) {
            const Operand& value = is_vector ? values.elements[i] : values;
            const bool is_used =
                !is_load || (value.kind == OperandKind::reg && is_read_[value.index]);
            access.used |= std::uint32_t{is_used} << i;
        }
        join_elements(access);
        return access.element_bytes == 0 ? std::nullopt : std::optional(access);
    }

    std::uint32_t key_of(const Operand& base) {
        if (base.kind == OperandKind::reg) return base.index;
        const auto found = std::ranges::find(symbols_, base.symbol);
        const auto number = static_cast<std::uint32_t>(found - symbols_.begin());
        if (found == symbols_.end()) symbols_.push_back(base.symbol);
        return static_cast<std::uint32_t>(function_.registers.size()) + number;
    }

    void visit(std::uint32_t at) {
        const Instruction& instruction = function_.instructions[at];
        const bool is_load = instruction.opcode == "ld", is_store = instruction.opcode == "st";
        if (is_load || is_store) {
            visit_access(at, instruction, is_load);
        } else if (may_order_memory(instruction)) {
            available_.clear();
            close_all();
        }
        for (const std::uint32_t reg : written_registers(instruction)) forget(reg);
    }

    void visit_access(std::uint32_t at, const Instruction& instruction, bool is_load) {
        const Space space = space_of(instruction);
        if (space == Space::param || space == Space::local) return;
        const auto access = access_of(instruction, is_load);
        if (space == Space::constant) {
            // Without a register in its address it is no load in the machine code, but an operand.
            const bool is_word = access && access->elements == 1 && access->bytes() == word_bytes;
            if (is_word && access->base < function_.registers.size()) join(constants_, at, *access);
            return;
        }
        const bool in_shared = space == Space::shared || space == Space::generic;
        if (is_ordered(instruction)) {
            available_.clear();
            return close_all();
        }
        if (!is_load) {
            std::erase_if(available_, [&](const auto& load) {
                return space == Space::generic || std::get<0>(load.first) == space ||
                       std::get<0>(load.first) == Space::generic;
            });
            if (in_shared) close(loads_);
            if (!access || space != Space::shared || !join(stores_, at, *access)) {
                if (in_shared) close(stores_);
            }
            return;
        }
        if (in_shared) close(stores_);
        if (!access) return;
        if (is_only_called(instruction)) {
            issued_[at] = {{0, word_bytes}};
            return;
        }
        Load load{space, access->base, access->offset, type_text(instruction)};
        const bool is_kept = code_ && is_issued(*code_, instruction);
        if (!available_.emplace(load, at).second && !is_kept) {
            issued_[at] = {};
            return;
        }
        if (space != Space::shared || !join(loads_, at, *access)) trim(at, *access);
        if (instruction.operands[0].kind == OperandKind::reg) narrow(at, *access);
    }

    void narrow(std::uint32_t at, const Access& access) {
        const auto bytes = code_ ? bytes_issued(*code_, function_.instructions[at]) : std::nullopt;
        if (bytes && *bytes < access.bytes()) issued_[at] = {{0, *bytes}};
    }

    // Whether the machine code has each of a window's accesses as it is written.
    bool is_apart(const Window& window) const {
        return code_ && std::ranges::all_of(window.members, [&](const auto& member) {
                   const Instruction& instruction = function_.instructions[member.first];
                   return bytes_issued(*code_, instruction) == bytes_of_lane(instruction);
               });
    }

    // Stores to other windows may overlap, unless they have the same base.
    bool join(std::vector<Window>& windows, std::uint32_t at, const Access& access) {
        if (access.element_bytes < 2 || access.element_bytes > 8) return false;
        const LowBits known = access.base_bits;
        const auto aligned = std::int64_t{1} << known.bits;
        if (aligned < 2 * access.word()) return false;
        const bool is_half = aligned == 2 * access.word() || access.space == Space::constant;
        const std::int64_t size = access.word() * (is_half ? window_words / 2 : window_words);
        if (access.bytes() > size) return false;
        const std::int64_t from_aligned = (known.value % size + access.offset % size + size) % size;
        if (from_aligned + access.bytes() > size) return false;
        const std::int64_t begin = access.offset - from_aligned;
        if (&windows == &stores_ && !windows.empty() && windows[0].base != access.base)
            close(windows);
        auto found = std::ranges::find_if(windows, [&](const Window& window) {
            return window.base == access.base && window.offset == begin &&
                   window.word == access.word();
        });
        if (found == windows.end()) {
            windows.push_back({access.base, begin, access.word(), is_half, 0, {}});
            found = windows.end() - 1;
        }
        const std::uint32_t words = words_of(access, from_aligned);
        if (&windows == &stores_ && (found->words & words) != 0) return false;
        found->words |= words;
        found->members.emplace_back(at, access.offset);
        return true;
    }

    void trim(std::uint32_t at, const Access& access) {
        const bool is_whole = access.used == (1u << access.elements) - 1;
        if (access.elements > 1 && !is_whole && access.used != 0 && access.element_bytes >= 4)
            issued_[at] = pieces_of(words_of(access, 0), false, false);
    }

    void close(std::vector<Window>& windows) {
        for (const Window& window : windows) {
            if (is_apart(window)) continue;
            const auto [leader, offset] = window.members[0];
            for (const auto& [member, other] : window.members) issued_[member] = {};
            auto& pieces = issued_[leader];
            for (IssuedPiece piece :
                 pieces_of(window.words, &windows == &stores_, window.is_half)) {
                piece.offset = piece.offset * window.word / word_bytes + window.offset - offset;
                piece.bytes = piece.bytes * static_cast<std::uint32_t>(window.word) / word_bytes;
                pieces.push_back(piece);
            }
        }
        windows.clear();
    }

    void close_all() {
        for (auto* const windows : {&loads_, &stores_, &constants_}) close(*windows);
    }

    void forget(std::uint32_t reg) {
        std::erase_if(available_, [&](const auto& load) { return std::get<1>(load.first) == reg; });
        const auto uses = [&](const Window& window) { return window.base == reg; };
        for (auto* const windows : {&loads_, &stores_, &constants_}) {
            if (std::ranges::any_of(*windows, uses)) close(*windows);
        }
    }

    const Function& function_;
    const ControlFlow& flow_;
    const RegisterFacts& facts_;
    const std::vector<MachineAccess>* code_;  // may be null
    std::map<std::uint32_t, std::vector<IssuedPiece>>& issued_;
    std::vector<bool> is_read_, is_called_;  // is_called_: as the target of a call
    std::vector<std::string> symbols_;
    Available available_;
    std::vector<Window> loads_, stores_, constants_;
};

}  // namespace

IssuedAccesses::IssuedAccesses(const Function& function, const ControlFlow& flow,
                               const VariableOffset& variable_offset,
                               const std::vector<MachineAccess>* code)
    : function_(function), code_(code), facts_(function, flow, variable_offset) {
    Finder(function, flow, facts_, code, issued_).find();
    if (code != nullptr) merge_accesses(function, flow, facts_, *code, issued_);
}

const std::vector<IssuedPiece>* IssuedAccesses::of(std::uint32_t instruction) const {
    const auto found = issued_.find(instruction);
    return found == issued_.end() ? nullptr : &found->second;
}

bool IssuedAccesses::is_generic(std::uint32_t at) const {
    return code_ == nullptr || ptx::is_generic(*code_, function_.instructions[at]);
}

bool IssuedAccesses::is_for_one_lane(std::uint32_t at, bool is_result_read) const {
    const Instruction& instruction = function_.instructions[at];
    const std::size_t first = instruction.opcode == "atom" ? 1 : 0;
    if (!facts_.is_uniform(instruction.operands[first])) return false;
    const std::string& type = instruction.modifiers.back();
    const bool is_integer = type[0] == 'u' || type[0] == 's' || (type[0] == 'b' && type[1] != 'f');
    if (!is_integer) return false;
    if (has(instruction, "add")) {
        const bool is_uniform = facts_.is_uniform(instruction.operands[first + 1]);
        return is_uniform || type.ends_with("32");
    }
    static constexpr std::array<std::string_view, 5> reducible = {"min", "max", "and", "or", "xor"};
    return !is_result_read && type.ends_with("32") &&
           std::ranges::any_of(reducible,
                               [&](std::string_view name) { return has(instruction, name); });
}

}  // namespace emulator::ptx

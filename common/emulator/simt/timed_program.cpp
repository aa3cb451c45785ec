#include "emulator/simt/timed_program.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "emulator/simt/memory.hpp"
#include "timing/lowering.hpp"
#include "timing/reorder.hpp"

namespace emulator::simt {
namespace {

// Of a thread's registers, those that hold addresses, indices and sums rather than loaded values.
constexpr unsigned registers_in_use = 16;
constexpr unsigned registers_if_unknown = 40;

class Builder {
  public:
    Builder(const Image& image, std::optional<unsigned> registers) : image_(image) {
        const unsigned all = registers.value_or(registers_if_unknown);
        free_registers_ = std::max(all, registers_in_use + 4) - registers_in_use;
    }

    TimedProgram build() {
        result_.program.blocks.resize(image_.counters.size());
        for (const auto& function : image_.functions)
            first_free_ += static_cast<timing::Register>(function->source->registers.size());
        max_registers_ = first_free_;
        for (const auto& function : image_.functions) add(*function);
        result_.program.registers = max_registers_;
        result_.program.lines =
            static_cast<unsigned>(std::max<std::size_t>(1, result_.lines.size()));
        return std::move(result_);
    }

  private:
    void add(const Function& function) {
        const timing::Register first = result_.program.registers;
        result_.program.registers +=
            static_cast<timing::Register>(function.source->registers.size());
        for (std::size_t i = 0; i < function.blocks.size(); ++i)
            add(function, function.blocks[i], function.block_instructions[i], first);
    }

    void add(const Function& function, const BasicBlock& block,
             const std::vector<std::uint32_t>& instructions, timing::Register first) {
        std::map<std::uint32_t, std::uint32_t> accesses;  // by instruction
        std::map<std::uint32_t, bool> is_issued;
        std::uint32_t next_access = 0;
        for (const Operation* each = block.begin; each != block.end; ++each) {
            const MemoryDetail* const detail = access_of(image_, *each);
            if (detail == nullptr) continue;
            is_issued[detail->instruction] = detail->cost.is_issued();
            accesses[detail->instruction] = next_access++;
        }
        std::vector<timing::Instruction> lowered =
            timing::lower(*function.source, instructions, first);
        for (std::size_t i = 0; i < lowered.size(); ++i) {
            lowered[i].line = line_of(function.source->instructions[instructions[i]].location);
            const auto found = accesses.find(instructions[i]);
            if (found == accesses.end()) continue;
            lowered[i].access = found->second;
            if (!is_issued[instructions[i]]) lowered[i].slots = 0;
        }
        max_registers_ = std::max(max_registers_, timing::rename(lowered, first_free_));
        lowered = timing::reorder(std::move(lowered), free_registers_);
        if (block.control != Control::next) {
            const ptx::Instruction& end = function.source->instructions[block.control_instruction];
            lowered.push_back(timing::lower_control(end, first));
            lowered.back().line = line_of(end.location);
        }
        result_.program.blocks[block.counter].instructions = std::move(lowered);
    }

    std::uint16_t line_of(const ptx::SourceLocation& location) {
        const auto key = std::tuple(location.file, location.line, location.inlined_at);
        const auto [found, is_new] =
            numbers_.try_emplace(key, static_cast<std::uint16_t>(result_.lines.size()));
        if (is_new) result_.lines.push_back(location);
        return found->second;
    }

    const Image& image_;
    unsigned free_registers_ = 0;
    timing::Register first_free_ = 0, max_registers_ = 0;  // behind those of the functions
    TimedProgram result_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::int32_t>, std::uint16_t> numbers_;
};

}  // namespace

const MemoryDetail* access_of(const Image& image, const Operation& operation) {
    const Operation* const guarded = guarded_operation(operation);
    const auto found = image.accesses.find(guarded != nullptr ? guarded->detail : operation.detail);
    return found == image.accesses.end() ? nullptr : found->second;
}

TimedProgram timed_program(const Image& image, std::optional<unsigned> registers_per_thread) {
    return Builder(image, registers_per_thread).build();
}

}  // namespace emulator::simt

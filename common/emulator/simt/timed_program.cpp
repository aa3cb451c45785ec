#include "emulator/simt/timed_program.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "emulator/simt/memory.hpp"
#include "timing/convergence.hpp"
#include "timing/liveness.hpp"
#include "timing/lowering.hpp"
#include "timing/predication.hpp"
#include "timing/reorder.hpp"

namespace emulator::simt {
namespace {

// Of a thread's registers, those that hold neither values that live where a block begins nor loaded ones: the
// stack pointer and two addresses in the making.
constexpr unsigned registers_in_use = 5;
constexpr unsigned min_free_registers = 4;
constexpr unsigned registers_if_unknown = 40;

class Builder {
  public:
    Builder(const Image& image, std::optional<unsigned> registers) : image_(image) {
        registers_ = registers.value_or(registers_if_unknown);
    }

    // Of the paths that the trace takes, which then names them.
    TimedProgram build(timing::LaunchTrace& trace) {
        blocks_.resize(image_.counters.size());
        regions_.resize(image_.counters.size(), timing::no_region);
        for (const auto& function : image_.functions)
            first_free_ += static_cast<timing::Register>(function->source->registers.size());
        max_registers_ = first_free_;
        for (const auto& function : image_.functions) add(*function);
        for (const timing::Path& path : timing::join_steps(trace.blocks, regions_))
            result_.program.blocks.push_back({issued(path)});
        result_.program.registers = max_registers_;
        result_.program.lines =
            static_cast<unsigned>(std::max<std::size_t>(1, result_.lines.size()));
        return std::move(result_);
    }

  private:
    struct Lowered {
        std::vector<timing::Instruction> instructions;
        std::optional<timing::Instruction> control;
        std::uint32_t accesses = 0;
        std::vector<bool> varies;    // by instruction: its results differ from thread to thread
        unsigned live = 0;           // registers where it begins
        bool is_predicated = false;  // its branch is none
    };

    void add(const Function& function) {
        const timing::Register first = next_register_;
        next_register_ += static_cast<timing::Register>(function.source->registers.size());
        for (std::size_t i = 0; i < function.blocks.size(); ++i)
            add(function, function.blocks[i], function.block_instructions[i], first);
        find_regions(function);
        const std::vector<timing::FlowBlock> flow = flow_of(function);
        find_live(function, flow, first);
        add_convergence(function, flow, first);
    }

    std::vector<timing::FlowBlock> flow_of(const Function& function) const {
        std::vector<timing::FlowBlock> flow;
        for (const BasicBlock& block : function.blocks) {
            const Lowered& lowered = blocks_[block.counter];
            timing::FlowBlock& node = flow.emplace_back();
            node.instructions = lowered.instructions;
            node.varies = lowered.varies;
            node.control = lowered.control ? &*lowered.control : nullptr;
            node.is_predicated = lowered.is_predicated;
            for (const std::uint32_t each : {block.next, block.target}) {
                if (each < function.blocks.size()) node.successors.push_back(each);
            }
            if (block.control != Control::branch_indexed) continue;
            for (const std::uint32_t each :
                 static_cast<const BranchTableDetail*>(block.detail)->targets)
                node.successors.push_back(each);
        }
        return flow;
    }

    void find_live(const Function& function, const std::vector<timing::FlowBlock>& flow,
                   timing::Register first) {
        std::vector<std::uint8_t> widths;
        for (const ptx::Register& each : function.source->registers)
            widths.push_back(machine_registers(each.type));
        const std::vector<unsigned> live = timing::live_registers(flow, first, widths);
        for (std::size_t i = 0; i < live.size(); ++i)
            blocks_[function.blocks[i].counter].live = live[i];
    }

    void add_convergence(const Function& function, const std::vector<timing::FlowBlock>& flow,
                         timing::Register first) {
        const std::vector<timing::Convergence> all =
            timing::convergence_of(flow, first, function.source->registers.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            std::vector<timing::Instruction>& list =
                blocks_[function.blocks[i].counter].instructions;
            const std::uint16_t line = list.empty() ? std::uint16_t{0} : list.front().line;
            for (const unsigned count : {all[i].begins, all[i].ends}) {
                if (count == 0) continue;
                timing::Instruction& added = list.emplace_back();
                added.slots = static_cast<std::uint8_t>(count);
                added.line = line;
            }
        }
    }

    // Predicates are none of them.
    static std::uint8_t machine_registers(ptx::Type type) {
        if (type == ptx::Type::pred) return 0;
        return static_cast<std::uint8_t>((ptx::bytes_of(type) + 3) / 4);
    }

    unsigned free_registers(const Lowered& block) const {
        const unsigned taken = block.live + registers_in_use;
        return std::max(registers_, taken + min_free_registers) - taken;
    }

    // A short body that a branch skips, and nothing else leads to it or behind it.
    void find_regions(const Function& function) {
        std::vector<unsigned> entries(function.blocks.size());
        for (const BasicBlock& block : function.blocks) {
            if (block.control == Control::branch && block.target < entries.size())
                ++entries[block.target];
        }
        for (std::uint32_t i = 0; i + 2 < function.blocks.size(); ++i) {
            const BasicBlock& head = function.blocks[i];
            const BasicBlock& body = function.blocks[i + 1];
            if (head.control != Control::branch || head.target != i + 2 || head.next != i + 1)
                continue;
            if (body.control != Control::next || entries[i + 1] > 0 || entries[i + 2] > 1) continue;
            if (!can_be_predicated(blocks_[body.counter].instructions)) continue;
            if (regions_[head.counter] == timing::no_region) regions_[head.counter] = head.counter;
            regions_[body.counter] = regions_[head.counter];
            blocks_[head.counter].is_predicated = true;
            regions_[function.blocks[i + 2].counter] = regions_[head.counter];
        }
    }

    static bool can_be_predicated(const std::vector<timing::Instruction>& body) {
        std::size_t issued = 0;
        for (const timing::Instruction& each : body) {
            if (each.orders_memory) return false;
            issued += each.slots;
        }
        return issued <= timing::max_predicated;
    }

    std::vector<timing::Instruction> issued(const timing::Path& path) {
        std::vector<timing::Part> parts;
        for (const std::uint32_t each : path) {
            const Lowered& block = blocks_[each];
            parts.push_back(
                {block.instructions, block.control ? &*block.control : nullptr, block.accesses});
        }
        std::vector<timing::Instruction> line = timing::in_line(parts);
        max_registers_ = std::max(max_registers_, timing::rename(line, first_free_));
        line = timing::reorder(std::move(line), free_registers(blocks_[path.front()]));
        timing::note_kept_operands(line);
        if (const auto& end = blocks_[path.back()].control) line.push_back(*end);
        return line;
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
        Lowered& result = blocks_[block.counter];
        result = {std::move(lowered), std::nullopt, next_access, {}, 0, false};
        for (const std::uint32_t each : instructions)
            result.varies.push_back(timing::varies(function.source->instructions[each]));
        if (block.control == Control::next) return;
        const ptx::Instruction& end = function.source->instructions[block.control_instruction];
        result.control = timing::lower_control(end, first);
        result.control->line = line_of(end.location);
    }

    std::uint16_t line_of(const ptx::SourceLocation& location) {
        const auto key = std::tuple(location.file, location.line, location.inlined_at);
        const auto [found, is_new] =
            numbers_.try_emplace(key, static_cast<std::uint16_t>(result_.lines.size()));
        if (is_new) result_.lines.push_back(location);
        return found->second;
    }

    const Image& image_;
    unsigned registers_ = 0;
    std::vector<Lowered> blocks_;         // as Image::counters
    std::vector<std::uint32_t> regions_;  // of blocks that may be issued as one
    timing::Register next_register_ = 0;
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

TimedProgram timed_program(const Image& image, std::optional<unsigned> registers_per_thread,
                           timing::LaunchTrace& trace) {
    return Builder(image, registers_per_thread).build(trace);
}

}  // namespace emulator::simt

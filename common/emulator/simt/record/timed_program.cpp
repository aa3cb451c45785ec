#include "emulator/simt/record/timed_program.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "emulator/ptxas/instructions/flow.hpp"
#include "emulator/ptxas/instructions/instruction_kinds.hpp"
#include "emulator/ptxas/instructions/liveness.hpp"
#include "emulator/ptxas/instructions/lowering.hpp"
#include "emulator/ptxas/instructions/parameter_loads.hpp"
#include "emulator/ptxas/instructions/predication.hpp"
#include "emulator/ptxas/instructions/reorder.hpp"
#include "emulator/ptxas/instructions/thread_registers.hpp"
#include "emulator/simt/decode/tensor_form.hpp"
#include "emulator/simt/state/memory.hpp"

namespace emulator::simt {
namespace {

// Compute capabilities, times ten. Instructions of the later ones take no operand from the constant bank beside one from a
// uniform register: ptxas loads sizes of the launch.
constexpr unsigned first_with_uniform_registers = 75, first_that_loads_sizes = 90;
constexpr unsigned registers_if_unknown = 40;

class Builder {
  public:
    Builder(const Image& image, std::optional<unsigned> registers, unsigned compute_number,
            const timing::PtxasRules& rules)
        : image_(image), compute_number_(compute_number), rules_(rules) {
        registers_ = registers.value_or(registers_if_unknown);
    }

    // The numbers of the paths that the trace takes, which then names them.
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
        if (rules_.predicates) find_regions(function);
        find_exits(function);
        const std::vector<timing::FlowBlock> flow = flow_of(function);
        find_live(function, flow, first);
        add_instructions(function, flow, first);
    }

    // Whether some threads that come there may go on with the block behind. Guarded instructions other than a branch or
    // an end have a branch around themselves.
    static bool goes_on(const Function& function, const BasicBlock& block) {
        switch (block.control) {
            case Control::branch:
            case Control::ret:
            case Control::exit:
                return function.source->instructions[block.control_instruction].guard.reg >= 0;
            case Control::branch_indexed:
            case Control::trap:
                return false;
            default:
                return true;
        }
    }

    static bool ends(const Function& function, const BasicBlock& block) {
        return (block.control == Control::ret || block.control == Control::exit) &&
               !goes_on(function, block);
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
            const std::uint32_t next = goes_on(function, block) ? block.next : no_block;
            for (const std::uint32_t each : {next, block.target}) {
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
        widths.reserve(function.source->registers.size());
        for (const ptx::Register& each : function.source->registers)
            widths.push_back(machine_registers(each.type));
        const std::vector<unsigned> live =
            timing::live_registers(flow, first, widths, has_uniform_registers());
        for (std::size_t i = 0; i < live.size(); ++i)
            blocks_[function.blocks[i].counter].live = live[i];
    }

    // A branch to where a kernel ends is an exit of some threads.
    void find_exits(const Function& function) {
        if (!function.source->is_kernel) return;
        for (const BasicBlock& block : function.blocks) {
            if (block.control != Control::branch) continue;
            const BasicBlock& target = function.blocks[block.target];
            if (ends(function, target) && blocks_[target.counter].instructions.empty())
                blocks_[block.counter].control->branches = false;
        }
    }

    // Parameters that ptxas loads again in a loop.
    void add_instructions(const Function& function, const std::vector<timing::FlowBlock>& flow,
                          timing::Register first) {
        if (!rules_.limits_registers || !has_uniform_registers() ||
            registers_ > timing::few_registers)
            return;
        const auto loads =
            timing::parameter_loads(flow, first, timing::parameters_of(*function.source));
        for (std::size_t i = 0; i < flow.size(); ++i) {
            if (loads[i].empty()) continue;
            std::vector<timing::Instruction>& list =
                blocks_[function.blocks[i].counter].instructions;
            timing::Instruction load;
            load.slots = static_cast<std::uint8_t>(loads[i].size());
            load.line = list.empty() ? std::uint16_t{0} : list.front().line;
            load.loads_parameter = true;
            load.destinations = loads[i];
            list.insert(list.begin(), std::move(load));
        }
    }

    // Predicates are none of them.
    static std::uint8_t machine_registers(ptx::Type type) {
        if (type == ptx::Type::pred) return 0;
        return static_cast<std::uint8_t>((ptx::bytes_of(type) + 3) / 4);
    }

    // A short body that a branch skips, and nothing else leads to it or behind it: its head, whose number is given.
    bool has_short_body(const Function& function, std::uint32_t i,
                        const std::vector<unsigned>& entries) const {
        if (i + 2 >= function.blocks.size()) return false;
        const BasicBlock& head = function.blocks[i];
        const BasicBlock& body = function.blocks[i + 1];
        return head.control == Control::branch && head.target == i + 2 && head.next == i + 1 &&
               body.control == Control::next && entries[i + 1] == 0 && entries[i + 2] <= 1 &&
               can_be_predicated(blocks_[body.counter].instructions);
    }

    // Bodies that are predicated, so that they are issued as one with what is before and behind.
    void find_regions(const Function& function) {
        std::vector<unsigned> entries(function.blocks.size());
        for (const BasicBlock& block : function.blocks) {
            if (block.control == Control::branch && block.target < entries.size())
                ++entries[block.target];
        }
        for (std::uint32_t i = 0; i < function.blocks.size(); ++i) {
            if (!has_short_body(function, i, entries)) continue;
            const std::uint32_t head = function.blocks[i].counter;
            if (regions_[head] == timing::no_region) regions_[head] = head;
            blocks_[head].is_predicated = true;
            for (const std::uint32_t other : {i + 1, i + 2})
                regions_[function.blocks[other].counter] = regions_[head];
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
        const unsigned room =
            rules_.limits_registers
                ? timing::free_registers(registers_, blocks_[path.front()].live, line)
                : registers_;
        if (rules_.reorders) line = timing::reorder(std::move(line), room);
        timing::note_kept_operands(line);
        if (const auto& end = blocks_[path.back()].control) line.push_back(*end);
        return line;
    }

    void add(const Function& function, const BasicBlock& block,
             std::span<const std::uint32_t> instructions, timing::Register first) {
        // The block's last instruction is issued as its end, but for a test of an mbarrier, which is no end.
        if (block.control != Control::next && block.control != Control::poll &&
            !instructions.empty() && instructions.back() == block.control_instruction)
            instructions = instructions.first(instructions.size() - 1);
        std::map<std::uint32_t, std::vector<std::uint32_t>> accesses;  // by instruction
        std::map<std::uint32_t, bool> is_issued;
        std::uint32_t next_access = 0;
        for (const Operation* each = block.begin; each != block.end; ++each) {
            const MemoryDetail* const detail = access_of(image_, *each);
            if (detail == nullptr) continue;
            is_issued[detail->instruction] = detail->cost.is_issued();
            accesses[detail->instruction].push_back(next_access++);
        }
        std::vector<timing::Instruction> lowered =
            timing::lower(*function.source, instructions, first);
        Lowered& result = blocks_[block.counter];
        result = {{}, std::nullopt, next_access, {}, 0, false};
        for (std::size_t i = 0; i < lowered.size(); ++i) {
            const ptx::Instruction& source = function.source->instructions[instructions[i]];
            lowered[i].line = line_of(source.location);
            use_tensor_cores(source, lowered[i]);
            if (lowered[i].loads_parameter && compute_number_ < first_that_loads_sizes) {
                lowered[i].loads_parameter = false;  // an operand in the constant bank
                lowered[i].slots = 0;
            }
            const bool varies = timing::varies(*function.source, source);
            if (!is_issued.try_emplace(instructions[i], true).first->second) lowered[i].slots = 0;
            const std::vector<std::uint32_t>& of_it = accesses[instructions[i]];
            // wmma loads and stores a tile by several instructions.
            for (std::size_t j = 0; j < std::max<std::size_t>(1, of_it.size()); ++j) {
                if (!of_it.empty()) lowered[i].access = of_it[j];
                result.instructions.push_back(lowered[i]);
                result.varies.push_back(varies);
            }
        }
        if (block.control == Control::next || block.control == Control::poll) return;
        const ptx::Instruction& end = function.source->instructions[block.control_instruction];
        const bool is_around = block.control == Control::branch && end.opcode != "bra";
        result.control =
            is_around ? timing::lower_guard(end, first) : timing::lower_control(end, first);
        result.control->line = line_of(end.location);
    }

    void use_tensor_cores(const ptx::Instruction& source, timing::Instruction& lowered) const {
        const bool is_of_warpgroup = is_warpgroup_product(source);
        const bool is_product = source.opcode == "mma" || is_of_warpgroup ||
                                (source.opcode == "wmma" && timing::has(source, "mma"));
        const auto form = is_product ? product_form(source) : std::nullopt;
        if (!form) return;
        const TensorCore* const core = find_tensor_core(form->a, compute_number_, is_of_warpgroup);
        if (core == nullptr) return;
        lowered.unit = timing::Unit::tensor;
        lowered.slots =
            static_cast<std::uint8_t>(std::max(1u, machine_products(source, compute_number_)));
        lowered.tensor_cycles = form->m * form->n * form->k / core->products_per_cycle;
        if (is_of_warpgroup) lowered.tensor_cycles /= 4;  // of one of its four warps
        lowered.tensor_latency = core->latency_cycles;
    }

    bool has_uniform_registers() const { return compute_number_ >= first_with_uniform_registers; }

    std::uint16_t line_of(const ptx::SourceLocation& location) {
        const auto key = std::tuple(location.file, location.line, location.inlined_at);
        const auto [found, is_new] =
            numbers_.try_emplace(key, static_cast<std::uint16_t>(result_.lines.size()));
        if (is_new) result_.lines.push_back(location);
        return found->second;
    }

    const Image& image_;
    const unsigned compute_number_;
    const timing::PtxasRules rules_;
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
                           unsigned compute_number, const timing::PtxasRules& rules,
                           timing::LaunchTrace& trace) {
    return Builder(image, registers_per_thread, compute_number, rules).build(trace);
}

}  // namespace emulator::simt

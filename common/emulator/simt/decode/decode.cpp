#include "emulator/simt/decode/decode.hpp"

#include <algorithm>
#include <bit>

namespace emulator::simt {
namespace {

struct GuardedDetail {
    Operation operation;
    std::uint32_t number = 0;
};

void execute_guarded(Warp& warp, const Operation& operation) {
    const auto& detail = *static_cast<const GuardedDetail*>(operation.detail);
    const std::uint32_t mask = warp.mask;
    const std::uint32_t predicate = warp.predicate(operation.guard);
    const std::uint32_t lanes = mask & (operation.guard_negated ? ~predicate : predicate);
    context_of(warp).guarded_out[detail.number] +=
        static_cast<unsigned>(std::popcount(mask & ~lanes));
    if (lanes == 0) return;
    warp.mask = lanes;
    detail.operation.execute(warp, detail.operation);
    warp.mask = mask;
}

}  // namespace

const Operation* guarded_operation(const Operation& operation) {
    if (operation.execute != execute_guarded) return nullptr;
    return &static_cast<const GuardedDetail*>(operation.detail)->operation;
}

const Function* Image::function_at(std::uint64_t address) const {
    const std::uint64_t number = (address - function_window) / 16;
    if (address % 16 != 0 || number >= by_number.size()) return nullptr;
    return by_number[number];
}

FunctionDecoder::FunctionDecoder(Module& module, Image& image, Function& function)
    : module_(module),
      image_(image),
      function_(function),
      source_(*function.source),
      flow_(ptx::analyse_control_flow(source_, module.functions_without_return)),
      uses_(source_, flow_) {}

void FunctionDecoder::decode() {
    lay_out_registers();
    lay_out_variables();
    find_issued_accesses();
    count_definitions();
    pauses_ = ptx::stores_behind_loads(source_, flow_);
    blocks_.emplace_back();
    std::vector<bool> has_label(source_.instructions.size() + 1);
    for (const ptx::Label& label : source_.labels) has_label[label.instruction] = true;
    for (at_ = 0; at_ < source_.instructions.size(); ++at_) {
        if (has_label[at_] && blocks_.back().first_instruction != at_) {
            --at_;
            end_block(Control::next);
            ++at_;
        }
        const ptx::Instruction& here = source_.instructions[at_];
        try {
            spills();
            instruction(here);
            note_pause();
            note_definitions(here);
        } catch (const Refused& refused) {
            refuse(here, refused.what());
            return;
        } catch (const LaunchesKernels& refused) {
            function_.traits.unsupported = refused.what();
            return;
        }
    }
    if (has_label.back() && blocks_.back().first_instruction != at_) {
        --at_;
        end_block(Control::next);
        ++at_;
    }
    blocks_.back().block.control = Control::ret;
    finish_blocks();
}

// Notes the first pause of a block that has several.
void FunctionDecoder::note_pause() {
    OpenBlock& open = blocks_.back();
    if (!pauses_[at_] || open.pauses_at != nullptr) return;
    open.pauses_at = open.operations.back().detail;
    image_.has_pauses = true;
}

void FunctionDecoder::find_issued_accesses() {
    // In whichever order ptxas lays them out, each begins at a multiple of 8.
    const bool are_constants_aligned =
        std::ranges::all_of(module_.source.variables, [](const ptx::Variable& variable) {
            return variable.space != ptx::Space::constant || variable.bytes % 8 == 0;
        });
    const auto offset_in_words = [&,
                                  this](const std::string& symbol) -> std::optional<std::uint64_t> {
        for (const auto& [name, offset] : image_.shared_offsets) {
            if (name == symbol) return offset;
        }
        const auto variable = module_.variables.find(symbol);
        const bool is_constant =
            variable != module_.variables.end() && variable->second.is_constant;
        return is_constant && are_constants_aligned ? std::optional<std::uint64_t>(0)
                                                    : std::nullopt;
    };
    const auto code = module_.source.machine_code.find(image_.kernel->source->name);
    issued_ = std::make_shared<ptx::IssuedAccesses>(
        source_, ptx::analyse_control_flow(source_), offset_in_words,
        code == module_.source.machine_code.end() ? nullptr : &code->second);
    function_.details.push_back(issued_);
    local_accesses_ =
        std::make_shared<ptx::LocalAccesses>(module_.source, image_.kernel->source->name, source_);
    function_.details.push_back(local_accesses_);
}

void FunctionDecoder::refuse(const ptx::Instruction& instruction, const std::string& why) {
    const std::string kind = source_.is_kernel ? "kernel " : "function ";
    function_.traits.unsupported = text(module_, instruction.location) + ": " + kind +
                                   source_.name + " uses `" + instruction.text +
                                   "`, which the emulated GPU cannot execute" +
                                   (why.empty() ? "" : ": " + why);
}

// Predicates first, close together; other registers at multiples of 64 bytes.
void FunctionDecoder::lay_out_registers() {
    register_offsets_.resize(source_.registers.size());
    for (std::size_t i = 0; i < source_.registers.size(); ++i) {
        if (source_.registers[i].type == ptx::Type::pred) register_offsets_[i] = new_register(0);
    }
    for (std::size_t i = 0; i < source_.registers.size(); ++i) {
        const ptx::Type type = source_.registers[i].type;
        if (type != ptx::Type::pred) register_offsets_[i] = new_register(ptx::bytes_of(type));
    }
}

void FunctionDecoder::lay_out_variables() {
    const auto place = [&](std::uint32_t& end, const ptx::Variable& variable) {
        const std::uint32_t offset = aligned(end, std::max<std::uint32_t>(variable.alignment, 4));
        end = offset + aligned(static_cast<std::uint32_t>(variable.bytes), 4);
        variable_bytes_[variable.name] = static_cast<std::uint32_t>(variable.bytes);
        return offset;
    };
    std::uint32_t kernel_bytes = 0;
    for (const ptx::Variable& parameter : source_.parameters) {
        if (source_.is_kernel) {
            kernel_bytes = aligned(kernel_bytes, std::max<std::uint32_t>(parameter.alignment, 1));
            kernel_parameters_[parameter.name] = kernel_bytes;
            kernel_bytes += static_cast<std::uint32_t>(parameter.bytes);
            continue;
        }
        const std::uint32_t offset = place(function_.parameter_bytes, parameter);
        parameter_offsets_[parameter.name] = offset;
        function_.parameter_offsets.push_back(offset);
        function_.parameter_sizes.push_back(static_cast<std::uint32_t>(parameter.bytes));
    }
    for (const ptx::Variable& result : source_.results) {
        const std::uint32_t offset = place(function_.parameter_bytes, result);
        parameter_offsets_[result.name] = offset;
        function_.result_offsets.push_back(offset);
        function_.result_sizes.push_back(static_cast<std::uint32_t>(result.bytes));
    }
    for (const ptx::Variable& variable : source_.variables) {
        if (variable.space == ptx::Space::param) {
            parameter_offsets_[variable.name] = place(function_.parameter_bytes, variable);
        } else if (variable.space == ptx::Space::local) {
            local_offsets_[variable.name] = place(function_.local_bytes, variable);
        }
    }
    function_.local_bytes = aligned(function_.local_bytes, 16);
}

Operation& FunctionDecoder::emit(const Operation& operation) {
    auto& operations = blocks_.back().operations;
    const ptx::Guard guard = source_.instructions[at_].guard;
    if (guard.reg < 0 || guard_applied_) return operations.emplace_back(operation);
    auto& detail = new_detail<GuardedDetail>();
    detail.operation = operation;
    detail.number = static_cast<std::uint32_t>(image_.guarded.size());
    image_.guarded.push_back({&function_, at_});
    Operation guarded = operation;
    guarded.execute = execute_guarded;
    guarded.detail = &detail;
    guarded.guard = register_offsets_[static_cast<std::size_t>(guard.reg)];
    guarded.guard_negated = guard.negated;
    return operations.emplace_back(guarded);
}

BasicBlock& FunctionDecoder::end_block(Control control) {
    const std::size_t ended = blocks_.size() - 1;
    blocks_[ended].block.control = control;
    blocks_[ended].block.control_instruction = at_;
    blocks_.emplace_back();
    blocks_.back().first_instruction = at_ + 1;
    return blocks_[ended].block;
}

void FunctionDecoder::branch_around() {
    const ptx::Guard guard = source_.instructions[at_].guard;
    if (guard.reg < 0) return;
    BasicBlock& block = end_block(Control::branch);
    block.guard = register_offsets_[static_cast<std::size_t>(guard.reg)];
    block.guard_negated = !guard.negated;
    block.target = at_ + 1;
    blocks_.back().first_instruction = at_;
    guard_applied_ = true;
}

void FunctionDecoder::instruction(const ptx::Instruction& instruction) {
    guard_applied_ = false;
    if (control(instruction) || communication(instruction) || barrier(instruction) ||
        call(instruction) || mbarrier(instruction) || tensor(instruction) ||
        warpgroup(instruction)) {
        return;
    }
    blocks_.back().instructions.push_back(at_);
    if (asynchronous(instruction) || texture(instruction) || memory(instruction) ||
        atomic(instruction) || address_arithmetic(instruction) || cluster_address(instruction) ||
        hint(instruction) || arithmetic(instruction)) {
        return;
    }
    throw Refused{};
}

bool FunctionDecoder::arithmetic(const ptx::Instruction& instruction) {
    using ptx::OperandKind;
    std::vector<ptx::Operand> destinations, sources;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        const ptx::Operand& operand = instruction.operands[i];
        auto& list = i == 0 ? destinations : sources;
        if (operand.kind == OperandKind::vector) {
            list.insert(list.end(), operand.elements.begin(), operand.elements.end());
        } else {
            list.push_back(operand);
        }
    }
    if (destinations.empty() || destinations.size() > 4) return false;
    const bool has_second = destinations[0].has_second;
    std::optional<std::size_t> immediate;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (sources[i].kind == OperandKind::immediate) immediate = i;
    }
    const ptx::Type type = type_of(instruction);
    const unsigned bytes = ptx::bytes_of(type);
    const auto bytes_of_source = [&](std::size_t i) -> unsigned {
        const std::string& opcode = instruction.opcode;
        const bool is_count = (opcode == "bfi" && i >= 2) || (opcode == "bfe" && i >= 1) ||
                              (i == 1 && (opcode == "shl" || opcode == "shr"));
        if (is_count) return 4;
        if ((opcode == "mad" || opcode == "mul") && has(instruction, "wide"))
            return i == 2 ? 2 * bytes : bytes;
        for (const ptx::Operand& other : sources) {
            if (other.kind != OperandKind::reg || opcode == "cvt") continue;
            if (const unsigned size = register_bytes(other); size != 0) return size;
        }
        return std::max(bytes, 2u);
    };
    Operation operation;
    std::vector<OperandShape> shapes;
    for (const ptx::Operand& destination : destinations) {
        const unsigned size = destination.kind == OperandKind::sink ? std::max(2u, bytes)
                                                                    : register_bytes(destination);
        shapes.push_back({static_cast<std::uint8_t>(size), false, false});
    }
    if (destinations.size() > 1) {
        unsigned size = 2;
        for (const ptx::Operand& destination : destinations) {
            if (destination.kind == OperandKind::reg) size = register_bytes(destination);
        }
        for (OperandShape& shape : shapes) shape.register_bytes = static_cast<std::uint8_t>(size);
    }
    std::vector<RegisterOffset> offsets;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const ptx::Operand& source = sources[i];
        if (immediate == i) {
            operation.immediate = immediate_bits(source, bytes);
            offsets.push_back(no_register);
            shapes.push_back({0, true, false});
            continue;
        }
        const unsigned size =
            source.kind == OperandKind::reg ? register_bytes(source) : bytes_of_source(i);
        offsets.push_back(as_register(source, size));
        shapes.push_back({static_cast<std::uint8_t>(size), false, source.negated});
    }
    const Arithmetic found =
        find_arithmetic(instruction.opcode, instruction.modifiers, shapes, destinations.size());
    if (found.execute == nullptr) return false;
    operation.execute = found.execute;
    operation.variant = found.variant;
    operation.destination = offset_of(destinations[0]);
    if (has_second) operation.second_destination = offset_of(destinations[0].elements.back());
    if (destinations.size() > 1) operation.second_destination = offset_of(destinations[1]);
    for (std::size_t i = 2; i < destinations.size(); ++i)
        operation.source[i] = offset_of(destinations[i]);
    if (found.reads_carry || found.writes_carry) {
        if (carry_ == no_register) carry_ = new_register(0);
        if (found.reads_carry) offsets.push_back(carry_);
        if (found.writes_carry) operation.second_destination = carry_;
    }
    if (offsets.size() > 4) return false;
    std::ranges::copy(offsets, operation.source.begin());
    note_rare_operands(instruction, operation);
    if (destinations.size() > 2 || found.reads_carry || found.writes_carry) {
        emit(operation);
    } else {
        const std::size_t hoisted = function_.launch_invariants.size();
        emit_pure(operation);
        if (function_.launch_invariants.size() == hoisted) note_address(instruction, operation);
    }
    return true;
}

}  // namespace emulator::simt

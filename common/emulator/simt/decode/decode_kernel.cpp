// Which functions a kernel reaches, and where its shared variables lie.
#include <algorithm>
#include <set>

#include "emulator/simt/decode/decode.hpp"
#include "emulator/simt/decode/static_shared.hpp"
#include "emulator/simt/record/machine_instructions.hpp"

namespace emulator::simt {
namespace {

// Symbols that the operands of a function name.
void collect(const ptx::Operand& operand, std::set<std::string>& symbols) {
    if (!operand.symbol.empty()) symbols.insert(operand.symbol);
    for (const ptx::Operand& inner : operand.elements) collect(inner, symbols);
}

struct Reachable {
    std::vector<std::uint32_t> functions;  // the kernel first
    std::set<std::string> symbols;
};

bool calls_through_pointer(const ptx::Function& function) {
    return std::ranges::any_of(function.instructions, [](const ptx::Instruction& instruction) {
        return instruction.opcode == "call" &&
               std::ranges::any_of(instruction.operands, [](const ptx::Operand& operand) {
                   return operand.kind == ptx::OperandKind::reg;
               });
    });
}

// By calls; where there is one through a pointer, every function whose address a variable may hold or an
// instruction takes.
Reachable reachable_from(const Module& module, std::uint32_t kernel) {
    Reachable result;
    std::set<std::uint32_t> seen{kernel};
    result.functions = {kernel};
    const auto add = [&](const std::string& symbol) {
        const auto number = module.function_number(symbol);
        if (number && seen.insert(*number).second) result.functions.push_back(*number);
    };
    for (std::size_t i = 0; i < result.functions.size(); ++i) {
        const ptx::Function& function = module.source.functions[result.functions[i]];
        std::set<std::string> symbols;
        for (const ptx::Instruction& instruction : function.instructions) {
            for (const ptx::Operand& operand : instruction.operands) collect(operand, symbols);
        }
        std::ranges::for_each(symbols, add);
        result.symbols.merge(symbols);
        if (!calls_through_pointer(function)) continue;
        for (const ptx::Variable& variable : module.source.variables) {
            for (const ptx::Relocation& relocation : variable.relocations) add(relocation.symbol);
        }
        for (const ptx::Function& other : module.source.functions) {
            // Kernels hand functions over as arguments, too.
            if (!other.is_kernel && !other.instructions.empty()) add(other.name);
        }
    }
    return result;
}

struct SharedLayout {
    std::vector<std::pair<std::string, std::uint32_t>> offsets;
    std::uint32_t static_bytes = 0, dynamic_offset = 0;
};

SharedLayout lay_out_shared(const Module& module, const Reachable& reachable) {
    SharedLayout layout;
    std::uint32_t dynamic_alignment = 16;
    std::vector<std::string> dynamic;
    const auto place = [&](const ptx::Variable& variable) {
        if (variable.space != ptx::Space::shared) return;
        if (variable.bytes == 0) {
            dynamic.push_back(variable.name);
            dynamic_alignment = std::max(dynamic_alignment, variable.alignment);
            return;
        }
        const std::uint32_t offset =
            aligned(layout.static_bytes, std::max<std::uint32_t>(variable.alignment, 1));
        layout.offsets.emplace_back(variable.name, offset);
        layout.static_bytes = offset + static_cast<std::uint32_t>(variable.bytes);
    };
    for (const ptx::Variable& variable : module.source.variables) {
        if (reachable.symbols.contains(variable.name)) place(variable);
    }
    for (const std::uint32_t number : reachable.functions) {
        for (const ptx::Variable& variable : module.source.functions[number].variables)
            place(variable);
    }
    layout.dynamic_offset = aligned(layout.static_bytes, dynamic_alignment);
    for (const std::string& name : dynamic)
        layout.offsets.emplace_back(name, layout.dynamic_offset);
    return layout;
}

}  // namespace

std::size_t static_shared_bytes_of(const Module& module, std::uint32_t kernel) {
    return lay_out_shared(module, reachable_from(module, kernel)).static_bytes;
}

std::unique_ptr<Image> decode_kernel(Module& module, std::uint32_t kernel) {
    auto image = std::make_unique<Image>();
    image->source = &module.source;
    const Reachable reachable = reachable_from(module, kernel);
    SharedLayout layout = lay_out_shared(module, reachable);
    image->shared_offsets = std::move(layout.offsets);
    image->static_shared_bytes = layout.static_bytes;
    image->dynamic_shared_offset = layout.dynamic_offset;
    image->by_number.resize(module.source.functions.size());
    for (const std::uint32_t number : reachable.functions) {
        auto& function = image->functions.emplace_back(std::make_unique<Function>());
        function->source = &module.source.functions[number];
        image->by_number[number] = function.get();
    }
    image->kernel = image->functions[0].get();
    for (const auto& function : image->functions) {
        FunctionDecoder(module, *image, *function).decode();
        const Traits& traits = function->traits;
        image->traits.has_order_dependence |= traits.has_order_dependence;
        image->traits.may_wait_for_blocks |= traits.may_wait_for_blocks;
        image->traits.has_indirect_calls |= traits.has_indirect_calls;
        image->traits.reads_clock |= traits.reads_clock;
        image->traits.allocates_memory |= traits.allocates_memory;
        image->uses_local_memory |= function->local_bytes != 0;
        // A function that is reached through a pointer only is refused when it is called.
        const bool is_called = function.get() == image->kernel || !image->traits.has_indirect_calls;
        if (is_called && image->traits.unsupported.empty())
            image->traits.unsupported = traits.unsupported;
    }
    if (!module.source.machine_flow.empty()) image->machine = machine_counts_of(*image);
    return image;
}

const Image& Module::image(Kernel& kernel) {
    if (!kernel.image) kernel.image = decode_kernel(*this, kernel.number);
    return *kernel.image;
}

// ---- what the runtime asks for -------------------------------------------------------------------

}  // namespace emulator::simt

// Registers, immediates, symbols, special registers, addresses.
#include <algorithm>
#include <bit>

#include "emulator/simt/decode/decode.hpp"
#include "emulator/simt/warp/special_registers.hpp"

namespace emulator::simt {

using ptx::Operand;
using ptx::OperandKind;

ptx::Type FunctionDecoder::type_of(const ptx::Instruction& instruction) {
    for (auto modifier = instruction.modifiers.rbegin(); modifier != instruction.modifiers.rend();
         ++modifier) {
        const ptx::Type type = ptx::type_named(*modifier);
        if (type != ptx::Type::none) return type;
    }
    return ptx::Type::none;
}

unsigned FunctionDecoder::register_bytes(const Operand& operand) const {
    const ptx::Type type = source_.registers[operand.index].type;
    if (type == ptx::Type::pred) return 0;
    return std::max(2u, ptx::bytes_of(type));
}

RegisterOffset FunctionDecoder::offset_of(const Operand& operand) {
    if (operand.kind == OperandKind::sink) return no_register;
    if (operand.kind != OperandKind::reg) throw Refused{"expected a register"};
    return register_offsets_[operand.index];
}

RegisterOffset FunctionDecoder::new_register(unsigned bytes) {
    const std::uint32_t size = bytes == 0 ? 4 : std::max(2u, bytes) * warp_size;
    const std::uint32_t alignment = bytes == 0 ? 4 : 64;
    const std::uint32_t offset = (function_.register_bytes + alignment - 1) / alignment * alignment;
    function_.register_bytes = offset + size;
    return offset;
}

RegisterOffset FunctionDecoder::constant(unsigned bytes, std::uint64_t bits) {
    const auto [place, is_new] = constants_.try_emplace({bytes, bits}, no_register);
    if (is_new) {
        place->second = new_register(bytes);
        function_.constants.push_back({place->second, static_cast<std::uint8_t>(bytes), bits});
    }
    return place->second;
}

std::uint64_t FunctionDecoder::immediate_bits(const Operand& operand, unsigned bytes) {
    const bool is_double = operand.literal == ptx::Type::f64 || operand.literal == ptx::Type::b64;
    if (is_double && bytes == 4) {
        return std::bit_cast<std::uint32_t>(
            static_cast<float>(std::bit_cast<double>(operand.bits)));
    }
    return operand.bits;
}

std::optional<std::uint64_t> FunctionDecoder::constant_address(const std::string& symbol) const {
    for (const auto& [name, offset] : image_.shared_offsets) {
        if (name == symbol) return offset;
    }
    if (const auto local = local_offsets_.find(symbol);
        local != local_offsets_.end() && source_.is_kernel) {
        return local->second;  // of a kernel, whose frame begins at 0
    }
    if (const auto parameter = kernel_parameters_.find(symbol);
        parameter != kernel_parameters_.end()) {
        return parameter->second;
    }
    const auto variable = module_.variables.find(symbol);
    if (variable != module_.variables.end()) {
        return reinterpret_cast<std::uint64_t>(variable->second.address);
    }
    if (const auto number = module_.function_number(symbol))
        return Module::function_address(*number);
    return std::nullopt;
}

RegisterOffset FunctionDecoder::special(const std::string& name, unsigned bytes) {
    const SpecialRegister found = find_special_register(name);
    if (found.execute == nullptr) throw Refused{"the special register " + name};
    function_.traits.reads_clock |= found.is_clock;
    const RegisterOffset place = new_register(found.bytes);
    Operation operation;
    operation.execute = found.execute;
    operation.destination = place;
    operation.variant = found.variant;
    if (found.is_same_in_all_blocks) {
        emit_pure(operation);
    } else {
        emit(operation);
    }
    if (bytes == found.bytes) return place;
    // A narrower or wider view of it.
    const auto unsigned_type = [](unsigned size) {
        return std::string("u").append(std::to_string(8 * size));
    };
    const std::vector<std::string> modifiers{unsigned_type(bytes), unsigned_type(found.bytes)};
    const OperandShape shapes[] = {{static_cast<std::uint8_t>(bytes), false, false},
                                   {static_cast<std::uint8_t>(found.bytes), false, false}};
    const Arithmetic convert = find_arithmetic("cvt", modifiers, shapes);
    if (convert.execute == nullptr) throw Refused{"a conversion of " + name};
    Operation conversion;
    conversion.execute = convert.execute;
    conversion.variant = convert.variant;
    conversion.destination = new_register(bytes);
    conversion.source[0] = place;
    emit_pure(conversion);
    return conversion.destination;
}

RegisterOffset FunctionDecoder::as_register(const Operand& operand, unsigned bytes) {
    switch (operand.kind) {
        case OperandKind::reg:
            return register_offsets_[operand.index];
        case OperandKind::sink:
            return no_register;
        case OperandKind::immediate:
            return constant(bytes, immediate_bits(operand, bytes));
        case OperandKind::special:
            return special(operand.symbol, bytes);
        case OperandKind::symbol:
        case OperandKind::label: {
            if (const auto value = constant_address(operand.symbol)) {
                return constant(bytes, *value + static_cast<std::uint64_t>(operand.offset));
            }
            if (const auto local = local_offsets_.find(operand.symbol);
                local != local_offsets_.end()) {
                Operation operation;
                operation.execute =
                    bytes == 8 ? frame_address<std::uint64_t> : frame_address<std::uint32_t>;
                operation.destination = new_register(bytes);
                operation.immediate = local->second + static_cast<std::uint64_t>(operand.offset);
                return emit(operation).destination;
            }
            throw Refused{"the symbol " + operand.symbol + ", which the module does not define"};
        }
        default:
            throw Refused{"an operand of this kind"};
    }
}

FunctionDecoder::AddressForm FunctionDecoder::address(const Operand& operand) {
    AddressForm form;
    form.offset = operand.offset;
    const Operand& base = operand.kind == OperandKind::address ? operand.elements[0] : operand;
    if (base.kind == OperandKind::reg) {
        form.base = register_offsets_[base.index];
        form.is_64_bit = register_bytes(base) == 8;
        return form;
    }
    if (base.kind == OperandKind::immediate) {
        form.offset += static_cast<std::int64_t>(base.bits);
        return form;
    }
    if (base.kind == OperandKind::special) {
        form.base = special(base.symbol, 8);
        return form;
    }
    if (&base != &operand) form.offset += base.offset;
    if (const auto parameter = parameter_offsets_.find(base.symbol);
        parameter != parameter_offsets_.end()) {
        form.offset += parameter->second;
        form.is_parameter_of_call = true;
        return form;
    }
    if (const auto local = local_offsets_.find(base.symbol); local != local_offsets_.end()) {
        form.offset += local->second;
        form.is_frame_local = true;
        return form;
    }
    form.is_kernel_parameter = kernel_parameters_.contains(base.symbol);
    const auto value = constant_address(base.symbol);
    if (!value) throw Refused{"the symbol " + base.symbol + ", which the module does not define"};
    form.offset += static_cast<std::int64_t>(*value);
    return form;
}

}  // namespace emulator::simt

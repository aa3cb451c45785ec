// Variables: declarations, arrays, initial values, parameters.
// Source: NVIDIA, PTX ISA, section 5.4.
#include <algorithm>
#include <bit>

#include "emulator/ptx/parse/constant_expression.hpp"
#include "emulator/ptx/parse/parser.hpp"
#include "emulator/ptx/parse/types.hpp"

namespace emulator::ptx {
namespace {

constexpr std::uint64_t max_variable_bytes = std::uint64_t{1} << 48;
constexpr std::uint64_t max_initial_bytes = std::uint64_t{1} << 28;
constexpr std::size_t max_array_dimensions = 16;
constexpr std::uint64_t max_alignment = 1 << 20;

bool is_reference(Type type) {
    return type == Type::texref || type == Type::surfref || type == Type::samplerref;
}

unsigned vector_length_named(std::string_view name) {
    if (name == "v2") return 2;
    if (name == "v4") return 4;
    if (name == "v8") return 8;
    return 0;
}

}  // namespace

Parser::Declaration Parser::declaration(Space space) {
    Declaration result;
    result.space = space;
    while (scanner_.peek() == '.') {
        const std::string_view word = scanner_.dotted_name();
        if (word == "align") {
            const std::uint64_t alignment = scanner_.unsigned_integer("an alignment");
            if (!std::has_single_bit(alignment) || alignment > max_alignment) {
                scanner_.fail("alignment is no power of two");
            }
            // The alignment of a pointer's target comes behind the type.
            if (result.type == Type::none) result.alignment = static_cast<std::uint32_t>(alignment);
        } else if (word == "attribute") {
            skip_attribute(&result.is_managed);
        } else if (const unsigned length = vector_length_named(word)) {
            result.vector_length = length;
        } else if (const Type type = type_named(word); type != Type::none) {
            result.type = type;
        } else if (word != "ptr" && !space_named(word)) {
            scanner_.fail("unknown type or attribute ." + std::string(word));
        }
    }
    if (result.type == Type::none) scanner_.fail("declaration without a type");
    if (result.type == Type::pred) scanner_.fail("predicates are registers only");
    return result;
}

// Sets the variable's bytes; 0 where a first dimension is left open: name[].
Variable Parser::declared_name(const Declaration& declaration,
                               std::vector<std::uint64_t>& dimensions) {
    Variable variable;
    variable.name = scanner_.expect_identifier("the name of a variable");
    variable.space = declaration.space;
    variable.type = declaration.type;
    variable.is_managed = declaration.is_managed;
    const std::uint64_t element = bytes_of(declaration.type);
    variable.alignment = declaration.alignment
                             ? declaration.alignment
                             : static_cast<std::uint32_t>(element * declaration.vector_length);
    dimensions.clear();
    while (scanner_.accept('[')) {
        if (dimensions.size() == max_array_dimensions) scanner_.fail("too many dimensions");
        const bool is_open = scanner_.peek() == ']';
        if (is_open && !dimensions.empty()) scanner_.fail("only the first dimension may be open");
        const Constant size = is_open ? Constant{} : parse_constant(scanner_);
        if (size.is_float()) scanner_.fail("array size is no integer");
        dimensions.push_back(size.bits);
        scanner_.expect(']');
    }
    if (declaration.vector_length > 1) dimensions.push_back(declaration.vector_length);
    variable.bytes = element;
    for (std::uint64_t size : dimensions) {
        if (__builtin_mul_overflow(variable.bytes, size, &variable.bytes) ||
            variable.bytes > max_variable_bytes) {
            scanner_.fail("array " + variable.name + " is too large");
        }
    }
    return variable;
}

void Parser::initialise(Variable& variable, const std::vector<std::uint64_t>& dimensions) {
    if (is_reference(variable.type)) {  // { addr_mode_0 = wrap, ... }: the runtime sets these
        scanner_.expect('{');
        return scanner_.skip_to_closing('{', '}');
    }
    // Bytes that one step of each dimension covers; the last is an element.
    std::vector<std::uint64_t> strides(dimensions.size() + 1, bytes_of(variable.type));
    for (std::size_t i = dimensions.size(); i-- > 0;) strides[i] = strides[i + 1] * dimensions[i];
    const bool is_open = variable.bytes == 0;
    if (scanner_.accept('{')) {
        if (dimensions.empty()) scanner_.fail("list of initial values for a scalar");
        initial_list(variable, strides, 1, 0);
    } else {
        initial_value(variable, 0);
    }
    if (is_open) {
        const std::uint64_t row = strides.size() > 1 ? strides[1] : strides[0];
        variable.bytes = (variable.initial.size() + row - 1) / row * row;
    }
}

// Behind the opening brace. `strides[depth]` is what an inner list covers.
void Parser::initial_list(Variable& variable, const std::vector<std::uint64_t>& strides,
                          std::size_t depth, std::uint64_t position) {
    const std::uint64_t element = bytes_of(variable.type);
    while (!scanner_.accept('}')) {
        if (scanner_.accept('{')) {
            if (depth + 1 >= strides.size()) scanner_.fail("initial values nested too deeply");
            initial_list(variable, strides, depth + 1, position);
            position += strides[depth];
        } else {
            initial_value(variable, position);
            position += element;
        }
        if (scanner_.peek() != '}') scanner_.expect(',');
    }
}

void Parser::initial_value(Variable& variable, std::uint64_t position) {
    const std::uint64_t element = bytes_of(variable.type);
    if (position + element > (variable.bytes ? variable.bytes : max_initial_bytes)) {
        scanner_.fail("more initial values than " + variable.name + " holds");
    }
    if (position + element > max_initial_bytes) scanner_.fail("too many initial values");
    if (variable.initial.size() < position + element) variable.initial.resize(position + element);
    if (Scanner::starts_identifier(scanner_.peek())) return initial_address(variable, position, 0);
    const Constant value = parse_constant(scanner_);
    if (scanner_.accept('(')) {  // 0xFF00(symbol)
        initial_address(variable, position, value.bits);
        scanner_.expect(')');
        return;
    }
    const std::uint64_t bits = bits_as(value, variable.type);
    for (std::uint64_t i = 0; i < element && i < 8; ++i) {
        variable.initial[position + i] = static_cast<std::uint8_t>(bits >> (8 * i));
    }
}

// symbol, symbol+8, generic(symbol)+8; with a mask one byte of that.
void Parser::initial_address(Variable& variable, std::uint64_t position, std::uint64_t mask) {
    Relocation relocation;
    relocation.at = position;
    relocation.bytes = mask ? 1 : bytes_of(variable.type);
    relocation.symbol = scanner_.expect_identifier("a symbol");
    if (relocation.symbol == "generic" && scanner_.accept('(')) {
        relocation.generic = true;
        relocation.symbol = scanner_.expect_identifier("a symbol");
        relocation.offset = signed_offset();
        scanner_.expect(')');
    }
    relocation.offset += signed_offset();
    if (mask) {
        const unsigned byte = static_cast<unsigned>(std::countr_zero(mask)) / 8;
        if (mask != 0xffull << (8 * byte)) scanner_.fail("mask of an address is not one byte");
        relocation.shift = static_cast<std::uint8_t>(byte);
    }
    variable.relocations.push_back(std::move(relocation));
}

void Parser::module_variables(Space space, const Linkage& linkage) {
    const Declaration shape = declaration(space);
    std::vector<std::uint64_t> dimensions;
    do {
        Variable variable = declared_name(shape, dimensions);
        if (scanner_.accept('=')) initialise(variable, dimensions);
        variable.is_extern = linkage.is_extern;
        variable.is_visible = linkage.is_visible || linkage.is_common;
        variable.is_weak = linkage.is_weak || linkage.is_common;
        add_variable(std::move(variable));
    } while (scanner_.accept(','));
    scanner_.expect(';');
}

// .param .align 8 .b8 name[16]; in prototypes the name is "_".
Variable Parser::parameter() {
    const std::string_view space = scanner_.dotted_name();
    if (space == "reg") scanner_.fail("parameters in registers: compile with an ABI (.param)");
    if (space != "param") scanner_.fail("expected .param");
    const Declaration shape = declaration(Space::param);
    std::vector<std::uint64_t> dimensions;
    return declared_name(shape, dimensions);
}

// In parentheses; the first one is read already.
std::vector<Variable> Parser::parameters() {
    std::vector<Variable> result;
    if (scanner_.accept(')')) return result;
    do {
        result.push_back(parameter());
    } while (scanner_.accept(','));
    scanner_.expect(')');
    return result;
}

}  // namespace emulator::ptx

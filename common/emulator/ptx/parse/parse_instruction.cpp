// Instructions and their operands.
// Source: NVIDIA, PTX ISA, chapter 6 (operands) and section 9.7 (instructions).
#include <string>

#include "emulator/ptx/parse/constant_expression.hpp"
#include "emulator/ptx/parse/parser.hpp"

namespace emulator::ptx {
namespace {

constexpr unsigned max_operand_depth = 8;

// As written, in one line: each run of white space is one blank.
std::string on_one_line(const char* start, const char* end) {
    std::string result;
    result.reserve(end - start);
    for (; start != end; ++start) {
        if (static_cast<unsigned char>(*start) > ' ') {
            result += *start;
        } else if (result.empty() || result.back() != ' ') {
            result += ' ';
        }
    }
    return result;
}

}  // namespace

// @p or @!p, then the instruction.
void Parser::guarded_instruction(Function& function) {
    const char* start = scanner_.position();
    scanner_.expect('@');
    if (scanner_.peek() == '@') return scanner_.skip_line();  // @@DWARF of PTX 2
    Guard guard;
    guard.negated = scanner_.accept('!');
    const std::string_view name = scanner_.expect_identifier("a predicate");
    const Scopes::Found found = body_.scopes.find(name);
    const bool is_predicate =
        found.kind == Scopes::Kind::reg && function.registers[found.index].type == Type::pred;
    if (!is_predicate) scanner_.fail("guard " + std::string(name) + " is no predicate");
    guard.reg = static_cast<std::int32_t>(found.index);
    instruction(function, scanner_.expect_identifier("an instruction"), start);
    function.instructions.back().guard = guard;
}

void Parser::instruction(Function& function, std::string_view opcode, const char* start) {
    Instruction& result = function.instructions.emplace_back();
    result.opcode = opcode;
    result.text_line = scanner_.line();
    result.location = body_.location;
    result.modifiers.reserve(4);
    while (scanner_.peek() == '.') result.modifiers.emplace_back(scanner_.dotted_name());
    has_unresolved_ = false;
    if (scanner_.peek() != ';') {
        const bool is_call = opcode == "call";
        result.operands.reserve(4);
        do {
            operand(result.operands.emplace_back(), is_call, 0);
        } while (scanner_.accept(','));
    }
    const char* end = scanner_.position();
    scanner_.expect(';');
    result.text = on_one_line(start, end);
    if (has_unresolved_) {
        body_.unresolved.emplace_back(static_cast<std::uint32_t>(function.instructions.size() - 1),
                                      body_.scopes.current());
    }
}

void Parser::operand(Operand& result, bool is_call, unsigned depth) {
    if (depth > max_operand_depth) scanner_.fail("operands nested too deeply");
    const char next = scanner_.peek();
    if (next == '[') {
        scanner_.skip_character();
        return address(result, depth);
    }
    if (next == '{' || (next == '(' && is_call)) {
        scanner_.skip_character();
        result.kind = next == '{' ? OperandKind::vector : OperandKind::list;
        return operand_list(result, next == '{' ? '}' : ')', is_call, depth);
    }
    if (Scanner::starts_identifier(next)) {
        return named_operand(result, scanner_.identifier(), depth);
    }
    if (next == '!') {  // !%p, or a constant
        scanner_.skip_character();
        if (Scanner::starts_identifier(scanner_.peek())) {
            result.negated = true;
            return named_operand(result, scanner_.identifier(), depth);
        }
        const Constant value = parse_constant_term(scanner_);
        result.kind = OperandKind::immediate;
        result.bits = value.bits == 0;
        result.literal = Type::s64;
        return;
    }
    if (!starts_constant(next)) {
        scanner_.fail(next ? std::string("expected an operand, found '") + next + "'"
                           : "expected an operand, found the end of the text");
    }
    const Constant value = parse_constant(scanner_);
    result.kind = OperandKind::immediate;
    result.bits = value.bits;
    result.literal = value.literal;
}

void Parser::operand_list(Operand& result, char closing, bool is_call, unsigned depth) {
    if (scanner_.accept(closing)) return;
    do {
        operand(result.elements.emplace_back(), is_call, depth + 1);
    } while (scanner_.accept(','));
    scanner_.expect(closing);
}

void Parser::named_operand(Operand& result, std::string_view name, unsigned depth) {
    const Scopes::Found found = name == "_" ? Scopes::Found{} : body_.scopes.find(name);
    if (found.kind == Scopes::Kind::reg) {
        result.kind = OperandKind::reg;
        result.index = found.index;
        if (scanner_.peek() == '.') result.symbol = scanner_.dotted_name();  // %r1.b0
    } else if (found.kind == Scopes::Kind::variable) {
        result.kind = OperandKind::symbol;
        result.symbol = body_.variable_names[found.index];
        result.offset = signed_offset();
    } else if (name == "_") {
        result.kind = OperandKind::sink;
    } else if (name == "WARP_SZ") {
        result.kind = OperandKind::immediate;
        result.bits = 32;
        result.literal = Type::s64;
    } else if (name[0] == '%') {
        result.kind = OperandKind::special;
        result.symbol = name;
        if (scanner_.peek() == '.') (result.symbol += '.') += scanner_.dotted_name();
    } else {
        result.kind = OperandKind::label;  // or a symbol of the module: resolve() tells
        result.symbol = name;
        result.offset = signed_offset();
        has_unresolved_ = true;
    }
    if (scanner_.peek() == '|') {
        scanner_.skip_character();
        if (depth > 0) scanner_.fail("'|' between the parts of an operand");
        result.has_second = true;
        named_operand(result.elements.emplace_back(),
                      scanner_.expect_identifier("a second destination"), depth + 1);
    }
}

// + 8, - 8, + -8; 0 where no sign follows.
std::int64_t Parser::signed_offset() {
    std::uint64_t sum = 0;
    for (char sign = scanner_.peek(); sign == '+' || sign == '-'; sign = scanner_.peek()) {
        scanner_.skip_character();
        const Constant value = parse_constant_term(scanner_);
        if (value.is_float()) scanner_.fail("offset is no integer");
        sum += sign == '+' ? value.bits : 0 - value.bits;
    }
    return static_cast<std::int64_t>(sum);
}

// Behind the opening bracket.
void Parser::address(Operand& result, unsigned depth) {
    result.kind = OperandKind::address;
    Operand& base = result.elements.emplace_back();
    operand(base, false, depth + 1);
    if (base.kind == OperandKind::reg || base.kind == OperandKind::special) {
        result.offset = signed_offset();
    } else if (base.kind == OperandKind::symbol || base.kind == OperandKind::label) {
        // The offset is the address's.
        result.offset = base.offset;
        base.offset = 0;
    }
    while (scanner_.accept(',')) operand(result.elements.emplace_back(), false, depth + 1);
    scanner_.expect(']');
}

}  // namespace emulator::ptx

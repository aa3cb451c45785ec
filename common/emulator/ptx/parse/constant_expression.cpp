// Constants as in C: precedence climbing over 64-bit integers and doubles.
#include "emulator/ptx/parse/constant_expression.hpp"

#include <bit>
#include <charconv>
#include <string>

namespace emulator::ptx {
namespace {

constexpr unsigned max_depth = 64;

struct BinaryOperator {
    std::string_view text;
    int precedence;
};
// Longer ones first.
constexpr BinaryOperator binary_operators[] = {
    {"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"==", 6}, {"!=", 6},
    {"&&", 2}, {"||", 1}, {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},
    {"*", 10}, {"/", 10}, {"%", 10}, {"&", 5},  {"^", 4},  {"|", 3},
};
constexpr int multiplicative = 10;

Constant integer(std::uint64_t value, bool is_unsigned = false) {
    return {value, is_unsigned ? Type::u64 : Type::s64};
}
Constant floating(double value) { return {std::bit_cast<std::uint64_t>(value), Type::b64}; }

class ExpressionParser {
  public:
    explicit ExpressionParser(Scanner& scanner) : scanner_(scanner) {}

    Constant ternary() {
        const Nesting nesting(*this);
        const Constant condition = binary(1);
        if (!scanner_.accept('?')) return condition;
        const Constant yes = ternary();
        scanner_.expect(':');
        const Constant no = ternary();
        return is_true(condition) ? yes : no;
    }

    Constant binary(int min_precedence) {
        Constant left = unary();
        while (const BinaryOperator* found = next_operator(min_precedence)) {
            for (std::size_t i = 0; i < found->text.size(); ++i) scanner_.skip_character();
            const Constant right = binary(found->precedence + 1);
            left = apply(found->text, left, right);
        }
        return left;
    }

  private:
    struct Nesting {
        explicit Nesting(ExpressionParser& parser) : parser(parser) {
            if (++parser.depth_ > max_depth) parser.scanner_.fail("expression nested too deeply");
        }
        ~Nesting() { --parser.depth_; }
        ExpressionParser& parser;
    };

    static bool is_true(const Constant& constant) {
        return constant.is_float() ? constant.as_double() != 0 : constant.bits != 0;
    }

    const BinaryOperator* next_operator(int min_precedence) {
        const char first = scanner_.peek();
        const char second = scanner_.character_after_next();
        for (const BinaryOperator& candidate : binary_operators) {
            if (candidate.text[0] != first) continue;
            if (candidate.text.size() == 2 && candidate.text[1] != second) continue;
            return candidate.precedence >= min_precedence ? &candidate : nullptr;
        }
        return nullptr;
    }

    Constant apply(std::string_view op, const Constant& a, const Constant& b) {
        if (a.is_float() || b.is_float()) return apply_to_doubles(op, a.as_double(), b.as_double());
        const bool is_unsigned = a.literal == Type::u64 || b.literal == Type::u64;
        if (op == "<<") return {b.bits < 64 ? a.bits << b.bits : 0, a.literal};
        if (op == ">>") return {shifted_right(a, b.bits), a.literal};
        if (op == "&&") return integer(a.bits && b.bits);
        if (op == "||") return integer(a.bits || b.bits);
        if (op == "==") return integer(a.bits == b.bits);
        if (op == "!=") return integer(a.bits != b.bits);
        if (op == "+") return integer(a.bits + b.bits, is_unsigned);
        if (op == "-") return integer(a.bits - b.bits, is_unsigned);
        if (op == "*") return integer(a.bits * b.bits, is_unsigned);
        if (op == "&") return integer(a.bits & b.bits, is_unsigned);
        if (op == "^") return integer(a.bits ^ b.bits, is_unsigned);
        if (op == "|") return integer(a.bits | b.bits, is_unsigned);
        if (op == "/" || op == "%") return divide(op[0], a, b, is_unsigned);
        return compare(op, a, b, is_unsigned);
    }

    static std::uint64_t shifted_right(const Constant& value, std::uint64_t places) {
        const auto with_sign = static_cast<std::int64_t>(value.bits);
        if (places >= 64) return value.literal == Type::s64 && with_sign < 0 ? ~0ull : 0;
        return value.literal == Type::u64 ? value.bits >> places
                                          : static_cast<std::uint64_t>(with_sign >> places);
    }

    static Constant compare(std::string_view op, const Constant& a, const Constant& b,
                            bool is_unsigned) {
        const auto x = static_cast<std::int64_t>(a.bits), y = static_cast<std::int64_t>(b.bits);
        const bool less = is_unsigned ? a.bits < b.bits : x < y;
        const bool equal = a.bits == b.bits;
        if (op == "<") return integer(less);
        if (op == "<=") return integer(less || equal);
        if (op == ">") return integer(!less && !equal);
        return integer(!less);
    }

    Constant divide(char op, const Constant& a, const Constant& b, bool is_unsigned) {
        if (b.bits == 0) scanner_.fail("division by zero in a constant expression");
        if (is_unsigned) return integer(op == '/' ? a.bits / b.bits : a.bits % b.bits, true);
        // The one quotient that overflows: the least integer by -1.
        if (b.bits == ~0ull) return integer(op == '/' ? 0 - a.bits : 0);
        const auto x = static_cast<std::int64_t>(a.bits), y = static_cast<std::int64_t>(b.bits);
        return integer(static_cast<std::uint64_t>(op == '/' ? x / y : x % y));
    }

    Constant apply_to_doubles(std::string_view op, double a, double b) {
        if (op == "+") return floating(a + b);
        if (op == "-") return floating(a - b);
        if (op == "*") return floating(a * b);
        if (op == "/") return floating(a / b);
        if (op == "<") return integer(a < b);
        if (op == "<=") return integer(a <= b);
        if (op == ">") return integer(a > b);
        if (op == ">=") return integer(a >= b);
        if (op == "==") return integer(a == b);
        if (op == "!=") return integer(a != b);
        scanner_.fail("operator '" + std::string(op) + "' on a floating-point constant");
    }

    Constant unary() {
        const Nesting nesting(*this);
        if (scanner_.accept('-')) return negated(unary());
        if (scanner_.accept('+')) return unary();
        if (scanner_.accept('!')) return integer(!is_true(unary()));
        if (scanner_.accept('~')) {
            const Constant value = unary();
            if (value.is_float()) scanner_.fail("operator '~' on a floating-point constant");
            return {~value.bits, value.literal};
        }
        if (scanner_.accept('(')) return parenthesised();
        return literal();
    }

    static Constant negated(const Constant& value) {
        if (value.literal == Type::f32) return {value.bits ^ 0x80000000u, Type::f32};
        if (value.is_float()) return {value.bits ^ (1ull << 63), value.literal};
        return {0 - value.bits, value.literal};
    }

    Constant parenthesised() {
        if (scanner_.peek() != '.') {
            const Constant value = ternary();
            scanner_.expect(')');
            return value;
        }
        const std::string_view type = scanner_.dotted_name();
        if (type != "s64" && type != "u64") scanner_.fail("casts are to .s64 and .u64");
        scanner_.expect(')');
        const Constant value = unary();
        if (value.is_float()) scanner_.fail("cast of a floating-point constant");
        return {value.bits, type == "u64" ? Type::u64 : Type::s64};
    }

    Constant literal() {
        const char next = scanner_.peek();
        if (next < '0' || next > '9') {
            const std::string_view name = scanner_.identifier();
            if (name == "WARP_SZ") return integer(32);
            scanner_.fail("expected a constant" +
                          (name.empty() ? "" : ", found " + std::string(name)));
        }
        const std::string_view text = scanner_.number();
        const char kind = text.size() > 1 && text[0] == '0' ? static_cast<char>(text[1] | 0x20) : 0;
        if (kind == 'x') return integer_literal(text, 2, 16);
        if (kind == 'f') return float_bits(text, 10, Type::f32);
        if (kind == 'd') return float_bits(text, 18, Type::f64);
        if (kind == 'b') return integer_literal(text, 2, 2);
        if (text.find_first_of(".eE") != text.npos) return decimal_float(text);
        return text.size() > 1 && text[0] == '0' ? integer_literal(text, 1, 8)
                                                 : integer_literal(text, 0, 10);
    }

    Constant integer_literal(std::string_view text, std::size_t prefix, int base) {
        std::string_view digits = text.substr(prefix);
        const bool is_unsigned = digits.ends_with('U') || digits.ends_with('u');
        if (is_unsigned) digits.remove_suffix(1);
        // "0U" is a zero, whose digits the octal prefix has taken.
        if (digits.empty() && base == 8) return integer(0, is_unsigned);
        std::uint64_t value = 0;
        const char* end = digits.data() + digits.size();
        const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
        if (error != std::errc() || stop != end) scanner_.fail("bad integer " + std::string(text));
        return integer(value, is_unsigned || value >> 63);
    }

    Constant float_bits(std::string_view text, std::size_t length, Type type) {
        std::uint64_t value = 0;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + 2, end, value, 16);
        if (error != std::errc() || stop != end || text.size() != length) {
            scanner_.fail("bad floating-point constant " + std::string(text));
        }
        return {value, type};
    }

    Constant decimal_float(std::string_view text) {
        std::string whole(text);
        // The sign of an exponent ends a number for the scanner: 1.5e-3.
        const bool ends_in_e = whole.back() == 'e' || whole.back() == 'E';
        if (ends_in_e && (scanner_.next_character() == '-' || scanner_.next_character() == '+')) {
            whole += scanner_.next_character();
            scanner_.skip_character();
            whole += scanner_.number();
        }
        if (const std::size_t plus = whole.find('+'); plus != whole.npos) whole.erase(plus, 1);
        double value = 0;
        const char* end = whole.data() + whole.size();
        const auto [stop, error] = std::from_chars(whole.data(), end, value);
        if (error != std::errc() || stop != end) {
            scanner_.fail("bad floating-point constant " + whole);
        }
        return floating(value);
    }

    Scanner& scanner_;
    unsigned depth_ = 0;
};

}  // namespace

double Constant::as_double() const {
    if (literal == Type::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (is_float()) return std::bit_cast<double>(bits);
    return literal == Type::u64 ? static_cast<double>(bits)
                                : static_cast<double>(static_cast<std::int64_t>(bits));
}

bool starts_constant(char character) {
    return (character >= '0' && character <= '9') || character == '-' || character == '+' ||
           character == '~' || character == '(' || character == '!';
}

Constant parse_constant(Scanner& scanner) { return ExpressionParser(scanner).ternary(); }

Constant parse_constant_term(Scanner& scanner) {
    return ExpressionParser(scanner).binary(multiplicative);
}

std::uint64_t bits_as(const Constant& constant, Type type) {
    if (type == Type::f64) return std::bit_cast<std::uint64_t>(constant.as_double());
    if (type == Type::f32) {
        if (constant.literal == Type::f32) return constant.bits;  // keeps the payload of a NaN
        return std::bit_cast<std::uint32_t>(static_cast<float>(constant.as_double()));
    }
    return constant.bits;
}

}  // namespace emulator::ptx

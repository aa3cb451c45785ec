#include "emulator/simt/decode/tensor_form.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <vector>

namespace emulator::simt {
namespace {

template <class T>
struct Named {
    const char* name;
    T type;
};

constexpr Named<MatrixType> matrix_types[] = {
    {"f16", MatrixType::f16}, {"bf16", MatrixType::bf16}, {"tf32", MatrixType::tf32},
    {"f64", MatrixType::f64}, {"e4m3", MatrixType::e4m3}, {"e5m2", MatrixType::e5m2},
    {"s8", MatrixType::s8},   {"u8", MatrixType::u8},     {"s4", MatrixType::s4},
    {"u4", MatrixType::u4},   {"b1", MatrixType::b1}};
constexpr Named<ResultType> result_types[] = {{"f32", ResultType::f32},
                                              {"f16", ResultType::f16},
                                              {"f64", ResultType::f64},
                                              {"s32", ResultType::s32}};

template <class T, std::size_t n>
std::optional<T> named(const Named<T> (&table)[n], const std::string& name) {
    const auto* const found =
        std::ranges::find_if(table, [&](const Named<T>& each) { return name == each.name; });
    return found == std::end(table) ? std::nullopt : std::optional(found->type);
}

// A letter and a number from the beginning of `text`, which loses them.
bool take_size(std::string_view& text, char letter, unsigned most, unsigned& size) {
    if (!text.starts_with(letter)) return false;
    const char* const begin = text.data() + 1;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), size);
    if (error != std::errc() || size > most) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

bool read_shape(std::string_view modifier, TensorForm& form) {
    unsigned m = 0, n = 0, k = 0;
    const bool has_sizes = take_size(modifier, 'm', 64, m) && take_size(modifier, 'n', 256, n) &&
                           take_size(modifier, 'k', 256, k);
    if (!has_sizes || !modifier.empty()) return false;
    form.m = m;
    form.n = n;
    form.k = k;
    return true;
}

// Modifiers that name types, in order; the shape and the layouts go into the form.
std::vector<std::string> read(const ptx::Instruction& instruction, TensorForm& form) {
    std::vector<std::string> types;
    unsigned layouts = 0;
    for (const std::string& modifier : instruction.modifiers) {
        if (read_shape(modifier, form)) continue;
        if (modifier == "row" || modifier == "col") {
            if (layouts == 0) form.a_is_column_major = modifier == "col";
            if (layouts == 1) form.b_is_row_major = modifier == "row";
            ++layouts;
        }
        if (named(matrix_types, modifier) || named(result_types, modifier))
            types.push_back(modifier);
    }
    return types;
}

struct Shape {
    unsigned m, n, k;
    bool operator==(const Shape&) const = default;
};

bool is_any(Shape shape, std::initializer_list<Shape> shapes) {
    return std::ranges::find(shapes, shape) != shapes.end();
}

unsigned first_with_wmma(const TensorForm& form, Shape shape) {
    const bool is_tile = is_any(shape, {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}});
    switch (form.a) {
        case MatrixType::f16:
            return is_tile ? 70 : 0;
        case MatrixType::bf16:
            return is_tile ? 80 : 0;
        case MatrixType::s8:
        case MatrixType::u8:
            return is_tile ? 72 : 0;
        case MatrixType::tf32:
            return shape == Shape{16, 16, 8} ? 80 : 0;
        case MatrixType::f64:
            return shape == Shape{8, 8, 4} ? 80 : 0;
        case MatrixType::s4:
        case MatrixType::u4:
            return shape == Shape{8, 8, 32} ? 75 : 0;
        case MatrixType::b1:
            return shape == Shape{8, 8, 128} ? 75 : 0;
        default:
            return 0;
    }
}

}  // namespace

std::optional<TensorForm> product_form(const ptx::Instruction& instruction) {
    TensorForm form;
    const std::vector<std::string> types = read(instruction, form);
    // wmma.mma of FP16 has the types of D and C alone; wgmma has no C.
    if (form.m == 0 || types.size() < 2 || types.size() > 4) return std::nullopt;
    const auto d = named(result_types, types.front());
    const auto c = types.size() == 3 ? d : named(result_types, types.back());
    if (!d || !c) return std::nullopt;
    form.d = *d;
    form.c = *c;
    if (types.size() == 2) return form;
    const auto a = named(matrix_types, types[1]), b = named(matrix_types, types[2]);
    if (!a || !b || bits_of(*a) != bits_of(*b)) return std::nullopt;
    form.a = *a;
    form.b = *b;
    return form;
}

std::optional<TensorForm> access_form(const ptx::Instruction& instruction) {
    TensorForm form;
    const std::vector<std::string> types = read(instruction, form);
    if (form.m == 0 || types.size() != 1) return std::nullopt;
    if (const auto type = named(matrix_types, types[0])) form.a = *type;
    if (const auto type = named(result_types, types[0])) form.d = *type;
    return form;
}

unsigned first_with_product(const TensorForm& form, bool is_wmma) {
    const Shape shape{form.m, form.n, form.k};
    if (is_wmma) return first_with_wmma(form, shape);
    switch (form.a) {
        case MatrixType::f16:
            if (shape == Shape{8, 8, 4}) return 70;
            return shape == Shape{16, 8, 8} ? 75 : shape == Shape{16, 8, 16} ? 80 : 0;
        case MatrixType::bf16:
            return is_any(shape, {{16, 8, 8}, {16, 8, 16}}) ? 80 : 0;
        case MatrixType::tf32:
            return is_any(shape, {{16, 8, 4}, {16, 8, 8}}) ? 80 : 0;
        case MatrixType::f64:
            if (shape == Shape{8, 8, 4}) return 80;
            return is_any(shape, {{16, 8, 4}, {16, 8, 8}, {16, 8, 16}}) ? 90 : 0;
        case MatrixType::e4m3:
        case MatrixType::e5m2:
            return is_any(shape, {{16, 8, 16}, {16, 8, 32}}) ? 89 : 0;
        case MatrixType::s8:
        case MatrixType::u8:
            if (shape == Shape{8, 8, 16}) return 75;
            return is_any(shape, {{16, 8, 16}, {16, 8, 32}}) ? 80 : 0;
        case MatrixType::s4:
        case MatrixType::u4:
            if (shape == Shape{8, 8, 32}) return 75;
            return is_any(shape, {{16, 8, 32}, {16, 8, 64}}) ? 80 : 0;
        case MatrixType::b1:
            if (shape == Shape{8, 8, 128}) return 75;
            return is_any(shape, {{16, 8, 128}, {16, 8, 256}}) ? 80 : 0;
    }
    return 0;
}

namespace {

bool has_columns(const TensorForm& form) {
    const bool is_integer_step = form.n % 16 == 0 || form.n == 8 || form.n == 24;
    return form.m == 64 && form.n >= 8 && form.n <= 256 && form.n % 8 == 0 &&
           (!is_integer(form.a) || is_integer_step);
}

}  // namespace

bool is_warpgroup_product(const ptx::Instruction& instruction) {
    return instruction.opcode == "wgmma" && !instruction.operands.empty() &&
           instruction.operands[0].kind == ptx::OperandKind::vector;
}

bool has_warpgroup_product(const TensorForm& form) {
    const bool is_float = form.d == ResultType::f32, is_half = form.d == ResultType::f16;
    if (!has_columns(form) || form.k * form.bits() != 256) return false;
    switch (form.a) {
        case MatrixType::f16:
            return (is_float || is_half) && form.b == MatrixType::f16;
        case MatrixType::bf16:
        case MatrixType::tf32:
            return is_float && form.b == form.a;
        case MatrixType::e4m3:
        case MatrixType::e5m2:
            return is_float || is_half;
        case MatrixType::s8:
        case MatrixType::u8:
            return form.d == ResultType::s32;
        default:
            return false;
    }
}

unsigned machine_products(const ptx::Instruction& instruction, unsigned compute_number) {
    const bool is_wmma = instruction.opcode == "wmma";
    if (is_warpgroup_product(instruction)) return 1;
    if (instruction.opcode != "mma" && !is_wmma) return 0;
    const auto form = product_form(instruction);
    if (!form) return 0;
    const bool is_half = form->a == MatrixType::f16;
    const unsigned quad_steps = form->d == ResultType::f16 ? 2 : 4;
    if (!is_wmma) {
        if (is_half && form->k == 4) return compute_number >= 80 ? 0 : quad_steps;
        const bool is_byte = form->a == MatrixType::e4m3 || form->a == MatrixType::e5m2;
        const bool is_nibble = form->a == MatrixType::s4 || form->a == MatrixType::u4;
        const bool is_double = (is_byte && form->k == 32) || (is_nibble && form->k == 64);
        return compute_number >= 90 && is_double ? 2 : 1;
    }
    if (form->m == 8 && form->n == 8) return 1;
    if (is_half && compute_number < 75) return 4 * quad_steps;
    // Two products; of half the depth on Turing, and of TF32.
    return compute_number < 80 || form->a == MatrixType::tf32 ? 4 : 2;
}

}  // namespace emulator::simt

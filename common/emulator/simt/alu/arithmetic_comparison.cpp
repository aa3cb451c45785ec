// setp and set of all types.
#include <array>
#include <optional>

#include "emulator/simt/alu/lanes.hpp"
#include "emulator/simt/alu/values/comparison.hpp"
#include "emulator/simt/alu/values/half_values.hpp"

namespace emulator::simt {

namespace {

// Bits of Operation::variant for forms that have no instantiation of their own: the relation in bits 0 to
// 3, then what combines the result with a predicate, then what is written.
constexpr int combination_shift = 4, destination_shift = 6;
enum Combination : std::uint16_t { no_combination, and_, or_, xor_ };
enum Destination : std::uint16_t { to_predicate, to_integer, to_float };

void write(Warp& warp, RegisterOffset destination, std::uint32_t bits) {
    if (destination == no_register) return;
    std::uint32_t& predicate = warp.predicate(destination);
    predicate = (predicate & ~warp.mask) | (bits & warp.mask);
}

template <class T, Relation relation, bool ftz>
void set_predicate(Warp& warp, const Operation& operation) {
    write(warp, operation.destination,
          compare_lanes<T, relation, ftz>(warp.lanes<T>(operation.source[0]),
                                          warp.lanes<T>(operation.source[1])));
}

template <class T, Relation relation, bool ftz>
void set_predicate_immediate(Warp& warp, const Operation& operation) {
    write(warp, operation.destination,
          compare_lanes<T, relation, ftz>(warp.lanes<T>(operation.source[0]),
                                          immediate_of<T>(operation)));
}

std::uint32_t combine(Combination combination, std::uint32_t compared, std::uint32_t with) {
    switch (combination) {
        case and_:
            return compared & with;
        case or_:
            return compared | with;
        case xor_:
            return compared ^ with;
        case no_combination:
            break;
    }
    return compared;
}

// Writes what `variant` asks for.
void write_result(Warp& warp, const Operation& operation, std::uint32_t compared) {
    const auto combination = static_cast<Combination>(operation.variant >> combination_shift & 3);
    const auto kind = static_cast<Destination>(operation.variant >> destination_shift & 3);
    const std::uint32_t with =
        combination == no_combination ? 0 : predicate_source(warp, operation, 2);
    const std::uint32_t result = combine(combination, compared, with);
    if (kind == to_predicate) {
        write(warp, operation.destination, result);
        write(warp, operation.second_destination, combine(combination, ~compared, with));
        return;
    }
    const std::uint32_t of_true = kind == to_float ? 0x3f800000u : all_lanes;
    alignas(64) std::uint32_t lanes[lanes_per_warp];
    for (int lane = 0; lane < lanes_per_warp; ++lane)
        lanes[lane] = result >> lane & 1 ? of_true : 0;
    blend(warp.lanes<std::uint32_t>(operation.destination), lanes, warp.mask);
}

template <class T, bool ftz>
void compare_generally(Warp& warp, const Operation& operation) {
    typename Either<T>::Scratch scratch[2];
    const Either<T> a(warp, operation, 0, scratch[0]), b(warp, operation, 1, scratch[1]);
    write_result(
        warp, operation,
        compare_lanes<T, ftz>(static_cast<Relation>(operation.variant & 15), a.values, b.values));
}

template <class Format>
void compare_halves(Warp& warp, const Operation& operation) {
    typename Either<std::uint16_t>::Scratch scratch[2];
    const Either<std::uint16_t> a(warp, operation, 0, scratch[0]),
        b(warp, operation, 1, scratch[1]);
    alignas(64) float x[lanes_per_warp], y[lanes_per_warp];
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
        x[lane] = Format::to_float(a[lane]);
        y[lane] = Format::to_float(b[lane]);
    }
    write_result(warp, operation,
                 compare_lanes<float, false>(static_cast<Relation>(operation.variant & 15), x, y));
}

struct RelationName {
    std::string_view name;
    int relation;
};

template <std::size_t count>
std::optional<Relation> find_relation(const RelationName (&names)[count], std::string_view name) {
    for (const RelationName& known : names) {
        if (known.name == name) return static_cast<Relation>(known.relation);
    }
    return {};
}

std::optional<Relation> relation_of_integers(std::string_view name) {
    static constexpr RelationName names[] = {
        {"eq", equal},   {"ne", less | greater},  {"lt", less}, {"le", less | equal},
        {"gt", greater}, {"ge", greater | equal}, {"lo", less}, {"ls", less | equal},
        {"hi", greater}, {"hs", greater | equal}};
    return find_relation(names, name);
}

// The instantiation for a relation that is known now.
template <class T, bool ftz, Relation relation>
Handler fast_handler(bool has_immediate) {
    return has_immediate ? set_predicate_immediate<T, relation, ftz>
                         : set_predicate<T, relation, ftz>;
}

template <class T, bool ftz, Relation... relations>
Handler choose(Relation relation, bool has_immediate,
               std::integer_sequence<Relation, relations...>) {
    Handler found = nullptr;
    ((found = relation == relations ? fast_handler<T, ftz, relations>(has_immediate) : found), ...);
    return found;
}

using IntegerRelations = std::integer_sequence<Relation, equal, less | greater, less, less | equal,
                                               greater, greater | equal>;
using FloatRelations =
    std::integer_sequence<Relation, equal, less | greater, less, less | equal, greater,
                          greater | equal, equal | unordered, less | greater | unordered,
                          less | unordered, less | equal | unordered, greater | unordered,
                          greater | equal | unordered, less | equal | greater, unordered>;

template <class T, bool ftz = false>
Handler choose_handler(const Form& form, Relation relation, bool is_plain) {
    if (!Either<T>::fits(form.source(0)) || !Either<T>::fits(form.source(1))) return nullptr;
    if (!is_plain || form.source(0).is_immediate) return compare_generally<T, ftz>;
    using Relations = std::conditional_t<std::is_integral_v<T>, IntegerRelations, FloatRelations>;
    return choose<T, ftz>(relation, form.source(1).is_immediate, Relations{});
}

template <class Format>
Handler choose_halves(const Form& form) {
    using U = Either<std::uint16_t>;
    return U::fits(form.source(0)) && U::fits(form.source(1)) ? compare_halves<Format> : nullptr;
}

Handler handler_of(const Form& form, std::string_view type, Relation relation, bool is_plain) {
    const bool ftz = form.has("ftz");
    if (type == "f16") return choose_halves<Half>(form);
    if (type == "bf16") return choose_halves<BrainHalf>(form);
    if (type == "f64") return choose_handler<double>(form, relation, is_plain);
    if (type == "f32") {
        return ftz ? choose_handler<float, true>(form, relation, is_plain)
                   : choose_handler<float>(form, relation, is_plain);
    }
    return with_integer(type,
                        [&]<class T>() { return choose_handler<T>(form, relation, is_plain); });
}

}  // namespace

std::optional<Relation> relation_of_floats(std::string_view name) {
    static constexpr RelationName names[] = {{"eq", equal},
                                             {"ne", less | greater},
                                             {"lt", less},
                                             {"le", less | equal},
                                             {"gt", greater},
                                             {"ge", greater | equal},
                                             {"equ", equal | unordered},
                                             {"neu", less | greater | unordered},
                                             {"ltu", less | unordered},
                                             {"leu", less | equal | unordered},
                                             {"gtu", greater | unordered},
                                             {"geu", greater | equal | unordered},
                                             {"num", less | equal | greater},
                                             {"nan", unordered}};
    return find_relation(names, name);
}

Arithmetic find_comparison(const Form& form) {
    const bool sets_predicate = form.opcode == "setp";
    if (!sets_predicate && form.opcode != "set") return {};
    const std::string_view type = form.type();
    if (form.modifiers.size() < 2 || form.sources() < 2 || form.sources() > 3) return {};
    if (sets_predicate != (form.shapes[0].register_bytes == 0)) return {};
    const bool is_float = type == "f16" || type == "bf16" || type == "f32" || type == "f64";
    const auto relation =
        is_float ? relation_of_floats(form.modifiers[0]) : relation_of_integers(form.modifiers[0]);
    if (!relation || !form.only({form.modifiers[0], "and", "or", "xor", "ftz"})) return {};
    const Combination combination = form.has("and")   ? and_
                                    : form.has("or")  ? or_
                                    : form.has("xor") ? xor_
                                                      : no_combination;
    if ((combination != no_combination) != (form.sources() == 3)) return {};
    Destination destination = to_predicate;
    if (!sets_predicate) {
        const std::string_view written = form.type(1);
        if (written != "u32" && written != "s32" && written != "f32") return {};
        if (form.shapes[0].register_bytes != 4) return {};
        destination = written == "f32" ? to_float : to_integer;
    }
    Arithmetic found;
    found.variant = static_cast<std::uint16_t>(*relation | combination << combination_shift |
                                               destination << destination_shift);
    if (form.sources() == 3 && form.source(2).is_negated_predicate) {
        found.variant |= variant_negated_predicate;
    }
    const bool is_plain = sets_predicate && combination == no_combination && form.destinations == 1;
    found.execute = handler_of(form, type, *relation, is_plain);
    return found;
}

}  // namespace emulator::simt

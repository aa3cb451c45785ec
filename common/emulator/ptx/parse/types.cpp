// Names and sizes of PTX' fundamental types and state spaces.
#include "emulator/ptx/parse/types.hpp"

#include <algorithm>
#include <iterator>

namespace emulator::ptx {
namespace {

struct TypeFacts {
    std::string_view name;
    Type type;
    unsigned bytes;
};

// In the order of Type. References to textures and the like are 64-bit handles.
constexpr TypeFacts type_facts[] = {
    {"", Type::none, 0},         {"pred", Type::pred, 0},       {"b8", Type::b8, 1},
    {"b16", Type::b16, 2},       {"b32", Type::b32, 4},         {"b64", Type::b64, 8},
    {"b128", Type::b128, 16},    {"u8", Type::u8, 1},           {"u16", Type::u16, 2},
    {"u32", Type::u32, 4},       {"u64", Type::u64, 8},         {"s8", Type::s8, 1},
    {"s16", Type::s16, 2},       {"s32", Type::s32, 4},         {"s64", Type::s64, 8},
    {"f16", Type::f16, 2},       {"f16x2", Type::f16x2, 4},     {"bf16", Type::bf16, 2},
    {"bf16x2", Type::bf16x2, 4}, {"f32", Type::f32, 4},         {"f64", Type::f64, 8},
    {"texref", Type::texref, 8}, {"surfref", Type::surfref, 8}, {"samplerref", Type::samplerref, 8},
};

constexpr bool in_order() {
    for (std::size_t i = 0; i < std::size(type_facts); ++i) {
        if (static_cast<std::size_t>(type_facts[i].type) != i) return false;
    }
    return true;
}
static_assert(in_order());

}  // namespace

unsigned bytes_of(Type type) { return type_facts[static_cast<std::size_t>(type)].bytes; }

Type type_named(std::string_view name) {
    for (const TypeFacts& facts : type_facts) {
        if (facts.name == name) return facts.type;
    }
    return Type::none;
}

std::optional<Space> space_named(std::string_view name) {
    if (name == "global" || name == "tex") return Space::global;
    if (name == "const") return Space::constant;
    if (name == "local") return Space::local;
    if (name == "param") return Space::param;
    if (name == "shared" || name == "shared::cta" || name == "shared::cluster")
        return Space::shared;
    return std::nullopt;
}

bool has(const Instruction& instruction, std::string_view modifier) {
    return std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
}

}  // namespace emulator::ptx

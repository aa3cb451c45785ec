// set with halves: one (f16, bf16) or two in a register (f16x2, bf16x2), to 1.0 and 0.0 or to a mask.
// Source: PTX ISA, "Half Precision Comparison Instructions: set".
#include "emulator/simt/alu/lanes.hpp"
#include "emulator/simt/alu/values/comparison.hpp"
#include "emulator/simt/alu/values/half_values.hpp"

namespace emulator::simt {

namespace {

// Operation::variant: the outcomes that are true, and whether subnormal numbers count as zero.
constexpr std::uint16_t flush_variant = 0x10;

template <class Format>
bool holds(std::uint16_t variant, std::uint16_t a, std::uint16_t b) {
    const bool flush = (variant & flush_variant) != 0;
    const float x = Format::to_float(flush ? Format::flush(a) : a);
    const float y = Format::to_float(flush ? Format::flush(b) : b);
    const Relation outcome = x < y ? less : x == y ? equal : x > y ? greater : unordered;
    return (variant & outcome) != 0;
}

// Integer: 16 (each half of 32) ones for true, else 1.0.
template <class Format, class Bits, bool is_integer>
void set_halves(Warp& warp, const Operation& operation) {
    typename Either<Bits>::Scratch scratch[2];
    const Either<Bits> a(warp, operation, 0, scratch[0]), b(warp, operation, 1, scratch[1]);
    const std::uint16_t of_true = is_integer ? 0xffff : Format::one;
    alignas(64) Bits results[lanes_per_warp];
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
        Bits result = 0;
        for (std::size_t at = 0; at < 8 * sizeof(Bits); at += 16) {
            const auto x = static_cast<std::uint16_t>(a[lane] >> at);
            const auto y = static_cast<std::uint16_t>(b[lane] >> at);
            if (holds<Format>(operation.variant, x, y)) {
                result = static_cast<Bits>(result | static_cast<Bits>(of_true) << at);
            }
        }
        results[lane] = result;
    }
    blend(warp.lanes<Bits>(operation.destination), results, warp.mask);
}

template <class Format, class Bits>
Handler choose(const Form& form, std::string_view format, std::string_view of_integer) {
    using Operand = Either<Bits>;
    if (!Operand::fits(form.source(0)) || !Operand::fits(form.source(1))) return nullptr;
    if (form.shapes[0].register_bytes != sizeof(Bits)) return nullptr;
    const std::string_view written = form.type(1);
    if (written == format) return set_halves<Format, Bits, false>;
    const bool is_integer = !written.empty() && written.substr(1) == of_integer &&
                            (written[0] == 'u' || written[0] == 's');
    return is_integer ? set_halves<Format, Bits, true> : nullptr;
}

}  // namespace

Arithmetic find_half_set(const Form& form) {
    if (form.opcode != "set" || form.modifiers.size() < 3 || form.sources() != 2) return {};
    const auto relation = relation_of_floats(form.modifiers[0]);
    if (!relation || !form.only({form.modifiers[0], "ftz"})) return {};
    Arithmetic found;
    found.variant = *relation;
    if (form.has("ftz")) found.variant |= flush_variant;
    const std::string_view type = form.type();
    if (type == "f16") found.execute = choose<Half, std::uint16_t>(form, type, "16");
    if (type == "bf16") found.execute = choose<BrainHalf, std::uint16_t>(form, type, "16");
    if (type == "f16x2") found.execute = choose<Half, std::uint32_t>(form, type, "32");
    if (type == "bf16x2") found.execute = choose<BrainHalf, std::uint32_t>(form, type, "32");
    return found;
}

}  // namespace emulator::simt

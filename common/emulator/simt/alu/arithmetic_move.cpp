// mov: registers and immediates of all widths, packing and unpacking of vectors.
#include "emulator/simt/alu/lanes.hpp"

namespace emulator::simt {

namespace {

struct Copy {
    template <class T>
    T operator()(T a) const {
        return a;
    }
};

// {a, b, ...} to one register, the first element lowest.
template <class Whole, class Part>
void pack(Warp& warp, const Operation& operation) {
    constexpr std::size_t parts = sizeof(Whole) / sizeof(Part);
    alignas(64) Whole result[lanes_per_warp] = {};
    for (std::size_t i = 0; i < parts; ++i) {
        typename Either<Part>::Scratch scratch;
        const Either<Part> part(warp, operation, i, scratch);
        for (int lane = 0; lane < lanes_per_warp; ++lane) {
            result[lane] |=
                static_cast<Whole>(static_cast<Whole>(part[lane]) << 8 * sizeof(Part) * i);
        }
    }
    blend_lanes(warp.lanes<Whole>(operation.destination), result, warp.mask);
}

template <class Whole, class Part>
void unpack(Warp& warp, const Operation& operation) {
    constexpr std::size_t parts = sizeof(Whole) / sizeof(Part);
    const RegisterOffset destinations[4] = {operation.destination, operation.second_destination,
                                            operation.source[2], operation.source[3]};
    typename Either<Whole>::Scratch scratch;
    const Either<Whole> whole(warp, operation, 0, scratch);
    for (std::size_t i = 0; i < parts; ++i) {
        if (destinations[i] == no_register) continue;
        alignas(64) Part result[lanes_per_warp];
        for (int lane = 0; lane < lanes_per_warp; ++lane) {
            result[lane] = static_cast<Part>(whole[lane] >> 8 * sizeof(Part) * i);
        }
        blend_lanes(warp.lanes<Part>(destinations[i]), result, warp.mask);
    }
}

Handler find_pack(const Form& form) {
    const unsigned whole = form.shapes[0].register_bytes;
    // An immediate among the elements has their size.
    unsigned part = 0;
    for (std::size_t i = 0; i < form.sources(); ++i) {
        if (!form.source(i).is_immediate) part = form.source(i).register_bytes;
    }
    if (part * form.sources() != whole) return nullptr;
    if (whole == 8 && part == 4) return pack<std::uint64_t, std::uint32_t>;
    if (whole == 8 && part == 2) return pack<std::uint64_t, std::uint16_t>;
    if (whole == 4 && part == 2) return pack<std::uint32_t, std::uint16_t>;
    return nullptr;
}

Handler find_unpack(const Form& form) {
    if (form.sources() != 1) return nullptr;
    const unsigned part = form.shapes[0].register_bytes;
    const unsigned whole = form.source(0).is_immediate
                               ? part * static_cast<unsigned>(form.destinations)
                               : form.source(0).register_bytes;
    if (part * form.destinations != whole) return nullptr;
    if (whole == 8 && part == 4) return unpack<std::uint64_t, std::uint32_t>;
    if (whole == 8 && part == 2) return unpack<std::uint64_t, std::uint16_t>;
    if (whole == 4 && part == 2) return unpack<std::uint32_t, std::uint16_t>;
    return nullptr;
}

}  // namespace

Arithmetic find_move(const Form& form) {
    if (form.opcode != "mov" || !form.only({})) return {};
    if (form.destinations > 1) return {find_unpack(form)};
    if (form.sources() > 1) return {find_pack(form)};
    switch (form.shapes[0].register_bytes) {
        case 2:
            return {pick<Copy, std::uint16_t, std::uint16_t>(form)};
        case 4:
            return {pick<Copy, std::uint32_t, std::uint32_t>(form)};
        case 8:
            return {pick<Copy, std::uint64_t, std::uint64_t>(form)};
        default:
            return {};
    }
}

}  // namespace emulator::simt

// tex, tld4, txq, suq, suld, sust.
#include <algorithm>

#include "emulator/simt/decode/decode.hpp"
#include "emulator/simt/texture/texture.hpp"

namespace emulator::simt {

using ptx::OperandKind;

namespace {

struct Geometry {
    unsigned dimensions = 0;  // 0: not supported
    bool is_layered = false;
};

Geometry geometry_of(const std::vector<std::string>& modifiers) {
    for (const std::string& modifier : modifiers) {
        if (modifier == "1d") return {1, false};
        if (modifier == "2d") return {2, false};
        if (modifier == "3d") return {3, false};
        if (modifier == "a1d") return {1, true};
        if (modifier == "a2d") return {2, true};
    }
    return {};
}

// {layer,} x, y, z: an operand for each; those behind are padding.
std::vector<ptx::Operand> coordinates_of(const ptx::Operand& address) {
    const ptx::Operand& last = address.elements.back();
    if (last.kind == OperandKind::vector) return last.elements;
    return {last};
}

}  // namespace

bool FunctionDecoder::texture(const ptx::Instruction& instruction) {
    const std::string& opcode = instruction.opcode;
    if (opcode == "suld" || opcode == "sust") return surface(instruction), true;
    if (opcode == "txq" || opcode == "suq") return texture_query(instruction), true;
    if (opcode != "tex" && opcode != "tld4") return false;
    const Geometry geometry = geometry_of(instruction.modifiers);
    const auto& operands = instruction.operands;
    // {d...}, [object, {coordinates}]{, level or gradients}: textures have one level here.
    const ptx::Operand& from = operands[1];
    if (geometry.dimensions == 0 || operands[0].has_second || from.elements.size() != 2)
        throw Refused{};
    if (operands.size() > 2 && !has(instruction, "level") && !has(instruction, "grad"))
        throw Refused{};
    auto& detail = new_detail<TextureDetail>();
    detail.object = as_register(from.elements[0], 8);
    detail.dimensions = geometry.dimensions;
    detail.whole_coordinates = instruction.modifiers.back() == "s32";
    const std::vector<ptx::Operand> coordinates = coordinates_of(from);
    std::size_t next = 0;
    if (coordinates.size() < geometry.dimensions + geometry.is_layered) throw Refused{};
    if (geometry.is_layered) detail.layer = as_register(coordinates[next++], 4);
    for (unsigned i = 0; i < geometry.dimensions; ++i) {
        detail.coordinates[i] = as_register(coordinates[next++], 4);
    }
    const std::vector<ptx::Operand> results = elements_of(operands[0]);
    if (results.size() > 4) throw Refused{};
    for (std::size_t i = 0; i < results.size(); ++i) {
        detail.results[i] = offset_of(results[i]);
        if (detail.results[i] != no_register && register_bytes(results[i]) != 4) throw Refused{};
    }
    if (opcode == "tld4") {
        static constexpr const char* channels[] = {"r", "g", "b", "a"};
        if (geometry.dimensions != 2) throw Refused{};
        for (int i = 0; i < 4; ++i) {
            if (has(instruction, channels[i])) detail.gathered_channel = i;
        }
        if (detail.gathered_channel < 0) throw Refused{};
    }
    detail.place.kind = AccessKind::load;
    detail.place.role = AccessRole::texture_fetch;
    detail.place.bytes = 4;
    detail.place.instruction = at_;
    add_site(detail.place, AccessSpace::texture, false, CacheOperator::read_only);
    image_.accesses[&detail] = &detail.place;
    Operation operation;
    operation.execute = execute_texture;
    operation.detail = &detail;
    emit(operation);
    return true;
}

// suld.b.2d.v2.b32.trap {d, e}, [object, {x, y}]; sust.b.2d.b32.trap [object, {x, y}], {a}
void FunctionDecoder::surface(const ptx::Instruction& instruction) {
    const Geometry geometry = geometry_of(instruction.modifiers);
    if (geometry.dimensions == 0 || !has(instruction, "b")) throw Refused{};
    auto& detail = new_detail<SurfaceDetail>();
    detail.is_load = instruction.opcode == "suld";
    const ptx::Operand& at = instruction.operands[detail.is_load ? 1 : 0];
    const ptx::Operand& value = instruction.operands[detail.is_load ? 0 : 1];
    if (at.elements.size() != 2) throw Refused{};
    const std::vector<ptx::Operand> coordinates = coordinates_of(at), elements = elements_of(value);
    if (coordinates.size() < geometry.dimensions + geometry.is_layered || elements.size() > 4)
        throw Refused{};
    detail.object = as_register(at.elements[0], 8);
    detail.dimensions = geometry.dimensions;
    detail.instruction = at_;
    std::size_t next = 0;
    if (geometry.is_layered) detail.layer = as_register(coordinates[next++], 4);
    for (unsigned i = 0; i < geometry.dimensions; ++i) {
        detail.coordinates[i] = as_register(coordinates[next++], 4);
    }
    detail.element_bytes = static_cast<std::uint8_t>(ptx::bytes_of(type_of(instruction)));
    detail.elements = static_cast<std::uint8_t>(elements.size());
    unsigned bytes = std::max<unsigned>(2, detail.element_bytes);
    for (const ptx::Operand& element : elements) {
        if (element.kind == OperandKind::reg) bytes = register_bytes(element);
    }
    detail.register_bytes = static_cast<std::uint8_t>(bytes);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        detail.registers[i] =
            detail.is_load ? offset_of(elements[i]) : as_register(elements[i], bytes);
    }
    detail.boundary = has(instruction, "zero")    ? SurfaceBoundary::zero
                      : has(instruction, "clamp") ? SurfaceBoundary::clamp
                                                  : SurfaceBoundary::trap;
    Operation operation;
    operation.execute = execute_surface;
    operation.detail = &detail;
    emit(operation);
}

void FunctionDecoder::texture_query(const ptx::Instruction& instruction) {
    auto& detail = new_detail<TextureQueryDetail>();
    if (has(instruction, "width"))
        detail.property = TextureProperty::width;
    else if (has(instruction, "height"))
        detail.property = TextureProperty::height;
    else if (has(instruction, "depth") || has(instruction, "array_size"))
        detail.property = TextureProperty::depth;
    else
        throw Refused{};
    detail.result = offset_of(instruction.operands[0]);
    const ptx::Operand& object = instruction.operands[1];
    detail.object =
        as_register(object.kind == OperandKind::address ? object.elements[0] : object, 8);
    detail.instruction = at_;
    Operation operation;
    operation.execute = execute_texture_query;
    operation.detail = &detail;
    emit(operation);
}

}  // namespace emulator::simt

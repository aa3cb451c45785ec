// tex, tld4, txq, suld, sust: textures and surfaces. What a fetch returns is in texture_sampling.hpp.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/simt/state/memory.hpp"

namespace emulator::simt {

struct TextureDetail {
    RegisterOffset object = no_register;  // 64-bit lanes: the texture object
    std::array<RegisterOffset, 4> results{no_register, no_register, no_register, no_register};
    // 32-bit lanes: x, y, z; f32 or whole.
    std::array<RegisterOffset, 3> coordinates{no_register, no_register, no_register};
    RegisterOffset layer = no_register;
    unsigned dimensions = 1;
    bool whole_coordinates = false;
    int gathered_channel = -1;  // of tld4
    MemoryDetail place;         // no address of a lane: its site, instruction and policy
};
void execute_texture(Warp& warp, const Operation& operation);

// The handling of surface accesses outside.
enum class SurfaceBoundary : std::uint8_t { trap, clamp, zero };

struct SurfaceDetail {
    RegisterOffset object = no_register;
    bool is_load = true;
    std::uint8_t elements = 1, element_bytes = 4;
    std::array<RegisterOffset, 4> registers{no_register, no_register, no_register, no_register};
    std::uint8_t register_bytes = 4;
    std::array<RegisterOffset, 3> coordinates{no_register, no_register, no_register};  // x in bytes
    RegisterOffset layer = no_register;
    unsigned dimensions = 1;
    SurfaceBoundary boundary{};
    std::uint32_t instruction = 0;
};
void execute_surface(Warp& warp, const Operation& operation);

// txq: a property of each lane's texture or surface.
enum class TextureProperty : std::uint8_t { width, height, depth };
struct TextureQueryDetail {
    RegisterOffset object = no_register, result = no_register;
    TextureProperty property{};
    std::uint32_t instruction = 0;
};
void execute_texture_query(Warp& warp, const Operation& operation);

}  // namespace emulator::simt

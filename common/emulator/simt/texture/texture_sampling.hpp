// The texture unit's work on a coordinate: addressing, filtering, conversion of texels. Pure functions
// of a descriptor and its memory.
// Source: CUDA C++ Programming Guide, "Texture Fetching".
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emulator/simt/state/launch_record.hpp"

namespace emulator::simt {

// Four channels as 32 bits each: f32, or integers extended to 32 bits. Channels that are not there: 0.
using Texel = std::array<std::uint32_t, 4>;

// Coordinates in elements, or, where the descriptor says so, normalised; of dimensions that the texture
// has. `layer`: of layered textures.
struct TextureCoordinates {
    std::array<float, 3> at{};
    std::uint32_t layer = 0;
};

// Texels that a fetch reads, as places: what it costs is worked out of them.
struct TexelPlace {
    std::uint32_t x = 0, y = 0, z = 0;
};
using TexelPlaces = std::vector<TexelPlace>;

// Filtered or not as the descriptor says. Appends what it reads to `places`.
Texel sample(const TextureDescriptor& texture, unsigned dimensions,
             const TextureCoordinates& coordinates, TexelPlaces& places);
// tex1Dfetch and the like: whole coordinates, no filter; outside lie the border's values (0).
Texel fetch(const TextureDescriptor& texture, unsigned dimensions,
            const std::array<std::int32_t, 3>& at, std::uint32_t layer, TexelPlaces& places);
// One channel of the four texels around a point, in the order of tld4.
Texel gather(const TextureDescriptor& texture, unsigned channel,
             const TextureCoordinates& coordinates, TexelPlaces& places);

// Identifies the 32-byte sector that holds a byte of a texel. Arrays keep pieces of 16 bytes by 2 rows
// together; linear memory is as it lies.
std::uint64_t texture_sector(const TextureDescriptor& texture, const TexelPlace& place);

}  // namespace emulator::simt

#include "emulator/simt/texture/texture_sampling.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "emulator/memory/device_memory.hpp"
#include "emulator/simt/alu/values/half_values.hpp"

namespace emulator::simt {
namespace {

std::uint32_t size_of(const TextureDescriptor& texture, unsigned dimension) {
    const std::uint32_t size = dimension == 0   ? texture.width
                               : dimension == 1 ? texture.height
                                                : texture.depth;
    return std::max(size, 1u);
}

// Nothing: outside, where the border's value is read.
std::optional<std::uint32_t> resolve(std::int64_t index, std::uint32_t size, AddressMode mode) {
    const auto n = static_cast<std::int64_t>(size);
    switch (mode) {
        case AddressMode::clamp:
            return static_cast<std::uint32_t>(std::clamp<std::int64_t>(index, 0, n - 1));
        case AddressMode::wrap:
            return static_cast<std::uint32_t>((index % n + n) % n);
        case AddressMode::mirror: {
            const std::int64_t within = (index % (2 * n) + 2 * n) % (2 * n);
            return static_cast<std::uint32_t>(within < n ? within : 2 * n - 1 - within);
        }
        case AddressMode::border:
            break;
    }
    if (index < 0 || index >= n) return std::nullopt;
    return static_cast<std::uint32_t>(index);
}

std::uint32_t float_bits(float value) { return std::bit_cast<std::uint32_t>(value); }

std::uint32_t converted(const TextureDescriptor& texture, const std::byte* from) {
    using Format = TextureDescriptor::Format;
    std::uint32_t bits = 0;
    std::memcpy(&bits, from, texture.bytes_per_channel);
    const unsigned unused = 32 - 8 * texture.bytes_per_channel;
    if (texture.format == Format::floating_point) {
        return texture.bytes_per_channel == 2
                   ? float_bits(Half::to_float(static_cast<std::uint16_t>(bits)))
                   : bits;
    }
    const bool is_signed = texture.format == Format::signed_integer;
    const auto extended = static_cast<std::int32_t>(bits << unused) >> unused;
    if (texture.read_normalised_float) {
        const auto most = static_cast<float>(
            (std::uint64_t{1} << (8 * texture.bytes_per_channel - is_signed)) - 1);
        return is_signed ? float_bits(std::max(static_cast<float>(extended) / most, -1.0f))
                         : float_bits(static_cast<float>(bits) / most);
    }
    return is_signed ? static_cast<std::uint32_t>(extended) : bits;
}

Texel border_of(const TextureDescriptor& texture) {
    Texel texel{};
    for (std::size_t i = 0; i < texture.channels; ++i) texel[i] = float_bits(texture.border[i]);
    return texel;
}

Texel read(const TextureDescriptor& texture, const TexelPlace& place, TexelPlaces& places) {
    places.push_back(place);
    const std::byte* const at =
        storage_of(texture.data) + place.z * texture.slice_bytes + place.y * texture.pitch_bytes +
        std::uint64_t{place.x} * texture.channels * texture.bytes_per_channel;
    Texel texel{};
    for (std::size_t i = 0; i < texture.channels; ++i) {
        texel[i] = converted(texture, at + i * texture.bytes_per_channel);
    }
    return texel;
}

Texel read_at(const TextureDescriptor& texture, unsigned dimensions,
              const std::array<std::int64_t, 3>& index, std::uint32_t layer, TexelPlaces& places) {
    std::array<std::uint32_t, 3> at{};
    for (unsigned i = 0; i < dimensions; ++i) {
        const auto found = resolve(index[i], size_of(texture, i), texture.address_mode[i]);
        if (!found) return border_of(texture);
        at[i] = *found;
    }
    if (texture.is_layered) at[2] = std::min(layer, std::max(texture.depth, 1u) - 1);
    return read(texture, {at[0], at[1], at[2]}, places);
}

// A coordinate beyond what an index can be, NaN among them, is limited.
std::int64_t floor_index(float value) {
    return static_cast<std::int64_t>(std::floor(std::clamp(value, -1e9f, 1e9f) + 0.0f));
}

std::array<float, 3> in_elements(const TextureDescriptor& texture, unsigned dimensions,
                                 const TextureCoordinates& coordinates) {
    std::array<float, 3> at{};
    for (unsigned i = 0; i < dimensions; ++i) {
        const float value = coordinates.at[i] == coordinates.at[i] ? coordinates.at[i] : 0.0f;
        at[i] = texture.normalised_coordinates ? value * static_cast<float>(size_of(texture, i))
                                               : value;
    }
    return at;
}

// The lower texel along a dimension, and the weight of the upper one with 8 bits of fraction.
struct Between {
    std::int64_t low = 0;
    float weight = 0;
};
Between between(float at) {
    const float shifted = std::clamp(at, -1e9f, 1e9f) - 0.5f;
    const float low = std::floor(shifted);
    return {static_cast<std::int64_t>(low), std::nearbyint((shifted - low) * 256.0f) / 256.0f};
}

Texel filter(const TextureDescriptor& texture, unsigned dimensions, const std::array<float, 3>& at,
             std::uint32_t layer, TexelPlaces& places) {
    std::array<Between, 3> along;
    for (unsigned i = 0; i < dimensions; ++i) along[i] = between(at[i]);
    std::array<float, 4> sum{};
    for (unsigned corner = 0; corner < 1u << dimensions; ++corner) {
        float weight = 1.0f;
        std::array<std::int64_t, 3> index{};
        for (unsigned i = 0; i < dimensions; ++i) {
            const bool upper = corner >> i & 1;
            index[i] = along[i].low + upper;
            weight *= upper ? along[i].weight : 1.0f - along[i].weight;
        }
        const Texel texel = read_at(texture, dimensions, index, layer, places);
        // A texel without weight counts for nothing, even if it is NaN or infinite.
        if (weight == 0) continue;
        for (std::size_t i = 0; i < 4; ++i) sum[i] += weight * std::bit_cast<float>(texel[i]);
    }
    Texel result{};
    for (std::size_t i = 0; i < 4; ++i) result[i] = float_bits(sum[i]);
    return result;
}

}  // namespace

Texel sample(const TextureDescriptor& texture, unsigned dimensions,
             const TextureCoordinates& coordinates, TexelPlaces& places) {
    const std::array<float, 3> at = in_elements(texture, dimensions, coordinates);
    if (texture.linear_filter) return filter(texture, dimensions, at, coordinates.layer, places);
    std::array<std::int64_t, 3> index{};
    for (unsigned i = 0; i < dimensions; ++i) index[i] = floor_index(at[i]);
    return read_at(texture, dimensions, index, coordinates.layer, places);
}

Texel fetch(const TextureDescriptor& texture, unsigned dimensions,
            const std::array<std::int32_t, 3>& at, std::uint32_t layer, TexelPlaces& places) {
    std::array<std::int64_t, 3> index{};
    for (unsigned i = 0; i < dimensions; ++i) {
        index[i] = at[i];
        if (at[i] < 0 || static_cast<std::uint32_t>(at[i]) >= size_of(texture, i)) return Texel{};
    }
    return read_at(texture, dimensions, index, layer, places);
}

Texel gather(const TextureDescriptor& texture, unsigned channel,
             const TextureCoordinates& coordinates, TexelPlaces& places) {
    const std::array<float, 3> at = in_elements(texture, 2, coordinates);
    const std::int64_t x = floor_index(at[0] - 0.5f), y = floor_index(at[1] - 0.5f);
    Texel result;
    constexpr int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (std::size_t i = 0; i < 4; ++i) {
        result[i] = read_at(texture, 2, {x + order[i][0], y + order[i][1], 0}, coordinates.layer,
                            places)[channel];
    }
    return result;
}

std::uint64_t texture_sector(const TextureDescriptor& texture, const TexelPlace& place) {
    constexpr std::uint64_t sector = 32, tile_bytes = 16, tile_rows = 2;
    const std::uint64_t x = std::uint64_t{place.x} * texture.channels * texture.bytes_per_channel;
    const std::uint64_t rows = std::max(texture.height, 1u);
    if (texture.is_array && texture.height > 0) {
        const std::uint64_t tiles_per_row = (texture.pitch_bytes + tile_bytes - 1) / tile_bytes;
        const std::uint64_t tile_rows_of_slice = (rows + tile_rows - 1) / tile_rows;
        const std::uint64_t row = place.z * tile_rows_of_slice + place.y / tile_rows;
        return reinterpret_cast<std::uint64_t>(texture.data) / sector + row * tiles_per_row +
               x / tile_bytes;
    }
    return (reinterpret_cast<std::uint64_t>(texture.data) + place.z * texture.slice_bytes +
            place.y * texture.pitch_bytes + x) /
           sector;
}

}  // namespace emulator::simt

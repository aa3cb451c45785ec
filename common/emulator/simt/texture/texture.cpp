#include "emulator/simt/texture/texture.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "emulator/models/memory/memory_model.hpp"
#include "emulator/simt/record/trace_recorder.hpp"
#include "emulator/simt/state/launch.hpp"
#include "emulator/simt/texture/texture_sampling.hpp"

namespace emulator::simt {
namespace {

const TextureDescriptor& descriptor_of(WarpContext& context, RegisterOffset object, int lane,
                                       std::uint32_t instruction) {
    const std::uint64_t handle = context.lanes<std::uint64_t>(object)[lane];
    const auto& all = *context.execution->launch.textures;
    if (handle == 0 || handle > all.size() || all[handle - 1].data == nullptr) {
        throw fault_at(context, FaultKind::illegal_address, instruction, lane,
                       "uses a texture or surface object that does not exist");
    }
    if (all[handle - 1].is_freed) {
        throw fault_at(context, FaultKind::illegal_address, instruction, lane,
                       "uses a texture or surface object whose memory was freed");
    }
    return all[handle - 1];
}

Texel texel_of(WarpContext& context, const TextureDetail& detail, const TextureDescriptor& texture,
               int lane, TexelPlaces& places) {
    std::array<std::int32_t, 3> whole{};
    TextureCoordinates coordinates;
    for (unsigned i = 0; i < detail.dimensions; ++i) {
        whole[i] = context.lanes<std::int32_t>(detail.coordinates[i])[lane];
        coordinates.at[i] = std::bit_cast<float>(whole[i]);
    }
    if (detail.layer != no_register)
        coordinates.layer = context.lanes<std::uint32_t>(detail.layer)[lane];
    if (detail.whole_coordinates)
        return fetch(texture, detail.dimensions, whole, coordinates.layer, places);
    if (detail.gathered_channel >= 0) {
        return gather(texture, static_cast<unsigned>(detail.gathered_channel), coordinates, places);
    }
    return sample(texture, detail.dimensions, coordinates, places);
}

void keep_distinct(std::vector<std::uint64_t>& values) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Sectors by their lines to the cache, and to who records them.
void queue_sectors(WarpContext& context, const TextureDetail& detail,
                   std::vector<std::uint64_t>& sectors) {
    if (sectors.empty()) return;
    keep_distinct(sectors);
    std::vector<LineSectors> lines;
    constexpr std::uint64_t per_line = line_bytes / sector_bytes;
    for (std::size_t i = 0; i < sectors.size();) {
        const std::uint64_t line = sectors[i] / per_line;
        std::uint32_t touched = 0;
        for (; i < sectors.size() && sectors[i] / per_line == line; ++i)
            touched |= 1u << sectors[i] % per_line;
        lines.push_back(LineSectors(line * line_bytes, touched));
    }
    if (TraceRecorder* const recorder = context.execution->recorder)
        recorder->note_lines(context, lines);
    if (context.memory == nullptr) return;
    context.memory->queue(context.warp->number, AccessKind::load, detail.place.policy.path, lines,
                          nullptr);
    --context.budget;
}

// Threads of a quad make a request together; in one dimension, of texels of up to 4 bytes, two quads.
int lanes_per_request(const TextureDetail& detail, const TextureDescriptor& texture) {
    const bool is_small = texture.channels * texture.bytes_per_channel <= 4;
    return detail.dimensions == 1 && is_small ? 8 : 4;
}

}  // namespace

void execute_texture(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const TextureDetail*>(operation.detail);
    TexelPlaces places;
    std::vector<std::uint64_t> sectors, sectors_of_warp;
    AccessCounters cost;
    std::array<Texel, warp_size> texels;
    int group = -1;
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const TextureDescriptor& texture =
            descriptor_of(context, detail.object, lane, detail.place.instruction);
        if (const int mine = lane / lanes_per_request(detail, texture); mine != group) {
            group = mine;
            ++cost.requests;
            keep_distinct(sectors);
            cost.sectors += sectors.size();
            sectors.clear();
        }
        places.clear();
        texels[static_cast<std::size_t>(lane)] = texel_of(context, detail, texture, lane, places);
        for (const TexelPlace& place : places) sectors.push_back(texture_sector(texture, place));
        if (context.memory != nullptr || context.execution->recorder != nullptr) {
            sectors_of_warp.insert(sectors_of_warp.end(),
                                   sectors.end() - static_cast<std::ptrdiff_t>(places.size()),
                                   sectors.end());
        }
    }
    keep_distinct(sectors);
    cost.sectors += sectors.size();
    context.sites[detail.place.site].requests.add(cost);
    queue_sectors(context, detail, sectors_of_warp);
    // Coordinates may lie in registers that results go to.
    for (std::size_t i = 0; i < detail.results.size(); ++i) {
        if (detail.results[i] == no_register) continue;
        std::uint32_t* const lanes = context.lanes<std::uint32_t>(detail.results[i]);
        for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
            lanes[lane] = texels[lane][i];
        }
    }
}

namespace {

// The place of a surface access; null where nothing is read or written.
std::byte* surface_place(WarpContext& context, const SurfaceDetail& detail,
                         const TextureDescriptor& surface, int lane) {
    const std::uint32_t bytes = std::uint32_t{detail.elements} * detail.element_bytes;
    const std::int64_t limit[3] = {
        std::int64_t{surface.width} * surface.channels * surface.bytes_per_channel,
        std::max(surface.height, 1u), std::max(surface.depth, 1u)};
    std::int64_t at[3] = {};
    bool inside = true;
    for (unsigned i = 0; i < detail.dimensions; ++i) {
        at[i] = context.lanes<std::int32_t>(detail.coordinates[i])[lane];
        const std::int64_t last = limit[i] - (i == 0 ? bytes : 1);
        inside &= at[i] >= 0 && at[i] <= last;
        if (detail.boundary == SurfaceBoundary::clamp)
            at[i] = std::clamp<std::int64_t>(at[i], 0, last);
    }
    if (detail.layer != no_register) {
        at[2] = context.lanes<std::uint32_t>(detail.layer)[lane];
        inside &= at[2] < limit[2];
        if (detail.boundary == SurfaceBoundary::clamp) at[2] = std::min(at[2], limit[2] - 1);
    }
    if (!inside && detail.boundary == SurfaceBoundary::trap) {
        throw fault_at(context, FaultKind::illegal_address, detail.instruction, lane,
                       "accesses a surface outside of its bounds");
    }
    if (at[0] % bytes != 0) {
        throw fault_at(context, FaultKind::misaligned_address, detail.instruction, lane,
                       "accesses a surface at byte " + std::to_string(at[0]) +
                           " of a row, which is no multiple of " + std::to_string(bytes));
    }
    if (!inside && detail.boundary == SurfaceBoundary::zero) return nullptr;
    return const_cast<std::byte*>(storage_of(surface.data)) +
           static_cast<std::uint64_t>(at[2]) * surface.slice_bytes +
           static_cast<std::uint64_t>(at[1]) * surface.pitch_bytes + at[0];
}

}  // namespace

// Nothing is counted: the counters that the models reproduce leave surfaces out.
void execute_surface(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const SurfaceDetail*>(operation.detail);
    std::array<std::byte*, warp_size> at{};
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const TextureDescriptor& surface =
            descriptor_of(context, detail.object, lane, detail.instruction);
        at[static_cast<std::size_t>(lane)] = surface_place(context, detail, surface, lane);
    }
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
        for (std::size_t i = 0; i < detail.elements; ++i) {
            if (detail.registers[i] == no_register) continue;
            std::byte* const value =
                context.registers + detail.registers[i] + lane * detail.register_bytes;
            if (detail.is_load) {
                std::memset(value, 0, detail.register_bytes);
                if (at[lane] != nullptr) {
                    std::memcpy(value, at[lane] + i * detail.element_bytes, detail.element_bytes);
                }
            } else if (at[lane] != nullptr) {
                std::memcpy(at[lane] + i * detail.element_bytes, value, detail.element_bytes);
            }
        }
    }
}

void execute_texture_query(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const TextureQueryDetail*>(operation.detail);
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const TextureDescriptor& texture =
            descriptor_of(context, detail.object, lane, detail.instruction);
        const std::uint32_t value = detail.property == TextureProperty::width    ? texture.width
                                    : detail.property == TextureProperty::height ? texture.height
                                                                                 : texture.depth;
        context.lanes<std::uint32_t>(detail.result)[lane] = value;
    }
}

}  // namespace emulator::simt

// Textures and surfaces: addressing and filtering against the CUDA C++ Programming Guide's formulas, counts
// against an H200's.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/simt/record/trace_recorder.hpp"
#include "emulator/simt/texture/texture_sampling.hpp"
#include "simt_fixture.hpp"

namespace {

using namespace simt_test;
using emulator::simt::AddressMode;
using emulator::simt::sample;
using emulator::simt::Texel;
using emulator::simt::TexelPlaces;
using emulator::simt::TextureDescriptor;

TextureDescriptor texture_of(const std::vector<float>& values, unsigned width, unsigned height = 0,
                             unsigned depth = 0) {
    TextureDescriptor texture;
    texture.data = reinterpret_cast<const std::byte*>(values.data());
    texture.width = width;
    texture.height = height;
    texture.depth = depth;
    texture.pitch_bytes = width * 4;
    texture.slice_bytes = texture.pitch_bytes * (height == 0 ? 1 : height);
    texture.format = TextureDescriptor::Format::floating_point;
    return texture;
}

void set_mode(TextureDescriptor& texture, AddressMode mode) {
    for (AddressMode& of_dimension : texture.address_mode) of_dimension = mode;
}

float at(const TextureDescriptor& texture, unsigned dimensions, float x, float y = 0, float z = 0) {
    TexelPlaces places;
    return std::bit_cast<float>(sample(texture, dimensions, {{x, y, z}, 0}, places)[0]);
}

TEST(Texture, PointsAreTheTexelsThatHoldThem) {
    const std::vector<float> values{10, 11, 12, 13, 20, 21, 22, 23};
    TextureDescriptor texture = texture_of(values, 4, 2);
    EXPECT_EQ(at(texture, 2, 0.0f, 0.0f), 10);
    EXPECT_EQ(at(texture, 2, 2.99f, 1.5f), 22);
    EXPECT_EQ(at(texture, 2, -3.0f, 7.0f), 20);  // clamped
    set_mode(texture, AddressMode::border);
    texture.border[0] = 5;
    EXPECT_EQ(at(texture, 2, -0.5f, 0.0f), 5);
    EXPECT_EQ(at(texture, 2, 3.5f, 1.0f), 23);
}

TEST(Texture, NormalisedCoordinatesWrapAndMirror) {
    const std::vector<float> values{10, 11, 12, 13};
    TextureDescriptor texture = texture_of(values, 4);
    texture.normalised_coordinates = true;
    set_mode(texture, AddressMode::wrap);
    EXPECT_EQ(at(texture, 1, 0.30f), 11);
    EXPECT_EQ(at(texture, 1, 1.30f), 11);
    EXPECT_EQ(at(texture, 1, -0.1f), 13);
    set_mode(texture, AddressMode::mirror);
    EXPECT_EQ(at(texture, 1, -0.1f), 10);
    EXPECT_EQ(at(texture, 1, 1.1f), 13);
    EXPECT_EQ(at(texture, 1, 2.1f), 10);
    set_mode(texture, AddressMode::clamp);
    EXPECT_EQ(at(texture, 1, 1.1f), 13);
}

// tex(x) = (1 - a) T[i] + a T[i + 1], i = floor(x - 0.5), a = frac(x - 0.5) in 1.8 fixed point.
TEST(Texture, LinearFilterHasWeightsOf8Bits) {
    const std::vector<float> values{0, 256, 1024, 512, 0, 0, 2048, 4096};
    TextureDescriptor texture = texture_of(values, 4, 2);
    texture.linear_filter = true;
    EXPECT_EQ(at(texture, 2, 0.5f, 0.5f), 0);
    EXPECT_EQ(at(texture, 2, 1.0f, 0.5f), 128);
    EXPECT_EQ(at(texture, 2, 0.5f + 1.0f / 256, 0.5f), 1);
    EXPECT_EQ(at(texture, 2, 0.5f + 0.4f / 256, 0.5f), 0);  // below half of the weight's last place
    EXPECT_EQ(at(texture, 2, 2.5f, 1.0f), 1536);
    EXPECT_EQ(at(texture, 2, 3.0f, 1.0f), (1024 + 512 + 2048 + 4096) / 4);
    EXPECT_EQ(at(texture, 2, 0.0f, 0.5f), 0);  // clamped
    const TextureDescriptor volume = [&] {
        TextureDescriptor three = texture_of(values, 2, 2, 2);
        three.linear_filter = true;
        return three;
    }();
    EXPECT_EQ(at(volume, 3, 1.0f, 1.0f, 1.0f), (0 + 256 + 1024 + 512 + 0 + 0 + 2048 + 4096) / 8);
}

TEST(Texture, IntegersAsTheyAreAndNormalised) {
    const std::vector<std::uint8_t> bytes{0, 255, 51, 128};
    TextureDescriptor texture;
    texture.data = reinterpret_cast<const std::byte*>(bytes.data());
    texture.width = 4;
    texture.pitch_bytes = 4;
    texture.bytes_per_channel = 1;
    texture.format = TextureDescriptor::Format::unsigned_integer;
    TexelPlaces places;
    EXPECT_EQ(sample(texture, 1, {{1.5f}, 0}, places)[0], 255u);
    texture.read_normalised_float = true;
    EXPECT_EQ(at(texture, 1, 1.5f), 1.0f);
    EXPECT_EQ(at(texture, 1, 2.5f), 0.2f);
    texture.format = TextureDescriptor::Format::signed_integer;
    EXPECT_EQ(at(texture, 1, 3.5f), -1.0f);  // -128 / 127, limited
}

TEST(Texture, GatherTakesTheFourAround) {
    const std::vector<float> values{1, 2, 3, 4};
    const TextureDescriptor texture = texture_of(values, 2, 2);
    TexelPlaces places;
    const Texel found = emulator::simt::gather(texture, 0, {{1.0f, 1.0f}, 0}, places);
    // (0, 1), (1, 1), (1, 0), (0, 0)
    EXPECT_EQ(std::bit_cast<float>(found[0]), 3);
    EXPECT_EQ(std::bit_cast<float>(found[1]), 4);
    EXPECT_EQ(std::bit_cast<float>(found[2]), 2);
    EXPECT_EQ(std::bit_cast<float>(found[3]), 1);
}

const std::string head = ".version 8.0\n.target sm_75\n.address_size 64\n";

// out[thread] = texel (thread) of linear memory.
const std::string fetch_1d = head + R"(
.visible .entry fetch(.param .u64 texture, .param .u64 to, .param .u32 shift) {
  .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [texture]; ld.param.u64 %rd2, [to]; ld.param.u32 %r3, [shift];
  mov.u32 %r1, %tid.x;
  add.s32 %r2, %r1, %r3;
  tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd1, {%r2}];
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.f32 [%rd4], %f0;
  ret;
})";

// 64 floats of linear memory.
TextureDescriptor line_of_64(const Array<float>& from) {
    TextureDescriptor texture;
    texture.data = reinterpret_cast<const std::byte*>(from.get());
    texture.width = 64;
    texture.pitch_bytes = texture.slice_bytes = 256;
    texture.format = TextureDescriptor::Format::floating_point;
    return texture;
}

TEST(Texture, LinearMemoryOutsideIsZero) {
    Machine machine(fetch_1d);
    const Array<float> from(ramp(64)), to(64);
    machine.gpu().textures().push_back(line_of_64(from));
    const LaunchRecord record =
        machine.launch("fetch", shape(1, 64), std::uint64_t{1}, to.get(), std::uint32_t{8});
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(to.to_host()[i], i + 8 < 64 ? i + 8.0f : 0.0f);
    // A request for 8 threads; of the 8 requests one reads only what is not there.
    EXPECT_EQ(record.texture_loads.requests, 8u);
    EXPECT_EQ(record.texture_loads.sectors, 7u);
    EXPECT_THROW(
        machine.launch("fetch", shape(1, 64), std::uint64_t{2}, to.get(), std::uint32_t{0}),
        emulator::simt::Fault);
}

// For the time model: a warp's fetches are one access, whose lines are those of its texels. Thread i fetches texel i + 8,
// 64 there are; so warp 0 touches bytes 32 to 159, warp 1 bytes 160 to 255. Without caches to be counted, too.
TEST(Texture, FetchesAreRecorded) {
    for (const bool model_caches : {false, true}) {
        Machine machine(fetch_1d, "hopper",
                        {.model_caches = model_caches, .record_for_time = true});
        const Array<float> from(ramp(64)), to(64);
        machine.gpu().textures().push_back(line_of_64(from));
        const LaunchRecord record =
            machine.launch("fetch", shape(1, 64), std::uint64_t{1}, to.get(), std::uint32_t{8});
        const timing::LaunchTrace& trace = record.recorded->trace;
        const emulator::Address begin = emulator::Address(from.get()) / 128 * 128;
        ASSERT_EQ(begin, emulator::Address(from.get()));
        const auto expect = [&](unsigned warp, std::vector<emulator::LineSectors> lines,
                                unsigned bytes) {
            const auto& accesses = trace.blocks.at(0).at(warp).accesses;
            ASSERT_EQ(accesses.size(), 2u);  // and the store
            const timing::Access& fetch = accesses[0];
            EXPECT_EQ(fetch.kind, timing::Access::Kind::load);
            EXPECT_EQ(fetch.space, timing::Space::texture);
            EXPECT_EQ(fetch.path, emulator::LoadPath::l1);
            EXPECT_EQ(fetch.bytes, bytes);
            ASSERT_EQ(fetch.line_count, lines.size());
            for (std::size_t i = 0; i < lines.size(); ++i) {
                EXPECT_EQ(trace.lines_of(fetch)[i].line(), lines[i].line());
                EXPECT_EQ(trace.lines_of(fetch)[i].sectors(), lines[i].sectors());
            }
            EXPECT_EQ(accesses[1].kind, timing::Access::Kind::store);
            EXPECT_EQ(accesses[1].space, timing::Space::global);
            EXPECT_EQ(trace.lines_of(accesses[1]).size(), 1u);
        };
        expect(0, {{begin, 0xe}, {begin + 128, 0x1}}, 4 * 32);
        expect(1, {{begin + 128, 0xe}}, 3 * 32);
    }
}

// The launches texture_rotate and texture_box of the validation set, as an H200 counted them: 840 requests and
// 2380 sectors, 7290 and 11880.
const std::string two_dimensions = head + R"(
.visible .entry rotate(.param .u64 texture, .param .u64 to, .param .u32 width, .param .u32 height) {
  .reg .b32 %r<20>; .reg .b64 %rd<8>; .reg .f32 %f<8>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [texture]; ld.param.u64 %rd2, [to];
  ld.param.u32 %r1, [width]; ld.param.u32 %r2, [height];
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.s32 %r6, %r3, %r4, %r5;
  mov.u32 %r7, %ctaid.y; mov.u32 %r8, %ntid.y; mov.u32 %r9, %tid.y; mad.lo.s32 %r10, %r7, %r8, %r9;
  setp.ge.s32 %p1, %r6, %r2;
  setp.ge.or.s32 %p2, %r10, %r1, %p1;
  @%p2 bra end;
  sub.s32 %r11, %r2, %r6;
  sub.s32 %r11, %r11, 1;
  cvt.rn.f32.s32 %f4, %r10; add.f32 %f4, %f4, 0f3F000000;
  cvt.rn.f32.s32 %f5, %r11; add.f32 %f5, %f5, 0f3F000000;
  tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f4, %f5}];
  mad.lo.s32 %r12, %r10, %r2, %r6;
  mul.wide.s32 %rd3, %r12, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.f32 [%rd4], %f0;
end:
  ret;
})";

TEST(Texture, RequestsAndSectorsAreAnH200s) {
    Machine machine(two_dimensions);
    constexpr unsigned width = 70, height = 45;
    const Array<float> from(ramp(width * height)), to(width * height);
    TextureDescriptor texture;
    texture.data = reinterpret_cast<const std::byte*>(from.get());
    texture.width = width;
    texture.height = height;
    texture.pitch_bytes = width * 4;
    texture.slice_bytes = width * height * 4;
    texture.format = TextureDescriptor::Format::floating_point;
    texture.is_array = true;
    machine.gpu().textures().push_back(texture);
    const LaunchRecord record =
        machine.launch("rotate", shape(Dimensions{3, 5, 1}, Dimensions{16, 16, 1}),
                       std::uint64_t{1}, to.get(), width, height);
    EXPECT_EQ(record.texture_loads.requests, 840u);
    EXPECT_EQ(record.texture_loads.sectors, 2380u);
    const std::vector<float> result = to.to_host();
    for (unsigned y = 0; y < width; ++y) {
        for (unsigned x = 0; x < height; ++x) {
            EXPECT_EQ(result[y * height + x], static_cast<float>((height - 1 - x) * width + y));
        }
    }
}

// Words of a surface, one to the right of each thread's own, to the surface's second row.
const std::string surface = head + R"(
.visible .entry shift(.param .u64 surface) {
  .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [surface];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  add.s32 %r3, %r2, 4;
  mov.u32 %r4, 0; mov.u32 %r5, 1;
  suld.b.2d.b32.MODE {%r6}, [%rd1, {%r3, %r4}];
  sust.b.2d.b32.trap [%rd1, {%r2, %r5}], {%r6};
  ret;
})";

std::vector<float> shifted(const std::string& mode) {
    std::string text = surface;
    text.replace(text.find("MODE"), 4, mode);
    Machine machine(text);
    const Array<float> memory(ramp(64));
    TextureDescriptor descriptor;
    descriptor.data = reinterpret_cast<const std::byte*>(memory.get());
    descriptor.width = 32;
    descriptor.height = 2;
    descriptor.pitch_bytes = 128;
    descriptor.slice_bytes = 256;
    descriptor.format = TextureDescriptor::Format::floating_point;
    machine.gpu().textures().push_back(descriptor);
    machine.launch("shift", shape(1, 32), std::uint64_t{1});
    return memory.to_host();
}

TEST(Surface, LoadsStoresAndBoundaries) {
    const std::vector<float> zeros = shifted("zero"), clamped = shifted("clamp");
    for (unsigned i = 0; i < 31; ++i) EXPECT_EQ(zeros[32 + i], i + 1.0f);
    EXPECT_EQ(zeros[63], 0.0f);
    EXPECT_EQ(clamped[63], 31.0f);
    EXPECT_THROW(shifted("trap"), emulator::simt::Fault);
}

}  // namespace

// What the time model gets of kernels that wait for others, of atomic operations, and of arrays in local memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>

#include "emulator/simt/record/trace_recorder.hpp"
#include "simt_fixture.hpp"

namespace simt_test {
namespace {

using emulator::simt::RecordedLaunch;
using timing::Access;

// wait(flag): the first block polls until the second one has stored 1, which it does behind a loop.
// count(counters, stride): each lane adds 1, `stride` bytes from the last one's place.
// swap(counter): an addition by compare-and-swap. once(counter): a single one.
// local(out, stride): a word of 32, by lane * stride.
const char* const kernels = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry wait(.param .u64 flag)
{
    .reg .b32 %r<6>; .reg .b64 %rd<3>; .reg .pred %p<4>;
    ld.param.u64 %rd1, [flag];
    mov.u32 %r1, %ctaid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra SET;
POLL:
    ld.volatile.global.u32 %r2, [%rd1];
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra POLL;
    ret;
SET:
    mov.u32 %r3, 0;
AGAIN:
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p3, %r3, 100;
    @%p3 bra AGAIN;
    st.volatile.global.u32 [%rd1], %r3;
    ret;
}
.visible .entry count(.param .u64 counters, .param .u32 stride)
{
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [counters];
    ld.param.u32 %r2, [stride];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, %r2;
    add.s64 %rd3, %rd1, %rd2;
    red.global.add.u32 [%rd3], %r1;
    ret;
}
.visible .entry swap(.param .u64 counter)
{
    .reg .b32 %r<6>; .reg .b64 %rd<3>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [counter];
    ld.global.u32 %r1, [%rd1];
AGAIN:
    mov.u32 %r2, %r1;
    add.u32 %r3, %r2, 1;
    atom.global.cas.b32 %r1, [%rd1], %r2, %r3;
    setp.ne.u32 %p1, %r1, %r2;
    @%p1 bra AGAIN;
    ret;
}
.visible .entry once(.param .u64 counter)
{
    .reg .b32 %r<4>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [counter];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
    atom.global.cas.b32 %r3, [%rd1], %r2, %r1;
    st.global.u32 [%rd1+4], %r3;
    ret;
}
.visible .entry local(.param .u64 out, .param .u32 stride)
{
    .local .align 4 .b8 words[128];
    .reg .b32 %r<8>; .reg .b64 %rd<6>; .reg .f32 %f<2>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r2, [stride];
    mov.u32 %r1, %tid.x;
    mul.lo.u32 %r3, %r1, %r2;
    mov.u64 %rd2, words;
    cvt.u64.u32 %rd3, %r3;
    add.s64 %rd4, %rd2, %rd3;
    mov.f32 %f1, 0f3F800000;
    st.local.f32 [%rd4], %f1;
    ret;
}
)";

struct Recording {
    Machine machine{kernels, "hopper", [] {
                        emulator::simt::Options options;
                        options.record_for_time = true;
                        return options;
                    }()};
    Array<unsigned> memory{4096};
};

// Of the first warp, in the first block.
const Access& first_of(const RecordedLaunch& launch, Access::Kind kind) {
    const auto& accesses = launch.trace.blocks.at(0).at(0).accesses;
    return *std::ranges::find(accesses, kind, &Access::kind);
}

TEST(Recorder, AWarpThatOnlyWaitsPollsOnceOrTwice) {
    Recording recording;
    const RecordedLaunch launch =
        *recording.machine.launch("wait", shape(2, 32), recording.memory.get()).recorded;
    const auto& accesses = launch.trace.blocks.at(0).at(0).accesses;
    EXPECT_GE(std::ranges::count(accesses, Access::Kind::load, &Access::kind), 1);
    EXPECT_LE(std::ranges::count(accesses, Access::Kind::load, &Access::kind), 3);
}

TEST(Recorder, AtomicsTellHowManyLanesUpdateAnAddress) {
    Recording recording;
    for (const auto& [stride, lanes, sectors] :
         {std::array{0u, 32u, 32u}, std::array{4u, 1u, 4u}, std::array{128u, 1u, 32u}}) {
        const RecordedLaunch launch =
            *recording.machine.launch("count", shape(1, 32), recording.memory.get(), stride)
                 .recorded;
        const Access& access = first_of(launch, Access::Kind::reduction);
        EXPECT_EQ(access.wavefronts, lanes) << stride;
        EXPECT_EQ(access.sectors, sectors) << stride;
        EXPECT_EQ(access.update, Access::Update::integer);
    }
}

TEST(Recorder, ASwapOfALoopIsAnother) {
    Recording recording;
    const auto update = [&](const char* kernel) {
        const RecordedLaunch launch =
            *recording.machine.launch(kernel, shape(1, 32), recording.memory.get()).recorded;
        return first_of(launch, Access::Kind::atomic).update;
    };
    EXPECT_EQ(update("swap"), Access::Update::swap_loop);
    EXPECT_EQ(update("once"), Access::Update::swap);
}

// Words of lanes lie beside each other: of one index in a line, of an index a lane in as many as there are.
TEST(Recorder, LocalMemoryIsInterleavedByLanes) {
    Recording recording;
    for (const auto& [stride, lines] : {std::pair{0u, 1u}, {4u, 32u}}) {
        const RecordedLaunch launch =
            *recording.machine.launch("local", shape(1, 32), recording.memory.get(), stride)
                 .recorded;
        const Access& access = first_of(launch, Access::Kind::store);
        EXPECT_EQ(access.space, timing::Space::local);
        EXPECT_EQ(access.line_count, lines) << stride;
    }
}

}  // namespace
}  // namespace simt_test

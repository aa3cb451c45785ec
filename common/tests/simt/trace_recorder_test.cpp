// What is recorded of a launch for the time model: which warps, which accesses, and what they touch by
// the rules of coalescing (sectors of 32 bytes, lines of 128) and of 32 banks of 4 bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/simt/record/trace_recorder.hpp"
#include "simt_fixture.hpp"

namespace simt_test {
namespace {

using emulator::simt::RecordedLaunch;
using timing::Access;

// k(in, out): lanes load `stride` bytes apart; store(in): conflicts; loop(n): n rounds; uneven(n): of the first warp alone.
std::string text(unsigned stride) {
    const std::string bytes = std::to_string(stride);
    return R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %rd<8>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, )" +
           bytes + R"(;
    add.s64 %rd4, %rd1, %rd3;
    ld.global.f32 %f1, [%rd4];
    setp.lt.u32 %p1, %r1, 8;
    @%p1 st.global.f32 [%rd2], %f1;
    ret;
}
.visible .entry read_only(.param .u64 in)
{
    .reg .f32 %f<2>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [in];
    ld.global.nc.f32 %f1, [%rd1];
    ret;
}
.visible .entry staged(.param .u64 in)
{
    .reg .b32 %r<6>; .reg .f32 %f<4>;
    .shared .align 4 .b8 tile[16384];
    mov.u32 %r1, %tid.x;
    mov.u32 %r3, tile;
    mad.lo.u32 %r2, %r1, )" +
           bytes + R"(, %r3;
    mov.f32 %f1, 0f3F800000;
    st.shared.f32 [%r2], %f1;
    bar.sync 0;
    ret;
}
.const .align 128 .b8 table[4224];
.visible .entry constants(.param .u64 out)
{
    .reg .b32 %r<2>; .reg .f32 %f<2>; .reg .b64 %rd<5>;
    ld.param.u64 %rd4, [out];
    mov.u32 %r1, %tid.x;
    mov.u64 %rd1, table;
    mul.wide.u32 %rd2, %r1, )" +
           bytes + R"(;
    add.s64 %rd3, %rd1, %rd2;
    ld.const.f32 %f1, [%rd3];
    st.global.f32 [%rd4], %f1;
    ret;
}
.visible .entry loop(.param .u32 n)
{
    .reg .b32 %r<6>; .reg .pred %p<2>;
    ld.param.u32 %r1, [n];
    mov.u32 %r2, 0;
AGAIN:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, %r1;
    @%p1 bra AGAIN;
    ret;
}
.visible .entry uneven(.param .u32 n)
{
    .reg .b32 %r<6>; .reg .pred %p<3>;
    ld.param.u32 %r1, [n];
    mov.u32 %r2, 0;
    mov.u32 %r3, %tid.x;
    setp.lt.u32 %p2, %r3, 32;
    selp.b32 %r1, %r1, 1, %p2;
AGAIN:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, %r1;
    @%p1 bra AGAIN;
    ret;
}
.visible .entry guarded(.param .u64 in, .param .u64 out, .param .u32 n)
{
    .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %rd<8>; .reg .pred %p<3>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    ld.param.u32 %r2, [n];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    mov.f32 %f1, 0f00000000;
    setp.ge.u32 %p1, %r1, %r2;
    @%p1 bra NEXT;
    ld.global.f32 %f1, [%rd4];
NEXT:
    st.global.f32 [%rd5], %f1;
    mov.f32 %f2, 0f00000000;
    setp.gt.u32 %p2, %r1, %r2;
    @%p2 bra LAST;
    ld.global.f32 %f2, [%rd4+4096];
LAST:
    st.global.f32 [%rd5+4096], %f2;
    ret;
}
)";
}

emulator::simt::Options recording() {
    emulator::simt::Options options;
    options.record_for_time = true;
    return options;
}

struct Recording {
    Machine machine;
    Array<float> in{4096}, out{4096};
    explicit Recording(unsigned stride, const std::string& architecture = "hopper")
        : machine(text(stride), architecture, recording()) {}
    RecordedLaunch loads(unsigned blocks, unsigned threads) {
        return *machine.launch("k", shape(blocks, threads), in.get(), out.get()).recorded;
    }
};

const Access& first_access(const RecordedLaunch& launch) {
    return launch.trace.blocks.at(0).at(0).accesses.at(0);
}

TEST(Recorder, NeighboursFillFourSectorsOfALine) {
    Recording recording(4);
    const RecordedLaunch launch = recording.loads(1, 32);
    const Access& load = first_access(launch);
    EXPECT_EQ(load.kind, Access::Kind::load);
    EXPECT_EQ(load.space, timing::Space::global);
    EXPECT_EQ(load.bytes, 128u);
    EXPECT_EQ(load.sectors, 4);
    EXPECT_EQ(load.line_count, 1u);
    EXPECT_EQ(launch.trace.lines_of(load)[0].count(), 4u);
}

TEST(Recorder, LanesALineApartTakeALineEach) {
    Recording recording(128);
    const RecordedLaunch launch = recording.loads(1, 32);
    EXPECT_EQ(first_access(launch).bytes, 128u);
    EXPECT_EQ(first_access(launch).sectors, 32);
    EXPECT_EQ(first_access(launch).line_count, 32u);
}

// All blocks load the same 32 lines, which lie in eight rows of 512 bytes, and store to one place.
TEST(Recorder, RowsOfDramThatNeighboursShareAreOneOpening) {
    Recording recording(128);
    const timing::LaunchFacts alone = recording.loads(1, 32).facts;
    EXPECT_EQ(alone.share_of_rows_read, 1);
    EXPECT_EQ(alone.share_of_rows_written, 1);
    const timing::LaunchFacts many = recording.loads(100, 32).facts;
    EXPECT_EQ(many.share_of_rows_read, 1. / 8);
    EXPECT_EQ(many.share_of_rows_written, 1. / 8);
    EXPECT_EQ(recording.loads(5, 32).facts.share_of_rows_read, 1. / 5);
}

TEST(Recorder, LanesThatAreOffMoveNothing) {
    Recording recording(4);
    const RecordedLaunch launch = recording.loads(1, 64);
    const auto& block = launch.trace.blocks.at(0);
    ASSERT_EQ(block.size(), 2u);
    // Eight lanes of the first warp store to one place; of the second warp, none.
    const Access& store = block[0].accesses.at(1);
    EXPECT_EQ(store.kind, Access::Kind::store);
    EXPECT_EQ(store.bytes, 32u);
    EXPECT_EQ(store.sectors, 1);
    for (std::size_t i = 1; i < block[1].accesses.size(); ++i)
        EXPECT_EQ(block[1].accesses[i].kind, Access::Kind::none);
}

TEST(Recorder, BankConflictsAreFurtherPasses) {
    for (const auto& [stride, passes] :
         {std::pair(4u, 1), {8u, 2}, {64u, 16}, {128u, 32}, {132u, 1}}) {
        Recording recording(stride);
        const auto record = recording.machine.launch("staged", shape(1, 32), recording.in.get());
        EXPECT_EQ(first_access(*record.recorded).wavefronts, passes) << stride;
        EXPECT_EQ(first_access(*record.recorded).space, timing::Space::shared);
    }
}

TEST(Recorder, LoadsLeaveTheL1ThroughItsBanks) {
    // Data wavefronts of data/l1_strided_loads.csv (A100, H200): strides of 2, 8, 31 and 32 floats.
    for (const auto& [stride, passes] : {std::pair(8u, 2), {32u, 8}, {124u, 1}, {128u, 32}}) {
        Recording recording(stride);
        EXPECT_EQ(first_access(recording.loads(1, 32)).wavefronts, passes) << stride;
    }
}

// Which have caches of their own, and are no rows of DRAM that blocks share.
TEST(Recorder, ConstantsAreLinesAndOneAddressEach) {
    for (const auto& [stride, addresses, lines] :
         {std::tuple(0u, 1, 1u), {4u, 32, 1u}, {128u, 32, 32u}}) {
        Recording recording(stride);
        const RecordedLaunch launch =
            *recording.machine.launch("constants", shape(9, 32), recording.out.get()).recorded;
        const Access& load = first_access(launch);
        EXPECT_EQ(load.space, timing::Space::constant);
        EXPECT_EQ(load.wavefronts, addresses);
        EXPECT_EQ(load.line_count, lines);
        EXPECT_EQ(launch.facts.share_of_rows_read, 1);
    }
}

TEST(Recorder, LoadsUseTheL1AsTheirGenerationDoes) {
    // By default Kepler keeps no global loads in its L1, Hopper does.
    Recording kepler(4, "kepler"), hopper(4, "hopper");
    EXPECT_EQ(first_access(kepler.loads(1, 32)).path, emulator::LoadPath::l2);
    EXPECT_EQ(first_access(hopper.loads(1, 32)).path, emulator::LoadPath::l1);
}

TEST(Recorder, ReadOnlyLoadsTakeThePathOfTheirGeneration) {
    // A Fermi has no such path, a Kepler a cache for it, a Hopper serves it from the L1.
    for (const auto& [architecture, path] : {std::pair("fermi", emulator::LoadPath::l1),
                                             {"kepler", emulator::LoadPath::read_only_cache},
                                             {"hopper", emulator::LoadPath::l1}}) {
        Recording recording(4, architecture);
        const auto record = recording.machine.launch("read_only", shape(1, 32), recording.in.get());
        EXPECT_EQ(first_access(*record.recorded).path, path) << architecture;
    }
}

TEST(Recorder, ARoundOfALoopIsAStep) {
    Recording recording(4);
    const auto steps = [&](unsigned rounds) {
        const auto record = recording.machine.launch("loop", shape(1, 32), rounds);
        return record.recorded->trace.blocks.at(0).at(0);
    };
    const timing::WarpTrace few = steps(10), many = steps(15);
    EXPECT_EQ(many.steps.size() - few.steps.size(), 5u);
    EXPECT_EQ(few.executed, few.recorded);
    // Two operations and a branch in each of the five rounds.
    EXPECT_EQ(many.executed - few.executed, 15u);
}

TEST(Recorder, ShortBodiesOfBranchesAreIssuedInLine) {
    Recording recording(4);
    const auto record = recording.machine.launch("guarded", shape(1, 32), recording.in.get(),
                                                 recording.out.get(), 16u);
    const timing::LaunchTrace& trace = record.recorded->trace;
    // Head, two bodies and what is behind each of them: one step, with both loads and both stores.
    ASSERT_EQ(trace.blocks[0][0].steps.size(), 1u);
    const auto& issued = trace.program.blocks.at(trace.blocks[0][0].steps[0].block).instructions;
    std::vector<std::uint32_t> accesses;
    for (const timing::Instruction& each : issued) {
        if (each.access != timing::no_access) accesses.push_back(each.access);
    }
    std::ranges::sort(accesses);
    EXPECT_EQ(accesses, (std::vector<std::uint32_t>{0, 1, 2, 3}));
    EXPECT_EQ(trace.blocks[0][0].accesses.size(), 4u);
    EXPECT_EQ(trace.blocks[0][0].accesses[0].bytes, 64u);  // 16 lanes
    EXPECT_EQ(trace.blocks[0][0].accesses[2].bytes, 68u);  // 17
}

TEST(Recorder, ALongLoopIsCutButCounted) {
    Recording recording(4);
    const auto record = recording.machine.launch("loop", shape(1, 32), 1000000u);
    const timing::WarpTrace& warp = record.recorded->trace.blocks.at(0).at(0);
    EXPECT_GE(warp.executed, 3000000u);
    EXPECT_LT(warp.recorded, 20000u);
}

TEST(Recorder, OneSmGetsItsShareOfTheGrid) {
    // The H200 has 132 SMs: of 300 blocks, 36 SMs get three and the others two.
    Recording recording(4);
    const RecordedLaunch launch = recording.loads(300, 32);
    EXPECT_EQ(launch.facts.blocks, 300u);
    EXPECT_EQ(launch.facts.sm_blocks, 3u);
    EXPECT_EQ(launch.trace.blocks.size(), 3u);
    EXPECT_LT(launch.sm, 36u);
}

TEST(Recorder, ShortKernelsAreRecordedForMoreWaves) {
    // Of 60 blocks of 1024 threads an SM has two at a time: 12 waves are 24 of them.
    Recording recording(4);
    EXPECT_EQ(recording.loads(60 * 132, 1024).trace.blocks.size(), 24u);
    // 5,000 rounds of three operations are cut, and of cut warps the first of two waves is enough.
    const auto record = recording.machine.launch("loop", shape(4 * 132, 1024), 5000u);
    EXPECT_EQ(record.recorded->trace.blocks.size(), 2u);
}

// ---- a K40 has 15 SMs, each of which takes two blocks of 1024 threads at a time: a wave of 64 warps

timing::LaunchTrace of_loop(std::uint64_t sm_blocks, unsigned rounds,
                            const std::string& kernel = "loop") {
    Machine machine(text(4), "kepler", recording());
    const auto blocks = static_cast<unsigned>(15 * sm_blocks);
    return machine.launch(kernel, shape(blocks, 1024), rounds).recorded->trace;
}

bool is_whole(const timing::LaunchTrace& trace) {
    return std::ranges::all_of(trace.blocks, [](const timing::BlockTrace& block) {
        return std::ranges::all_of(block, [](const timing::WarpTrace& warp) {
            return warp.executed > 0 && warp.executed == warp.recorded;
        });
    });
}

// A block of 410 rounds executes 39,000 to 40,000 instructions: six of them, three waves, fit 250,000, and seven do not.
TEST(Recorder, WavesAreKeptWhereThreeFit) {
    const timing::LaunchTrace trace = of_loop(12, 410);
    EXPECT_TRUE(is_whole(trace));
    EXPECT_EQ(trace.blocks.size(), 6u);
    // Seven of 330 rounds do, with 32,000 each: the last wave need not be whole.
    EXPECT_EQ(of_loop(12, 330).blocks.size(), 7u);
}

// A block of 450 rounds executes more than 43,000: five fit, which are two waves and a half.
TEST(Recorder, TheFirstWaveIsKeptAloneWhereThreeDoNotFit) {
    const timing::LaunchTrace trace = of_loop(12, 450);
    EXPECT_TRUE(is_whole(trace));
    EXPECT_EQ(trace.blocks.size(), 2u);
}

TEST(Recorder, ALaunchOfFewerWavesIsKeptWhereAllFit) {
    for (const std::uint64_t blocks : {1u, 2u, 3u, 4u, 5u}) {
        const timing::LaunchTrace trace = of_loop(blocks, 450);
        EXPECT_TRUE(is_whole(trace));
        EXPECT_EQ(trace.blocks.size(), blocks);
    }
    // Six times 43,000 do not fit, and of four times 86,000 neither does the third block.
    EXPECT_EQ(of_loop(6, 450).blocks.size(), 2u);
    EXPECT_EQ(of_loop(4, 900).blocks.size(), 2u);
}

// A warp of 10,000 instructions is cut, though six blocks with 31 short ones each are no more than 65,000.
TEST(Recorder, TheFirstWaveIsKeptAloneWhereASingleWarpWasCut) {
    const timing::LaunchTrace trace = of_loop(6, 3'333, "uneven");
    EXPECT_EQ(trace.blocks.size(), 2u);
    EXPECT_FALSE(is_whole(trace));
    // A third of it is recorded whole, and all six are kept.
    EXPECT_EQ(of_loop(6, 1'111, "uneven").blocks.size(), 6u);
}

// The warps of one wave share 250,000 instructions evenly, and one has no more than 16,384. A round is never cut.
TEST(Recorder, AWarpIsRecordedUpToItsShareOfAWave) {
    const auto recorded = [](std::uint64_t sm_blocks, unsigned threads) {
        Machine machine(text(4), "kepler", recording());
        const auto blocks = static_cast<unsigned>(15 * sm_blocks);
        const auto record = machine.launch("loop", shape(blocks, threads), 6'000u);
        const timing::WarpTrace& warp = record.recorded->trace.blocks.at(0).at(0);
        EXPECT_GE(warp.executed, 18'000u);
        return static_cast<double>(warp.recorded);
    };
    EXPECT_NEAR(recorded(3, 1024), 250'000. / 64, 4);
    EXPECT_NEAR(recorded(1, 1024), 250'000. / 32, 4);  // the launch has no second block for an SM
    EXPECT_NEAR(recorded(1, 544), 250'000. / 17, 4);
    EXPECT_NEAR(recorded(1, 32), 16'384, 4);
}

TEST(Recorder, AGpuOfItsOwnNameHasItsOwnSms) {
    // An RTX 3080 has 68 SMs of 48 warps: a block of 1024 threads fits once.
    Recording recording(4, "geforce-rtx-3080");
    const RecordedLaunch launch = recording.loads(69, 1024);
    EXPECT_EQ(launch.facts.sm_blocks, 2u);
    EXPECT_EQ(launch.facts.resident_blocks, 1u);
    EXPECT_EQ(launch.sm, 0u);
}

// Lane 0 of the first warp copies 400 bytes, from 80 on, for the mbarrier behind a tile of 512; all warps test that.
const std::string bulk = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry bulk(.param .u64 from)
{
    .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .pred %p<3>;
    .shared .align 128 .b8 tile[512];
    .shared .align 8 .b64 unused;
    .shared .align 8 .b64 barrier;
    ld.param.u64 %rd1, [from];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, tile;
    mov.u32 %r3, barrier;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra READY;
    mbarrier.init.shared.b64 [%r3], 1;
    mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 400;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1+80], 400, [%r3];
READY:
    bar.sync 0;
AGAIN:
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;
    @!%p2 bra AGAIN;
    ret;
}
)";

std::vector<Access> accesses_of(const timing::WarpTrace& warp, Access::Kind kind) {
    std::vector<Access> found;
    std::ranges::copy_if(warp.accesses, std::back_inserter(found),
                         [kind](const Access& access) { return access.kind == kind; });
    return found;
}

TEST(Recorder, ABulkCopyAndTestsOfItsMbarrier) {
    Machine machine(bulk, "hopper", recording());
    const Array<float> from(128);
    const auto record = machine.launch("bulk", shape(1, 64), from.get());
    const timing::LaunchTrace& trace = record.recorded->trace;
    ASSERT_EQ(trace.blocks.at(0).size(), 2u);
    const std::vector<Access> copies = accesses_of(trace.blocks[0][0], Access::Kind::bulk_load);
    ASSERT_EQ(copies.size(), 1u);
    EXPECT_EQ(copies[0].space, timing::Space::global);
    // Bytes 80 to 479, by sectors 64 to 479: two of the first line, four of the next two, three of the last one.
    ASSERT_EQ(copies[0].line_count, 4u);
    const auto lines = trace.lines_of(copies[0]);
    const auto begin = reinterpret_cast<emulator::Address>(from.get());
    const unsigned sectors[] = {0xc, 0xf, 0xf, 0x7};
    for (unsigned i = 0; i < 4; ++i)
        EXPECT_EQ(lines[i], emulator::LineSectors(begin + i * 128, sectors[i])) << i;
    EXPECT_EQ(copies[0].bytes, 13u * 32);
    EXPECT_EQ(copies[0].barrier, 520u);  // behind the tile and 8 bytes
    EXPECT_TRUE(accesses_of(trace.blocks[0][1], Access::Kind::bulk_load).empty());
    for (const timing::WarpTrace& warp : trace.blocks[0]) {
        const std::vector<Access> tests = accesses_of(warp, Access::Kind::barrier_test);
        ASSERT_EQ(tests.size(), 1u);
        EXPECT_EQ(tests[0].copies, 1u);
        EXPECT_EQ(tests[0].barrier, 520u);
    }
    // What issues the test finds its access.
    unsigned found = 0;
    for (const timing::BasicBlock& block : trace.program.blocks) {
        for (const timing::Instruction& each : block.instructions)
            found += each.wait == timing::Wait::copies && each.access != timing::no_access;
    }
    EXPECT_EQ(found, 1u);
}

// An instruction of two lanes is one access, which its mbarrier counts once.
TEST(Recorder, ABulkCopyBySeveralLanesCountsOnce) {
    std::string by_two = bulk;
    const auto change = [&](const std::string& from, const std::string& to) {
        by_two.replace(by_two.find(from), from.size(), to);
    };
    change("setp.ne.u32 %p1, %r1, 0", "setp.ge.u32 %p1, %r1, 2");
    change("mbarrier.init.shared.b64 [%r3], 1", "mbarrier.init.shared.b64 [%r3], 2");
    Machine machine(by_two, "hopper", recording());
    const Array<float> from(128);
    const auto record = machine.launch("bulk", shape(1, 64), from.get());
    const timing::WarpTrace& warp = record.recorded->trace.blocks.at(0).at(0);
    const std::vector<Access> copies = accesses_of(warp, Access::Kind::bulk_load);
    ASSERT_EQ(copies.size(), 1u);
    EXPECT_EQ(copies[0].line_count, 8u);
    EXPECT_EQ(accesses_of(warp, Access::Kind::barrier_test).at(0).copies, 1u);
}

// ---- launches of which only some blocks are executed

// Each warp, a block, reads all of an array and 32 words of its own: `rounds` lines and one. In `store` it writes them. In
// `part` it writes the first two bytes of each of its words.
const std::string shared_and_own = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry load(.param .u64 shared, .param .u64 own, .param .u32 rounds)
{
    .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %rd<8>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [shared]; ld.param.u64 %rd2, [own]; ld.param.u32 %r4, [rounds];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r5, 0;
    mul.wide.u32 %rd3, %r1, 4; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;
    mul.wide.u32 %rd4, %r2, 128; add.s64 %rd2, %rd2, %rd4;
    ld.global.f32 %f1, [%rd2];
AGAIN:
    ld.global.f32 %f2, [%rd1];
    add.f32 %f1, %f1, %f2;
    add.s64 %rd1, %rd1, 128; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r4;
    @%p1 bra AGAIN;
    ret;
}
.visible .entry store(.param .u64 shared, .param .u64 own, .param .u32 rounds)
{
    .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [shared]; ld.param.u64 %rd2, [own]; ld.param.u32 %r4, [rounds];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r5, 0;
    mul.wide.u32 %rd3, %r1, 4; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;
    mul.wide.u32 %rd4, %r2, 128; add.s64 %rd2, %rd2, %rd4;
    st.global.u16 [%rd2], %r1;
AGAIN:
    st.global.u32 [%rd1], %r1;
    add.s64 %rd1, %rd1, 128; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r4;
    @%p1 bra AGAIN;
    ret;
}
)";

struct OfLaunch {
    std::uint64_t l2_read_sectors, l2_write_sectors, dram_read_bytes, incomplete_sectors, lines;
    explicit OfLaunch(const LaunchRecord& record)
        : l2_read_sectors(record.l2_read_sectors_min),
          l2_write_sectors(record.l2_write_sectors_min),
          dram_read_bytes(record.dram_read_bytes),
          incomplete_sectors(record.incomplete_sectors),
          lines(record.footprint_lines) {}
};

// Of 8,192 blocks of 2,415 instructions, the first 1,656 tell what is shared: as many as execute four million.
LaunchRecord of_a_launch(const std::string& kernel, bool sampled) {
    constexpr unsigned blocks = 8192, rounds = 400;
    emulator::simt::Options options = recording();
    options.sample_blocks = sampled;
    simt_test::Machine machine(shared_and_own, "hopper", options);
    const Array<float> shared(rounds * 32), own(blocks * 32);
    return machine.launch(kernel, shape(blocks, 32), shared.get(), own.get(), rounds);
}

void expect_within_a_hundredth(std::uint64_t number, std::uint64_t expected) {
    EXPECT_NEAR(static_cast<double>(number), static_cast<double>(expected),
                0.01 * static_cast<double>(expected));
}

// 8,192 lines of their own and 400 that all read, four sectors each.
TEST(Sampling, WhatBlocksReadTogetherCountsOnce) {
    const LaunchRecord sampled = of_a_launch("load", true);
    EXPECT_LT(sampled.blocks_executed, 200u);
    ASSERT_TRUE(sampled.recorded);
    for (const LaunchRecord& record : {sampled, of_a_launch("load", false)}) {
        const OfLaunch numbers(record);
        expect_within_a_hundredth(numbers.lines, 8192 + 400);
        expect_within_a_hundredth(numbers.l2_read_sectors, 4 * (8192 + 400));
        expect_within_a_hundredth(numbers.dram_read_bytes, 128 * (8192 + 400));
        EXPECT_EQ(numbers.l2_write_sectors, 0u);
        EXPECT_EQ(numbers.incomplete_sectors, 0u);
    }
}

// Two bytes of each word of a line: its four sectors stay incomplete.
TEST(Sampling, WhatBlocksWriteTogetherCountsOnce) {
    const LaunchRecord sampled = of_a_launch("store", true);
    EXPECT_LT(sampled.blocks_executed, 200u);
    for (const LaunchRecord& record : {sampled, of_a_launch("store", false)}) {
        const OfLaunch numbers(record);
        expect_within_a_hundredth(numbers.lines, 8192 + 400);
        expect_within_a_hundredth(numbers.l2_write_sectors, 4 * (8192 + 400));
        expect_within_a_hundredth(numbers.incomplete_sectors, 4 * 8192);
        EXPECT_EQ(numbers.l2_read_sectors, 0u);
        EXPECT_EQ(numbers.dram_read_bytes, 0u);
    }
}

// An SM asks the L2 once for the array, 1,600 sectors that its L1 then has, and 132 SMs do; and all ask for the 32,768 that
// are a block's own. Stores pass the L1: each writes four sectors, or a block's own four.
TEST(Sampling, WhatTheL1sHaveIsNotAskedForAgain) {
    for (const bool sampled : {true, false}) {
        const emulator::MemoryCounters load = of_a_launch("load", sampled).memory;
        expect_within_a_hundredth(load.l2_read_sectors_most, 132 * 1600 + 4 * 8192);
        expect_within_a_hundredth(load.l1_hit_sectors, (8192 - 132) * 1600);
        const emulator::MemoryCounters store = of_a_launch("store", sampled).memory;
        expect_within_a_hundredth(store.l2_write_sectors_most, 8192 * 1604);
    }
}

// Past the L1, from an L2 of 100 lines: the second wave of blocks, 4,224 of them on an H200, reads the 20 lines that all
// share again, and so many CPU threads find the same.
TEST(Recorder, CountsWhatTheL2HasToReadAgain) {
    std::string past_the_l1 = shared_and_own;
    past_the_l1.replace(past_the_l1.find("ld.global.f32 %f2"), 9, "ld.global.cg");
    constexpr unsigned blocks = 8192, rounds = 20;
    for (const unsigned workers : {1, 2, 5}) {
        emulator::simt::Options options = recording();
        options.workers = workers;
        options.l2_reuse_bytes = 100 * emulator::line_bytes;
        simt_test::Machine machine(past_the_l1, "hopper", options);
        const Array<float> shared(rounds * 32), own(blocks * 32);
        const LaunchRecord record =
            machine.launch("load", shape(blocks, 32), shared.get(), own.get(), rounds);
        EXPECT_EQ(record.reread, (emulator::L2Reuse::Reread{2 * rounds, 4 * rounds})) << workers;
        EXPECT_EQ(record.dram_read_bytes, 128u * (blocks + rounds));
    }
}

// Without a recorder nothing is executed but the samples.
TEST(Sampling, WhatIsSharedIsSeenOnlyForATime) {
    emulator::simt::Options options;
    options.sample_blocks = true;
    simt_test::Machine machine(shared_and_own, "hopper", options);
    const Array<float> shared(400 * 32), own(8192 * 32);
    const LaunchRecord record =
        machine.launch("load", shape(8192, 32), shared.get(), own.get(), 400u);
    EXPECT_GT(record.footprint_lines, 8192u * 300);
}

// k(out, n): n rounds of three instructions; the block's number plus one to its place.
const std::string marks = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
    .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];
    mov.u32 %r2, 0;
AGAIN:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, %r1;
    @%p1 bra AGAIN;
    mov.u32 %r3, %ctaid.x;
    mul.wide.u32 %rd2, %r3, 4;
    add.s64 %rd1, %rd1, %rd2;
    add.u32 %r3, %r3, 1;
    st.global.u32 [%rd1], %r3;
    ret;
}
)";

// A launch of blocks of a warp, each of about so many instructions, and which of them have left their marks.
struct Marks {
    LaunchRecord record;
    std::vector<unsigned> marks;
    Marks(unsigned blocks, unsigned instructions, bool sampled, bool recorded = false) {
        emulator::simt::Options options;
        options.sample_blocks = sampled;
        options.record_for_time = recorded;
        simt_test::Machine machine(simt_test::marks, "hopper", options);
        const Array<unsigned> out(blocks);
        record = machine.launch("k", shape(blocks, 32), out.get(), instructions / 3);
        marks = out.to_host();
    }
    std::ptrdiff_t executed() const {
        return std::ranges::count_if(marks, [](unsigned mark) { return mark != 0; });
    }
    // Blocks from the first on that were all executed.
    std::ptrdiff_t from_first_on() const { return std::ranges::find(marks, 0u) - marks.begin(); }
};

// The first block, the last one, and of those between 24 side by side and every eleventh: two are both.
TEST(Sampling, BeginsWith256Blocks) {
    EXPECT_EQ(Marks(255, 30, true).record.blocks_executed, 255u);
    const Marks sampled(256, 30, true);
    EXPECT_EQ(sampled.record.blocks_executed, 2u + 24 + 24 - 2);
    EXPECT_EQ(sampled.executed(), 48);
    EXPECT_EQ(Marks(256, 30, false).record.blocks_executed, 256u);
}

// Of 16 million instructions a third for the blocks between the first and the last one.
TEST(Sampling, CountsFewerOfLongBlocks) {
    EXPECT_EQ(Marks(1000, 100'000, true).record.blocks_executed, 2u + 48);  // 53.3 fit
    EXPECT_EQ(Marks(1000, 219'000, true).record.blocks_executed, 2u + 24);  // 24.3
    EXPECT_EQ(Marks(1000, 440'000, true).record.blocks_executed, 2u + 12);  // 12.1
    // Two fit. Four are the least: two side by side, and those at both ends.
    const Marks longest(1000, 2'000'000, true);
    EXPECT_EQ(longest.record.blocks_executed, 6u);
    for (const unsigned block : {0u, 1u, 499u, 500u, 998u, 999u})
        EXPECT_EQ(longest.marks[block], block + 1) << block;
}

// Blocks that are all alike are as many times one of them, however few were counted.
TEST(Sampling, FewSamplesStandForAllBlocks) {
    constexpr unsigned blocks = 257;
    for (const unsigned instructions : {30u, 380'000u, 2'000'000u}) {
        const LaunchRecord one = Marks(1, instructions, false).record;
        const LaunchRecord all = Marks(blocks, instructions, true).record;
        EXPECT_LT(all.blocks_executed, 64u);
        EXPECT_EQ(all.warp_instructions, blocks * one.warp_instructions);
        EXPECT_EQ(all.stores.requests, blocks);
        EXPECT_EQ(all.sampling_error, 0);
    }
}

// As many as execute four million instructions, in two halves alike; up to 192 of long ones, as many as execute twelve million;
// and 16 at least.
TEST(Sampling, TheFirstBlocksShowWhatIsShared) {
    EXPECT_EQ(Marks(600, 10'000, true, true).from_first_on(), 398);  // 399 fit
    EXPECT_EQ(Marks(600, 60'000, true, true).from_first_on(), 192);
    EXPECT_EQ(Marks(600, 120'000, true, true).from_first_on(), 98);  // 99 fit
    EXPECT_EQ(Marks(600, 900'000, true, true).from_first_on(), 16);
}

}  // namespace
}  // namespace simt_test

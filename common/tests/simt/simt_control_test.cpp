// Control flow, barriers, operations across lanes, atomics, variables: results against the same program in C++.
#include <algorithm>
#include <bit>
#include <set>

#include "simt_fixture.hpp"

namespace {

using namespace simt_test;
using emulator::simt::Fault;
using emulator::simt::FaultKind;

class SimtControl : public testing::TestWithParam<const char*> {
  protected:
    Machine machine(emulator::simt::Options options = {}) {
        return Machine(contents_of(LAB_CONTROL_PTX), GetParam(), options);
    }
};

TEST_P(SimtControl, Switch) {
    Machine gpu = machine();
    const Array<int> out(32);
    const auto record = gpu.launch("switch_by_lane", shape(1, 32), out.get(), 5);
    for (int i = 0; i < 32; ++i) {
        const int v = i * 5;
        const int expected[] = {v + 11, v * 3, v - 7, v ^ 0x55, v << 2, -v, v | 1, 5};
        EXPECT_EQ(out.to_host()[i], expected[i % 8]) << i;
    }
    EXPECT_EQ(record.stores.requests, 1u);  // all lanes have met again
}

TEST_P(SimtControl, NestedLoopsReconverge) {
    Machine gpu = machine();
    const Array<int> out(32);
    const auto record = gpu.launch("nested_loops", shape(1, 32), out.get());
    for (int t = 0; t < 32; ++t) {
        int sum = 0;
        for (int i = 0; i < t; ++i) {
            if (i % 3 == 1) continue;
            for (int j = 0; j < i && j * j <= t; ++j) sum += i * j;
            if (sum > 200) break;
        }
        EXPECT_EQ(out.to_host()[t], sum) << t;
    }
    EXPECT_EQ(record.stores.requests, 1u);
}

// The lanes come back from the function together: one store.
TEST_P(SimtControl, EarlyReturns) {
    Machine gpu = machine();
    std::vector<int> in(32);
    for (int i = 0; i < 32; ++i) in[i] = i % 7;
    const Array<int> from(in), out(32);
    const auto record = gpu.launch("call_with_early_returns", shape(1, 32), from.get(), out.get());
    for (int i = 0; i < 32; ++i) {
        const int expected = in[i] == 0 ? -1 : in[i] < 4 ? 10 * in[i] : in[i];
        EXPECT_EQ(out.to_host()[i], expected + 1) << i;
    }
    EXPECT_EQ(record.stores.requests, 1u);
}

TEST_P(SimtControl, FinishedThreadsAreNotWaitedFor) {
    Machine gpu = machine();
    const Array<int> out(128);
    gpu.launch("leave_before_barrier", shape(1, 128), out.get(), 50);
    EXPECT_EQ(out.to_host()[0], 49);
    EXPECT_EQ(out.to_host()[49], 0);
}

TEST_P(SimtControl, BarrierReductions) {
    Machine gpu = machine();
    const Array<int> out(70);
    gpu.launch("barrier_reductions", shape(1, 70), out.get(), 40);
    for (const int value : out.to_host()) EXPECT_EQ(value, 40 * 4 + 1);
    gpu.launch("barrier_reductions", shape(1, 70), out.get(), 70);
    for (const int value : out.to_host()) EXPECT_EQ(value, 70 * 4 + 3);
    gpu.launch("barrier_reductions", shape(1, 70), out.get(), 0);
    for (const int value : out.to_host()) EXPECT_EQ(value, 0);
}

// Ten rounds: 100 (0 + ... + 9) + 10 lane.
TEST_P(SimtControl, NamedBarriers) {
    Machine gpu = machine();
    const Array<int> out(96);
    gpu.launch("named_barriers", shape(1, 96), out.get(), 10);
    for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(out.to_host()[lane], 4500 + 10 * lane);
    EXPECT_EQ(out.to_host()[70], -1);
}

TEST_P(SimtControl, Shuffles) {
    Machine gpu = machine();
    const Array<int> out(192);
    gpu.launch("shuffles", shape(1, 32), out.get());
    const auto values = out.to_host();
    for (int lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(values[lane], 5);
        EXPECT_EQ(values[32 + lane], lane < 3 ? lane : lane - 3);
        EXPECT_EQ(values[64 + lane], lane % 8 + 3 < 8 ? lane + 3 : lane);
        EXPECT_EQ(values[96 + lane], lane ^ 9);
        EXPECT_EQ(values[128 + lane], lane / 4 * 4 + 3);
        EXPECT_EQ(values[160 + lane], lane + 4 <= 31);
    }
}

TEST_P(SimtControl, VotesOfTwoMasksAtOneInstruction) {
    Machine gpu = machine();
    const Array<unsigned> out(32);
    gpu.launch("votes_of_halves", shape(1, 32), out.get());
    unsigned all = 0;
    for (int lane = 0; lane < 32; lane += 3) all |= 1u << lane;
    for (int lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(out.to_host()[lane], all & (lane < 16 ? 0x0000ffffu : 0xffff0000u));
    }
}

TEST_P(SimtControl, ActiveMask) {
    Machine gpu = machine();
    const Array<unsigned> out(32);
    gpu.launch("active_lanes", shape(1, 32), out.get());
    EXPECT_EQ(out.to_host()[1], 0x22222222u);
    EXPECT_EQ(out.to_host()[0], 0u);
}

TEST_P(SimtControl, Matches) {
    Machine gpu = machine();
    std::vector<int> in(32);
    for (int i = 0; i < 32; ++i) in[i] = i % 3;
    const Array<int> from(in);
    const Array<unsigned> out(64);
    gpu.launch("matches", shape(1, 32), from.get(), out.get());
    for (int lane = 0; lane < 32; ++lane) {
        unsigned same = 0;
        for (int other = lane % 3; other < 32; other += 3) same |= 1u << other;
        EXPECT_EQ(out.to_host()[lane], same);
        EXPECT_EQ(out.to_host()[32 + lane], 0xffffffffu);
    }
}

// Every number from 0 to n - 1 comes out once.
TEST_P(SimtControl, AtomicResultsAreUnique) {
    Machine gpu = machine();
    const Array<int> counter(1), slots(1024);
    const auto record = gpu.launch("fetch_and_add", shape(8, 128), counter.get(), slots.get());
    const auto values = slots.to_host();
    EXPECT_EQ(std::set<int>(values.begin(), values.end()).size(), 1024u);
    EXPECT_EQ(*std::ranges::max_element(values), 1023);
    EXPECT_EQ(record.atomics.requests, 32u);
    EXPECT_EQ(record.reductions.requests, 0u);
}

TEST_P(SimtControl, AtomicsOfAllKinds) {
    Machine gpu = machine();
    const Array<unsigned> u(std::vector<unsigned>{0, 100, 0, 0, 0, ~0u, 0, 0, 0});
    const Array<int> s(2);
    const Array<unsigned long long> w(1);
    const Array<float> f(1);
    const Array<double> d(1);
    gpu.launch("atomics_of_all_kinds", shape(1, 32), u.get(), s.get(), w.get(), f.get(), d.get());
    const auto values = u.to_host();
    EXPECT_EQ(values[0], 31u * 32 / 2);
    EXPECT_EQ(values[1], 100u - 32);
    EXPECT_EQ(values[2], 77u);
    EXPECT_EQ(values[3], 32u % 10);  // counts 0 to 9 and starts again
    EXPECT_EQ(values[4], 8u);        // 0, then 9 down to 0 three times, then 9, 8
    EXPECT_EQ(values[5], 0u);
    EXPECT_EQ(values[6], ~0u);
    EXPECT_EQ(values[7], 0u);  // 0 ^ 1 ^ ... ^ 31
    EXPECT_EQ(values[8], 32u);
    EXPECT_EQ(s.to_host(), (std::vector<int>{-31, 31}));
    EXPECT_EQ(w.to_host()[0], 32ull << 33);
    EXPECT_EQ(f.to_host()[0], 16.0f);
    EXPECT_EQ(d.to_host()[0], 8.0);
}

TEST_P(SimtControl, TheHeap) {
    Machine gpu = machine();
    const Array<int> out(64);
    gpu.launch("heap", shape(1, 64), out.get());
    for (int i = 0; i < 64; ++i) EXPECT_EQ(out.to_host()[i], 2 * i + 3);
}

TEST_P(SimtControl, VariablesAndConstants) {
    Machine gpu = machine();
    const Array<int> out(32);
    gpu.launch("variables", shape(1, 32), out.get());
    for (int i = 0; i < 32; ++i) EXPECT_EQ(out.to_host()[i], (5 + i % 4) * 100 + 42);
    const auto symbol = emulator::simt::find_symbol(gpu.module(), "variable");
    ASSERT_TRUE(symbol);
    EXPECT_EQ(symbol->bytes, 4u);
    EXPECT_EQ(*reinterpret_cast<const int*>(emulator::storage_of(symbol->address)), 42);
    EXPECT_TRUE(emulator::simt::find_symbol(gpu.module(), "table")->is_constant);
    EXPECT_FALSE(emulator::simt::find_symbol(gpu.module(), "no such variable"));
}

TEST_P(SimtControl, GenericPointersIntoThreeSpaces) {
    Machine gpu = machine();
    std::vector<int> in(32);
    for (int i = 0; i < 32; ++i) in[i] = 50 * i;
    const Array<int> values(in), out(32);
    const auto record = gpu.launch("generic_pointers", shape(1, 32), values.get(), out.get());
    for (int i = 0; i < 32; ++i) {
        const int local[] = {1, 2, 3, i};
        const int expected = i % 3 == 0 ? 1000 + i : i % 3 == 1 ? local[i % 4] : 50 * i;
        EXPECT_EQ(out.to_host()[i], expected + 1) << i;
    }
    // Words of 10 lanes in global memory, of 11 in shared memory, and 4 words of local memory, which are the same
    // addresses in all lanes: an H200 counts bytes by the addresses of an instruction, sectors of global memory alone.
    EXPECT_EQ(record.loads.distinct_bytes, 4u * (10 + 11 + 4));
    EXPECT_EQ(record.stores.distinct_bytes, 4u * (10 + 11 + 4) + 128);
    EXPECT_EQ(record.loads.requests, 1u);
    EXPECT_EQ(record.loads.sectors, 4u);
}

INSTANTIATE_TEST_SUITE_P(Architectures, SimtControl, testing::Values("kepler", "hopper"));

// ---- what differs between generations, and what a launch's options change ------------------------

Machine on(const std::string& architecture, emulator::simt::Options options = {}) {
    return Machine(contents_of(LAB_CONTROL_PTX), architecture, options);
}

FaultKind fault_kind(auto&& launch, std::string* text = nullptr) {
    try {
        launch();
    } catch (const Fault& fault) {
        if (text != nullptr) *text = fault.what();
        return fault.kind;
    }
    ADD_FAILURE() << "no fault";
    return {};
}

// Lane i < 16 gets 200 + (i + 16) and the other half's value 1000 (i + 16); the others 100 + (i - 16) and
// the first half's lane number.
TEST(SimtProgress, HalvesOfAWarpMeetFromDifferentPlaces) {
    Machine gpu = on("hopper");
    const Array<int> out(32);
    gpu.launch("halves_exchange", shape(1, 32), out.get());
    for (int lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(out.to_host()[lane],
                  lane < 16 ? 216 + lane + 1000 * (lane + 16) : 84 + lane + (lane - 16));
    }
}

// Two ways lead to the store, and two past it: the lanes of both that come meet in front of it, those that do not
// come are no longer expected there. On an H200: BSSY B1, BREAK B1 on the ways past, BSYNC B1 in front of STS.
TEST(SimtCounts, LanesThatReachABlockByTwoWaysAreOneRequest) {
    Machine gpu(R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry better(.param .u64 out) {
    .reg .pred %p<5>;
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    and.b32 %r2, %r1, 3;
    setp.lt.u32 %p1, %r2, 2;
    @%p1 bra FIRST;
    bra.uni SECOND;
FIRST:
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra END;
    bra.uni STORE;
SECOND:
    setp.eq.u32 %p3, %r2, 3;
    @%p3 bra STORE;
    bra.uni END;
STORE:
    st.global.u32 [%rd3], %r1;
END:
    bar.sync 0;
    ret;
}
)");
    const Array<int> out(32);
    EXPECT_EQ(gpu.launch("better", shape(1, 32), out.get()).stores.requests, 1u);
    for (int i = 0; i < 32; ++i) {
        const bool is_stored = i % 4 == 1 || i % 4 == 3;
        EXPECT_EQ(out.to_host()[i], is_stored ? i : 0) << i;
    }
}

// A lane skips every other round, and breaks out of round 2 i or the next one by way of a load: the lanes that are left
// are one request again in each round. On an H200: BSSY B1 in each round, BREAK B1 on the way out, BSYNC B1.
TEST(SimtCounts, LanesThatSkipAndThoseThatBreakOutDoNotSeparateTheRest) {
    Machine gpu(R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry skip_and_stop(.param .u64 in, .param .u64 out) {
    .reg .pred %p<5>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    shl.b32 %r2, %r1, 1;
    mov.u32 %r3, 0;
ROUND:
    ld.global.u32 %r4, [%rd4];
    add.s32 %r5, %r3, %r1;
    and.b32 %r6, %r5, 1;
    setp.eq.u32 %p1, %r6, 0;
    @%p1 bra NEXT;
    setp.lt.u32 %p2, %r3, %r2;
    @%p2 bra NEXT;
    bra.uni STOP;
NEXT:
    add.s32 %r3, %r3, 1;
    setp.lt.u32 %p3, %r3, 64;
    @%p3 bra ROUND;
    bra.uni END;
STOP:
    ld.global.u32 %r3, [%rd5];
END:
    st.global.u32 [%rd5], %r3;
    ret;
}
)");
    const Array<int> in(32), out(32);
    // The last lane breaks out of round 62. Without machine code, all lanes that break out meet behind the loop.
    constexpr unsigned rounds = 63;
    const auto record = gpu.launch("skip_and_stop", shape(1, 32), in.get(), out.get());
    EXPECT_EQ(record.loads.requests, rounds + 1);
    EXPECT_EQ(record.stores.requests, 1u);
}

TEST(SimtProgress, ALockWithinAWarpIsADeadlockBeforeVolta) {
    Machine gpu(contents_of(LAB_KERNELS_PTX), "pascal");
    const Array<int> lock(1), value(1);
    std::string text;
    EXPECT_EQ(
        fault_kind([&] { gpu.launch("spin_lock", shape(1, 32), lock.get(), value.get()); }, &text),
        FaultKind::deadlock);
    EXPECT_NE(text.find("kernel spin_lock, block (0,0,0), thread ("), std::string::npos) << text;
}

// Empty blocks take a round each, and every 256 rounds there is a note: when 255, 511 and 767 blocks have finished.
TEST(SimtLongLaunch, SaysHowFarItIs) {
    std::vector<std::string> said;
    Machine gpu = on("hopper", {.workers = 1,
                                .say = [&](const std::string& line) { said.push_back(line); },
                                .seconds_to_first_note = 0});
    gpu.launch("trap_on", shape(1000, 32), -1);
    ASSERT_EQ(said.size(), 3u);
    EXPECT_TRUE(said[0].starts_with("kernel trap_on: 25 % of 1000 blocks after ")) << said[0];
    EXPECT_TRUE(said[1].starts_with("kernel trap_on: 51 % of 1000 blocks after ")) << said[1];
    EXPECT_TRUE(said[2].starts_with("kernel trap_on: 76 % of 1000 blocks after ")) << said[2];
}

TEST(SimtLongLaunch, SaysNothingWhileItIsShort) {
    Machine gpu = on("hopper", {.workers = 1,
                                .say = [](const std::string& line) { FAIL() << line; },
                                .seconds_to_first_note = 3600});
    gpu.launch("trap_on", shape(1000, 32), -1);
}

// The flag is the only thing that ends the kernel.
TEST(SimtLongLaunch, SaysWhereItWaitsForTheHost) {
    const Array<int> flag(1);
    std::vector<std::string> said;
    const auto say = [&](const std::string& line) {
        said.push_back(line);
        *static_cast<volatile int*>(flag.get()) = 1;
    };
    Machine gpu = on("hopper", {.workers = 1, .say = say, .seconds_to_first_note = 0});
    gpu.launch("wait_forever", shape(1, 32), flag.get());
    ASSERT_FALSE(said.empty());
    EXPECT_NE(said[0].find("kernel wait_forever, block (0,0,0), thread (0,0,0)"), std::string::npos)
        << said[0];
    EXPECT_NE(said[0].find("simt_control.cu:177: after "), std::string::npos) << said[0];
    EXPECT_NE(said[0].find("no memory has changed"), std::string::npos) << said[0];
}

TEST(SimtProgress, TheTimeLimitEndsALaunch) {
    Machine gpu = on("hopper", {.workers = 1, .time_limit_seconds = 0.2});
    const Array<int> flag(1);
    std::string text;
    EXPECT_EQ(fault_kind([&] { gpu.launch("wait_forever", shape(1, 32), flag.get()); }, &text),
              FaultKind::time_limit);
    EXPECT_NE(text.find("time limit of 0.2 s"), std::string::npos) << text;
}

TEST(SimtFaults, TrapsNameTheirThread) {
    Machine gpu = on("hopper");
    std::string text;
    EXPECT_EQ(fault_kind([&] { gpu.launch("trap_on", shape(1, 64), 37); }, &text), FaultKind::trap);
    EXPECT_NE(text.find("thread (37,0,0): simt_control.cu:"), std::string::npos) << text;
}

// What the emulated GPU cannot do is refused where it is launched; the module's other kernels run.
TEST(SimtFaults, UnsupportedInstructionsAreNamedAtTheLaunch) {
    Machine gpu(R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry good(.param .u64 out) {
    .reg .b64 %rd<3>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, 7;
    st.global.u32 [%rd2], %r1;
    ret;
}
.visible .entry tensor_cores() {
    .reg .b32 %r<8>;
    .reg .f32 %f<8>;
    tcgen05.wait::ld.sync.aligned;
    ret;
}
)");
    const Array<int> out(1);
    gpu.launch("good", shape(1, 1), out.get());
    EXPECT_EQ(out.to_host()[0], 7);
    const auto refusal = [&](const char* kernel) {
        try {
            gpu.launch(kernel, shape(1, 32));
        } catch (const emulator::simt::Unsupported& unsupported) {
            return std::string(unsupported.what());
        }
        return std::string("not refused");
    };
    EXPECT_NE(refusal("tensor_cores").find("tcgen05.wait"), std::string::npos)
        << refusal("tensor_cores");
}

// Whatever the number of workers, and from run to run.
TEST(SimtCounts, DoNotDependOnWorkers) {
    const auto counts = [](unsigned workers) {
        Machine gpu = on("hopper", {.workers = workers});
        constexpr int n = 300 * 128 - 77;
        const Array<float> in(n), out(n);
        const LaunchRecord record =
            gpu.launch("uneven_blocks", shape(300, 128), in.get(), out.get(), n);
        return std::vector<std::uint64_t>{
            record.loads.requests,        record.loads.sectors,
            record.loads.l1_hit_sectors,  record.stores.sectors,
            record.memory.l1_hit_sectors, record.memory.l2_read_sectors_most,
            record.dram_read_bytes,       record.warp_instructions,
            record.thread_instructions,   record.branches,
            record.divergent_branches,    record.l2_write_sectors_min};
    };
    const auto one = counts(1);
    EXPECT_EQ(one, counts(1));
    EXPECT_EQ(one, counts(2));
    EXPECT_EQ(one, counts(5));
    // 300 blocks of 4 warps read 1 to 4 times; of the last block (299, four rounds) 51 of 128 threads
    // are inside: 2 of its 4 warps.
    EXPECT_EQ(one[0], 75u * 4 * (1 + 2 + 3 + 4) - 2 * 4);
}

// Blocks alike but for the last one: exact. Blocks that repeat every fourth: within the stated error.
TEST(SimtCounts, SampledLaunches) {
    const auto launch = [](const std::string& kernel, bool sampled) {
        Machine gpu(contents_of(kernel == "add" ? LAB_KERNELS_PTX : LAB_CONTROL_PTX), "hopper",
                    {.model_caches = false, .sample_blocks = sampled});
        constexpr int blocks = 4096, n = blocks * 128;
        const Array<float> in(n), out(n);
        if (kernel == "add")
            return gpu.launch(kernel, shape(blocks, 128), in.get(), in.get(), out.get());
        return gpu.launch(kernel, shape(blocks, 128), in.get(), out.get(), n - 77);
    };
    const LaunchRecord exact = launch("add", true), all = launch("add", false);
    EXPECT_EQ(exact.sampling_error, 0);
    EXPECT_LT(exact.blocks_executed, 200u);
    EXPECT_EQ(exact.blocks, all.blocks);
    EXPECT_EQ(exact.loads.sectors, all.loads.sectors);
    EXPECT_EQ(exact.warp_instructions, all.warp_instructions);
    EXPECT_EQ(exact.stores.requests, 4096u * 4);
    const LaunchRecord part = launch("uneven_blocks", true), whole = launch("uneven_blocks", false);
    EXPECT_GT(part.sampling_error, 0);
    EXPECT_NEAR(static_cast<double>(part.loads.sectors), static_cast<double>(whole.loads.sectors),
                3 * part.sampling_error * static_cast<double>(whole.loads.sectors));
}

}  // namespace

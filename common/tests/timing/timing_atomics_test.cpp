// Atomic operations of the time model beside those of an H200 (data/timing/atomics.csv), and records of launches.
#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "emulator/models/architecture.hpp"
#include "emulator/models/memory/line_updates.hpp"
#include "timing/machine/machine_table.hpp"
#include "timing/machine/trace_file.hpp"
#include "timing/memory/l2_atomics.hpp"
#include "timing/sm/launch_time.hpp"

namespace timing {
namespace {

using Kind = Access::Kind;
using Update = Access::Update;

constexpr double sms = 132, ghz = 1.98;

Machine h200() { return machine_of(*emulator::find_architecture("hopper")); }

Access access_of(Kind kind, Update update, unsigned sectors, unsigned lanes_at_an_address,
                 unsigned lines = 1) {
    Access access;
    access.kind = kind;
    access.space = Space::global;
    access.update = update;
    access.sectors = static_cast<std::uint16_t>(sectors);
    access.wavefronts = static_cast<std::uint16_t>(lanes_at_an_address);
    access.line_count = lines;
    return access;
}

// Nanoseconds of a request of all SMs together, where `shared` says whether all use the same lines.
double nanoseconds_of(const Access& access, bool shared) {
    constexpr int requests = 2000;
    const Machine machine = h200();
    std::vector<emulator::LineSectors> lines;
    LaunchFacts facts;
    for (emulator::Address i = 0; i < access.line_count; ++i) {
        lines.emplace_back(i * emulator::line_bytes, 0xfu);
        if (shared)
            facts.updates_of_all[emulator::LineUpdates::place_of(lines.back().line())] = sms;
    }
    L2Atomics atomics(machine, {}, facts, sms);
    double last = 0;
    for (int i = 0; i < requests; ++i) last = atomics.serve(access, lines, 0);
    return last / requests / sms / ghz;
}

TEST(L2Atomics, AllSmsAtOneLineTakeAsLongAsOnAnH200) {
    const std::vector<std::pair<Access, double>> measured = {
        {access_of(Kind::reduction, Update::integer, 1, 1), 0.7328},   // a lane
        {access_of(Kind::reduction, Update::integer, 32, 32), 23.39},  // 32 at one word
        {access_of(Kind::reduction, Update::integer, 16, 16), 11.71},  // at two words
        {access_of(Kind::reduction, Update::integer, 4, 1), 2.444},    // at 32 words
        {access_of(Kind::reduction, Update::floating, 32, 32), 56.17},
        {access_of(Kind::atomic, Update::floating, 4, 2), 3.519},        // at 16 words
        {access_of(Kind::reduction, Update::floating_64, 8, 4), 9.361},  // at 8 words
        {access_of(Kind::atomic, Update::swap, 4, 4), 4.679},            // at 8 words
    };
    for (const auto& [access, ns] : measured)
        EXPECT_NEAR(nanoseconds_of(access, true), ns, 0.06 * ns) << ns;
}

TEST(L2Atomics, LinesOfTheirOwnTakeAsLongAsOnAnH200) {
    const std::vector<std::pair<Access, double>> measured = {
        {access_of(Kind::reduction, Update::integer, 1, 1), 0.0185},
        {access_of(Kind::reduction, Update::integer, 4, 1), 0.0341},
        {access_of(Kind::reduction, Update::integer, 32, 1, 8), 0.2758},
        {access_of(Kind::atomic, Update::integer, 32, 1, 8), 0.4063},
    };
    for (const auto& [access, ns] : measured)
        EXPECT_NEAR(nanoseconds_of(access, false), ns, 0.06 * ns) << ns;
}

// 1,056 warps of 32 lanes: 3,744 ns from one success to the next.
TEST(L2Atomics, OneSwapOfALoopSucceedsARoundTrip) {
    LaunchTrace trace;
    trace.blocks = {BlockTrace(8)};
    LaunchFacts facts;
    facts.updates_of_all[emulator::LineUpdates::place_of(0)] = sms;
    const Machine machine = h200();
    L2Atomics atomics(machine, trace, facts, sms);
    const std::vector<emulator::LineSectors> line = {{0, 1}};
    double last = 0;
    for (int i = 0; i < 100; ++i)
        last = atomics.serve(access_of(Kind::atomic, Update::swap_loop, 1, 1), line, 0);
    EXPECT_NEAR(last / 100 / sms / ghz, 3744, 0.07 * 3744);
}

// ---- records -----------------------------------------------------------------------------------------

LaunchInput some_launch() {
    LaunchInput launch;
    launch.kernel = "sum(float const*)";
    launch.facts.blocks = 1000;
    launch.facts.sm_blocks = 8;
    launch.facts.resident_blocks = 2;
    launch.facts.dram_bytes = 1e6;
    launch.facts.updates_of_all = {{7, 132.0}, {9, 1.5}};
    LaunchTrace& trace = launch.trace;
    trace.program.registers = 3;
    Instruction load;
    load.unit = Unit::memory;
    load.space = Space::global;
    load.access = 0;
    load.destinations = {1};
    Instruction add;
    add.unit = Unit::fp32;
    add.sources = {1, 2};
    add.destinations = {2};
    trace.program.blocks = {{{load, add}}};
    for (std::uint32_t block = 0; block < 4; ++block) {
        WarpTrace warp;
        warp.steps = {{0, 0}, {0, 1}};
        warp.recorded = warp.executed = 4;
        for (std::uint32_t i = 0; i < 2; ++i) {
            Access access;
            access.kind = Kind::load;
            access.space = Space::global;
            access.path = emulator::LoadPath::l1;
            access.wavefronts = 1;
            access.sectors = 4;
            access.bytes = 128;
            access.line_count = 1;
            access.first_line = static_cast<std::uint32_t>(trace.lines.size());
            trace.lines.emplace_back(0x7f0000000000u + (block * 1000 - i * 7) * 128, 0xfu);
            warp.accesses.push_back(access);
        }
        trace.blocks.push_back({warp, warp});
    }
    return launch;
}

TEST(TraceFile, AReadLaunchTakesAsLongAsTheWrittenOne) {
    const LaunchInput written = some_launch();
    std::vector<std::uint8_t> bytes = to_bytes(written);
    const std::vector<std::uint8_t> again = to_bytes(written);
    bytes.insert(bytes.end(), again.begin(), again.end());
    std::span<const std::uint8_t> rest = bytes;
    const double seconds = predict(h200(), written.trace, written.facts).seconds;
    for (int i = 0; i < 2; ++i) {
        const LaunchInput read = take_launch(rest);
        EXPECT_EQ(read.kernel, written.kernel);
        EXPECT_EQ(read.facts.updates_of_all, written.facts.updates_of_all);
        ASSERT_EQ(read.trace.blocks.size(), 4u);
        const Access& last = read.trace.blocks[3][1].accesses[1];
        EXPECT_EQ(read.trace.lines_of(last)[0].line(), 0x7f0000000000u + (3000 - 7) * 128);
        EXPECT_EQ(predict(h200(), read.trace, read.facts).seconds, seconds);
    }
    EXPECT_TRUE(rest.empty());
}

TEST(TraceFile, EveryTruncationIsAnError) {
    const std::vector<std::uint8_t> bytes = to_bytes(some_launch());
    for (std::size_t count = 0; count < bytes.size(); ++count) {
        std::span<const std::uint8_t> part(bytes.data(), count);
        EXPECT_THROW(take_launch(part), std::runtime_error) << count;
    }
}

}  // namespace
}  // namespace timing

// Races, uninitialised reads and divergent barriers are found, once for each pair of source lines, and
// correct kernels are clean.
#include "simt_fixture.hpp"

namespace {

using namespace simt_test;

class SimtHazards : public testing::TestWithParam<unsigned> {
  protected:
    Machine machine() {
        emulator::simt::Options options;
        options.check_hazards = true;
        options.workers = GetParam();
        return Machine(contents_of(LAB_HAZARDS_PTX), "hopper", options);
    }
    std::vector<std::string> product(const std::string& kernel) {
        Machine gpu = machine();
        const Array<float> a(ramp(1024)), b(ramp(1024)), c(1024);
        return gpu
            .launch(kernel, shape(Dimensions{2, 2}, Dimensions{16, 16}), a.get(), b.get(), c.get())
            .hazards;
    }
};

// "simt_hazards.cu:41", of the line that ends with the comment.
std::string line_of(const std::string& comment) {
    std::istringstream source(contents_of(LAB_HAZARDS_SOURCE));
    int number = 0;
    for (std::string line; std::getline(source, line);) {
        ++number;
        if (line.ends_with("// " + comment)) return "simt_hazards.cu:" + std::to_string(number);
    }
    return "no line with " + comment;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST_P(SimtHazards, ACorrectProductIsClean) {
    EXPECT_EQ(product("multiply_correct"), std::vector<std::string>{});
}

// Both tiles are read before other threads' writes are sure to have happened.
TEST_P(SimtHazards, AMissingBarrierIsARaceOnEachTile) {
    for (const char* const kernel : {"multiply_without_first", "multiply_without_second"}) {
        const auto hazards = product(kernel);
        ASSERT_FALSE(hazards.empty());
        bool a = false, b = false;
        for (const std::string& hazard : hazards) {
            EXPECT_TRUE(contains(hazard, kernel)) << hazard;
            EXPECT_TRUE(contains(hazard, "no barrier between them")) << hazard;
            a |= contains(hazard, "a_tile");
            b |= contains(hazard, "b_tile");
        }
        EXPECT_TRUE(a);
        EXPECT_TRUE(b);
    }
}

// words[32] is never written; lane 31 reads it.
TEST_P(SimtHazards, ReadsOfUninitialisedSharedMemory) {
    Machine gpu = machine();
    const Array<float> out(32);
    const auto hazards =
        gpu.launch("read_beyond_what_is_written", shape(1, 32), out.get(), 1).hazards;
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_TRUE(contains(hazards[0], "thread (31,0,0): " + line_of("read uninitialised")))
        << hazards[0];
    EXPECT_TRUE(contains(hazards[0], "words")) << hazards[0];
}

TEST_P(SimtHazards, ReadsOfUninitialisedGlobalMemory) {
    Machine gpu = machine();
    auto* const in = static_cast<float*>(emulator::allocate_device_memory(128));
    emulator::mark_initialised(reinterpret_cast<emulator::Address>(in), 128, false);
    const Array<float> out(32);
    const auto hazards = gpu.launch("copy", shape(1, 32), in, out.get()).hazards;
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_TRUE(contains(hazards[0], line_of("copy"))) << hazards[0];
    EXPECT_TRUE(contains(hazards[0], "byte 0 of an allocation of 128 bytes")) << hazards[0];
    gpu.launch("copy", shape(1, 32), out.get(), in);
    EXPECT_EQ(gpu.launch("copy", shape(1, 32), in, out.get()).hazards, std::vector<std::string>{});
    emulator::release_device_memory(in);
}

TEST_P(SimtHazards, BarriersThatNotAllThreadsReach) {
    Machine gpu = machine();
    const Array<float> out(64);
    const auto hazards = gpu.launch("barrier_in_a_branch", shape(1, 64), out.get(), 40).hazards;
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_TRUE(contains(hazards[0], line_of("divergent barrier"))) << hazards[0];
    EXPECT_TRUE(contains(hazards[0], "thread (40,0,0) at its end")) << hazards[0];
    EXPECT_EQ(gpu.launch("barrier_in_a_branch", shape(1, 64), out.get(), 64).hazards,
              std::vector<std::string>{});
}

TEST_P(SimtHazards, LanesOfAWarpNeedSyncwarp) {
    Machine gpu = machine();
    const Array<float> out(32);
    const auto hazards = gpu.launch("neighbours_in_a_warp", shape(1, 32), out.get(), 1).hazards;
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_TRUE(contains(hazards[0], line_of("write words"))) << hazards[0];
    EXPECT_TRUE(contains(hazards[0], line_of("read words"))) << hazards[0];
    EXPECT_EQ(gpu.launch("neighbours_after_syncwarp", shape(1, 32), out.get(), 1).hazards,
              std::vector<std::string>{});
}

TEST_P(SimtHazards, WritesToOneWord) {
    Machine gpu = machine();
    const Array<float> out(32);
    const auto hazards = gpu.launch("everybody_writes", shape(1, 32), out.get()).hazards;
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_TRUE(contains(hazards[0], "writes too")) << hazards[0];
    EXPECT_TRUE(contains(hazards[0], line_of("write word"))) << hazards[0];
}

TEST_P(SimtHazards, AtomicsAndNeighbouringBytesAreNoRace) {
    Machine gpu = machine();
    const Array<int> counts(64);
    EXPECT_EQ(gpu.launch("count_atomically", shape(1, 64), counts.get()).hazards,
              std::vector<std::string>{});
    EXPECT_EQ(counts.to_host()[5], 64);
    const Array<unsigned char> bytes(64);
    EXPECT_EQ(gpu.launch("bytes_side_by_side", shape(1, 64), bytes.get()).hazards,
              std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Workers, SimtHazards, testing::Values(1, 2));

}  // namespace

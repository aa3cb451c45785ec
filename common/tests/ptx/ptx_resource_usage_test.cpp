// Registers and the like from ptxas: its report, and the cache around it. A shell script stands in for
// ptxas, so that the test needs none.
#include "emulator/ptx/code/resource_usage.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace emulator::ptx {
namespace {

namespace fs = std::filesystem;

// Printed by ptxas 13.0 for sm_75.
constexpr const char* report =
    R"(ptxas info    : 400 bytes gmem, 16 bytes cmem[3], 128 bytes cmem[4]
ptxas info    : Compiling entry function '_Z2k1Pii' for 'sm_75'
ptxas info    : Function properties for _Z2k1Pii
    16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 28 registers, used 1 barriers, 56 bytes cumulative stack size, 364 bytes cmem[0]
ptxas info    : Compile time = 12.178 ms
ptxas info    : Function properties for _Z3reci
    40 bytes stack frame, 44 bytes spill stores, 48 bytes spill loads
ptxas info    : Compiling entry function '_Z4tilePf' for 'sm_75'
ptxas info    : Function properties for _Z4tilePf
    8 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 2048 bytes smem, 376 bytes cmem[0]
ptxas info    : Compile time = 1.747 ms
)";

const std::vector<KernelResources> kernels = {
    {"_Z2k1Pii", 28, 0, 56, 0, 0},
    {"_Z4tilePf", 255, 2048, 8, 12, 20},
};
// A stand-in writes no machine code.
const Compilation expected = {kernels, {}, ""};

TEST(ResourceUsage, Report) {
    EXPECT_EQ(parse_ptxas_report(report), kernels);
    EXPECT_TRUE(parse_ptxas_report("ptxas fatal   : Value 'sm_50' is not defined\n").empty());
    EXPECT_TRUE(parse_ptxas_report("").empty());
}

class StandIn : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = ::testing::TempDir() + "resource_usage_XXXXXX";
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
        std::ofstream(folder_ / "report") << report;
        write_program("cat \"$here/report\"");
        setenv("EMULATED_GPU_PTXAS", (folder_ / "ptxas").c_str(), 1);
        setenv("EMULATED_GPU_OLDER_PTXAS", (folder_ / "older").c_str(), 1);
        setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    }
    void TearDown() override {
        unsetenv("EMULATED_GPU_PTXAS");
        unsetenv("EMULATED_GPU_OLDER_PTXAS");
        fs::remove_all(folder_);
    }
    // Notes its arguments, a line a run, then does what is given.
    void write_program(const std::string& action) { write_program(folder_ / "ptxas", action); }
    // That of an earlier release, which keeps the text.
    void write_older_program(const std::string& release, const std::string& action) {
        const fs::path bin = folder_ / "older" / release / "nvidia" / "cuda_nvcc" / "bin";
        fs::create_directories(bin);
        write_program(bin / "ptxas", "for text; do :; done; cp \"$text\" \"$here/text-" + release +
                                         "\"\n" + action);
    }
    void write_program(const fs::path& path, const std::string& action) {
        std::ofstream out(path);
        out << "#!/bin/sh\nhere=\"" << folder_.native() << "\"\necho \"$@\" >> \"$here/runs\"\n"
            << action << '\n';
        out.close();
        fs::permissions(path, fs::perms::owner_all);
    }
    std::string text_for(const std::string& release) const {
        std::ifstream in(folder_ / ("text-" + release));
        return {std::istreambuf_iterator<char>(in), {}};
    }
    std::vector<std::string> runs() const {
        std::ifstream in(folder_ / "runs");
        std::vector<std::string> lines;
        for (std::string line; std::getline(in, line);) lines.push_back(line);
        return lines;
    }
    fs::path folder_;
};

TEST_F(StandIn, OneRunForEachTextArchitectureAndOptions) {
    const std::string text = ".target sm_75\n";
    EXPECT_EQ(compile(text, "sm_75", "-dlcm=cg  --generate-line-info -maxrregcount=32 "), expected);
    ASSERT_EQ(runs().size(), 1u);
    EXPECT_EQ(runs()[0].rfind("-v -lineinfo --gpu-name=sm_75 -dlcm=cg -maxrregcount=32 -o ", 0), 0u)
        << runs()[0];
    EXPECT_EQ(compile(text, "sm_75", "-maxrregcount=32"), expected);
    EXPECT_EQ(compile(text, "sm_86", ""), expected);
    EXPECT_EQ(compile(text + " ", "sm_86", ""), expected);
    EXPECT_EQ(runs().size(), 4u);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(compile(text, "sm_86", ""), expected);
        EXPECT_EQ(compile(text, "sm_75", "-maxrregcount=32"), expected);
    }
    EXPECT_EQ(runs().size(), 4u);
    // Architecture-specific PTX is compiled as such.
    EXPECT_EQ(compile(".target sm_90a\n", "sm_90", ""), expected);
    EXPECT_NE(runs().back().find("--gpu-name=sm_90a "), std::string::npos);
}

TEST_F(StandIn, DamagedCacheIsIgnored) {
    ASSERT_EQ(compile("text", "sm_75", ""), expected);
    int damaged = 0;
    for (const auto& file : fs::directory_iterator(folder_ / "cache" / "emulated-gpu")) {
        fs::resize_file(file, fs::file_size(file) - 5);
        ++damaged;
    }
    ASSERT_EQ(damaged, 1);
    EXPECT_EQ(compile("text", "sm_75", ""), expected);
    EXPECT_EQ(runs().size(), 2u);
    EXPECT_EQ(compile("text", "sm_75", ""), expected);
    EXPECT_EQ(runs().size(), 2u);
}

TEST_F(StandIn, NothingFromAFailureOrWithoutPtxas) {
    write_program("echo \"ptxas fatal   : Value 'sm_20' is not defined\"; exit 255");
    EXPECT_EQ(compile("text", "sm_20", ""), std::nullopt);
    EXPECT_EQ(runs().size(), 1u);
    setenv("EMULATED_GPU_PTXAS", (folder_ / "missing").c_str(), 1);
    EXPECT_EQ(compile("text", "sm_75", ""), std::nullopt);
    EXPECT_TRUE(find_ptxas().empty());
}

constexpr const char* unknown_gpu = "echo 'ptxas fatal   : Value is not defined'; exit 255";
constexpr const char* prints_report = "cat \"$here/report\"";
const std::string newest_text =
    "// .target sm_80\n.version 9.0\n.target sm_75, debug\n.entry k()\n";

// The newest release of those that compile it; the text keeps all but its version and target.
TEST_F(StandIn, WhatTheUsualOneDoesNotCompileOlderOnesDo) {
    write_program(unknown_gpu);
    write_older_program("12.9", prints_report);
    write_older_program("11.8", prints_report);
    const Compilation by_12_9 = {kernels, {}, "12.9"};
    EXPECT_EQ(compile(newest_text, "sm_60", ""), by_12_9);
    EXPECT_EQ(text_for("12.9"),
              "// .target sm_80\n.version 8.8\n.target sm_60, debug\n.entry k()\n");
    EXPECT_EQ(text_for("11.8"), "");
    EXPECT_EQ(runs().size(), 2u);
    EXPECT_EQ(compile(newest_text, "sm_60", ""), by_12_9);  // kept; the usual one is asked again
    EXPECT_EQ(runs().size(), 3u);

    write_older_program("12.9", unknown_gpu);
    EXPECT_EQ(compile(newest_text, "sm_37", ""), (Compilation{kernels, {}, "11.8"}));
    EXPECT_EQ(text_for("11.8"),
              "// .target sm_80\n.version 7.8\n.target sm_37, debug\n.entry k()\n");
}

TEST_F(StandIn, ATextThatIsOldEnoughStaysAsItIs) {
    const std::string text = ".version 6.0\n.target sm_35\n";
    write_program(unknown_gpu);
    write_older_program("11.8", prints_report);
    EXPECT_EQ(compile(text, "sm_60", ""), (Compilation{kernels, {}, "11.8"}));
    EXPECT_EQ(text_for("11.8"), text);
}

TEST_F(StandIn, OlderOnesAreNotAskedForWhatTheUsualOneCompiles) {
    write_older_program("12.9", prints_report);
    EXPECT_EQ(compile(newest_text, "sm_75", ""), expected);
    EXPECT_EQ(text_for("12.9"), "");
}

TEST_F(StandIn, NothingWhereNoneCompilesIt) {
    write_program(unknown_gpu);
    write_older_program("12.9", unknown_gpu);
    write_older_program("11.8", unknown_gpu);
    EXPECT_EQ(compile(newest_text, "sm_20", ""), std::nullopt);
    EXPECT_EQ(runs().size(), 3u);
    setenv("EMULATED_GPU_OLDER_PTXAS", "", 1);  // none
    EXPECT_EQ(compile(newest_text, "sm_20", ""), std::nullopt);
    EXPECT_EQ(runs().size(), 4u);
}

// As ptxas of CUDA 12.9 prints it; the one of 11.8 does not know the GPU.
TEST_F(StandIn, WhatAnOlderOneLacksIsSaid) {
    write_program(unknown_gpu);
    write_older_program(
        "12.9",
        "echo \"ptxas module.ptx, line 25; error   : Feature 'redux.sync' requires "
        ".target sm_80 or higher\"; echo 'ptxas module.ptx, line 30; error   : more'; "
        "exit 255");
    write_older_program("11.8", unknown_gpu);
    std::string refusal;
    EXPECT_EQ(compile(newest_text, "sm_60", "", CodeParts::accesses, &refusal), std::nullopt);
    EXPECT_EQ(refusal, "ptxas 12.9: Feature 'redux.sync' requires .target sm_80 or higher");
    refusal.clear();
    write_older_program("12.9", unknown_gpu);
    EXPECT_EQ(compile(newest_text, "sm_20", "", CodeParts::accesses, &refusal), std::nullopt);
    EXPECT_EQ(refusal, "");
}

}  // namespace
}  // namespace emulator::ptx

// The environment's variables, the names of the counters, and JSON.
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>

#include "emulator/runtime/api/ptx_image.hpp"
#include "emulator/runtime/report/counters.hpp"
#include "emulator/runtime/report/json.hpp"
#include "emulator/runtime/report/settings.hpp"

namespace emulator::runtime {
namespace {

std::map<std::string, std::string> environment;

const char* value_of(const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
}

std::string refusal() {
    try {
        read_settings(value_of);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

TEST(Settings, DefaultsAndValues) {
    environment = {};
    const Settings usual = read_settings(value_of);
    EXPECT_EQ(usual.architecture->name, "hopper");
    EXPECT_TRUE(usual.options.model_caches);
    EXPECT_FALSE(usual.options.check_hazards);
    EXPECT_EQ(usual.options.time_limit_seconds, 0);
    environment = {{"EMULATED_GPU", "fermi"},          {"EMULATED_GPU_CACHES", "0"},
                   {"EMULATED_GPU_HAZARDS", "1"},      {"EMULATED_GPU_WORKERS", "3"},
                   {"EMULATED_GPU_TIME_LIMIT", "2.5"}, {"EMULATED_GPU_REPORT", "r.jsonl"}};
    const Settings given = read_settings(value_of);
    EXPECT_EQ(given.architecture->name, "fermi");
    EXPECT_FALSE(given.options.model_caches);
    EXPECT_TRUE(given.options.check_hazards);
    EXPECT_EQ(given.options.workers, 3u);
    EXPECT_EQ(given.options.time_limit_seconds, 2.5);
    EXPECT_EQ(given.report_path, "r.jsonl");
}

TEST(Settings, WrongValuesAreNamed) {
    environment = {{"EMULATED_GPU", "tesla"}};
    EXPECT_EQ(
        refusal().rfind("EMULATED_GPU=tesla: unknown architecture; known are fermi, kepler", 0),
        0u);
    environment = {{"EMULATED_GPU_HAZARDS", "yes"}};
    EXPECT_EQ(refusal(), "EMULATED_GPU_HAZARDS=yes: expected 0 or 1");
    for (const char* const value : {"0", "-1", "2x", "1e99"}) {
        environment = {{"EMULATED_GPU_WORKERS", value}};
        EXPECT_NE(refusal(), "") << value;
    }
    environment = {{"EMULATED_GPU_TIME_LIMIT", "nan"}};
    EXPECT_NE(refusal(), "");
}

TEST(Json, TextIsEscaped) {
    JsonLine line;
    line.begin_object().field("a\"b", "x\\y\n\xff\xc3\xa9").field("n", 0.5).key("none").null();
    line.key("list").begin_array().value(1u).value(true).end_array().end_object();
    EXPECT_EQ(line.text(),
              "{\"a\\\"b\": \"x\\\\y\\u000a\\ufffd\xc3\xa9\", \"n\": 0.5, \"none\": null, "
              "\"list\": [1, true]}");
}

TEST(Counters, NamesAreThoseOfTheDataFormat) {
    simt::LaunchRecord launch;
    launch.loads = {.requests = 2,
                    .sectors = 32,
                    .lines = 8,
                    .distinct_bytes = 256,
                    .lane_bytes = 256,
                    .moved_bytes = 1024,
                    .l1_hit_sectors = 0,
                    .wavefronts = 0,
                    .bank_conflicts = 0};
    launch.shared_loads.requests = 4;
    launch.shared_loads.wavefronts = 12;
    launch.shared_loads.bank_conflicts = 8;
    launch.reductions.requests = 3;
    launch.reductions.sectors = 5;
    launch.occupancy = {.blocks = 2, .warps = 32, .percent = 50, .limit = OccupancyLimit::warps};
    simt::LaunchRecord twice;
    add_totals(twice, launch);
    add_totals(twice, launch);
    const Counters list = counters_of(twice, false);
    const std::map<std::string, double> counters(list.begin(), list.end());
    EXPECT_EQ(counters.at("load_requests"), 4);
    EXPECT_EQ(counters.at("load_sectors"), 64);
    EXPECT_EQ(counters.at("load_efficiency"), 25);
    EXPECT_EQ(counters.at("shared_load_wavefronts"), 24);
    EXPECT_EQ(counters.at("shared_load_bank_conflicts"), 16);
    EXPECT_EQ(counters.at("reduction_sectors"), 10);
    EXPECT_EQ(counters.at("theoretical_occupancy"), 50);
    EXPECT_EQ(counters.at("store_requests"), 0);
    EXPECT_EQ(counters.count("shared_store_requests"), 0u);
    EXPECT_EQ(counters.count("atomic_requests"), 0u);
    EXPECT_EQ(counters.count("l1_hit_sectors"), 0u);
    const Counters with_caches = counters_of(twice, true);
    EXPECT_GT(with_caches.size(), list.size());
}

ptx::Image image(unsigned capability, ptx::ImageKind kind = ptx::ImageKind::ptx) {
    ptx::Image result;
    result.kind = kind;
    result.compute_capability = capability;
    return result;
}

TEST(PtxImage, TheHighestThatRunsElseTheLowest) {
    const std::vector<ptx::Image> images = {image(90, ptx::ImageKind::elf), image(75), image(80),
                                            image(120)};
    EXPECT_EQ(choose_ptx(images, 90)->compute_capability, 80u);
    EXPECT_EQ(choose_ptx(images, 120)->compute_capability, 120u);
    EXPECT_EQ(choose_ptx(images, 20)->compute_capability, 75u);
    EXPECT_EQ(choose_ptx(std::span(images).first(1), 90), nullptr);
    std::vector<ptx::Image> specific = {image(90), image(90), image(80)};
    specific[1].is_architecture_specific = true;
    EXPECT_EQ(choose_ptx(specific, 90), &specific[1]);
    EXPECT_EQ(choose_ptx(specific, 100), &specific[0]);
}

TEST(PtxImage, OptionsOfPtxasDecideTheL1) {
    EXPECT_EQ(l1_mode("-dlcm=cg  --generate-line-info "), L1Mode::bypass);
    EXPECT_EQ(l1_mode("-O3 -dlcm=ca"), L1Mode::cached);
    EXPECT_EQ(l1_mode("--generate-line-info"), L1Mode::standard);
}

}  // namespace
}  // namespace emulator::runtime

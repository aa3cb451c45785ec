// The main of tests that need a device, which the flags of the harness choose (--architecture=). Fails
// where no test has run: they may skip what is about another GPU.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "lab/device/backend.hpp"

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    std::vector<std::string> arguments(argv, argv + argc);
    try {
        lab::backend::open(arguments);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 3;
    }
    const int failed = RUN_ALL_TESTS();
    return failed != 0 || testing::UnitTest::GetInstance()->successful_test_count() == 0;
}

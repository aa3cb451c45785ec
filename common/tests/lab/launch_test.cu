// A launch that the device cannot do is refused, and its row is left out before.
#include "lab/device/launch.hpp"

#include <gtest/gtest.h>

#include "device_test_main.hpp"
#include "lab/experiment/admission.hpp"
#include "lab/program/errors.hpp"

namespace {

__global__ void do_nothing() {}

// Every GPU has 65535 blocks in y, and no GPU more.
TEST(Launch, OfMoreBlocksThanAGridHasIsRefusedAndItsRowLeftOut) {
    for (const unsigned y : {65535u, 65536u}) {
        const auto launch = lab::launch(do_nothing, dim3(1, y), 32);
        lab::Variant row = {.name = "do_nothing/n:1", .shape = launch.shape()};
        lab::Admission admission;
        EXPECT_EQ(admission.admits(row), y == 65535) << y;
        if (y == 65535) {
            EXPECT_NO_THROW(launch());
        } else {
            EXPECT_THROW(launch(), lab::CudaError);
        }
    }
}

TEST(Launch, OfMoreThreadsThanABlockHasIsRefusedAndItsRowLeftOut) {
    const auto launch = lab::launch(do_nothing, 1, dim3(32, 33));
    lab::Variant row = {.name = "do_nothing/n:1", .shape = launch.shape()};
    EXPECT_FALSE(lab::Admission().admits(row));
    EXPECT_THROW(launch(), lab::CudaError);
}

}  // namespace

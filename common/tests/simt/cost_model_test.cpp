// What requests of scattered lanes cost, beside the plain rule.
#include "emulator/simt/state/cost_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "emulator/models/memory/coalescing.hpp"

namespace emulator::simt {
namespace {

// Of few lines and many, of all lanes and some; inactive lanes have the first active one's offset.
TEST(CostModel, ScatteredLanesCostWhatTheRuleSays) {
    CostModel model;
    model.space = AccessSpace::global;
    model.kind = AccessKind::load;
    model.bytes_per_lane = 4;
    model.counts_bytes = true;
    model.fetch_unit_bytes = sector_bytes;
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        const std::uint32_t places = 1u << random() % 20;
        const std::uint32_t mask = round % 3 == 0 ? ~0u : static_cast<std::uint32_t>(random()) | 16;
        const Address base = (Address{1} << 40) + 4 * (random() % 64);
        std::array<std::uint32_t, warp_size> offsets{};
        std::array<Address, warp_size> addresses{};
        const auto first = static_cast<std::size_t>(std::countr_zero(mask));
        for (auto& offset : offsets) offset = 4 * (static_cast<std::uint32_t>(random()) % places);
        for (std::size_t lane = 0; lane < warp_size; ++lane) {
            if ((mask >> lane & 1) == 0) offsets[lane] = offsets[first];
            addresses[lane] = base + offsets[lane];
        }
        const Transactions expected = coalesce({addresses, mask, 4});
        const AccessCounters cost = model.scattered_cost(SortedOffsets(base, offsets), mask);
        ASSERT_EQ(cost.requests, 1u);
        ASSERT_EQ(cost.sectors, expected.sectors) << round;
        ASSERT_EQ(cost.lines, expected.lines) << round;
        ASSERT_EQ(cost.distinct_bytes, expected.distinct_bytes) << round;
        ASSERT_EQ(cost.lane_bytes, expected.lane_bytes) << round;
        ASSERT_EQ(cost.moved_bytes, 32 * expected.sectors) << round;
        const LineList lines = lines_of({addresses, mask, 4});
        std::array<LineSectors, warp_size> scattered;
        const std::size_t count = SortedOffsets(base, offsets).write_lines(scattered.data());
        ASSERT_TRUE(std::ranges::equal(std::span(scattered.data(), count), lines.span())) << round;
    }
}

}  // namespace
}  // namespace emulator::simt

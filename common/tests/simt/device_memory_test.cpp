// Where the emulated GPU's memory lies: on systems with other page sizes and fewer addresses, and when there are very
// many allocations.
#include "emulator/memory/device_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <new>
#include <random>
#include <stdexcept>

#include "emulator/memory/allocation_places.hpp"

namespace {

using emulator::Address;
using emulator::AddressRange;
using emulator::AllocationPlaces;

constexpr std::size_t kib = 1024, mib = kib * kib, gib = kib * mib;
constexpr AddressRange whole{Address{1} << 40, 256 * gib};

// A system whose processes have addresses below `end`, of which [taken.begin, taken.end()) is in use.
emulator::MapRange system_with(Address end, AddressRange taken = {}) {
    return [=](Address wanted, std::size_t bytes) -> Address {
        const Address begin = wanted == 0 ? taken.end() : wanted;
        const bool meets = begin < taken.end() && taken.begin < begin + bytes;
        return !meets && begin + bytes <= end ? begin : 0;
    };
}

TEST(AddressRangeOfTheGpu, FitsWhateverTheKernelGivesAProcess) {
    // x86-64 has 47 bits; arm64 kernels are built for 39, 42 or 48.
    for (const unsigned bits : {39u, 42u, 47u, 48u}) {
        const Address end = Address{1} << bits;
        const AddressRange range = emulator::reserve_addresses(256 * gib, system_with(end));
        EXPECT_NE(range.begin, 0u) << bits;
        EXPECT_LE(range.end(), end) << bits;
        // Position-independent executables are loaded at two thirds.
        EXPECT_TRUE(bits >= 47 || range.end() <= end / 3 * 2) << bits;
    }
}

TEST(AddressRangeOfTheGpu, IsTheSameWhereverThereAreEnoughAddresses) {
    const auto on_x86 = emulator::reserve_addresses(gib, system_with(Address{1} << 47));
    const auto on_arm = emulator::reserve_addresses(gib, system_with(Address{1} << 48));
    EXPECT_EQ(on_x86.begin, on_arm.begin);
}

TEST(AddressRangeOfTheGpu, IsAnotherWhereAllFixedOnesAreTaken) {
    const AddressRange taken{0, Address{0x7000} << 32};
    const auto range = emulator::reserve_addresses(gib, system_with(Address{1} << 47, taken));
    EXPECT_EQ(range.begin, taken.end());
}

TEST(AddressRangeOfTheGpu, IsMissedInOneLine) {
    EXPECT_THROW(emulator::reserve_addresses(gib, system_with(0)), std::runtime_error);
}

TEST(AllocationPlacesOfTheGpu, DoNotDependOnThePageSize) {
    AllocationPlaces small(whole, 4 * kib), large(whole, 64 * kib);
    std::mt19937 random(5);
    for (std::size_t i = 0; i < 3 * AllocationPlaces::max_own_of_host; ++i) {
        const std::size_t bytes = random() % 20000;
        ASSERT_EQ(small.take(bytes, AllocationPlaces::max_own_of_host).begin,
                  large.take(bytes, AllocationPlaces::max_own_of_host).begin);
    }
}

class PageSizes : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(AllocationPlacesOfTheGpu, PageSizes,
                         testing::Values(4 * kib, 16 * kib, 64 * kib));

TEST_P(PageSizes, EachOfTheFirstAllocationsHasWholePagesAndAGuardToTheNext) {
    AllocationPlaces places(whole, GetParam());
    std::vector<std::pair<AddressRange, AddressRange>> taken;  // allocation, pages
    for (const std::size_t bytes : {1u, 16u, 4096u, 4097u, 65536u, 100000u, 1u}) {
        const auto [begin, opened] = places.take(bytes, AllocationPlaces::max_own_of_host);
        EXPECT_EQ(begin % 512, 0u);
        EXPECT_EQ(opened.begin % GetParam(), 0u);
        EXPECT_EQ(opened.bytes % GetParam(), 0u);
        EXPECT_LE(opened.begin, begin);
        EXPECT_GE(opened.end(), begin + bytes);
        if (!taken.empty()) {
            const auto& [before, pages] = taken.back();
            EXPECT_GE(begin - before.end(), AllocationPlaces::guard_bytes);
            EXPECT_GT(opened.begin, pages.end());  // a page without access lies between
        }
        taken.push_back({{begin, bytes}, opened});
    }
    for (const auto& [allocation, pages] : taken) {
        const AddressRange closed = places.give_back(allocation);
        EXPECT_EQ(closed.begin, pages.begin);
        EXPECT_EQ(closed.bytes, pages.bytes);
    }
    EXPECT_EQ(places.take(1, AllocationPlaces::max_own_of_host).begin, taken.front().first.begin);
}

TEST_P(PageSizes, FurtherAllocationsShareFewMappingsAndNeverTouch) {
    AllocationPlaces places(whole, GetParam());
    std::mt19937 random(7);
    std::map<Address, std::size_t> live;
    std::size_t openings = 0;
    for (int i = 0; i < 100000; ++i) {
        const std::size_t bytes = 1 + random() % 3000;
        const auto [begin, opened] = places.take(bytes, 0);
        openings += opened.bytes != 0;
        const auto [place, is_new] = live.emplace(begin, bytes);
        ASSERT_TRUE(is_new);
        ASSERT_EQ(begin % 512, 0u);
        // What lies between neighbours is at least 512 bytes, and at least as large as what lies before it.
        if (place != live.begin()) {
            const auto& [before, size] = *std::prev(place);
            ASSERT_GE(begin, before + size + std::max<std::size_t>(512, size));
        }
        if (const auto next = std::next(place); next != live.end()) {
            ASSERT_GE(next->first, begin + bytes + std::max<std::size_t>(512, bytes));
        }
        if (random() % 3 == 0) {
            const auto victim = live.lower_bound(begin - random() % (8 * mib));
            places.give_back({victim->first, victim->second});
            live.erase(victim);
        }
    }
    // Two mappings each, of the 65,530 that Linux grants a process.
    EXPECT_LT(openings, 100u);
}

TEST(AllocationPlacesOfTheGpu, ASlabGoesBackWhenItsLastAllocationDoes) {
    AllocationPlaces places(whole, 4 * kib);
    const auto first = places.take(100, 0), second = places.take(100, 0);
    EXPECT_EQ(second.opened.bytes, 0u);
    EXPECT_EQ(places.give_back({first.begin, 100}).bytes, 0u);
    EXPECT_EQ(places.give_back({second.begin, 100}).bytes, first.opened.bytes);
    // The whole range is free again.
    EXPECT_NO_THROW(places.take(whole.bytes - 2 * AllocationPlaces::guard_bytes, 1));
}

TEST(AllocationPlacesOfTheGpu, RefuseWhatDoesNotFit) {
    AllocationPlaces places(whole, 4 * kib);
    for (const std::size_t bytes : {whole.bytes, SIZE_MAX, SIZE_MAX - 4096, SIZE_MAX / 2}) {
        EXPECT_THROW(places.take(bytes, 1), std::bad_alloc) << bytes;
        EXPECT_THROW(places.take(bytes, 0), std::bad_alloc) << bytes;
    }
    EXPECT_NO_THROW(places.take(1, 1));
}

TEST(DeviceMemory, FindsZerosWhereAnAllocationWasFreed) {
    std::vector<char*> pointers;
    for (std::size_t i = 0; i < AllocationPlaces::max_own_on_heap + 100; ++i) {
        auto* const memory = static_cast<char*>(emulator::allocate_on_heap(700, mib));
        ASSERT_NE(memory, nullptr);
        auto* const storage = reinterpret_cast<char*>(emulator::storage_of(memory));
        EXPECT_EQ(std::count(storage, storage + 700, 0), 700);
        std::fill(storage, storage + 700, 'x');
        pointers.push_back(memory);
        if (i % 3 != 0) continue;
        emulator::release_on_heap(pointers[i / 2]);
        pointers[i / 2] = static_cast<char*>(emulator::allocate_on_heap(700, mib));
        auto* const again = reinterpret_cast<char*>(emulator::storage_of(pointers[i / 2]));
        EXPECT_EQ(std::count(again, again + 700, 0), 700);
    }
    emulator::release_heap();
    EXPECT_THROW(emulator::release_on_heap(pointers[0]), std::invalid_argument);
}

// 8 MiB hold 524,288 times 16 bytes, which is also what 1 to 16 bytes take.
TEST(DeviceMemory, HeapEndsAtItsLimit) {
    std::size_t allocated = 0;
    while (emulator::allocate_on_heap(1 + allocated % 16, 8 * mib) != nullptr) ++allocated;
    EXPECT_EQ(allocated, 524288u);
    EXPECT_EQ(emulator::allocate_on_heap(1, 8 * mib), nullptr);
    EXPECT_EQ(emulator::allocate_on_heap(SIZE_MAX, SIZE_MAX), nullptr);
    emulator::release_heap();
    EXPECT_NE(emulator::allocate_on_heap(8 * mib, 8 * mib), nullptr);
    emulator::release_heap();
}

TEST(DeviceMemory, TheHostAccessesWhatItMayAtTheSameAddress) {
    using emulator::HostAccess;
    auto* const both =
        static_cast<char*>(emulator::allocate_device_memory(10000, HostAccess::allowed));
    if (emulator::storage_of(both) == reinterpret_cast<std::byte*>(both))
        GTEST_SKIP() << "too few addresses to map the memory twice";
    both[9999] = 'x';
    EXPECT_EQ(static_cast<char>(emulator::storage_of(both)[9999]), 'x');
    emulator::storage_of(both)[0] = std::byte{'y'};
    EXPECT_EQ(both[0], 'y');
    auto* const alone = static_cast<char*>(emulator::allocate_device_memory(10000));
    EXPECT_EXIT(alone[0] = 'z', testing::KilledBySignal(SIGSEGV), "");
    emulator::set_host_access(both, HostAccess::none);
    EXPECT_EXIT(both[0] = 'z', testing::KilledBySignal(SIGSEGV), "");
    emulator::set_host_access(both, HostAccess::allowed);
    EXPECT_EQ(both[0], 'y');
    emulator::release_device_memory(both);
    EXPECT_EXIT(both[0] = 'z', testing::KilledBySignal(SIGSEGV), "");
    emulator::release_device_memory(alone);
}

TEST(DeviceMemory, KernelsCannotFreeWhatTheHostAllocated) {
    void* const memory = emulator::allocate_device_memory(16);
    EXPECT_THROW(emulator::release_on_heap(memory), std::invalid_argument);
    emulator::release_device_memory(memory);
}

}  // namespace

// Clusters: special registers, barrier.cluster, shared memory of other blocks, multicast copies; who lacks them.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "simt_fixture.hpp"

namespace {

using namespace simt_test;

LaunchShape clusters(Dimensions grid, Dimensions cluster, unsigned block = 32) {
    LaunchShape launch = shape(grid, Dimensions{block});
    launch.cluster = cluster;
    return launch;
}

// A kernel of one parameter, `out` in %d1, with the block's number in %r1, its rank in %r2 and the thread in %r3. `tile`: its shared
// memory, at %r4.
std::string kernel_of(const std::string& instructions) {
    return R"(.version 8.4
.target sm_90
.address_size 64
.visible .entry run(.param .u64 out) {
  .reg .b64 %d<12>; .reg .b32 %r<40>; .reg .b16 %h<4>; .reg .pred %p<4>;
  .shared .align 128 .b8 tile[1024];
  ld.param.u64 %d1, [out]; mov.u32 %r3, %tid.x; mov.u32 %r2, %cluster_ctarank; mov.u32 %r4, tile;
  mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ctaid.y; mov.u32 %r7, %nctaid.x; mad.lo.u32 %r1, %r6, %r7, %r5;
)" + instructions +
           "  ret;\n}\n";
}

const std::string cluster_sync =
    "  barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n";

// Stores `registers` at out[count * block] by thread 0.
std::string store_words(const std::string& registers, unsigned count) {
    return "  mul.wide.u32 %d2, %r1, " + std::to_string(4 * count) + R"(; add.s64 %d3, %d1, %d2;
  setp.ne.u32 %p1, %r3, 0; @%p1 ret;
  st.global.v)" +
           std::to_string(count) + ".b32 [%d3], " + registers + ";\n";
}

TEST(ClusterRegisters, FollowThePlaceOfABlock) {
    Machine machine(
        kernel_of("mov.u32 %r10, %cluster_ctaid.x; mov.u32 %r11, %cluster_ctaid.y;"
                  "mov.u32 %r12, %clusterid.x; mov.u32 %r13, %nclusterid.y;" +
                  store_words("{%r2, %r10, %r11, %r12}", 4)));
    const Array<std::uint32_t> out(4 * 12);
    machine.launch("run", clusters({6, 2}, {3, 2}), out.get());
    const auto words = out.to_host();
    for (unsigned y = 0; y < 2; ++y) {
        for (unsigned x = 0; x < 6; ++x) {
            const std::uint32_t* const of_block = words.data() + 4 * (6 * y + x);
            EXPECT_EQ(of_block[0], x % 3 + 3 * y);
            EXPECT_EQ(of_block[1], x % 3);
            EXPECT_EQ(of_block[2], y);
            EXPECT_EQ(of_block[3], x / 3);
        }
    }
}

// Each block stores 100 + its number in its own shared memory, and reads that of the next rank, by both kinds of addresses.
TEST(ClusterMemory, BlocksReadAndUpdateEachOther) {
    Machine machine(kernel_of(
        "add.u32 %r10, %r1, 100; st.shared.b32 [%r4], %r10;"
        "mov.u32 %r11, 0; st.shared.b32 [%r4+4], %r11;" +
        cluster_sync + R"(
  add.u32 %r12, %r2, 1; mov.u32 %r13, %cluster_nctarank; rem.u32 %r12, %r12, %r13;
  mapa.shared::cluster.u32 %r14, %r4, %r12; ld.shared::cluster.b32 %r20, [%r14];
  cvt.u64.u32 %d4, %r4; cvta.shared.u64 %d4, %d4; mapa.u64 %d5, %d4, %r12; ld.b32 %r21, [%d5];
  getctarank.shared::cluster.u32 %r22, %r14;
  mov.u32 %r15, 0; mapa.shared::cluster.u32 %r16, %r4, %r15; red.shared::cluster.add.u32 [%r16+4], 1;
)" + cluster_sync +
        "ld.shared::cluster.b32 %r23, [%r16+4];" + store_words("{%r20, %r21, %r22, %r23}", 4)));
    const Array<std::uint32_t> out(4 * 8);
    machine.launch("run", clusters({8}, {4}), out.get());
    const auto words = out.to_host();
    for (unsigned block = 0; block < 8; ++block) {
        const unsigned next = block / 4 * 4 + (block + 1) % 4;
        EXPECT_EQ(words[4 * block], 100 + next);
        EXPECT_EQ(words[4 * block + 1], 100 + next);
        EXPECT_EQ(words[4 * block + 2], next % 4);
        EXPECT_EQ(words[4 * block + 3], 4u * 32) << "each of 128 threads adds one";
    }
}

TEST(ClusterMemory, AddressesBeyondTheClusterAreFaults) {
    Machine machine(
        kernel_of("mov.u32 %r10, 2; mapa.shared::cluster.u32 %r11, %r4, %r10;"
                  "ld.shared::cluster.b32 %r12, [%r11];" +
                  store_words("{%r12, %r12}", 2)));
    const Array<std::uint32_t> out(16);
    EXPECT_THROW(machine.launch("run", clusters({2}, {2}), out.get()), emulator::simt::Fault);
}

// Blocks of a cluster that finish early are not waited for; one that never arrives is a deadlock.
TEST(ClusterBarrier, WaitsForThreadsThatHaveNotFinished) {
    const auto kernel = [](const std::string& instead) {
        return kernel_of("setp.eq.u32 %p2, %r2, 1; @%p2 bra OTHER;\n" + cluster_sync +
                         store_words("{%r1, %r2}", 2) + "  ret;\nOTHER:\n" + instead);
    };
    const Array<std::uint32_t> out(16);
    Machine finishes(kernel("  ret;\n"));
    finishes.launch("run", clusters({2}, {2}), out.get());
    Machine waits(kernel("  barrier.cluster.wait.aligned;\n"));
    try {
        waits.launch("run", clusters({2}, {2}), out.get());
        FAIL();
    } catch (const emulator::simt::Fault& fault) {
        EXPECT_EQ(fault.kind, emulator::simt::FaultKind::deadlock);
        EXPECT_NE(std::string(fault.what()).find("barrier of its cluster"), std::string::npos);
    }
}

// Rank 0 waits at its mbarrier for one arrival of each block.
TEST(ClusterMbarrier, IsReachedFromOtherBlocks) {
    Machine machine(kernel_of(R"(
  setp.ne.u32 %p1, %r3, 0; @%p1 bra READY;
  mov.u32 %r10, %cluster_nctarank; mbarrier.init.shared.b64 [%r4], %r10;
READY:
)" + cluster_sync + R"(
  setp.ne.u32 %p1, %r3, 0; @%p1 bra DONE;
  mov.u32 %r11, 0; mapa.shared::cluster.u32 %r12, %r4, %r11;
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r12];
  setp.ne.u32 %p2, %r2, 0; @%p2 bra DONE;
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r4], 0; @!%p3 bra WAIT;
  mov.u32 %r20, 7; st.global.b32 [%d1], %r20;
DONE:
)" + cluster_sync));
    const Array<std::uint32_t> out(1);
    machine.launch("run", clusters({4}, {4}), out.get());
    EXPECT_EQ(out.to_host()[0], 7u);
}

// Rank 0 copies 256 bytes to ranks 0 and 2 of 3, each of which waits at its own mbarrier.
const std::string multicast = kernel_of(R"(
  setp.ne.u32 %p1, %r3, 0; @%p1 bra READY;
  mbarrier.init.shared.b64 [%r4+512], 1;
  mbarrier.arrive.expect_tx.shared.b64 _, [%r4+512], 256;
READY:
)" + cluster_sync + R"(
  or.b32 %r10, %r3, %r2; setp.ne.u32 %p1, %r10, 0; @%p1 bra WAIT;
  mov.b16 %h1, 5; add.u32 %r11, %r4, 512;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r4], [%d1], 256, [%r11], %h1;
WAIT:
  setp.eq.u32 %p2, %r2, 1; @%p2 bra DONE;
POLL:
  mbarrier.try_wait.parity.shared.b64 %p3, [%r4+512], 0; @!%p3 bra POLL;
  shl.b32 %r12, %r3, 2; add.u32 %r13, %r4, %r12; ld.shared.b32 %r20, [%r13+128];
  mul.wide.u32 %d4, %r2, 128; cvt.u64.u32 %d5, %r12; add.s64 %d4, %d4, %d5; add.s64 %d4, %d1, %d4;
  st.global.b32 [%d4+256], %r20;
DONE:
)" + cluster_sync);

TEST(ClusterCopies, MulticastReachesTheBlocksOfTheMask) {
    std::vector<std::uint32_t> words(64 + 3 * 32);
    std::iota(words.begin(), words.begin() + 64, 1u);
    Machine machine(multicast);
    const Array<std::uint32_t> memory(words);
    const LaunchRecord record = machine.launch("run", clusters({3}, {3}), memory.get());
    const auto after = memory.to_host();
    for (unsigned i = 0; i < 32; ++i) {
        EXPECT_EQ(after[64 + i], 33 + i);
        EXPECT_EQ(after[64 + 32 + i], 0u);
        EXPECT_EQ(after[64 + 64 + i], 33 + i);
    }
    EXPECT_EQ(record.l2_read_sectors_min, 8u) << "256 bytes are read once";
    Machine too_few(multicast);
    EXPECT_THROW(too_few.launch("run", clusters({2}, {1}), memory.get()), emulator::simt::Fault);
}

// Rank 1 copies from its own shared memory to that of rank 0.
TEST(ClusterCopies, BulkCopiesGoToOtherBlocks) {
    Machine machine(kernel_of(R"(
  add.u32 %r10, %r3, 40; shl.b32 %r11, %r3, 2; add.u32 %r12, %r4, %r11; st.shared.b32 [%r12], %r10;
  setp.ne.u32 %p1, %r3, 0; @%p1 bra READY;
  mbarrier.init.shared.b64 [%r4+512], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r4+512], 128;
  fence.proxy.async;
READY:
)" + cluster_sync + R"(
  setp.eq.u32 %p2, %r2, 0; @%p2 bra POLL;
  setp.ne.u32 %p1, %r3, 0; @%p1 bra DONE;
  mov.u32 %r13, 0; add.u32 %r14, %r4, 256; mapa.shared::cluster.u32 %r15, %r14, %r13;
  add.u32 %r16, %r4, 512; mapa.shared::cluster.u32 %r17, %r16, %r13;
  cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r15], [%r4], 128, [%r17];
  bra DONE;
POLL:
  mbarrier.try_wait.parity.shared.b64 %p3, [%r4+512], 0; @!%p3 bra POLL;
  ld.shared.b32 %r20, [%r12+256]; mul.wide.u32 %d4, %r3, 4; add.s64 %d4, %d1, %d4; st.global.b32 [%d4], %r20;
DONE:
)" + cluster_sync));
    const Array<std::uint32_t> out(32);
    machine.launch("run", clusters({2}, {2}), out.get());
    const auto words = out.to_host();
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(words[i], 40 + i);
}

// Threads of rank 1 store a word each into the memory of rank 0, which waits for their bytes.
TEST(ClusterCopies, AsynchronousStoresCountAtTheBarrier) {
    Machine machine(kernel_of(R"(
  shl.b32 %r11, %r3, 2; add.u32 %r12, %r4, %r11;
  setp.ne.u32 %p1, %r3, 0; @%p1 bra READY;
  mbarrier.init.shared.b64 [%r4+512], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r4+512], 128;
READY:
)" + cluster_sync + R"(
  setp.eq.u32 %p2, %r2, 0; @%p2 bra POLL;
  mov.u32 %r13, 0; mapa.shared::cluster.u32 %r14, %r12, %r13;
  add.u32 %r16, %r4, 512; mapa.shared::cluster.u32 %r17, %r16, %r13; add.u32 %r18, %r3, 60;
  st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r14], %r18, [%r17];
  bra DONE;
POLL:
  mbarrier.try_wait.parity.shared.b64 %p3, [%r4+512], 0; @!%p3 bra POLL;
  ld.shared.b32 %r20, [%r12]; mul.wide.u32 %d4, %r3, 4; add.s64 %d4, %d1, %d4; st.global.b32 [%d4], %r20;
DONE:
)" + cluster_sync));
    const Array<std::uint32_t> out(32);
    machine.launch("run", clusters({2}, {2}), out.get());
    const auto words = out.to_host();
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(words[i], 60 + i);
}

TEST(ClusterGenerations, NeedCapability9) {
    Machine machine(kernel_of(cluster_sync), "ada");
    const Array<std::uint32_t> out(1);
    try {
        machine.launch("run", shape(1, 32), out.get());
        FAIL();
    } catch (const emulator::simt::Unsupported& error) {
        EXPECT_NE(std::string(error.what()).find("it needs compute capability 9.0"),
                  std::string::npos);
    }
    Machine blackwell(kernel_of(cluster_sync), "blackwell");
    blackwell.launch("run", clusters({2}, {2}), out.get());
}

// Every block reads 4 KiB that all share: L1 hits, too, are the same with one CPU thread and with two.
TEST(ClusterCounts, DoNotDependOnWorkers) {
    const std::string ptx = kernel_of(R"(
  mul.wide.u32 %d4, %r3, 4; add.s64 %d4, %d1, %d4; mov.u32 %r10, 0;
LOOP:
  ld.global.b32 %r11, [%d4]; add.s64 %d4, %d4, 1024; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 4;
  @%p1 bra LOOP;
)" + cluster_sync);
    std::vector<std::uint64_t> hits, sectors;
    for (const unsigned workers : {1u, 2u}) {
        emulator::simt::Options options;
        options.workers = workers;
        Machine machine(ptx, "hopper", options);
        const Array<std::uint32_t> memory(1024);
        const LaunchRecord record = machine.launch("run", clusters({1056}, {2}, 256), memory.get());
        hits.push_back(record.memory.l1_hit_sectors);
        sectors.push_back(record.loads.sectors);
    }
    EXPECT_EQ(sectors[0], 1056u * 128);
    EXPECT_EQ(hits[0], hits[1]);
    EXPECT_GT(hits[0], 0u);
}

}  // namespace

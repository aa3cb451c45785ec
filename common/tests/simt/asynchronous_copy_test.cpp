// mbarriers, cp.async, bulk copies and tensor copies on the SIMT core, and what they count.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "emulator/simt/memory/mbarrier.hpp"
#include "emulator/simt/memory/tensor_map.hpp"
#include "simt_fixture.hpp"

namespace {

using namespace simt_test;
using emulator::simt::MbarrierState;
using emulator::simt::TensorMap;
using emulator::simt::TensorSwizzle;

const std::string head = ".version 8.0\n.target sm_90\n.address_size 64\n";

TEST(Mbarrier, PhasesEndWhenArrivalsAndBytesAreComplete) {
    MbarrierState state{.expected = 2, .pending = 2};
    EXPECT_FALSE(state.finish_if_complete());
    state.pending = 0;
    state.bytes = 64;
    EXPECT_FALSE(state.finish_if_complete());
    state.bytes = 0;
    EXPECT_TRUE(state.finish_if_complete());
    EXPECT_TRUE(state.phase);
    EXPECT_EQ(state.pending, 2u);
}

TEST(Mbarrier, BitsKeepTheState) {
    const MbarrierState state{.expected = 1023, .pending = 5, .bytes = -4096, .phase = true};
    const MbarrierState back = MbarrierState::from_bits(state.bits());
    EXPECT_EQ(back.expected, 1023u);
    EXPECT_EQ(back.pending, 5u);
    EXPECT_EQ(back.bytes, -4096);
    EXPECT_TRUE(back.phase);
}

// 64 threads copy 16 bytes each, of which lane 3 of each warp reads 4 and lane 5 none; then each stores the
// bytes of its neighbour (thread ^ 1).
const std::string copy_lanes = head + R"(
.visible .entry copy(.param .u64 from, .param .u64 to) {
  .reg .b32 %r<12>; .reg .b64 %rd<8>; .reg .f32 %f<4>; .reg .pred %p<3>;
  .shared .align 16 .b8 tile[1024];
  ld.param.u64 %rd1, [from]; ld.param.u64 %rd2, [to];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 16;
  add.s64 %rd4, %rd1, %rd3;
  shl.b32 %r2, %r1, 4;
  mov.u32 %r3, tile;
  add.s32 %r4, %r3, %r2;
  and.b32 %r5, %r1, 31;
  setp.eq.u32 %p1, %r5, 3;
  setp.eq.u32 %p2, %r5, 5;
  selp.u32 %r6, 4, 16, %p1;
  selp.u32 %r6, 0, %r6, %p2;
  cp.async.cg.shared.global [%r4], [%rd4], 16, %r6;
  cp.async.commit_group;
  cp.async.wait_group 0;
  bar.sync 0;
  xor.b32 %r7, %r2, 16;
  add.s32 %r8, %r3, %r7;
  ld.shared.v4.f32 {%f0, %f1, %f2, %f3}, [%r8];
  add.s64 %rd5, %rd2, %rd3;
  st.global.v4.f32 [%rd5], {%f0, %f1, %f2, %f3};
  ret;
})";

TEST(AsynchronousCopy, LanesCopyPiecesAndZeros) {
    Machine machine(copy_lanes);
    std::vector<float> numbers(256);
    std::iota(numbers.begin(), numbers.end(), 1.0f);
    const Array<float> from(numbers), to(256);
    const LaunchRecord record = machine.launch("copy", shape(1, 64), from.get(), to.get());
    const std::vector<float> result = to.to_host();
    for (unsigned thread = 0; thread < 64; ++thread) {
        const unsigned source = thread ^ 1;
        for (unsigned i = 0; i < 4; ++i) {
            const bool is_read = source % 32 == 3 ? i == 0 : source % 32 != 5;
            EXPECT_EQ(result[4 * thread + i], is_read ? numbers[4 * source + i] : 0.0f) << thread;
        }
    }
    // As an H200 counts them: requests and sectors are loads', bytes are not counted; shared memory's
    // stores leave them out. Lane 5 reads nothing: of the 16 sectors of a warp none is lost by that.
    EXPECT_EQ(record.loads.requests, 2u);
    EXPECT_EQ(record.loads.sectors, 32u);
    EXPECT_EQ(record.loads.distinct_bytes, 0u);
    EXPECT_EQ(record.shared_stores.requests, 0u);
}

// cuda_hgemm's wmmaAsyncKernel: four lanes a row of 64 bytes, rows 80 bytes apart in shared memory. An H200 counts 20 sectors.
// The same rows 64 bytes apart have no conflicts: 16. Lane 0 reads nothing, but its zeros take the banks of lane 7.
TEST(AsynchronousCopy, ConflictsOfTheCopyReadSectorsAgain) {
    for (const auto& [row_bytes, sectors] : {std::pair{80u, 20u}, std::pair{64u, 16u}}) {
        Machine machine(head + R"(
.visible .entry copy(.param .u64 from) {
  .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<2>;
  .shared .align 128 .b8 tile[1024];
  ld.param.u64 %rd1, [from];
  mov.u32 %r1, %tid.x; mov.u32 %r2, tile;
  mul.wide.u32 %rd2, %r1, 16; add.s64 %rd3, %rd1, %rd2;
  shr.u32 %r3, %r1, 2; and.b32 %r4, %r1, 3; shl.b32 %r5, %r4, 4;
  mad.lo.s32 %r6, %r3, )" +
                        std::to_string(row_bytes) + R"(, %r5; add.s32 %r7, %r6, %r2;
  setp.eq.u32 %p1, %r1, 0; selp.u32 %r8, 0, 16, %p1;
  cp.async.cg.shared.global [%r7], [%rd3], 16, %r8;
  cp.async.commit_group;
  cp.async.wait_group 0;
  ret;
})");
        const Array<float> from(128);
        EXPECT_EQ(machine.launch("copy", shape(1, 32), from.get()).loads.sectors, sectors);
    }
}

TEST(AsynchronousCopy, OutsideAnAllocationIsAFault) {
    Machine machine(copy_lanes);
    const Array<float> from(128), to(256);
    EXPECT_THROW(machine.launch("copy", shape(1, 64), from.get(), to.get()), emulator::simt::Fault);
}

// Policies change neither values nor counts.
TEST(CachePolicy, AccessesWithOneAreAccesses) {
    Machine machine(head + R"(
.visible .entry copy(.param .u64 from, .param .u64 to) {
  .reg .b32 %r<2>; .reg .b64 %rd<7>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [from]; ld.param.u64 %rd2, [to];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 16;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  createpolicy.fractional.L2::evict_last.b64 %rd6, 1.0;
  ld.global.L2::cache_hint.v4.f32 {%f0, %f1, %f2, %f3}, [%rd4], %rd6;
  st.global.L2::cache_hint.v4.f32 [%rd5], {%f0, %f1, %f2, %f3}, %rd6;
  ret;
})");
    std::vector<float> numbers(256);
    std::iota(numbers.begin(), numbers.end(), 1.0f);
    const Array<float> from(numbers), to(256);
    const LaunchRecord record = machine.launch("copy", shape(1, 64), from.get(), to.get());
    EXPECT_EQ(to.to_host(), numbers);
    EXPECT_EQ(record.loads.requests, 2u);
    EXPECT_EQ(record.loads.sectors, 32u);
    EXPECT_EQ(record.stores.sectors, 32u);
}

// Thread 0 goes on to copy into the tile, which has an mbarrier.
const std::string begin_copy = R"(
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  mov.u32 %r3, barrier;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra ready;
  mbarrier.init.shared.b64 [%r3], 1;
)";
// All wait for the copy; each gets its word of the tile in %r6.
const std::string wait_for_copy = R"(
ready:
  bar.sync 0;
again:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;
  @!%p2 bra again;
  shl.b32 %r4, %r1, 2;
  add.s32 %r5, %r2, %r4;
  ld.shared.u32 %r6, [%r5];
)";

// Thread 0 asks for 512 bytes in bulk, all wait by parity, each adds 1 to its word; the block's words go back in
// bulk.
const std::string bulk = head + R"(
.visible .entry bulk(.param .u64 from, .param .u64 to) {
  .reg .b32 %r<12>; .reg .b64 %rd<8>; .reg .pred %p<3>;
  .shared .align 128 .b8 tile[512];
  .shared .align 8 .b64 barrier;
  ld.param.u64 %rd1, [from]; ld.param.u64 %rd2, [to];
)" + begin_copy + R"(  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 512;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 512, [%r3];
)" + wait_for_copy + R"(  add.s32 %r6, %r6, 1;
  st.shared.u32 [%r5], %r6;
  bar.sync 0;
  @%p1 bra end;
  fence.proxy.async;
  cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 512;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
end:
  ret;
})";

TEST(BulkCopy, ThereAndBack) {
    Machine machine(bulk);
    std::vector<std::uint32_t> numbers(128);
    std::iota(numbers.begin(), numbers.end(), 100u);
    const Array<std::uint32_t> from(numbers), to(128);
    const LaunchRecord record = machine.launch("bulk", shape(1, 128), from.get(), to.get());
    for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(to.to_host()[i], 101 + i);
    // The copy engine makes no requests of warps.
    EXPECT_EQ(record.loads.requests, 0u);
    EXPECT_EQ(record.stores.requests, 0u);
    EXPECT_EQ(record.shared_loads.requests, 4u);
}

// The phase never ends: a byte is expected that nothing copies.
TEST(BulkCopy, WaitingForBytesThatNeverComeEndsAtTheTimeLimit) {
    std::string text = bulk;
    const std::string copied = "mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 512;";
    text.replace(text.find(copied), copied.size(),
                 "mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 528;");
    emulator::simt::Options options;
    options.time_limit_seconds = 0.2;
    Machine machine(text, "hopper", options);
    const Array<std::uint32_t> from(128), to(128);
    EXPECT_THROW(machine.launch("bulk", shape(1, 128), from.get(), to.get()),
                 emulator::simt::Fault);
}

// A box of 8 rows of 32 words, its corner at (column, row), comes to shared memory as `map` says, and is
// stored word by word.
const std::string tensor = head + R"(
.visible .entry tensor(.param .align 64 .b8 map[128], .param .u64 to, .param .u32 column, .param .u32 row) {
  .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<3>;
  .shared .align 1024 .b8 tile[1024];
  .shared .align 8 .b64 barrier;
  ld.param.u64 %rd2, [to];
  ld.param.u32 %r8, [column]; ld.param.u32 %r9, [row];
  mov.b64 %rd1, map;
  cvta.param.u64 %rd3, %rd1;
)" + begin_copy + R"(  mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 1024;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd3, {%r8, %r9}], [%r3];
)" + wait_for_copy + R"(  mul.wide.u32 %rd4, %r1, 4;
  add.s64 %rd5, %rd2, %rd4;
  st.global.u32 [%rd5], %r6;
  ret;
})";

constexpr unsigned columns = 100, rows = 20, stride = 112;

struct Opaque {
    alignas(64) unsigned char bytes[128];
};
Opaque map_of(const std::uint32_t* data, TensorSwizzle swizzle) {
    TensorMap map;
    map.mark = TensorMap::expected_mark;
    map.rank = 2;
    map.element_bytes = 4;
    map.swizzle = swizzle;
    map.address = reinterpret_cast<std::uint64_t>(data);
    map.size[0] = columns;
    map.size[1] = rows;
    map.stride[0] = stride * 4;
    map.box[0] = 32;
    map.box[1] = 8;
    map.element_stride[0] = map.element_stride[1] = 1;
    Opaque opaque{};
    std::memcpy(opaque.bytes, &map, sizeof map);
    return opaque;
}

// What lies at word `i` of the tile: without a swizzle the box row by row, zeros outside of the tensor.
std::uint32_t expected(std::uint32_t i, int column, int row) {
    const int x = column + static_cast<int>(i % 32), y = row + static_cast<int>(i / 32);
    const bool inside =
        x >= 0 && y >= 0 && x < static_cast<int>(columns) && y < static_cast<int>(rows);
    return inside ? static_cast<std::uint32_t>(1000 * y + x) : 0;
}

void check_box(TensorSwizzle swizzle, int column, int row) {
    Machine machine(tensor);
    std::vector<std::uint32_t> matrix(stride * rows, 99999);
    for (unsigned y = 0; y < rows; ++y) {
        for (unsigned x = 0; x < columns; ++x) matrix[y * stride + x] = 1000 * y + x;
    }
    const Array<std::uint32_t> from(matrix), to(256);
    machine.launch("tensor", shape(1, 256), map_of(from.get(), swizzle), to.get(), column, row);
    const std::vector<std::uint32_t> tile = to.to_host();
    // PTX ISA, swizzling modes: of the 16-byte piece p in row r of 128 bytes, the place is p ^ (r % 8) for 128
    // bytes, p ^ (r / 2 % 4) for 64, p ^ (r / 4 % 2) for 32, as the pattern repeats after 8, 4, 2 rows of its own span.
    for (std::uint32_t i = 0; i < 256; ++i) {
        const std::uint32_t r = i / 32, piece = i / 4 % 8, span_row = i * 4 / 128;
        std::uint32_t place = piece;
        if (swizzle == TensorSwizzle::bytes_128) place = piece ^ (r % 8);
        if (swizzle == TensorSwizzle::bytes_64) place = piece ^ (span_row % 4);
        if (swizzle == TensorSwizzle::bytes_32) place = piece ^ (span_row % 2);
        EXPECT_EQ(tile[r * 32 + place * 4 + i % 4], expected(i, column, row))
            << i << " at " << column << "," << row;
    }
}

TEST(TensorCopy, BoxesInsideAndAcrossEdges) {
    check_box(TensorSwizzle::none, 8, 4);
    check_box(TensorSwizzle::none, 92, 15);
    check_box(TensorSwizzle::none, -4, -3);
    check_box(TensorSwizzle::none, 200, 3);
    check_box(TensorSwizzle::bytes_128, 0, 0);
    check_box(TensorSwizzle::bytes_128, 92, 15);
}

// As an H200 has it (driver 580.159.04), for rows of 8 to 12 floats and of 33 to 48 bytes.
TEST(TensorCopy, BoxesThatBeginBetweenMultiplesOf16BytesAreAFault) {
    for (const int column : {1, 2, 90, -1, -5}) {
        EXPECT_THROW(check_box(TensorSwizzle::none, column, 0), emulator::simt::Fault) << column;
    }
}

// The other way: a box of 1 row of 8 words, its corner at `column`.
const std::string tensor_store = head + R"(
.visible .entry tensor_store(.param .align 64 .b8 map[128], .param .u32 column) {
  .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<3>;
  .shared .align 128 .b8 tile[128];
  ld.param.u32 %r8, [column];
  mov.b64 %rd1, map;
  cvta.param.u64 %rd3, %rd1;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  shl.b32 %r4, %r1, 2;
  add.s32 %r5, %r2, %r4;
  add.s32 %r6, %r1, 1;
  st.shared.u32 [%r5], %r6;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra end;
  cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd3, {%r8, 0}], [%r2];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
end:
  ret;
})";

// Words of a row of 12 after a store of 1 to 8 at `column`, where the tensor has `width` of them.
std::vector<std::uint32_t> stored(unsigned width, int column) {
    Machine machine(tensor_store);
    const Array<std::uint32_t> row(12);
    TensorMap map;
    map.mark = TensorMap::expected_mark;
    map.rank = 2;
    map.element_bytes = 4;
    map.address = reinterpret_cast<std::uint64_t>(row.get());
    map.size[0] = width;
    map.size[1] = 1;
    map.stride[0] = 48;
    map.box[0] = 8;
    map.box[1] = 1;
    map.element_stride[0] = map.element_stride[1] = 1;
    Opaque opaque{};
    std::memcpy(opaque.bytes, &map, sizeof map);
    machine.launch("tensor_store", shape(1, 8), opaque, column);
    return row.to_host();
}

// What an H200 wrote (driver 580.159.04): of the 16 bytes in which the tensor ends, all.
TEST(TensorCopy, StoresEndWithWhole16Bytes) {
    using Words = std::vector<std::uint32_t>;
    EXPECT_EQ(stored(12, 4), (Words{0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(stored(9, 4), (Words{0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(stored(9, 8), (Words{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}));
    EXPECT_EQ(stored(8, 4), (Words{0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0}));
    EXPECT_EQ(stored(8, 8), Words(12));
}

TEST(TensorCopy, StoresThatBeginBeforeTheTensorAreAFault) {
    EXPECT_THROW(stored(12, -4), emulator::simt::Fault);
}

TEST(TensorCopy, MapsThatNothingEncodedAreAFault) {
    Machine machine(tensor);
    const Array<std::uint32_t> to(256);
    EXPECT_THROW(machine.launch("tensor", shape(1, 256), Opaque{}, to.get(), 0, 0),
                 emulator::simt::Fault);
}

}  // namespace

// wgmma: descriptors, swizzles, fragments and types as the PTX manual has them; what a warpgroup waits for; who lacks it.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "emulator/simt/record/trace_recorder.hpp"
#include "simt_fixture.hpp"
#include "tensor_kernels.hpp"

namespace {

using namespace simt_test;

constexpr unsigned threads = 128, shared_bytes = 49152, b_at = 16384;

// How the elements of an operand lie, by the manual's figures of shared memory matrix layouts.
struct Layout {
    unsigned row_bytes = 16;   // of the swizzle's atom; 16: none
    bool is_across_k = false;  // MN-major
    unsigned columns_at = 0;   // byte of the atom's rows at which the elements begin

    // Pieces of 16 bytes: which position a piece has in its row of the atom.
    unsigned swizzled(unsigned piece, unsigned row) const {
        if (row_bytes == 128) return piece ^ row % 8;
        if (row_bytes == 64) return piece ^ row / 2 % 4;
        if (row_bytes == 32) return piece ^ row / 4 % 2;
        return piece;
    }
    // Atoms of eight rows follow each other along the rows, then along the pieces; `rows`: of the whole matrix.
    unsigned byte_of(unsigned row, unsigned byte_in_row, unsigned rows) const {
        const unsigned at = byte_in_row + columns_at;
        const unsigned atom = at / row_bytes * (rows / 8) + row / 8;
        const unsigned piece = at % row_bytes / 16;
        return atom * 8 * row_bytes + row % 8 * row_bytes + 16 * swizzled(piece, row % 8) + at % 16;
    }
    // Of an operand with `outer` rows (columns of B) and `inner` elements along k.
    unsigned place(unsigned outer, unsigned k, unsigned outers, unsigned inner,
                   unsigned bytes) const {
        return is_across_k ? byte_of(k, outer * bytes, inner) : byte_of(outer, k * bytes, outers);
    }
    // Fields in units of 16 bytes: start, leading and stride offset, swizzle.
    std::uint64_t descriptor(unsigned start, unsigned outers, unsigned inner) const {
        const std::uint64_t atom = 8 * row_bytes, rows = is_across_k ? inner : outers;
        const std::uint64_t next_rows = atom, next_pieces = atom * (rows / 8);
        // Without swizzle and MN-major, the names of the two change places.
        const bool changes = row_bytes == 16 && is_across_k;
        const std::uint64_t leading = changes ? next_rows : next_pieces;
        const std::uint64_t stride = changes ? next_pieces : next_rows;
        const std::uint64_t mode = row_bytes == 128  ? 1
                                   : row_bytes == 64 ? 2
                                   : row_bytes == 32 ? 3
                                                     : 0;
        return (start + columns_at) / 16 | leading / 16 << 16 | stride / 16 << 32 | mode << 62;
    }
};

struct Product {
    std::string types;  // of D, A and B
    unsigned n = 64, k = 16, bytes = 2;
    Number operands, results = numbers_of("f32");
    Layout a, b;
    std::string factors = ", 1, 1";
    bool adds = true, a_is_in_registers = false;
    int sign = 1;
    std::string letter = "f";

    unsigned registers() const { return n * 64 * results.bits / 32 / threads; }
    bool has_layouts() const { return bytes == 2 && !factors.empty(); }
    std::string instruction() const {
        std::string text = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(n) + "k" +
                           std::to_string(k) + "." + types + " " + list(letter, 0, registers()) +
                           ", " + (a_is_in_registers ? list("a", 0, 4) : "%d1") + ", %d2, " +
                           (adds ? "1" : "0") + factors;
        const auto layout = [](const Layout& each) {
            return std::string(each.is_across_k ? ", 1" : ", 0");
        };
        if (has_layouts() && !a_is_in_registers) text += layout(a);
        if (has_layouts()) text += layout(b);
        return text + ";";
    }
};

// Fills shared memory from `tiles`, loads A's fragments and D, multiplies, stores D.
std::string kernel_of(const Product& product, unsigned times = 1) {
    const std::string type = product.letter == "f" ? "f32" : "b32";
    std::string text = R"(.version 8.4
.target sm_90a
.address_size 64
.visible .entry multiply(.param .u64 tiles, .param .u64 fragments, .param .u64 out, .param .u64 a, .param .u64 b) {
  .reg .b64 %d<12>; .reg .b32 %r<160>; .reg .f32 %f<160>; .reg .b32 %a<4>; .reg .b32 %i<8>; .reg .pred %p<2>;
  .shared .align 1024 .b8 tile[49152];
  ld.param.u64 %d3, [tiles]; ld.param.u64 %d4, [fragments]; ld.param.u64 %d5, [out];
  ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b];
  mov.u32 %i0, %tid.x; mov.u32 %i1, tile; shl.b32 %i2, %i0, 2;
FILL:
  cvt.u64.u32 %d6, %i2; add.s64 %d7, %d3, %d6; ld.global.b32 %i3, [%d7];
  add.s32 %i4, %i1, %i2; st.shared.b32 [%i4], %i3;
  add.s32 %i2, %i2, 512; setp.lt.u32 %p1, %i2, 49152; @%p1 bra FILL;
  fence.proxy.async; bar.sync 0;
  mul.wide.u32 %d8, %i0, 16; add.s64 %d4, %d4, %d8; ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%d4];
  mul.wide.u32 %d9, %i0, )" +
                       std::to_string(4 * product.registers()) + "; add.s64 %d5, %d5, %d9;\n";
    const auto access = [&](unsigned i, bool is_load) {
        const std::string at = "[%d5+" + std::to_string(4 * i) + "]";
        const std::string name = "%" + product.letter + std::to_string(i);
        return is_load ? "  ld.global." + type + " " + name + ", " + at + ";\n"
                       : "  st.global." + type + " " + at + ", " + name + ";\n";
    };
    for (unsigned i = 0; i < product.registers(); ++i) text += access(i, true);
    text += "  wgmma.fence.sync.aligned;\n";
    for (unsigned i = 0; i < times; ++i) text += "  " + product.instruction() + "\n";
    text += "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n";
    for (unsigned i = 0; i < product.registers(); ++i) text += access(i, false);
    return text + "  ret;\n}\n";
}

// "Register fragments of wgmma": rows 16 w to 16 w + 15 belong to warp w, as in mma.m16n8.
unsigned row_of(unsigned thread, unsigned i) {
    return thread / 32 * 16 + thread % 32 / 4 + (i % 4 < 2 ? 0 : 8);
}
unsigned column_of(unsigned thread, unsigned i) { return i / 4 * 8 + thread % 4 * 2 + i % 2; }

// Element i of A's fragment: 4 bytes along k in each of four registers, rows g and g + 8, then the second half of k.
unsigned a_row_of(unsigned thread, unsigned word) {
    return thread / 32 * 16 + thread % 32 / 4 + (word % 2 == 0 ? 0 : 8);
}

struct Matrices {
    std::vector<int> a, b, d;
};

struct Inputs {
    std::vector<std::uint8_t> tiles;
    std::vector<std::uint32_t> fragments, sums;
};

void put(std::vector<std::uint8_t>& bytes, unsigned at, std::uint64_t bits, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bytes[at + i] = static_cast<std::uint8_t>(bits >> 8 * i);
}

Inputs inputs_of(const Product& product, const Matrices& from) {
    Inputs in{std::vector<std::uint8_t>(shared_bytes), std::vector<std::uint32_t>(4 * threads),
              std::vector<std::uint32_t>(product.registers() * threads)};
    for (unsigned k = 0; k < product.k; ++k) {
        for (unsigned row = 0; row < 64 && !product.a_is_in_registers; ++row)
            put(in.tiles, product.a.place(row, k, 64, product.k, product.bytes),
                product.operands.encode(from.a[row * product.k + k]), product.bytes);
        for (unsigned column = 0; column < product.n; ++column)
            put(in.tiles, b_at + product.b.place(column, k, product.n, product.k, product.bytes),
                product.operands.encode(from.b[k * product.n + column]), product.bytes);
    }
    const unsigned in_word = 4 / product.bytes;
    for (unsigned thread = 0; thread < threads; ++thread) {
        for (unsigned i = 0; i < 4 * in_word; ++i) {
            const unsigned word = i / in_word;
            const unsigned k = word / 2 * product.k / 2 + thread % 4 * in_word + i % in_word;
            in.fragments[4 * thread + word] |= static_cast<std::uint32_t>(product.operands.encode(
                                                   from.a[a_row_of(thread, word) * product.k + k]))
                                               << 8 * product.bytes * (i % in_word);
        }
        for (unsigned i = 0; i < product.n / 2; ++i) {
            const unsigned bits = product.results.bits, at = i * bits;
            const int number = from.d[row_of(thread, i) * product.n + column_of(thread, i)];
            in.sums[product.registers() * thread + at / 32] |=
                static_cast<std::uint32_t>(product.results.encode(number)) << at % 32;
        }
    }
    return in;
}

struct Result {
    LaunchRecord record;
    std::vector<std::uint32_t> sums;
};

Result run(const Product& product, const Matrices& from,
           const emulator::simt::Options& options = {}) {
    const Inputs in = inputs_of(product, from);
    Machine machine(kernel_of(product), "hopper", options);
    const Array<std::uint8_t> tiles(in.tiles);
    const Array<std::uint32_t> fragments(in.fragments), sums(in.sums);
    LaunchRecord record = machine.launch(
        "multiply", shape(1, threads), tiles.get(), fragments.get(), sums.get(),
        product.a.descriptor(0, 64, product.k), product.b.descriptor(b_at, product.n, product.k));
    return {std::move(record), sums.to_host()};
}

LaunchRecord expect_product(const Product& product) {
    std::mt19937 random(product.n);
    const auto numbers = [&](unsigned count) {
        std::vector<int> some(count);
        for (int& each : some) each = static_cast<int>(random() % 7) - 3;
        return some;
    };
    const Matrices from{numbers(64 * product.k), numbers(product.k * product.n),
                        numbers(64 * product.n)};
    Result done = run(product, from);
    for (unsigned thread = 0; thread < threads; ++thread) {
        for (unsigned i = 0; i < product.n / 2; ++i) {
            const unsigned row = row_of(thread, i), column = column_of(thread, i);
            int sum = 0;
            for (unsigned k = 0; k < product.k; ++k)
                sum += from.a[row * product.k + k] * from.b[k * product.n + column];
            sum = product.sign * sum + (product.adds ? from.d[row * product.n + column] : 0);
            const unsigned at = i * product.results.bits;
            const std::uint32_t word = done.sums[product.registers() * thread + at / 32] >> at % 32;
            EXPECT_EQ(product.results.decode(word & (~0u >> (32 - product.results.bits))), sum)
                << product.instruction().substr(0, 60) << ", row " << row << ", column " << column;
            if (testing::Test::HasFailure()) return done.record;
        }
    }
    return done.record;
}

Product halves(unsigned n = 64) {
    return {.types = "f32.f16.f16", .n = n, .operands = numbers_of("f16"), .a = {}, .b = {}};
}

TEST(WarpgroupProduct, HalvesAlongKInAllSwizzles) {
    for (const unsigned row_bytes : {16u, 32u, 64u, 128u}) {
        for (const unsigned n : {8u, 64u, 200u, 256u}) {
            Product product = halves(n);
            product.a.row_bytes = product.b.row_bytes = row_bytes;
            expect_product(product);
        }
    }
}

// The start address moves by 32 bytes from one step along k to the next, within rows of 64 or 128 bytes.
TEST(WarpgroupProduct, LaterStepsAlongKBeginWithinTheAtom) {
    for (const unsigned row_bytes : {64u, 128u}) {
        for (unsigned at = 32; at < row_bytes; at += 32) {
            Product product = halves(128);
            product.a.row_bytes = product.b.row_bytes = row_bytes;
            product.a.columns_at = product.b.columns_at = at;
            expect_product(product);
        }
    }
}

TEST(WarpgroupProduct, HalvesAcrossKInAllSwizzles) {
    for (const unsigned row_bytes : {16u, 32u, 64u, 128u}) {
        for (const bool of_both : {false, true}) {
            Product product = halves(128);
            product.a.row_bytes = product.b.row_bytes = row_bytes;
            product.b.is_across_k = true;
            product.a.is_across_k = of_both;
            expect_product(product);
        }
    }
}

TEST(WarpgroupProduct, RowsOfAInRegisters) {
    Product product = halves(32);
    product.a_is_in_registers = true;
    expect_product(product);
    product.b = {.row_bytes = 64, .is_across_k = true};
    expect_product(product);
    expect_product({.types = "f32.tf32.tf32",
                    .n = 40,
                    .k = 8,
                    .bytes = 4,
                    .operands = numbers_of("f32"),
                    .a = {},
                    .b = {.row_bytes = 128},
                    .a_is_in_registers = true});
}

TEST(WarpgroupProduct, Types) {
    const Layout wide{.row_bytes = 128};
    Product product = halves(16);
    product.types = "f16.f16.f16";
    product.results = numbers_of("f16");
    product.letter = "r";
    expect_product(product);
    product = halves(16);
    product.types = "f32.bf16.bf16";
    product.operands = numbers_of("bf16");
    expect_product(product);
    expect_product({.types = "f32.e4m3.e4m3",
                    .n = 24,
                    .k = 32,
                    .bytes = 1,
                    .operands = numbers_of("e4m3"),
                    .a = wide,
                    .b = wide});
    product = {.types = "s32.s8.s8",
               .n = 96,
               .k = 32,
               .bytes = 1,
               .operands = numbers_of("s8"),
               .results = numbers_of("s32"),
               .a = wide,
               .b = {},
               .factors = "",
               .letter = "r"};
    expect_product(product);
    product.types += ".satfinite";
    product.a_is_in_registers = true;
    expect_product(product);
}

TEST(WarpgroupProduct, SumsBeginWithZeroAndFactorsNegate) {
    Product product = halves(8);
    product.adds = false;
    expect_product(product);
    product.factors = ", -1, 1";
    product.sign = -1;
    expect_product(product);
    product.factors = ", -1, -1";
    product.sign = 1;
    expect_product(product);
}

// One instruction of the machine code for each warp: HGMMA, as ptxas makes it.
TEST(WarpgroupProduct, CountsOneTensorInstructionAWarp) {
    const LaunchRecord record = expect_product(halves(256));
    EXPECT_EQ(record.tensor_instructions, 4u);
    EXPECT_EQ(record.shared_loads.requests, 0u);
}

// FP8 keeps 13 fraction bits (MMA-Sim, arXiv:2511.10909; DeepSeek-V3's report names 14 bits with the leading one).
TEST(WarpgroupSums, OfBytesLoseTheirLowBits) {
    Product product{.types = "f32.e4m3.e4m3",
                    .n = 8,
                    .k = 32,
                    .bytes = 1,
                    .operands = numbers_of("e4m3"),
                    .a = {},
                    .b = {}};
    Matrices from{std::vector<int>(64 * 32), std::vector<int>(32 * 8), std::vector<int>(64 * 8)};
    from.a[0] = from.b[0] = 1;
    from.d[0] = 1 << 13;
    from.a[32] = from.b[0] = 1;
    from.d[8] = 1 << 14;
    const std::vector<std::uint32_t> out = run(product, from).sums;
    EXPECT_EQ(product.results.decode(out[0]), (1 << 13) + 1);
    EXPECT_EQ(product.results.decode(out[4 * 4]), 1 << 14);
}

// Warp 0 overwrites B behind its wgmma.wait_group: the products of the other three warps are complete then, too, as CUTLASS' pipelines
// count on, where one thread of a warpgroup says that a buffer is free. All elements of A are 1, those of B first 1, then 2.
TEST(WarpgroupWait, IsForTheProductsOfAllFourWarps) {
    Machine machine(R"(.version 8.4
.target sm_90a
.address_size 64
.visible .entry run(.param .u64 out, .param .u64 a, .param .u64 b) {
  .reg .b64 %d<6>; .reg .b32 %r<16>; .reg .f32 %f<4>; .reg .pred %p<4>;
  .shared .align 1024 .b8 tile[16640];
  ld.param.u64 %d1, [out]; ld.param.u64 %d2, [a]; ld.param.u64 %d3, [b];
  mov.u32 %r1, %tid.x; mov.u32 %r2, tile; shl.b32 %r3, %r1, 2;
FILL:
  add.s32 %r4, %r2, %r3; mov.u32 %r5, 0x3c003c00; st.shared.b32 [%r4], %r5;
  add.s32 %r3, %r3, 512; setp.lt.u32 %p1, %r3, 16640; @%p1 bra FILL;
  fence.proxy.async; bar.sync 0;
  mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d2, %d3, 1, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
  setp.ge.u32 %p2, %r1, 32; @%p2 bra STORE;
  shl.b32 %r6, %r1, 3; add.s32 %r7, %r2, %r6; mov.u32 %r8, 0x40004000;
  st.shared.v2.b32 [%r7+16384], {%r8, %r8};
STORE:
  mul.wide.u32 %d4, %r1, 16; add.s64 %d5, %d1, %d4; st.global.v4.f32 [%d5], {%f0, %f1, %f2, %f3};
  ret;
})");
    const Array<float> out(4 * threads);
    const Layout plain;
    machine.launch("run", shape(1, threads), out.get(), plain.descriptor(0, 64, 16),
                   plain.descriptor(b_at, 8, 16));
    for (const float each : out.to_host()) EXPECT_EQ(each, 16);
}

// 989.4 dense TFLOPS of FP16 / (132 SMs x 1.83 GHz x 2), H100 white paper: 2048 multiply-adds a clock of an SM, or 128 clocks for
// 64 x 256 x 16, a quarter of them for each warp.
TEST(WarpgroupTime, IsThatOfTheDenseRate) {
    emulator::simt::Options options;
    options.record_for_time = true;
    const Product product = halves(256);
    const Matrices zeros{std::vector<int>(64 * 16), std::vector<int>(16 * 256),
                         std::vector<int>(64 * 256)};
    const Result done = run(product, zeros, options);
    unsigned products = 0;
    for (const auto& block : done.record.recorded->trace.program.blocks) {
        for (const auto& instruction : block.instructions) {
            if (instruction.unit != timing::Unit::tensor) continue;
            ++products;
            EXPECT_NEAR(instruction.tensor_cycles, 32, 0.1);
        }
    }
    EXPECT_EQ(products, 1u);
}

std::string failure_of(const std::string& ptx, const std::string& gpu, unsigned block = threads) {
    Machine machine(ptx, gpu);
    const Array<std::uint32_t> memory(shared_bytes / 4);
    try {
        machine.launch("multiply", shape(1, block), memory.get(), memory.get(), memory.get(),
                       halves(8).a.descriptor(0, 64, 16), halves(8).b.descriptor(b_at, 8, 16));
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

TEST(WarpgroupGenerations, HopperAloneHasThem) {
    const std::string ptx = kernel_of(halves(8));
    EXPECT_NE(failure_of(ptx, "ada").find("it needs compute capability 9.0, this GPU has 8.9"),
              std::string::npos);
    EXPECT_NE(failure_of(ptx, "blackwell").find("only compute capability 9.0 (sm_90a) has it"),
              std::string::npos);
    EXPECT_EQ(failure_of(ptx, "hopper"), "");
}

TEST(WarpgroupGenerations, ShapesOfTheManualAlone) {
    EXPECT_NE(failure_of(kernel_of(halves(12)), "hopper").find("m64n12k16"), std::string::npos);
    Product sparse = halves(8);
    sparse.types = "sp.f32.f16.f16";
    EXPECT_NE(failure_of(kernel_of(sparse), "hopper").find("wgmma.mma_async"), std::string::npos);
}

TEST(WarpgroupFaults, AWarpgroupIsFourWarps) {
    EXPECT_NE(failure_of(kernel_of(halves(8)), "hopper", 96).find("a whole warpgroup"),
              std::string::npos);
}

}  // namespace

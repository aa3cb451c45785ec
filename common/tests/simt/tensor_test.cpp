// Tensor cores: fragments as the PTX manual has them, tiles of wmma, sums, counts, and what a generation lacks.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "emulator/simt/alu/values/half_values.hpp"
#include "emulator/simt/state/gpu.hpp"
#include "simt_fixture.hpp"
#include "tensor_kernels.hpp"

namespace {

using namespace simt_test;
using emulator::simt::Half;
using Words = std::vector<std::uint32_t>;

// Element i of a lane: its row and column.
struct Place {
    unsigned row, column;
};
using Layout = std::function<Place(unsigned lane, unsigned i)>;

// Fragments of 32 lanes in `words` words each, from and to matrices; elements of `bits` bits.
struct Fragments {
    Words words;
    unsigned stride, offset;

    void set(unsigned lane, unsigned i, unsigned bits, std::uint64_t value) {
        const unsigned at = i * bits;
        std::uint32_t& word = words[stride * lane + offset + at / 32];
        word |= static_cast<std::uint32_t>(value) << at % 32;
        if (bits == 64) words[stride * lane + offset + at / 32 + 1] = value >> 32;
    }
    std::uint64_t get(unsigned lane, unsigned i, unsigned bits) const {
        const unsigned at = i * bits;
        const std::uint64_t word = words[stride * lane + offset + at / 32];
        if (bits == 64)
            return word | std::uint64_t{words[stride * lane + offset + at / 32 + 1]} << 32;
        return bits == 32 ? word : word >> at % 32 & ((1u << bits) - 1);
    }
};

// "Matrix fragments for mma.m16n8k16" and the like, as the manual's formulas have them.
Place sums_of_16(unsigned lane, unsigned i) {
    return {lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)};
}

// Registers of A hold so many elements along k: of row g, of row g + 8, then four lanes' elements further along k of both.
Layout rows_by(unsigned elements) {
    return [=](unsigned lane, unsigned i) -> Place {
        const unsigned reg = i / elements;
        return {lane / 4 + reg % 2 * 8, (lane % 4 + reg / 2 * 4) * elements + i % elements};
    };
}
// Those of B: of column g, then further along k.
Layout columns_by(unsigned elements) {
    return [=](unsigned lane, unsigned i) -> Place {
        return {(lane % 4 + i / elements * 4) * elements + i % elements, lane / 4};
    };
}

// m16n8 with sums of FP32, unless it says otherwise.
struct Product {
    std::string instruction;
    unsigned k = 16, a_words = 4, b_words = 2;
    Number numbers;
    Layout a, b;
    unsigned m = 16, n = 8, d_registers = 4;
    Number results = numbers_of("f32");
    std::string letter = "f", operands = "r";
    Layout d = sums_of_16;
};

// Small whole numbers: every order of the sum gives the same.
void expect_product(const Product& product, const std::string& architecture = "hopper") {
    std::mt19937 random(5);
    const auto number = [&] { return static_cast<int>(random() % 7) - 3; };
    std::vector<int> a(product.m * product.k), b(product.k * product.n), c(product.m * product.n);
    for (auto* const matrix : {&a, &b, &c}) std::ranges::generate(*matrix, number);
    Fragments in{Words(32 * 24), 24, 0};
    const auto fill = [&](const Layout& layout, unsigned elements, unsigned bits, unsigned offset,
                          const std::vector<int>& matrix, unsigned columns, const auto& encode) {
        in.offset = offset;
        for (unsigned lane = 0; lane < 32; ++lane) {
            for (unsigned i = 0; i < elements; ++i) {
                const Place at = layout(lane, i);
                in.set(lane, i, bits, encode(matrix[at.row * columns + at.column]));
            }
        }
    };
    const unsigned sums = product.m * product.n / 32;
    fill(product.a, product.m * product.k / 32, product.numbers.bits, 0, a, product.k,
         product.numbers.encode);
    fill(product.b, product.k * product.n / 32, product.numbers.bits, 8, b, product.n,
         product.numbers.encode);
    fill(product.d, sums, product.results.bits, 16, c, product.n, product.results.encode);
    const bool is_wide = product.operands == "d";
    Machine machine(product_kernel(product.instruction, product.a_words / (is_wide ? 2 : 1),
                                   product.b_words / (is_wide ? 2 : 1), product.d_registers,
                                   product.letter, product.operands),
                    architecture);
    const Array<std::uint32_t> from(in.words), to(32 * 8);
    machine.launch("product", shape(1, 32), from.get(), to.get());
    const Fragments out{to.to_host(), 8, 0};
    for (unsigned lane = 0; lane < 32; ++lane) {
        for (unsigned i = 0; i < sums; ++i) {
            const Place at = product.d(lane, i);
            int sum = c[at.row * product.n + at.column];
            for (unsigned k = 0; k < product.k; ++k)
                sum += a[at.row * product.k + k] * b[k * product.n + at.column];
            EXPECT_EQ(product.results.decode(out.get(lane, i, product.results.bits)), sum)
                << product.instruction << ", lane " << lane << ", element " << i;
        }
    }
}

TEST(MatrixProduct, HalvesOf16By8By16) {
    Product product{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                    16,
                    4,
                    2,
                    numbers_of("f16"),
                    rows_by(2),
                    columns_by(2)};
    expect_product(product);
    product.instruction = "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16";
    product.d_registers = 2;
    product.results = numbers_of("f16");
    product.letter = "r";
    expect_product(product);
}

TEST(MatrixProduct, HalvesOf16By8By8OnTuring) {
    expect_product({"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 8, 2, 1, numbers_of("f16"),
                    rows_by(2), columns_by(2)},
                   "turing");
}

TEST(MatrixProduct, Tf32Of16By8By8) {
    expect_product({"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 8, 4, 2,
                    numbers_of("f32"), rows_by(1), columns_by(1)},
                   "ampere");
}

TEST(MatrixProduct, BytesOf16By8By32) {
    Product product{"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
                    32,
                    4,
                    2,
                    numbers_of("s8"),
                    rows_by(4),
                    columns_by(4)};
    product.results = numbers_of("s32");
    product.letter = "r";
    expect_product(product);
}

TEST(MatrixProduct, DoublesOf8By8By4AndOf16By8By8) {
    Product product{"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64",
                    8,
                    8,
                    4,
                    numbers_of("f64"),
                    rows_by(1),
                    columns_by(1)};
    product.results = numbers_of("f64");
    product.letter = product.operands = "d";
    expect_product(product);
    product.instruction = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64";
    product.m = 8;
    product.k = 4;
    product.a_words = product.b_words = product.d_registers = 2;
    product.d = [](unsigned lane, unsigned i) -> Place {
        return {lane / 4, lane % 4 * 2 + (i & 1)};
    };
    expect_product(product, "ampere");
}

// ---- sums ------------------------------------------------------------------------------------------------------------------

// D[0][0] of m16n8k8 of FP16 with A[0][k] = a[k], all of column 0 of B 1, C[0][0] = c.
float first_sum(const std::string& architecture, const std::vector<float>& a, float c) {
    Fragments in{Words(32 * 24), 24, 0};
    for (unsigned k = 0; k < 8; ++k) {
        in.offset = 0;
        in.set(k / 2, k % 2, 16, Half::from_float(a[k]));
        in.offset = 8;
        in.set(k / 2, k % 2, 16, Half::from_float(1));
    }
    in.words[16] = std::bit_cast<std::uint32_t>(c);
    Machine machine(
        product_kernel("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, "f"),
        architecture);
    const Array<std::uint32_t> from(in.words), to(32 * 8);
    machine.launch("product", shape(1, 32), from.get(), to.get());
    return std::bit_cast<float>(to.to_host()[0]);
}

// Significands are aligned to the largest exponent: 24 fraction bits stay on Turing and Ampere, 25 on Hopper (Fasi et
// al. 2021; Khattak, Mikaitis 2025).
TEST(MatrixSums, TermsBelowTheLastBitAreLost) {
    const float last = 0x1p-23f;
    const std::vector<float> of_24(8, 0x1p-24f);
    for (const char* const gpu : {"turing", "ampere", "hopper"}) {
        // Eight terms of 2^-24 are 2^-21 = 4 units of the last place of 1; of 2 each is 2^-25 of the exponent.
        EXPECT_EQ(first_sum(gpu, of_24, 1), 1 + 4 * last) << gpu;
        EXPECT_EQ(first_sum(gpu, of_24, 2), std::string(gpu) == "hopper" ? 2 + 4 * last : 2) << gpu;
        EXPECT_EQ(first_sum(gpu, of_24, 4), 4) << gpu;
    }
}

// Three terms of 2^-24: 1.5 units of the last place of 1, truncated; round to nearest would give 2.
TEST(MatrixSums, ResultsAreTruncated) {
    const std::vector<float> a{0x1p-24f, 0x1p-24f, 0x1p-24f, 0, 0, 0, 0, 0};
    EXPECT_EQ(first_sum("ampere", a, 1), 1 + 0x1p-23f);
    EXPECT_EQ(first_sum("ampere", a, -1), -1 + 3 * 0x1p-24f);  // exact
}

TEST(MatrixSums, InfinitiesAndNans) {
    const std::vector<float> a{INFINITY, 1, 0, 0, 0, 0, 0, 0};
    EXPECT_EQ(first_sum("hopper", a, 1), INFINITY);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(first_sum("hopper", a, -INFINITY)), 0x7fffffffu);
    EXPECT_EQ(first_sum("hopper", std::vector<float>(8, 0.0f), -INFINITY), -INFINITY);
}

// ---- ldmatrix, stmatrix, movmatrix -------------------------------------------------------------------------------------------

// Lane l has the address tile + l * bytes; what is loaded goes to `out`, four words a lane.
std::string matrix_kernel(const std::string& instructions) {
    return R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry run(.param .u64 in, .param .u64 out, .param .u32 bytes) {
  .reg .b32 %r<20>; .reg .b64 %x<8>; .reg .pred %p<2>;
  .shared .align 16 .b8 tile[8192];
  ld.param.u64 %x1, [in]; ld.param.u64 %x2, [out]; ld.param.u32 %r1, [bytes];
  mov.u32 %r2, %tid.x; mov.u32 %r3, tile; mov.u32 %r4, 0;
FILL:
  shl.b32 %r5, %r4, 2; add.s32 %r6, %r3, %r5; cvt.u64.u32 %x3, %r5; add.s64 %x4, %x1, %x3;
  ld.global.b32 %r7, [%x4]; st.shared.b32 [%r6], %r7;
  add.s32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 2048; @%p1 bra FILL;
  bar.sync 0;
  mad.lo.s32 %r8, %r2, %r1, %r3;
)" + instructions +
           R"(
  mul.wide.u32 %x5, %r2, 16; add.s64 %x6, %x2, %x5;
  st.global.v4.b32 [%x6], {%r10, %r11, %r12, %r13};
  ret;
})";
}

struct MatrixRun {
    std::vector<std::uint16_t> out;
    LaunchRecord record;
    std::uint16_t at(unsigned lane, unsigned matrix, unsigned half) const {
        return out[8 * lane + 2 * matrix + half];
    }
};
// Half i of shared memory is i.
MatrixRun run_matrices(const std::string& instructions, std::uint32_t bytes,
                       const std::string& gpu = "hopper") {
    Machine machine(matrix_kernel(instructions), gpu);
    std::vector<std::uint16_t> halves(4096);
    std::iota(halves.begin(), halves.end(), std::uint16_t{0});
    const Array<std::uint16_t> in(halves), out(256);
    LaunchRecord record = machine.launch("run", shape(1, 32), in.get(), out.get(), bytes);
    return {out.to_host(), std::move(record)};
}

TEST(MatrixAccess, LanesGetPairsOfRows) {
    const auto run = run_matrices(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r8];", 80);
    for (unsigned lane = 0; lane < 32; ++lane) {
        for (unsigned matrix = 0; matrix < 4; ++matrix) {
            // Row lane / 4 of the matrix has the address of lane 8 * matrix + lane / 4: 40 halves apart.
            const unsigned row = 40 * (8 * matrix + lane / 4);
            EXPECT_EQ(run.at(lane, matrix, 0), row + lane % 4 * 2) << lane;
            EXPECT_EQ(run.at(lane, matrix, 1), row + lane % 4 * 2 + 1) << lane;
        }
    }
    // Rows of 80 bytes: eight rows lie in 32 different banks, so one pass a matrix.
    EXPECT_EQ(run.record.matrix_load_requests, 1u);
    EXPECT_EQ(run.record.shared_loads.requests, 0u);
    EXPECT_EQ(run.record.shared_loads.wavefronts, 4u);
    EXPECT_EQ(run.record.shared_loads.bank_conflicts, 0u);
}

TEST(MatrixAccess, RowsOf128BytesConflict) {
    const auto run = run_matrices(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r8];", 128);
    EXPECT_EQ(run.record.shared_loads.wavefronts, 32u);
    EXPECT_EQ(run.record.shared_loads.bank_conflicts, 28u);
}

TEST(MatrixAccess, TransposedLanesGetPairsOfColumns) {
    const auto run = run_matrices(
        "mov.b32 %r12, 0; mov.b32 %r13, 0;"
        "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r10, %r11}, [%r8];",
        16, "turing");
    for (unsigned lane = 0; lane < 32; ++lane) {
        for (unsigned matrix = 0; matrix < 2; ++matrix) {
            for (unsigned half = 0; half < 2; ++half) {
                const unsigned row = lane % 4 * 2 + half, column = lane / 4;
                EXPECT_EQ(run.at(lane, matrix, half), 64 * matrix + 8 * row + column);
            }
        }
    }
    EXPECT_EQ(run.record.shared_loads.wavefronts, 2u);
}

TEST(MatrixAccess, StoresUndoLoadsAndTransposesUndoThemselves) {
    const auto run = run_matrices(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r8];"
        "movmatrix.sync.aligned.m8n8.trans.b16 %r14, %r10;"
        "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r8], {%r14};"
        "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r11}, [%r8];"
        "mov.b32 %r12, %r14;",
        16);
    for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned row = lane / 4, column = lane % 4 * 2;
        EXPECT_EQ(run.at(lane, 0, 0), 8 * row + column);
        EXPECT_EQ(run.at(lane, 1, 1), 8 * (column + 1) + row);
        EXPECT_EQ(run.at(lane, 2, 1), 8 * (column + 1) + row);
    }
    EXPECT_EQ(run.record.shared_stores.requests, 2048u);
    EXPECT_EQ(run.record.matrix_store_requests, 1u);
    EXPECT_EQ(run.record.shared_stores.wavefronts, 2048u + 1u);
}

// ---- wmma --------------------------------------------------------------------------------------------------------------------

struct TileShape {
    unsigned m, n;
};

std::string tile_kernel(TileShape tile, bool a_is_row, bool b_is_row, bool d_is_row,
                        const std::string& space) {
    const std::string name = "m" + std::to_string(tile.m) + "n" + std::to_string(tile.n) + "k16";
    const auto layout = [](bool is_row) { return std::string(is_row ? "row" : "col"); };
    const std::string where = space.empty() ? "" : "." + space;
    const auto stride = [](bool is_row, unsigned rows, unsigned columns) {
        return std::to_string(is_row ? columns : rows);
    };
    const bool is_shared = space == "shared";
    std::string text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry run(.param .u64 a, .param .u64 b, .param .u64 d) {
  .reg .b32 %r<40>; .reg .f32 %f<40>; .reg .b64 %x<12>;
  .shared .align 128 .b8 tile[4096];
  ld.param.u64 %x1, [a]; ld.param.u64 %x2, [b]; ld.param.u64 %x3, [d];
  mov.u32 %r39, %tid.x; mul.wide.u32 %x4, %r39, 32; add.s64 %x5, %x1, %x4; add.s64 %x6, %x2, %x4;
  mov.u32 %r38, tile; shl.b32 %r37, %r39, 5; add.s32 %r36, %r38, %r37; add.s32 %r35, %r38, 1024;
)";
    if (is_shared) {
        for (const char* const half : {"0", "16"}) {
            text += std::string("  ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%x5+") + half +
                    "]; st.shared.v4.b32 [%r36+" + half + "], {%r0, %r1, %r2, %r3};\n" +
                    "  ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%x6+" + half +
                    "]; st.shared.v4.b32 [%r36+1024+" + half + "], {%r0, %r1, %r2, %r3};\n";
        }
        text += "  bar.sync 0;\n";
    }
    text += "  wmma.load.a.sync.aligned." + layout(a_is_row) + "." + name + where + ".f16 " +
            list("r", 0, 8) + ", [" + (is_shared ? "%r38" : "%x1") + "], " +
            stride(a_is_row, tile.m, 16) + ";\n  wmma.load.b.sync.aligned." + layout(b_is_row) +
            "." + name + where + ".f16 " + list("r", 8, 8) + ", [" + (is_shared ? "%r35" : "%x2") +
            "], " + stride(b_is_row, 16, tile.n) + ";\n";
    for (int i = 0; i < 8; ++i) text += "  mov.f32 %f" + std::to_string(i) + ", 0f3F800000;\n";
    text += "  wmma.mma.sync.aligned." + layout(a_is_row) + "." + layout(b_is_row) + "." + name +
            ".f32.f32 " + list("f", 8, 8) + ", " + list("r", 0, 8) + ", " + list("r", 8, 8) + ", " +
            list("f", 0, 8) + ";\n  wmma.store.d.sync.aligned." + layout(d_is_row) + "." + name +
            ".global.f32 [%x3], " + list("f", 8, 8) + ", " + stride(d_is_row, tile.m, tile.n) +
            ";\n  ret;\n}\n";
    return text;
}

void expect_tile(TileShape tile, unsigned layouts, const std::string& space,
                 const std::string& gpu) {
    const bool a_is_row = layouts & 1, b_is_row = layouts & 2, d_is_row = layouts & 4;
    std::mt19937 random(layouts);
    std::vector<std::uint16_t> a(512), b(512);
    for (auto* const matrix : {&a, &b}) {
        for (std::uint16_t& each : *matrix)
            each = static_cast<std::uint16_t>(
                numbers_of("f16").encode(static_cast<int>(random() % 9) - 4));
    }
    Machine machine(tile_kernel(tile, a_is_row, b_is_row, d_is_row, space), gpu);
    const Array<std::uint16_t> from_a(a), from_b(b);
    const Array<float> to(tile.m * tile.n);
    machine.launch("run", shape(1, 32), from_a.get(), from_b.get(), to.get());
    const std::vector<float> d = to.to_host();
    for (unsigned row = 0; row < tile.m; ++row) {
        for (unsigned column = 0; column < tile.n; ++column) {
            double sum = 1;
            for (unsigned k = 0; k < 16; ++k) {
                sum += Half::to_float(a[a_is_row ? 16 * row + k : tile.m * k + row]) *
                       Half::to_float(b[b_is_row ? tile.n * k + column : 16 * column + k]);
            }
            EXPECT_EQ(d[d_is_row ? tile.n * row + column : tile.m * column + row], sum)
                << tile.m << " x " << tile.n << ", layouts " << layouts << ", " << space << ", "
                << gpu << ": " << row << ", " << column;
        }
    }
}

TEST(MatrixTile, ProductsInAllLayouts) {
    for (const TileShape tile : {TileShape{16, 16}, TileShape{32, 8}, TileShape{8, 32}}) {
        for (unsigned layouts = 0; layouts < 8; ++layouts) {
            expect_tile(tile, layouts, "global", "hopper");
            expect_tile(tile, layouts, "shared", "hopper");
        }
        expect_tile(tile, 5, "", "hopper");
        expect_tile(tile, 2, "shared", "volta");
    }
}

// ---- what a generation lacks ---------------------------------------------------------------------------------------------------

std::string refusal(const std::string& ptx, const std::string& kernel, const std::string& gpu) {
    Machine machine(ptx, gpu);
    const Array<std::uint32_t> memory(4096);
    try {
        machine.launch(kernel, shape(1, 32), memory.get(), memory.get(), memory.get());
    } catch (const emulator::simt::Unsupported& error) {
        return error.what();
    }
    return "";
}

TEST(TensorGenerations, RefusedAsPtxasDoes) {
    const auto product = [](const std::string& name, unsigned a, unsigned b) {
        return product_kernel("mma.sync.aligned." + name, a, b, 4, "f");
    };
    const std::string of_16 = product("m16n8k16.row.col.f32.f16.f16.f32", 4, 2),
                      of_8 = product("m16n8k8.row.col.f32.f16.f16.f32", 2, 1),
                      of_fp8 = product("m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2);
    const std::string needs = "it needs compute capability ";
    EXPECT_NE(refusal(of_16, "product", "turing").find(needs + "8.0, this GPU has 7.5"),
              std::string::npos);
    EXPECT_EQ(refusal(of_16, "product", "ampere"), "");
    EXPECT_NE(refusal(of_8, "product", "volta").find(needs + "7.5, this GPU has 7.0"),
              std::string::npos);
    EXPECT_NE(refusal(of_fp8, "product", "ampere").find(needs + "8.9"), std::string::npos);
    EXPECT_EQ(refusal(of_fp8, "product", "ada"), "");
    const std::string tiles = tile_kernel({16, 16}, true, true, true, "global");
    EXPECT_NE(refusal(tiles, "run", "pascal").find(needs + "7.0"), std::string::npos);
    const std::string store =
        matrix_kernel("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r8], {%r2};");
    EXPECT_NE(refusal(store, "run", "ada").find(needs + "9.0, this GPU has 8.9"),
              std::string::npos);
}

}  // namespace

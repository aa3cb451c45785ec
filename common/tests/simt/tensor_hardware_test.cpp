// Tensor cores as an H200 has them: bits of results, and what ldmatrix and stmatrix cost.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "simt_fixture.hpp"
#include "tensor_kernels.hpp"

namespace {

using namespace simt_test;
using Words = std::vector<std::uint32_t>;

std::vector<std::vector<std::string>> rows_of(const std::string& file) {
    std::istringstream lines(contents_of(file));
    std::vector<std::vector<std::string>> rows;
    std::string line, field;
    for (std::getline(lines, line); std::getline(lines, line);) {
        std::istringstream fields(line);
        rows.emplace_back();
        while (std::getline(fields, field, ',')) rows.back().push_back(field);
    }
    return rows;
}

// ---- the inputs that the H200 had ----------------------------------------------------------------------------------------------

enum class Kind { half, brain, tf32, byte, bits, f64 };

// Mode 0: exponents near each other; 1: of the whole range; 2: with zeros and subnormal numbers; 3: with infinities and NaNs.
class Inputs {
  public:
    Inputs(unsigned mode, unsigned number)
        : mode_(mode), state_(88172645463325252u + mode * 7919u + number * 104729u) {}

    // 32 words of each lane: A, B, C, and eight that nothing reads.
    Words words(Kind of_operands, Kind of_sums, unsigned lanes) {
        Words words(lanes * 32);
        for (std::size_t i = 0; i < words.size(); i += 2) {
            const Kind kind = i % 32 < 16 ? of_operands : of_sums;
            if (kind == Kind::f64) {
                number(words[i], words[i + 1]);
            } else {
                words[i] = word(kind);
                words[i + 1] = word(kind);
            }
        }
        return words;
    }

  private:
    std::uint32_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<std::uint32_t>(state_ >> 16);
    }
    std::uint32_t half() {
        const std::uint32_t sign = next() & 1;
        std::uint32_t fraction = next() & 1023, exponent = 0;
        if (mode_ == 0) exponent = 12 + next() % 6;
        if (mode_ == 1) exponent = 1 + next() % 30;
        if (mode_ >= 2) exponent = next() % 4 == 0 ? 0 : 1 + next() % 30;
        if (mode_ == 2 && next() % 8 == 0) exponent = fraction = 0;
        if (mode_ == 3) {
            exponent = 8 + next() % 12;
            if (next() % 40 == 0) {
                exponent = 31;
                fraction = next() % 3 != 0 ? 0 : fraction;
            }
        }
        return sign << 15 | exponent << 10 | fraction;
    }
    std::uint32_t single() {
        const std::uint32_t sign = next() & 1;
        std::uint32_t fraction = next() & 0x7fffff, exponent = 0;
        if (mode_ == 0) exponent = 122 + next() % 8;
        if (mode_ == 1) exponent = 64 + next() % 120;
        if (mode_ >= 2) exponent = next() % 4 == 0 ? next() % 3 : 1 + next() % 130;
        if (mode_ == 2 && next() % 8 == 0) exponent = fraction = 0;
        if (mode_ == 3) {
            exponent = 120 + next() % 12;
            if (next() % 40 == 0) {
                exponent = 255;
                fraction = next() % 3 != 0 ? 0 : fraction | 0x400000;
            }
        }
        return sign << 31 | exponent << 23 | fraction;
    }
    std::uint32_t bytes() {
        std::uint32_t word = 0;
        for (unsigned i = 0; i < 4; ++i) {
            std::uint32_t byte = next() & 0xff;
            if (mode_ == 0) byte = (byte & 0x87) | (5 + next() % 4) << 3;
            if (mode_ != 3 && (byte & 0x7f) >= 0x7c) byte &= 0x83;
            word |= byte << 8 * i;
        }
        return word;
    }
    std::uint32_t word(Kind kind) {
        switch (kind) {
            case Kind::half: {
                const std::uint32_t low = half();
                return low | half() << 16;
            }
            case Kind::brain: {
                const std::uint32_t low = single() >> 16;
                return low | (single() & 0xffff0000u);
            }
            case Kind::tf32:
                return single();
            case Kind::byte:
                return bytes();
            default:
                return next();
        }
    }
    void number(std::uint32_t& low, std::uint32_t& high) {
        std::uint64_t exponent = 0;
        if (mode_ == 0) exponent = 1020 + next() % 8;
        if (mode_ == 1) exponent = 600 + next() % 800;
        if (mode_ >= 2) exponent = next() % 4 == 0 ? next() % 3 : 900 + next() % 200;
        const std::uint64_t upper = next();
        const std::uint64_t fraction = (upper << 32 | next()) & ((std::uint64_t{1} << 52) - 1);
        const std::uint64_t bits = std::uint64_t{next() & 1} << 63 | exponent << 52 | fraction;
        low = static_cast<std::uint32_t>(bits);
        high = static_cast<std::uint32_t>(bits >> 32);
    }

    unsigned mode_;
    std::uint64_t state_;
};

struct Case {
    unsigned number;  // in the program that ran on the H200
    const char* instruction;
    unsigned a, b, d;
    Kind in;
    Kind sums = Kind::tf32;
    const char *letter = "f", *operands = "r";
};

const std::map<std::string, Case> cases = {
    {"f16_k16", {0, "m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, Kind::half}},
    {"f16_k8", {1, "m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, Kind::half}},
    {"bf16_k16", {2, "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, Kind::brain}},
    {"bf16_k8", {3, "m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4, Kind::brain}},
    {"tf32_k8", {4, "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, Kind::tf32}},
    {"tf32_k4", {5, "m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, Kind::tf32}},
    {"e4m3_k32", {6, "m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 4, Kind::byte}},
    {"e5m2_k32", {7, "m16n8k32.row.col.f32.e5m2.e4m3.f32", 4, 2, 4, Kind::byte}},
    {"f16_k16_f16", {8, "m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, Kind::half, Kind::half, "r"}},
    {"f16_k8_f16", {9, "m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2, Kind::half, Kind::half, "r"}},
    {"s8_k32", {10, "m16n8k32.row.col.s32.s8.u8.s32", 4, 2, 4, Kind::bits, Kind::bits, "r"}},
    {"s8_k16_sat",
     {11, "m16n8k16.row.col.satfinite.s32.s8.s8.s32", 2, 1, 4, Kind::bits, Kind::bits, "r"}},
    {"s4_k64", {12, "m16n8k64.row.col.s32.s4.u4.s32", 4, 2, 4, Kind::bits, Kind::bits, "r"}},
    {"b1_k256",
     {13, "m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 2, 4, Kind::bits, Kind::bits, "r"}},
    {"f64_884", {14, "m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2, Kind::f64, Kind::f64, "d", "d"}},
    {"f64_k8", {15, "m16n8k8.row.col.f64.f64.f64.f64", 4, 2, 4, Kind::f64, Kind::f64, "d", "d"}},
};

// FNV-1a of eight warps' results, eight words a lane.
std::string hash_of(const Case& each, unsigned mode) {
    constexpr unsigned warps = 8;
    const Words in = Inputs(mode, each.number).words(each.in, each.sums, 32 * warps);
    Machine machine(product_kernel(std::string("mma.sync.aligned.") + each.instruction, each.a,
                                   each.b, each.d, each.letter, each.operands));
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (unsigned warp = 0; warp < warps; ++warp) {
        Words of_warp;
        for (unsigned i = 0; i < 32 * 32; ++i) {
            if (i % 32 < 24) of_warp.push_back(in[1024 * warp + i]);
        }
        const Array<std::uint32_t> from(of_warp), to(256);
        machine.launch("product", shape(1, 32), from.get(), to.get());
        for (const std::uint32_t word : to.to_host()) hash = (hash ^ word) * 0x100000001b3u;
    }
    std::ostringstream text;
    text.width(16);
    text.fill('0');
    text << std::hex << hash;
    return text.str();
}

TEST(TensorHardware, ResultsHaveTheBitsOfAnH200) {
    const auto rows = rows_of(LAB_TENSOR_BITS);
    EXPECT_EQ(rows.size(), 62u);
    for (const auto& row : rows) {
        EXPECT_EQ(hash_of(cases.at(row[0]), static_cast<unsigned>(std::stoul(row[1]))), row[2])
            << row[0] << ", mode " << row[1];
    }
}

std::string pattern_kernel(const std::string& instruction) {
    return R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry run(.param .u64 rows) {
  .reg .b32 %r<12>; .reg .b64 %x<4>;
  .shared .align 128 .b8 tile[16384];
  ld.param.u64 %x1, [rows]; mov.u32 %r1, %tid.x; mul.wide.u32 %x2, %r1, 4; add.s64 %x3, %x1, %x2;
  ld.global.b32 %r2, [%x3]; mov.u32 %r3, tile; mad.lo.s32 %r4, %r2, 16, %r3;
)" + instruction +
           "\n  ret;\n}\n";
}

TEST(TensorHardware, PatternsOfMatricesCostWhatAnH200Counts) {
    const std::map<std::string, std::string> registers = {
        {"1", "{%r5}"}, {"2", "{%r5, %r6}"}, {"4", "{%r5, %r6, %r7, %r8}"}};
    const auto rows = rows_of(LAB_MATRIX_PATTERNS);
    EXPECT_EQ(rows.size(), 168u);
    for (const auto& row : rows) {
        const bool is_load = row[0].starts_with("load");
        const std::string form = "matrix.sync.aligned.m8n8.x" + row[1] +
                                 (row[0] == "load_transposed" ? ".trans" : "") + ".shared.b16 ";
        const std::string list = registers.at(row[1]);
        Machine machine(pattern_kernel(is_load ? "ld" + form + list + ", [%r4];"
                                               : "st" + form + "[%r4], " + list + ";"));
        std::istringstream numbers(row[4]);
        Words lanes(32);
        for (std::uint32_t& lane : lanes) numbers >> lane;
        const Array<std::uint32_t> from(lanes);
        const LaunchRecord record = machine.launch("run", shape(1, 32), from.get());
        const auto& counted = is_load ? record.shared_loads : record.shared_stores;
        EXPECT_EQ(counted.wavefronts, std::stoul(row[2])) << row[0] << " " << row[4];
        EXPECT_EQ(counted.bank_conflicts, std::stoul(row[3])) << row[0] << " " << row[4];
    }
}

}  // namespace

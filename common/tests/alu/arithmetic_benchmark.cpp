// Warp instructions a second that the handlers of arithmetic execute on one core: 64 of a kind in a row, on
// registers that stay in the L1 cache, called through a pointer as the core does.
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/simt/alu/arithmetic.hpp"

namespace {

using namespace emulator::simt;

struct Instruction {
    const char* text;
    std::vector<int> bytes;  // of destination and sources; 0: a predicate, -1: an immediate
};

const std::vector<Instruction>& instructions() {
    static const std::vector<Instruction> all = {
        {"add.s32", {4, 4, 4}},
        {"add.s32 immediate", {4, 4, -1}},
        {"add.s64", {8, 8, 8}},
        {"mul.lo.s32", {4, 4, 4}},
        {"mad.lo.s32", {4, 4, 4, 4}},
        {"mul.wide.s32", {8, 4, 4}},
        {"mul.wide.u32 immediate", {8, 4, -1}},
        {"mul.lo.s64", {8, 8, 8}},
        {"mul.hi.u32", {4, 4, 4}},
        {"div.s32", {4, 4, 4}},
        {"div.u64", {8, 8, 8}},
        {"rem.u32", {4, 4, 4}},
        {"min.s32", {4, 4, 4}},
        {"and.b32 immediate", {4, 4, -1}},
        {"shl.b32 immediate", {4, 4, -1}},
        {"shr.u64", {8, 8, 4}},
        {"shf.l.wrap.b32", {4, 4, 4, 4}},
        {"prmt.b32 immediate", {4, 4, 4, -1}},
        {"bfe.u32", {4, 4, 4, 4}},
        {"popc.b32", {4, 4}},
        {"lop3.b32 immediate", {4, 4, 4, 4, -1}},
        {"add.f32", {4, 4, 4}},
        {"mul.f32", {4, 4, 4}},
        {"fma.rn.f32", {4, 4, 4, 4}},
        {"fma.rn.f64", {8, 8, 8, 8}},
        {"add.rz.f32", {4, 4, 4}},
        {"max.f32", {4, 4, 4}},
        {"div.rn.f32", {4, 4, 4}},
        {"sqrt.rn.f32", {4, 4}},
        {"ex2.approx.f32", {4, 4}},
        {"sin.approx.f32", {4, 4}},
        {"lg2.approx.f32", {4, 4}},
        {"tanh.approx.f32", {4, 4}},
        {"setp.lt.s32", {0, 4, 4}},
        {"setp.lt.s32 immediate", {0, 4, -1}},
        {"setp.geu.f32", {0, 4, 4}},
        {"setp.eq.s64", {0, 8, 8}},
        {"selp.b32", {4, 4, 4, 0}},
        {"mov.u32", {4, 4}},
        {"mov.u32 immediate", {4, -1}},
        {"cvt.u64.u32", {8, 4}},
        {"cvt.u32.u64", {4, 8}},
        {"cvt.rn.f32.s32", {4, 4}},
        {"cvt.rzi.s32.f32", {4, 4}},
        {"cvt.f64.f32", {8, 4}},
        {"cvt.rn.f16.f32", {2, 4}},
        {"cvt.rni.s16.f16", {2, 2}},
        {"fma.rn.f16x2", {4, 4, 4, 4}},
        {"add.f16", {2, 2, 2}},
    };
    return all;
}

std::vector<std::string> parts_of(std::string text) {
    text = text.substr(0, text.find(' '));
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t dot = std::min(text.find('.', from), text.size());
        parts.push_back(text.substr(from, dot - from));
        from = dot + 1;
    }
    return parts;
}

Operation decode(const Instruction& instruction, RegisterOffset first_register) {
    std::vector<OperandShape> shapes;
    Operation operation;
    RegisterOffset at = first_register;
    for (std::size_t i = 0; i < instruction.bytes.size(); ++i) {
        const int bytes = instruction.bytes[i];
        shapes.push_back({.register_bytes = static_cast<std::uint8_t>(bytes < 0 ? 0 : bytes),
                          .is_immediate = bytes < 0});
        RegisterOffset& operand = i == 0 ? operation.destination : operation.source[i - 1];
        if (bytes >= 0) operand = at;
        at += 256;
    }
    operation.immediate = 3;
    const std::vector<std::string> parts = parts_of(instruction.text);
    const Arithmetic found = find_arithmetic(parts[0], std::span(parts).subspan(1), shapes);
    operation.execute = found.execute;
    operation.variant = found.variant;
    return operation;
}

void warp_instructions(benchmark::State& state, const Instruction& instruction,
                       std::uint32_t mask) {
    alignas(64) static std::array<std::byte, 64 * 256> registers;
    for (std::size_t i = 0; i < registers.size(); ++i) registers[i] = std::byte(i * 37 % 61);
    std::array<Operation, 64> operations;
    for (std::size_t i = 0; i < operations.size(); ++i) {
        operations[i] = decode(instruction, static_cast<RegisterOffset>(i % 8 * 5 * 256));
    }
    if (operations[0].execute == nullptr) {
        state.SkipWithError("no handler");
        return;
    }
    Warp warp{registers.data(), mask};
    for (auto _ : state) {
        for (const Operation& operation : operations) operation.execute(warp, operation);
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * operations.size()));
}

}  // namespace

int main(int argc, char** argv) {
    for (const Instruction& instruction : instructions()) {
        benchmark::RegisterBenchmark(instruction.text, warp_instructions, instruction, 0xffffffffu);
    }
    benchmark::RegisterBenchmark("add.s32, half the lanes", warp_instructions, instructions()[0],
                                 0x0000ffffu);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}

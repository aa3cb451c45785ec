// The PTX parser: what nvcc emits, and the corners of the PTX ISA's grammar.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "emulator/ptx/parse/module.hpp"
#include "ptx_text.hpp"

namespace emulator::ptx {
namespace {

constexpr const char* header = ".version 8.0\n.target sm_75\n.address_size 64\n";

Module parse_body(const std::string& body) {
    return parse(header +
                 std::string(".entry k(.param .u64 a) {\n.reg .pred %p<4>; .reg .b32 "
                             "%r<8>; .reg .b64 %rd<4>;\n") +
                 body + "\n}\n");
}

std::string error_of(const std::string& text) {
    try {
        parse(text);
    } catch (const ParseError& error) {
        return error.what();
    }
    return "";
}
std::string error_in(const std::string& text) { return error_of(header + text); }

const Variable& variable(const Module& module, const std::string& name) {
    const auto found = std::find_if(module.variables.begin(), module.variables.end(),
                                    [&](const Variable& v) { return v.name == name; });
    if (found == module.variables.end()) throw std::runtime_error("no variable " + name);
    return *found;
}

using Bytes = std::vector<std::uint8_t>;

TEST(PtxParser, KernelOfNvcc) {
    const Module module = parse(inlined_function_ptx);
    EXPECT_EQ(module.version, "9.0");
    EXPECT_EQ(module.target, "sm_75");
    EXPECT_EQ(module.compute_capability, 75u);
    ASSERT_EQ(module.functions.size(), 1u);
    const Function& kernel = module.functions[0];
    EXPECT_EQ(kernel.name, "_Z6kernelPfi");
    EXPECT_TRUE(kernel.is_kernel);
    EXPECT_TRUE(kernel.is_visible);
    EXPECT_FALSE(kernel.is_extern);
    EXPECT_EQ(kernel.max_threads[0], 128u);
    EXPECT_EQ(kernel.max_threads[2], 1u);
    EXPECT_EQ(kernel.required_threads[0], 0u);
    EXPECT_EQ(kernel.min_blocks_per_sm, 2u);
    ASSERT_EQ(kernel.parameters.size(), 2u);
    EXPECT_EQ(kernel.parameters[0].bytes, 8u);
    EXPECT_EQ(kernel.parameters[0].alignment, 8u);  // not that of what it points to
    EXPECT_EQ(kernel.parameters[1].type, Type::u32);
    ASSERT_EQ(kernel.variables.size(), 1u);
    EXPECT_EQ(kernel.variables[0].space, Space::shared);
    EXPECT_EQ(kernel.variables[0].bytes, 4096u);
    ASSERT_EQ(kernel.registers.size(), 3u + 11 + 3 + 5);
    EXPECT_EQ(kernel.registers[3 + 10].name, "%r10");
    EXPECT_EQ(kernel.registers[3 + 10].type, Type::b32);

    ASSERT_EQ(kernel.instructions.size(), 15u);
    const Instruction& store = kernel.instructions[10];
    EXPECT_EQ(store.opcode, "st");
    EXPECT_EQ(store.modifiers, (std::vector<std::string>{"global", "f32"}));
    EXPECT_EQ(store.text, "st.global.f32 [%rd4+-4], %f2");
    ASSERT_EQ(store.operands.size(), 2u);
    EXPECT_EQ(store.operands[0].kind, OperandKind::address);
    EXPECT_EQ(store.operands[0].offset, -4);
    EXPECT_EQ(kernel.registers[store.operands[0].elements[0].index].name, "%rd4");
    const Instruction& branch = kernel.instructions[13];
    EXPECT_EQ(kernel.registers[branch.guard.reg].name, "%p2");
    ASSERT_EQ(branch.operands[0].kind, OperandKind::label);
    EXPECT_EQ(kernel.labels[branch.operands[0].index].name, "$L__BB0_2");
    EXPECT_EQ(kernel.labels[branch.operands[0].index].instruction, 6u);
    EXPECT_EQ(kernel.instructions[2].operands[1].kind, OperandKind::special);
    EXPECT_EQ(kernel.instructions[2].operands[1].symbol, "%tid.x");
}

TEST(PtxParser, SourceLocations) {
    const Module module = parse(inlined_function_ptx);
    const Function& kernel = module.functions[0];
    EXPECT_EQ(module.files.at(1), "/source/kernel.cu");
    EXPECT_EQ(module.files.at(2), "/source/scale.cuh");
    EXPECT_EQ(kernel.location.line, 7u);
    const SourceLocation& load = kernel.instructions[8].location;
    EXPECT_EQ(load.line, 9u);
    EXPECT_EQ(load.inlined_at, -1);
    const SourceLocation& multiplication = kernel.instructions[9].location;
    EXPECT_EQ(multiplication.file, 2u);
    EXPECT_EQ(multiplication.line, 3u);
    ASSERT_EQ(multiplication.inlined_at, 0);
    EXPECT_EQ(module.inlined_at[0].first.line, 9u);
    EXPECT_EQ(module.inlined_at[0].first.column, 16u);
    EXPECT_EQ(module.inlined_at[0].second, "_Z5scalef");
}

// The place of the call was inlined itself: the .loc before says where.
TEST(PtxParser, InliningWithinInlining) {
    const Module module = parse_body(R"(
        .loc 1 30 5
        .loc 2 10 3, function_name names, inlined_at 1 30 5
        .loc 2 20 7, function_name names+4, inlined_at 2 10 3
        mov.u32 %r1, 1;
        } .section .debug_str { names: .b8 97, 98, 99, 0
          .b8 0x78, 0 )");
    const SourceLocation& inner = module.functions[0].instructions[0].location;
    ASSERT_GE(inner.inlined_at, 0);
    const auto& [middle, inner_name] = module.inlined_at[inner.inlined_at];
    EXPECT_EQ(inner_name, "x");
    EXPECT_EQ(middle.line, 10u);
    ASSERT_GE(middle.inlined_at, 0);
    const auto& [outer, middle_name] = module.inlined_at[middle.inlined_at];
    EXPECT_EQ(middle_name, "abc");
    EXPECT_EQ(outer.line, 30u);
    EXPECT_EQ(outer.inlined_at, -1);
}

TEST(PtxParser, InitialValues) {
    const Module module = parse(corner_cases_ptx);
    EXPECT_EQ(variable(module, "dynamic_shared").bytes, 0u);
    EXPECT_TRUE(variable(module, "dynamic_shared").is_extern);
    EXPECT_EQ(variable(module, "table").initial, (Bytes{1, 2, 3, 4}));
    EXPECT_EQ(variable(module, "table").bytes, 6u);
    const Variable& vector = variable(module, "vec");
    EXPECT_EQ(vector.alignment, 16u);
    // 1.0, 2.0, -3.5, 4.0 as IEEE single precision
    EXPECT_EQ(vector.initial,
              (Bytes{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x60, 0xc0, 0, 0, 0x80, 0x40}));
    const Variable& values = variable(module, "values");
    EXPECT_EQ(values.bytes, 7 * 4u);
    const int expected[] = {-1, 9, 16, -1, 16, 5, 1};
    for (int i = 0; i < 7; ++i) {
        EXPECT_EQ(values.initial[4 * i], static_cast<std::uint8_t>(expected[i])) << i;
        EXPECT_EQ(values.initial[4 * i + 3], expected[i] < 0 ? 0xff : 0) << i;
    }
    EXPECT_EQ(variable(module, "dbl").initial,
              (Bytes{0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f}));
    EXPECT_TRUE(variable(module, "managed_bytes").is_managed);
    EXPECT_TRUE(variable(module, "weak_value").is_weak);
    EXPECT_EQ(variable(module, "b_second").initial[0], 4);

    const auto& pointers = variable(module, "pointers").relocations;
    ASSERT_EQ(pointers.size(), 3u);
    EXPECT_EQ(pointers[0].symbol, "table");
    EXPECT_EQ(pointers[1].offset, 8);
    EXPECT_EQ(pointers[1].at, 8u);
    EXPECT_FALSE(pointers[1].generic);
    EXPECT_EQ(pointers[2].symbol, "vec");
    EXPECT_EQ(pointers[2].offset, 4);
    EXPECT_TRUE(pointers[2].generic);
    const Variable& bytes = variable(module, "bytes");
    EXPECT_EQ(bytes.initial, (Bytes{0, 0, 10, 5}));
    ASSERT_EQ(bytes.relocations.size(), 2u);
    EXPECT_EQ(bytes.relocations[1].bytes, 1u);
    EXPECT_EQ(bytes.relocations[1].shift, 1);
}

// ISA, 5.4.4: x[3][2] = { {1, 2}, {3} } is { {1, 2}, {3, 0}, {0, 0} }; an inner list starts its row.
TEST(PtxParser, PartialRows) {
    const Module module = parse(std::string(header) + ".global .u8 x[3][2] = { {1}, {3} };");
    EXPECT_EQ(variable(module, "x").initial, (Bytes{1, 0, 3}));
}

TEST(PtxParser, FunctionsOfTheCornerCases) {
    const Module module = parse(corner_cases_ptx);
    EXPECT_EQ(module.compute_capability, 100u);
    ASSERT_EQ(module.functions.size(), 4u);
    const Function& helper = module.functions[0];
    ASSERT_EQ(helper.results.size(), 1u);
    EXPECT_EQ(helper.parameters[1].bytes, 16u);
    EXPECT_EQ(helper.parameters[1].alignment, 8u);
    EXPECT_TRUE(module.functions[1].no_return);
    const Function& kernel = module.functions[2];
    EXPECT_EQ(kernel.max_threads[1], 8u);
    EXPECT_EQ(kernel.max_registers, 64u);
    const Function& alias = module.functions[3];
    EXPECT_EQ(alias.name, "renamed");
    EXPECT_EQ(alias.instructions.size(), helper.instructions.size());
    EXPECT_FALSE(alias.is_extern);
}

TEST(PtxParser, ScopesHaveTheirOwnNames) {
    const Module module = parse_body(R"(
        .reg .pred p;
        @p bra DONE;
        { .reg .pred p; DONE: @p bra DONE; .param .b32 x; st.param.b32 [x], 1; }
        { .reg .pred p; DONE: @p bra DONE; .param .b32 x; st.param.b32 [x+4], 1; }
        DONE: ret;
    )");
    const Function& kernel = module.functions[0];
    const auto& code = kernel.instructions;
    ASSERT_EQ(code.size(), 6u);
    EXPECT_NE(code[0].guard.reg, code[1].guard.reg);
    EXPECT_NE(code[1].guard.reg, code[3].guard.reg);
    const auto target = [&](int i) { return kernel.labels[code[i].operands[0].index].instruction; };
    EXPECT_EQ(target(0), 5u);
    EXPECT_EQ(target(1), 1u);
    EXPECT_EQ(target(3), 3u);
    ASSERT_EQ(kernel.variables.size(), 2u);
    EXPECT_NE(kernel.variables[0].name, kernel.variables[1].name);
    EXPECT_EQ(code[2].operands[0].elements[0].symbol, kernel.variables[0].name);
    EXPECT_EQ(code[4].operands[0].elements[0].symbol, kernel.variables[1].name);
    EXPECT_EQ(code[4].operands[0].offset, 4);
}

TEST(PtxParser, Operands) {
    const Module module = parse_body(R"(
        setp.lt.and.s32 %p1|%p2, %r1, -5, !%p3;
        mov.b64 {%r1, _}, %rd1;
        st.global.v2.b32 [%rd1], {1, %r2};
        tex.2d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5, 3}];
        vadd.s32.u32.s32.sat %r1, %r2.b0, %r3.h1, %r4;
        mov.f32 %r1, 0fBF800000;
        mov.f32 %r1, 1.5e-1;
        mov.f64 %rd1, -0d3FF0000000000000;
        mov.u32 %r1, (2 + 3) * 4 - 0x10;
        mov.u32 %r1, WARP_SZ;
        ld.global.L1::no_allocate.L2::128B.u32 %r1, [%rd1+16*4];
        ld.u32 %r1, [some_symbol + 8];
        mov.u64 %rd1, some_symbol+12;
        membar .gl;
    )");
    const auto& code = module.functions[0].instructions;
    const auto& registers = module.functions[0].registers;
    const Operand& pair = code[0].operands[0];
    ASSERT_TRUE(pair.has_second);
    EXPECT_EQ(registers[pair.index].name, "%p1");
    EXPECT_EQ(registers[pair.elements.back().index].name, "%p2");
    EXPECT_EQ(code[0].operands[2].bits, static_cast<std::uint64_t>(-5));
    EXPECT_EQ(code[0].operands[2].literal, Type::s64);
    EXPECT_TRUE(code[0].operands[3].negated);
    EXPECT_EQ(code[1].operands[0].elements[1].kind, OperandKind::sink);
    EXPECT_EQ(code[2].operands[1].elements[0].bits, 1u);
    ASSERT_EQ(code[3].operands[1].elements.size(), 2u);
    EXPECT_EQ(code[3].operands[1].elements[1].kind, OperandKind::vector);
    EXPECT_EQ(code[4].operands[1].symbol, "b0");
    EXPECT_EQ(code[4].operands[2].symbol, "h1");
    EXPECT_EQ(code[5].operands[1].bits, 0xbf800000u);
    EXPECT_EQ(code[5].operands[1].literal, Type::f32);
    EXPECT_EQ(code[6].operands[1].bits, 0x3fc3333333333333u);  // 0.15
    EXPECT_EQ(code[6].operands[1].literal, Type::b64);
    EXPECT_EQ(code[7].operands[1].bits, 0xbff0000000000000u);
    EXPECT_EQ(code[8].operands[1].bits, 4u);
    EXPECT_EQ(code[9].operands[1].bits, 32u);
    EXPECT_EQ(code[10].modifiers,
              (std::vector<std::string>{"global", "L1::no_allocate", "L2::128B", "u32"}));
    EXPECT_EQ(code[10].operands[1].offset, 64);
    EXPECT_EQ(code[11].operands[1].elements[0].kind, OperandKind::symbol);
    EXPECT_EQ(code[11].operands[1].offset, 8);
    EXPECT_EQ(code[12].operands[1].kind, OperandKind::symbol);
    EXPECT_EQ(code[12].operands[1].offset, 12);
    EXPECT_EQ(code[13].modifiers, std::vector<std::string>{"gl"});
}

TEST(PtxParser, CallsAndTables) {
    const Module module = parse(corner_cases_ptx);
    const Function& kernel = module.functions[2];
    std::vector<const Instruction*> calls;
    for (const Instruction& instruction : kernel.instructions) {
        if (instruction.opcode == "call") calls.push_back(&instruction);
    }
    ASSERT_EQ(calls.size(), 2u);
    ASSERT_EQ(calls[0]->operands.size(), 3u);
    EXPECT_EQ(calls[0]->operands[0].kind, OperandKind::list);
    EXPECT_EQ(calls[0]->operands[1].symbol, "helper");
    EXPECT_EQ(calls[0]->operands[2].elements.size(), 2u);
    ASSERT_EQ(calls[1]->operands.size(), 4u);
    EXPECT_EQ(calls[1]->operands[1].kind, OperandKind::reg);
    ASSERT_EQ(kernel.call_prototypes.size(), 1u);
    EXPECT_EQ(calls[1]->operands[3].symbol, kernel.call_prototypes[0].name);
    EXPECT_EQ(kernel.call_prototypes[0].parameters[1].bytes, 16u);
    ASSERT_EQ(kernel.branch_tables.size(), 1u);
    ASSERT_EQ(kernel.branch_tables[0].labels.size(), 2u);
    EXPECT_EQ(kernel.labels[kernel.branch_tables[0].labels[0]].name, "L0");
    EXPECT_EQ(kernel.labels[kernel.branch_tables[0].labels[1]].name, "L1");
}

TEST(PtxParser, DeclarationsJoinDefinitions) {
    const Module module = parse(std::string(header) +
                                ".func f;\n.extern .func g (.param .b32 x);\n.func f { ret; }\n"
                                ".extern .global .u32 v;\n.global .u32 v = 3;\n");
    ASSERT_EQ(module.functions.size(), 2u);
    EXPECT_FALSE(module.functions[0].is_extern);
    EXPECT_EQ(module.functions[0].instructions.size(), 1u);
    EXPECT_TRUE(module.functions[1].is_extern);
    ASSERT_EQ(module.variables.size(), 1u);
    EXPECT_FALSE(module.variables[0].is_extern);
}

TEST(PtxParser, ErrorsNameTheLine) {
    EXPECT_EQ(error_of(""), "PTX line 1: no .target: this is no PTX module");
    EXPECT_EQ(error_of(".version 3.0\n.target sm_30\n.address_size 32\n"),
              "PTX line 3: 32-bit PTX: compile for 64-bit addresses (nvcc -m64)");
    EXPECT_EQ(error_in(".entry k {\n  ld.global.u32 5 6;\n}"),
              "PTX line 5: expected ';', found '6'");
    EXPECT_EQ(error_in(".entry k {\n.reg .b32 a;\n.reg .b32 a;\n}"),
              "PTX line 6: register a is declared twice");
    EXPECT_EQ(error_in(".func f { ret; } .func f { ret; }"),
              "PTX line 4: function f is defined twice");
    EXPECT_EQ(error_in(".entry k { @p ret; }"), "PTX line 4: guard p is no predicate");
    EXPECT_EQ(error_in(".global .u8 x[2] = {1, 2, 3};"),
              "PTX line 4: more initial values than x holds");
    EXPECT_EQ(error_in(".alias a, b;"), "PTX line 4: .alias of a function that is not defined");
}

std::string repeated(const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) result += text;
    return result;
}

TEST(PtxParser, HostileInput) {
    constexpr int many = 100000;
    const std::string in_body = ".entry k { .reg .b32 r; ";
    for (const std::string& text : {
             in_body + repeated("{", many),
             in_body + "mov.u32 r, " + repeated("(", many),
             in_body + "mov.u32 r, " + repeated("-", many) + "1;",
             in_body + "mov.u32 r, 1" + repeated("?1", many),
             in_body + "mov.u32 r, " + repeated("{", many),
             in_body + "mov.u32 r, " + repeated("[", many),
             in_body + "mov.u32 r" + repeated("|r", many),
             in_body + ".reg .b32 %r<4000000000>; }",
             in_body + repeated(".reg .b32 %r<1000000>; ", 100),
             in_body + "mov.u32 r, 1/0; }",
             in_body + "mov.u32 r, 99999999999999999999; }",
             in_body + "/* ",
             in_body + ".pragma \"",
             in_body + "call (",
             std::string(".global .u32 x[4294967296][4294967296][4294967296];"),
             std::string(".global .u32 x[100][99999999999] = {{1}, {}, {2}};"),
             ".global .u32 x" + repeated("[1]", many) + ";",
             ".global .u32 x[2] = " + repeated("{", many),
             std::string(".global .align 3 .u32 x;"),
             std::string(".file 99999999 \"x\""),
             std::string(".section .debug_info { "),
             std::string(".entry k { bra"),
             std::string("\xff\xfe"),
         }) {
        EXPECT_NE(error_in(text), "") << text.substr(0, 60);
    }
}

}  // namespace
}  // namespace emulator::ptx

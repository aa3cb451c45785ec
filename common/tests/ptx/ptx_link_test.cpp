// Linking of PTX modules by the rules of separate compilation.
#include "emulator/ptx/parse/link.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace emulator::ptx {
namespace {

Module module_of(const std::string& text, const std::string& target = "sm_75") {
    return parse(".version 8.0\n.target " + target + "\n.address_size 64\n" + text);
}

template <class Symbol>
const Symbol& named(const std::vector<Symbol>& symbols, const std::string& name) {
    const auto found = std::find_if(symbols.begin(), symbols.end(),
                                    [&](const Symbol& symbol) { return symbol.name == name; });
    if (found == symbols.end()) throw std::runtime_error("no " + name);
    return *found;
}

TEST(PtxLink, DeclarationsMeetTheirDefinitions) {
    const Module module = link({
        module_of(".extern .func helper;\n.extern .global .u32 counter;\n.extern .func vprintf;\n"
                  ".visible .entry k { call helper; ret; }"),
        module_of(".visible .global .u32 counter = 7;\n.visible .func helper { trap; }", "sm_80"),
    });
    EXPECT_EQ(module.compute_capability, 80u);
    ASSERT_EQ(module.functions.size(), 3u);
    EXPECT_FALSE(named(module.functions, "helper").is_extern);
    EXPECT_EQ(named(module.functions, "helper").instructions[0].opcode, "trap");
    EXPECT_TRUE(named(module.functions, "vprintf").is_extern);
    ASSERT_EQ(module.variables.size(), 1u);
    EXPECT_EQ(module.variables[0].initial.at(0), 7);
}

TEST(PtxLink, OwnNamesStayApart) {
    const std::string own = ".func own { ret; } .global .u32 value = ";
    const std::string rest =
        "; .global .u64 pointer_to = value;\n.visible .entry k@ {\n.reg .b64 %r; call own; "
        "mov.u64 %r, value; { .param .b32 value; st.param.b32 [value], 1; } ret; }";
    const auto text = [&](const std::string& number) {
        std::string result = own + number + rest;
        return result.replace(result.find('@'), 1, number);
    };
    const Module module = link({module_of(text("1")), module_of(text("2"))});
    ASSERT_EQ(module.functions.size(), 4u);
    ASSERT_EQ(module.variables.size(), 4u);
    for (const std::string number : {"1", "2"}) {
        const Function& kernel = named(module.functions, "k" + number);
        const Function& callee = named(module.functions, kernel.instructions[0].operands[0].symbol);
        EXPECT_FALSE(callee.is_kernel);
        const Variable& value = named(module.variables, kernel.instructions[1].operands[1].symbol);
        EXPECT_EQ(value.initial.at(0), std::stoi(number));
        // What the function declares itself is not renamed.
        EXPECT_EQ(kernel.instructions[2].operands[0].elements[0].symbol, kernel.variables[0].name);
    }
    EXPECT_NE(named(module.functions, "k1").instructions[0].operands[0].symbol,
              named(module.functions, "k2").instructions[0].operands[0].symbol);
    std::vector<std::string> targets;
    for (const Variable& variable : module.variables) {
        for (const Relocation& relocation : variable.relocations) {
            targets.push_back(relocation.symbol);
            EXPECT_NO_THROW(named(module.variables, relocation.symbol));
        }
    }
    ASSERT_EQ(targets.size(), 2u);
    EXPECT_NE(targets[0], targets[1]);
}

TEST(PtxLink, WeakAndDoubleDefinitions) {
    const auto weak = [] { return module_of(".weak .func f { ret; }"); };
    const auto strong = [] { return module_of(".visible .func f { trap; }"); };
    EXPECT_EQ(link({weak(), weak()}).functions.size(), 1u);
    const auto opcode = [](const Module& module) {
        return module.functions[0].instructions[0].opcode;
    };
    EXPECT_EQ(opcode(link({weak(), strong()})), "trap");
    EXPECT_EQ(opcode(link({strong(), weak()})), "trap");
    EXPECT_THROW(link({strong(), strong()}), LinkError);
    EXPECT_TRUE(link({}).functions.empty());
}

TEST(PtxLink, LocationsKeepTheirFiles) {
    const auto text = [](const std::string& name) {
        return ".visible .entry " + name +
               " {\n.loc 1 5 1\n.loc 1 9 1, function_name s, inlined_at 1 5 1\n"
               "ret; }\n.file 1 \"" +
               name + ".cu\"\n.section .debug_str { s: .b8 65, 0 }\n";
    };
    const Module module = link({module_of(text("a")), module_of(text("b"))});
    for (const std::string name : {"a", "b"}) {
        const SourceLocation& location = named(module.functions, name).instructions[0].location;
        EXPECT_EQ(module.files.at(location.file), name + ".cu");
        ASSERT_GE(location.inlined_at, 0);
        const auto& [place, function] = module.inlined_at.at(location.inlined_at);
        EXPECT_EQ(module.files.at(place.file), name + ".cu");
        EXPECT_EQ(function, "A");
    }
}

}  // namespace
}  // namespace emulator::ptx

// Statements of a module: its header, variables, functions, debugging directives.
#include "emulator/ptx/parse/parser.hpp"
#include "emulator/ptx/parse/types.hpp"

namespace emulator::ptx {
namespace {

constexpr std::size_t max_aliased_instructions = 1 << 20;

}  // namespace

Module parse(std::string_view text) { return Parser(text).parse(); }

Module Parser::parse() {
    while (!scanner_.at_end()) statement();
    check_has_target();
    resolve_aliases();
    locations_.finish(module_);
    for (std::size_t i = 0; i < module_.functions.size(); ++i) {
        module_.functions[i].is_extern = !is_defined_[i];
    }
    return std::move(module_);
}

void Parser::check_has_target() {
    if (module_.target.empty()) scanner_.fail("no .target: this is no PTX module");
}

void Parser::statement() {
    if (scanner_.accept(';')) return;
    if (scanner_.accept('@')) return scanner_.skip_line();  // @@DWARF of PTX 2
    const char first = scanner_.peek();
    if (first != '.') scanner_.fail(std::string("expected a directive, found '") + first + "'");
    std::string_view directive = scanner_.dotted_name();
    Linkage linkage;
    for (;; directive = scanner_.dotted_name()) {
        if (directive == "extern") {
            linkage.is_extern = true;
        } else if (directive == "visible") {
            linkage.is_visible = true;
        } else if (directive == "weak") {
            linkage.is_weak = true;
        } else if (directive == "common") {
            linkage.is_common = true;
        } else {
            break;
        }
    }
    if (directive.empty()) scanner_.fail("expected .func, .entry or a state space");
    if (directive == "func" || directive == "entry") {
        check_has_target();
        return function(directive == "entry", linkage);
    }
    if (const auto space = space_named(directive)) {
        check_has_target();
        return module_variables(*space, linkage);
    }
    header(directive);
}

void Parser::header(std::string_view directive) {
    if (directive == "version") {
        module_.version = scanner_.number();
    } else if (directive == "target") {
        target();
    } else if (directive == "address_size") {
        const std::uint64_t bits = scanner_.unsigned_integer("an address size");
        if (bits != 64) scanner_.fail("32-bit PTX: compile for 64-bit addresses (nvcc -m64)");
    } else if (directive == "file") {
        locations_.parse_file(scanner_, module_);
    } else if (directive == "loc") {
        locations_.parse_loc(scanner_);
    } else if (directive == "section") {
        locations_.parse_section(scanner_);
    } else if (directive == "pragma") {
        scanner_.string_literal();
        scanner_.expect(';');
    } else if (directive == "alias") {
        alias();
    } else {
        scanner_.fail("unknown directive ." + std::string(directive));
    }
}

// .target sm_90a, debug
void Parser::target() {
    do {
        const std::string_view name = scanner_.expect_identifier("a target");
        if (!name.starts_with("sm_")) continue;
        module_.target = name;
        unsigned capability = 0;
        for (char c : name.substr(3)) {
            if (c < '0' || c > '9' || capability > 10000) break;
            capability = 10 * capability + (c - '0');
        }
        module_.compute_capability = capability;
    } while (scanner_.accept(','));
    check_has_target();
}

// .alias name, function;
void Parser::alias() {
    Alias alias;
    alias.text_line = scanner_.line();
    alias.name = scanner_.expect_identifier("the alias");
    scanner_.expect(',');
    alias.function = scanner_.expect_identifier("the function it stands for");
    scanner_.expect(';');
    aliases_.push_back(std::move(alias));
}

// An alias becomes a copy of its function, which may be defined behind it.
void Parser::resolve_aliases() {
    std::size_t instructions = 0;
    for (const Alias& alias : aliases_) {
        const std::string where = "PTX line " + std::to_string(alias.text_line) + ": .alias ";
        const auto found = function_indices_.find(alias.function);
        if (found == function_indices_.end() || !is_defined_[found->second]) {
            throw ParseError(where + "of a function that is not defined");
        }
        Function copy = module_.functions[found->second];
        instructions += copy.instructions.size() + copy.registers.size();
        if (instructions > max_aliased_instructions) throw ParseError(where + "of too much code");
        copy.name = alias.name;
        add_function(std::move(copy), true);
    }
}

// .attribute(.managed), .attribute(.unified(0x1, 0x2))
void Parser::skip_attribute(bool* is_managed) {
    scanner_.expect('(');
    if (scanner_.peek() == '.' && scanner_.dotted_name() == "managed" && is_managed) {
        *is_managed = true;
    }
    scanner_.skip_to_closing('(', ')');
}

void Parser::add_function(Function function, bool is_defined) {
    const auto [entry, is_new] = function_indices_.emplace(function.name, module_.functions.size());
    if (is_new) {
        module_.functions.push_back(std::move(function));
        is_defined_.push_back(is_defined);
        return;
    }
    const std::size_t index = entry->second;
    if (!is_defined) return;
    if (is_defined_[index]) scanner_.fail("function " + function.name + " is defined twice");
    module_.functions[index] = std::move(function);
    is_defined_[index] = true;
}

void Parser::add_variable(Variable variable) {
    const auto [entry, is_new] = variable_indices_.emplace(variable.name, module_.variables.size());
    if (is_new) {
        module_.variables.push_back(std::move(variable));
        return;
    }
    Variable& present = module_.variables[entry->second];
    if (variable.is_extern) return;
    if (!present.is_extern) scanner_.fail("variable " + variable.name + " is defined twice");
    present = std::move(variable);
}

}  // namespace emulator::ptx

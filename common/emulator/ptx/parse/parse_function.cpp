// Functions: parameters, performance directives, and the statements of a body that are no instructions.
#include <algorithm>
#include <charconv>

#include "emulator/ptx/parse/constant_expression.hpp"
#include "emulator/ptx/parse/parser.hpp"
#include "emulator/ptx/parse/types.hpp"

namespace emulator::ptx {
namespace {

constexpr std::uint64_t max_registers_of_function = 1 << 20;
constexpr std::uint64_t max_registers_of_module = 1 << 23;

std::uint32_t small(Scanner& scanner, const char* what) {
    const std::uint64_t value = scanner.unsigned_integer(what);
    if (value > 0xffffffff) scanner.fail(std::string(what) + " out of range");
    return static_cast<std::uint32_t>(value);
}

}  // namespace

void Parser::function(bool is_kernel, const Linkage& linkage) {
    Function function;
    function.is_kernel = is_kernel;
    function.is_visible = linkage.is_visible;
    function.is_weak = linkage.is_weak;
    while (scanner_.peek() == '.') {
        if (scanner_.dotted_name() != "attribute") scanner_.fail("expected the name of a function");
        skip_attribute(nullptr);
    }
    if (scanner_.accept('(')) function.results = parameters();
    function.name = scanner_.expect_identifier("the name of a function");
    if (scanner_.accept('(')) function.parameters = parameters();
    function_directives(function);
    const bool is_defined = scanner_.accept('{');
    if (is_defined) {
        body(function);
    } else {
        scanner_.expect(';');
    }
    add_function(std::move(function), is_defined);
}

// .maxntid 16, 16: what is not given is 1.
void Parser::dimensions(std::uint32_t (&values)[3]) {
    std::size_t given = 0;
    do {
        if (given == 3) scanner_.fail("more than three dimensions");
        values[given++] = small(scanner_, "a dimension");
    } while (scanner_.accept(','));
    while (given < 3) values[given++] = 1;
}

void Parser::function_directives(Function& function) {
    while (scanner_.peek() == '.') {
        const std::string_view directive = scanner_.dotted_name();
        if (directive == "maxntid") {
            dimensions(function.max_threads);
        } else if (directive == "reqntid") {
            dimensions(function.required_threads);
        } else if (directive == "reqnctapercluster") {
            dimensions(function.required_cluster);
        } else if (directive == "minnctapersm") {
            function.min_blocks_per_sm = small(scanner_, "a number of blocks");
        } else if (directive == "maxnreg") {
            function.max_registers = small(scanner_, "a number of registers");
        } else if (directive == "maxnctapersm" || directive == "maxclusterrank" ||
                   directive == "abi_preserve" || directive == "abi_preserve_control") {
            small(scanner_, "a number");
        } else if (directive == "noreturn") {
            function.no_return = true;
        } else if (directive == "pragma") {
            scanner_.string_literal();
            scanner_.expect(';');
        } else if (directive == "attribute") {
            skip_attribute(nullptr);
        } else if (directive != "explicitcluster" && directive != "blocksareclusters") {
            scanner_.fail("unknown directive ." + std::string(directive) + " of a function");
        }
    }
}

void Parser::body(Function& function) {
    body_ = {};
    locations_.start_function();
    for (const auto* list : {&function.results, &function.parameters}) {
        for (const Variable& variable : *list) {
            // Views into the parameter's own name: the vectors are complete by now.
            body_.uses.emplace(variable.name, 1);
            body_.scopes.declare(variable.name, Scopes::Kind::variable,
                                 static_cast<std::uint32_t>(body_.variable_names.size()));
            body_.variable_names.push_back(variable.name);
        }
    }
    for (;;) {
        const char next = scanner_.peek();
        if (next == '{') {
            scanner_.skip_character();
            if (!body_.scopes.open()) scanner_.fail("blocks nested too deeply");
        } else if (next == '}') {
            scanner_.skip_character();
            if (!body_.scopes.close()) break;
        } else if (next == ';') {
            scanner_.skip_character();
        } else if (next == '.') {
            body_directive(function, scanner_.dotted_name());
        } else if (next == '@') {
            guarded_instruction(function);
        } else {
            const std::string_view name = scanner_.expect_identifier("an instruction");
            if (scanner_.peek() == ':') {
                scanner_.skip_character();
                named_statement(function, name);
            } else {
                instruction(function, name, name.data());
            }
        }
    }
    resolve(function);
}

void Parser::body_directive(Function& function, std::string_view directive) {
    if (directive == "loc") {
        body_.location = locations_.parse_loc(scanner_);
        if (!body_.has_location) function.location = body_.location;
        body_.has_location = true;
    } else if (directive == "reg") {
        registers(function);
    } else if (directive == "pragma") {
        scanner_.string_literal();
        scanner_.expect(';');
    } else if (const auto space = space_named(directive)) {
        local_variables(function, *space);
    } else if (directive == "file") {
        locations_.parse_file(scanner_, module_);
    } else if (directive == "section") {
        locations_.parse_section(scanner_);
    } else if (directive == "attribute") {
        skip_attribute(nullptr);
    } else {
        scanner_.fail("unknown directive ." + std::string(directive) + " in a function");
    }
}

// .reg .b32 %r<12>, a, b;
void Parser::registers(Function& function) {
    const Type type = type_named(scanner_.dotted_name());
    if (type == Type::none) {
        scanner_.fail("unknown type of a register (registers of vectors are not supported)");
    }
    do {
        const std::string_view name = scanner_.expect_identifier("the name of a register");
        const bool is_numbered = scanner_.accept('<');
        const std::uint64_t count =
            is_numbered ? scanner_.unsigned_integer("a number of registers") : 1;
        if (is_numbered) scanner_.expect('>');
        registers_in_module_ += std::min(count, max_registers_of_function + 1);
        if (count + function.registers.size() > max_registers_of_function ||
            count > max_registers_of_function || registers_in_module_ > max_registers_of_module) {
            scanner_.fail("too many registers");
        }
        const auto first = static_cast<std::uint32_t>(function.registers.size());
        if (!is_numbered) {
            if (!body_.scopes.declare(name, Scopes::Kind::reg, first)) {
                scanner_.fail("register " + std::string(name) + " is declared twice");
            }
            function.registers.push_back({std::string(name), type});
            continue;
        }
        body_.scopes.declare_numbered(name, first, static_cast<std::uint32_t>(count));
        char digits[12];
        for (std::uint32_t i = 0; i < count; ++i) {
            const char* end = std::to_chars(digits, digits + sizeof digits, i).ptr;
            Register& added = function.registers.emplace_back();
            added.name.reserve(name.size() + (end - digits));
            added.name.append(name).append(digits, end - digits);
            added.type = type;
        }
    } while (scanner_.accept(','));
    scanner_.expect(';');
}

// The name itself in the outermost block only: an inner block's may be that of a symbol of the module,
// which the rest of the function uses.
std::string Parser::unique_name(std::string_view name) {
    const std::uint32_t uses = body_.uses[name]++;
    std::string result(name);
    if (uses == 0 && body_.scopes.current() == Scopes::outermost) return result;
    return result.append(1, '#').append(std::to_string(uses + 1));  // no name of PTX has a '#'
}

void Parser::local_variables(Function& function, Space space) {
    const Declaration shape = declaration(space);
    std::vector<std::uint64_t> dimensions;
    do {
        scanner_.skip_space();
        const char* start = scanner_.position();
        Variable variable = declared_name(shape, dimensions);
        const std::string_view name(start, variable.name.size());
        variable.name = unique_name(name);
        const bool is_global = space == Space::global || space == Space::constant;
        if (is_global) variable.name.insert(0, function.name + "#");
        if (scanner_.accept('=')) initialise(variable, dimensions);
        const auto index = static_cast<std::uint32_t>(body_.variable_names.size());
        if (!body_.scopes.declare(name, Scopes::Kind::variable, index)) {
            scanner_.fail("variable " + std::string(name) + " is declared twice");
        }
        body_.variable_names.push_back(variable.name);
        if (is_global) {
            add_variable(std::move(variable));
        } else {
            function.variables.push_back(std::move(variable));
        }
    } while (scanner_.accept(','));
    scanner_.expect(';');
}

// Behind "name:".
void Parser::named_statement(Function& function, std::string_view name) {
    if (scanner_.peek() == '.') {
        if (scanner_.next_is(".branchtargets") || scanner_.next_is(".calltargets")) {
            return table(function, name, scanner_.dotted_name() == "branchtargets");
        }
        if (scanner_.next_is(".callprototype")) {
            scanner_.dotted_name();
            return prototype(function, name);
        }
    }
    const auto index = static_cast<std::uint32_t>(function.labels.size());
    if (!body_.scopes.declare(name, Scopes::Kind::label, index)) {
        scanner_.fail("label " + std::string(name) + " is declared twice");
    }
    function.labels.push_back(
        {std::string(name), static_cast<std::uint32_t>(function.instructions.size())});
}

void Parser::table(Function& function, std::string_view name, bool is_branch_table) {
    BranchTable table;
    table.name = unique_name(name);
    const auto index = static_cast<std::uint32_t>(body_.table_names.size());
    std::vector<std::string_view> labels;
    do {
        const std::string_view target = scanner_.expect_identifier("a label or function");
        if (!is_branch_table) {
            table.functions.emplace_back(target);
        } else if (scanner_.accept('<')) {  // L<3>: L0, L1, L2
            scanner_.fail("numbered labels in .branchtargets are not supported: list them");
        } else {
            labels.push_back(target);
        }
    } while (scanner_.accept(','));
    scanner_.expect(';');
    if (!body_.scopes.declare(name, Scopes::Kind::table, index)) {
        scanner_.fail(std::string(name) + " is declared twice");
    }
    body_.table_names.push_back(table.name);
    if (is_branch_table) {
        body_.branch_tables.push_back({static_cast<std::uint32_t>(function.branch_tables.size()),
                                       body_.scopes.current(), std::move(labels)});
    }
    function.branch_tables.push_back(std::move(table));
}

// name: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;
void Parser::prototype(Function& function, std::string_view name) {
    CallPrototype prototype;
    prototype.name = unique_name(name);
    if (scanner_.accept('(')) prototype.results = parameters();
    scanner_.expect_identifier("_");
    if (scanner_.accept('(')) prototype.parameters = parameters();
    Function directives;
    function_directives(directives);
    prototype.no_return = directives.no_return;
    scanner_.expect(';');
    const auto index = static_cast<std::uint32_t>(body_.table_names.size());
    if (!body_.scopes.declare(name, Scopes::Kind::table, index)) {
        scanner_.fail(std::string(name) + " is declared twice");
    }
    body_.table_names.push_back(prototype.name);
    function.call_prototypes.push_back(std::move(prototype));
}

// Labels may follow the branches to them: they are found when all of the body is read.
void Parser::resolve(Function& function) {
    for (const auto& [index, scope] : body_.unresolved) {
        for (Operand& operand : function.instructions[index].operands) {
            resolve(function, operand, scope);
        }
    }
    for (const auto& [index, scope, labels] : body_.branch_tables) {
        for (std::string_view name : labels) {
            const Scopes::Found found = body_.scopes.find_label_or_table(name, scope);
            if (found.kind != Scopes::Kind::label) {
                scanner_.fail("no label " + std::string(name) + " in function " + function.name);
            }
            function.branch_tables[index].labels.push_back(found.index);
        }
    }
}

void Parser::resolve(const Function& function, Operand& operand, Scopes::Scope scope) {
    for (Operand& element : operand.elements) resolve(function, element, scope);
    if (operand.kind != OperandKind::label) return;
    const Scopes::Found found = body_.scopes.find_label_or_table(operand.symbol, scope);
    if (found.kind == Scopes::Kind::label) {
        operand.index = found.index;
        operand.symbol.clear();
        return;
    }
    operand.kind = OperandKind::symbol;  // of the module, or an extern one
    if (found.kind == Scopes::Kind::table) operand.symbol = body_.table_names[found.index];
}

}  // namespace emulator::ptx

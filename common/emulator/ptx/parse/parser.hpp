// The parser of PTX modules, by recursive descent. Internal to this folder: module.hpp has parse().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/ptx/parse/locations.hpp"
#include "emulator/ptx/parse/module.hpp"
#include "emulator/ptx/parse/scanner.hpp"
#include "emulator/ptx/parse/scopes.hpp"

namespace emulator::ptx {

class Parser {
  public:
    explicit Parser(std::string_view text) : scanner_(text) {}
    Module parse();

  private:
    struct Linkage {
        bool is_extern = false, is_visible = false, is_weak = false, is_common = false;
    };
    // A variable's declaration up to its name: .global .align 8 .v2 .f32
    struct Declaration {
        Space space = Space::global;
        Type type = Type::none;
        unsigned vector_length = 1;
        std::uint32_t alignment = 0;  // 0: the type's own
        bool is_managed = false;
    };
    struct UnresolvedTable {
        std::uint32_t index;  // in Function::branch_tables
        Scopes::Scope scope;
        std::vector<std::string_view> labels;
    };
    struct Alias {
        std::string name, function;
        std::uint32_t text_line;
    };
    // The registers of the function at hand.
    struct Body {
        Scopes scopes;
        std::unordered_map<std::string_view, std::uint32_t> uses;  // of a name, by several blocks
        // Unique names of variables, tables and prototypes; Scopes has the indices.
        std::vector<std::string> variable_names, table_names;
        // Instructions with names that may be labels, and the blocks in which they stand.
        std::vector<std::pair<std::uint32_t, Scopes::Scope>> unresolved;
        std::vector<UnresolvedTable> branch_tables;
        SourceLocation location;
        bool has_location = false;
    };

    // parse_module.cpp
    void statement();
    void header(std::string_view directive);
    void target();
    void alias();
    void resolve_aliases();
    void skip_attribute(bool* is_managed);
    void add_function(Function function, bool is_defined);
    void add_variable(Variable variable);
    void check_has_target();

    // parse_variable.cpp
    Declaration declaration(Space space);
    Variable declared_name(const Declaration& declaration, std::vector<std::uint64_t>& dimensions);
    void initialise(Variable& variable, const std::vector<std::uint64_t>& dimensions);
    void initial_list(Variable& variable, const std::vector<std::uint64_t>& strides,
                      std::size_t depth, std::uint64_t position);
    void initial_value(Variable& variable, std::uint64_t position);
    void initial_address(Variable& variable, std::uint64_t position, std::uint64_t mask);
    void module_variables(Space space, const Linkage& linkage);
    Variable parameter();
    std::vector<Variable> parameters();

    // parse_function.cpp
    void function(bool is_kernel, const Linkage& linkage);
    void function_directives(Function& function);
    void dimensions(std::uint32_t (&values)[3]);
    void body(Function& function);
    void body_directive(Function& function, std::string_view directive);
    void registers(Function& function);
    void local_variables(Function& function, Space space);
    std::string unique_name(std::string_view name);
    void named_statement(Function& function, std::string_view name);
    void table(Function& function, std::string_view name, bool is_branch_table);
    void prototype(Function& function, std::string_view name);
    void resolve(Function& function);
    void resolve(const Function& function, Operand& operand, Scopes::Scope scope);

    // parse_instruction.cpp
    void instruction(Function& function, std::string_view opcode, const char* start);
    void guarded_instruction(Function& function);
    void operand(Operand& result, bool is_call, unsigned depth);
    void named_operand(Operand& result, std::string_view name, unsigned depth);
    void address(Operand& result, unsigned depth);
    void operand_list(Operand& result, char closing, bool is_call, unsigned depth);
    std::int64_t signed_offset();

    Scanner scanner_;
    Locations locations_;
    Module module_;
    std::unordered_map<std::string, std::size_t> function_indices_, variable_indices_;
    std::vector<bool> is_defined_;  // by function: it has a body
    std::size_t registers_in_module_ = 0;
    std::vector<Alias> aliases_;
    Body body_;
    bool has_unresolved_ = false;  // of the instruction at hand
};

}  // namespace emulator::ptx

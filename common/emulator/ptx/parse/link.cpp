// Joins modules name by name.
#include "emulator/ptx/parse/link.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace emulator::ptx {
namespace {

using Renamed = std::unordered_map<std::string, std::string>;

template <class Symbol>
bool is_own(const Symbol& symbol) {
    return !symbol.is_extern && !symbol.is_visible && !symbol.is_weak;
}

template <class Symbol>
void rename(std::vector<Symbol>& symbols, const Renamed& renamed) {
    for (Symbol& symbol : symbols) {
        const auto found = renamed.find(symbol.name);
        if (found != renamed.end()) symbol.name = found->second;
    }
}

void rename(std::string& name, const Renamed& renamed) {
    const auto found = renamed.find(name);
    if (found != renamed.end()) name = found->second;
}

void rename(Operand& operand, const Renamed& renamed) {
    if (operand.kind == OperandKind::symbol) rename(operand.symbol, renamed);
    for (Operand& element : operand.elements) rename(element, renamed);
}

void rename(Module& module, const Renamed& renamed) {
    rename(module.functions, renamed);
    rename(module.variables, renamed);
    for (Variable& variable : module.variables) {
        for (Relocation& relocation : variable.relocations) rename(relocation.symbol, renamed);
    }
    for (Function& function : module.functions) {
        for (BranchTable& table : function.branch_tables) {
            for (std::string& callee : table.functions) rename(callee, renamed);
        }
        // A name that the function declares itself is another one.
        Renamed visible = renamed;
        for (const auto* list : {&function.parameters, &function.results, &function.variables}) {
            for (const Variable& variable : *list) visible.erase(variable.name);
        }
        for (Instruction& instruction : function.instructions) {
            for (Operand& operand : instruction.operands) rename(operand, visible);
        }
    }
}

// Gives names of a module's own that others have too a number.
void separate_own_names(std::vector<Module>& modules) {
    std::unordered_map<std::string, std::size_t> uses;  // modules with a definition of that name
    for (const Module& module : modules) {
        for (const Function& function : module.functions)
            uses[function.name] += !function.is_extern;
        for (const Variable& variable : module.variables)
            uses[variable.name] += !variable.is_extern;
    }
    for (std::size_t i = 0; i < modules.size(); ++i) {
        Renamed renamed;
        const auto add = [&](const auto& symbol) {
            if (!is_own(symbol) || uses[symbol.name] < 2) return;
            renamed[symbol.name] = symbol.name + "#" + std::to_string(i + 1);
        };
        // Kernels keep theirs, by which the host knows them.
        for (const Function& function : modules[i].functions) {
            if (!function.is_kernel) add(function);
        }
        for (const Variable& variable : modules[i].variables) add(variable);
        if (!renamed.empty()) rename(modules[i], renamed);
    }
}

void shift(SourceLocation& location, std::uint32_t files, std::int32_t inlined_at) {
    location.file += files;
    if (location.inlined_at >= 0) location.inlined_at += inlined_at;
}

// Files and inlinings of the module come behind those of `result`.
void join_locations(Module& result, Module& module) {
    const auto files = static_cast<std::uint32_t>(result.files.size());
    const auto inlinings = static_cast<std::int32_t>(result.inlined_at.size());
    result.files.insert(result.files.end(), module.files.begin(), module.files.end());
    for (auto& [location, name] : module.inlined_at) {
        shift(location, files, inlinings);
        result.inlined_at.emplace_back(location, std::move(name));
    }
    for (Function& function : module.functions) {
        shift(function.location, files, inlinings);
        for (Instruction& instruction : function.instructions) {
            shift(instruction.location, files, inlinings);
        }
    }
}

template <class Symbol>
void join(std::vector<Symbol>& result, std::vector<Symbol>& added,
          std::unordered_map<std::string, std::size_t>& indices) {
    for (Symbol& symbol : added) {
        const auto [entry, is_new] = indices.emplace(symbol.name, result.size());
        if (is_new) {
            result.push_back(std::move(symbol));
            continue;
        }
        Symbol& present = result[entry->second];
        if (symbol.is_extern || (symbol.is_weak && !present.is_extern)) continue;
        if (!present.is_extern && !present.is_weak) {
            throw LinkError("two linked PTX modules define " + symbol.name);
        }
        present = std::move(symbol);
    }
}

}  // namespace

Module link(std::vector<Module> modules) {
    Module result;
    if (modules.empty()) return result;
    separate_own_names(modules);
    std::unordered_map<std::string, std::size_t> functions, variables;
    for (Module& module : modules) {
        join_locations(result, module);
        join(result.functions, module.functions, functions);
        join(result.variables, module.variables, variables);
        if (module.compute_capability <= result.compute_capability) continue;
        result.compute_capability = module.compute_capability;
        result.target = module.target;
        result.version = module.version;
    }
    return result;
}

}  // namespace emulator::ptx

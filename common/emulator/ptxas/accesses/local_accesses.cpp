#include "emulator/ptxas/accesses/local_accesses.hpp"

#include <algorithm>

namespace emulator::ptx {
namespace {

bool has(const Instruction& instruction, const char* modifier) {
    return std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
}

bool is_local(MachineAccessKind kind) {
    return kind == MachineAccessKind::local_load || kind == MachineAccessKind::local_store;
}

// A load or store whose own machine instruction may be one of local memory.
bool may_be_local(const Instruction& instruction, MachineAccessKind kind) {
    if (instruction.opcode != (kind == MachineAccessKind::local_load ? "ld" : "st")) return false;
    const auto names_space = [](const std::string& modifier) {
        return modifier == "global" || modifier.starts_with("shared") || modifier == "const" ||
               modifier.starts_with("param");
    };
    return std::ranges::none_of(instruction.modifiers, names_space);
}

// The lines behind the function before it, up to its last instruction's.
std::pair<std::uint32_t, std::uint32_t> lines_of(const Module& module, const Function& function) {
    const std::uint32_t first = function.instructions.front().text_line;
    std::uint32_t before = 0, last = first;
    for (const Function& other : module.functions) {
        for (const Instruction& instruction : other.instructions) {
            if (instruction.text_line < first) before = std::max(before, instruction.text_line);
            if (&other == &function) last = std::max(last, instruction.text_line);
        }
    }
    return {before, last};
}

}  // namespace

LocalAccesses::LocalAccesses(const Module& module, const std::string& kernel,
                             const Function& function) {
    const auto code = module.machine_code.find(kernel);
    if (code == module.machine_code.end() || function.instructions.empty()) return;
    const auto [before, last] = lines_of(module, function);
    std::map<std::uint32_t, std::vector<MachineAccess>> by_line;
    bool is_there = function.name == kernel;
    for (const MachineAccess& access : code->second) {
        if (access.line <= before || access.line > last) continue;
        is_there |= access.kind == MachineAccessKind::return_;
        if (is_local(access.kind)) by_line[access.line].push_back(access);
        if (access.is_generic) generic_lines_.insert(access.line);
    }
    if (!is_there) return;
    // An unrolled loop has several instructions of one line.
    std::map<std::uint32_t, std::vector<std::uint32_t>> instructions;
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
        instructions[function.instructions[i].text_line].push_back(i);
        if (has(function.instructions[i], "local")) by_line[function.instructions[i].text_line];
    }
    for (const auto& [line, accesses] : by_line) {
        // Instructions at the function's head belong to its first one.
        share_out(function, instructions.lower_bound(line)->second, accesses);
    }
}

// Where there are fewer machine instructions than copies, the first copies have them.
void LocalAccesses::share_out(const Function& function,
                              const std::vector<std::uint32_t>& instructions,
                              const std::vector<MachineAccess>& accesses) {
    const Instruction& instruction = function.instructions[instructions[0]];
    std::vector<MachineAccess> own, spilled;
    for (const MachineAccess& access : accesses) {
        const bool is_own = access.line == instruction.text_line &&
                            may_be_local(instruction, access.kind) &&
                            !generic_lines_.contains(access.line);
        (is_own ? own : spilled).push_back(access);
    }
    for (std::size_t i = 0; i < spilled.size(); ++i) {
        const bool is_load = spilled[i].kind == MachineAccessKind::local_load;
        spills_[instructions[i % instructions.size()]].push_back({is_load, spilled[i].bytes});
    }
    if (!has(instruction, "local") || own.size() > instructions.size()) return;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
        auto& issued = issued_[instructions[i]];
        if (i < own.size()) issued.push_back({0, own[i].bytes});
    }
}

const std::vector<IssuedPiece>* LocalAccesses::of(std::uint32_t instruction) const {
    const auto found = issued_.find(instruction);
    return found == issued_.end() ? nullptr : &found->second;
}

const std::vector<Spill>& LocalAccesses::spills(std::uint32_t instruction) const {
    static const std::vector<Spill> none;
    const auto found = spills_.find(instruction);
    return found == spills_.end() ? none : found->second;
}

}  // namespace emulator::ptx

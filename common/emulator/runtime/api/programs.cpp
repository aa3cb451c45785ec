#include "emulator/runtime/api/programs.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "emulator/ptx/parse/link.hpp"
#include "emulator/ptxas/accesses/full_unrolling.hpp"
#include "emulator/ptxas/accesses/moved_loads.hpp"
#include "emulator/ptxas/accesses/unrolled_loops.hpp"
#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/errors.hpp"

namespace emulator::runtime {
namespace {

struct HostVariable {
    Program* program;
    std::string name;
};

// Never destroyed: programs unregister when they end, after this library's statics.
struct Registry {
    std::vector<std::unique_ptr<Program>> programs;
    std::unordered_map<const void*, Function*> functions;
    std::unordered_set<const Function*> handles;
    std::unordered_map<const void*, HostVariable> variables;
};
Registry& registry() {
    static Registry& result = *new Registry;
    return result;
}

ptx::Module parse(const LoadedPtx& loaded) {
    try {
        if (loaded.texts.size() == 1) return ptx::parse(loaded.texts.front());
        std::vector<ptx::Module> modules;
        modules.reserve(loaded.texts.size());
        for (const std::string& text : loaded.texts) modules.push_back(ptx::parse(text));
        return ptx::link(std::move(modules));
    } catch (const ptx::ParseError& error) {
        throw ApiError(cudaErrorInvalidPtx, error.what());
    } catch (const ptx::LinkError& error) {
        throw ApiError(cudaErrorInvalidPtx, error.what());
    }
}

}  // namespace

const simt::Kernel& Function::kernel() {
    if (kernel_ == nullptr) {
        kernel_ = simt::find_kernel(*program->module(), name);
        if (kernel_ == nullptr) throw ApiError(cudaErrorInvalidDeviceFunction);
    }
    return *kernel_;
}

std::string Function::demangled() const {
    int status = 0;
    char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    if (text == nullptr) return name;
    const std::string result = text;
    std::free(text);
    // The name of a template begins with its return type.
    return result.rfind("void ", 0) == 0 ? result.substr(5) : result;
}

const std::shared_ptr<simt::Module>& Program::module() {
    if (module_) return module_;
    if (refusal_ != cudaSuccess) throw ApiError(refusal_);
    try {
        ptx_ = load_ptx(wrapper_, architecture().compute_number());
        ptx::Module parsed = parse(ptx_);
        compile(parsed);
        ptx::move_loads(parsed);
        ptx::unroll_whole_loops(parsed);
        ptx::unroll_loops(parsed);
        module_ = gpu().load(std::move(parsed), l1_mode(ptx_.options));
    } catch (const ApiError& error) {
        refusal_ = error.code;
        throw;
    }
    return module_;
}

const ptx::KernelResources* Function::resources() { return program->resources_of(name); }

// Machine code of a GPU for which there is no ptxas, or whose code is not known, is taken to be as of the oldest that
// the usual one knows.
void Program::compile(ptx::Module& parsed) {
    constexpr unsigned oldest = 75;
    const auto target = [](unsigned number) { return "sm_" + std::to_string(number); };
    const unsigned own = architecture().compute_number();
    resources_.clear();
    compiler_.clear();
    why_not_compiled_.clear();
    for (const std::string& text : ptx_.texts) {
        const auto parts = gpu().options().count_machine_code ? ptx::CodeParts::with_flow
                                                              : ptx::CodeParts::accesses;
        auto found = ptx::compile(text, target(own), ptx_.options, parts, &why_not_compiled_);
        if (found) {
            if (ptx_.texts.size() == 1) parsed.machine_flow = std::move(found->flow);
            resources_.insert(resources_.end(), found->kernels.begin(), found->kernels.end());
            compiler_ = "ptxas" + (found->release.empty() ? "" : " " + found->release) + " for " +
                        target(own);
        }
        if (own < oldest && (!found || found->code.empty())) {
            const unsigned number = std::max(oldest, parsed.compute_capability);
            found = ptx::compile(text, target(number), ptx_.options);
        }
        // Lines of several texts cannot be distinguished once they are linked.
        if (found && ptx_.texts.size() == 1) parsed.machine_code = std::move(found->code);
    }
}

const ptx::KernelResources* Program::resources_of(const std::string& kernel) {
    module();
    for (const ptx::KernelResources& entry : resources_) {
        if (entry.name == kernel) return &entry;
    }
    return nullptr;
}

unsigned Program::ptx_compute_capability() { return simt::source_of(*module()).compute_capability; }

void Program::add_function(const void* host, const std::string& name) {
    auto function = std::make_unique<Function>();
    function->program = this;
    function->name = name;
    function->host = host;
    registry().functions[host] = function.get();
    registry().handles.insert(function.get());
    functions_.push_back(std::move(function));
}

void Program::add_variable(const void* host, const std::string& name, std::size_t) {
    registry().variables[host] = {this, name};
}

void Program::add_managed_variable(void** pointer, const std::string& name, std::size_t bytes) {
    managed_.push_back({pointer, name, bytes});
    registry().variables[static_cast<const void*>(pointer)] = {this, name};
}

void Program::initialise_managed() {
    for (const ManagedVariable& variable : managed_) {
        const auto symbol = simt::find_symbol(*module(), variable.name);
        if (!symbol) throw ApiError(cudaErrorInvalidSymbol);
        *variable.pointer = symbol->address;
        // API functions get the address itself, not the host's variable.
        registry().variables[symbol->address] = {this, variable.name};
    }
}

void Program::unload() {
    module_.reset();
    for (const auto& function : functions_) function->kernel_ = nullptr;
    if (!managed_.empty()) initialise_managed();
}

Program* register_program(const void* wrapper) {
    registry().programs.push_back(std::make_unique<Program>(wrapper));
    return registry().programs.back().get();
}

void unregister_program(Program* program) {
    Registry& all = registry();
    std::erase_if(all.functions,
                  [&](const auto& entry) { return entry.second->program == program; });
    std::erase_if(all.handles, [&](const Function* entry) { return entry->program == program; });
    std::erase_if(all.variables,
                  [&](const auto& entry) { return entry.second.program == program; });
    std::erase_if(all.programs, [&](const auto& entry) { return entry.get() == program; });
}

Program& require_program(const Program* handle) {
    for (const auto& program : registry().programs)
        if (program.get() == handle) return *program;
    throw ApiError(cudaErrorInvalidResourceHandle);
}

Function& find_function(const void* handle) {
    const auto found = registry().functions.find(handle);
    if (found != registry().functions.end()) return *found->second;
    const auto* const function = static_cast<const Function*>(handle);
    if (registry().handles.count(function) == 0) throw ApiError(cudaErrorInvalidDeviceFunction);
    return *const_cast<Function*>(function);
}

simt::Symbol find_variable(const void* host) {
    const auto found = registry().variables.find(host);
    require(found != registry().variables.end(), cudaErrorInvalidSymbol);
    const auto symbol = simt::find_symbol(*found->second.program->module(), found->second.name);
    require(symbol.has_value(), cudaErrorInvalidSymbol);
    return *symbol;
}

void unload_programs() {
    for (const auto& program : registry().programs) program->unload();
}

}  // namespace emulator::runtime

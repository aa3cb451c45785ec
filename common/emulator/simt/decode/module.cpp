#include "emulator/simt/decode/module.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "emulator/memory/device_memory.hpp"
#include "emulator/ptx/flow/control_flow.hpp"
#include "emulator/ptx/image/library_headers.hpp"
#include "emulator/simt/decode/static_shared.hpp"
#include "emulator/simt/state/memory.hpp"

namespace emulator::simt {
namespace {

constexpr std::size_t parameter_buffer_bytes = 64 * 1024;

// The directory that all files of the program share.
std::string common_directory_of(const ptx::Module& module) {
    std::string common;
    bool is_first = true;
    for (const std::string& file : module.files) {
        const std::size_t slash = file.rfind('/');
        if (slash == std::string::npos || ptx::is_library_header(file)) continue;
        const std::string directory = file.substr(0, slash + 1);
        if (is_first) {
            common = directory;
            is_first = false;
            continue;
        }
        std::size_t same = 0;
        while (same < std::min(common.size(), directory.size()) && common[same] == directory[same])
            ++same;
        common.resize(common.rfind('/', same == 0 ? 0 : same - 1) == std::string::npos
                          ? 0
                          : common.rfind('/', same - 1) + 1);
    }
    return common;
}

KernelAttributes attributes_of(const ptx::Function& function, const Architecture& architecture) {
    KernelAttributes attributes;
    std::size_t end = 0;
    for (const ptx::Variable& parameter : function.parameters) {
        const std::size_t alignment = std::max<std::size_t>(parameter.alignment, 1);
        const std::size_t offset = (end + alignment - 1) / alignment * alignment;
        attributes.parameters.emplace_back(offset, parameter.bytes);
        end = offset + parameter.bytes;
    }
    attributes.parameter_bytes = end;
    for (const ptx::Variable& variable : function.variables) {
        if (variable.space == ptx::Space::local) attributes.local_bytes += variable.bytes;
    }
    std::uint32_t max_threads = 1;
    for (const std::uint32_t n : function.max_threads) max_threads *= std::max(n, 1u);
    if (function.max_threads[0] == 0) {
        for (const std::uint32_t n : function.required_threads) max_threads *= std::max(n, 1u);
    }
    const bool is_given = function.max_threads[0] != 0 || function.required_threads[0] != 0;
    attributes.max_threads_per_block =
        is_given ? std::min(max_threads, architecture.max_threads_per_block)
                 : architecture.max_threads_per_block;
    return attributes;
}

}  // namespace

Module::Module(ptx::Module from, L1Mode l1_mode, const Architecture& architecture,
               bool checks_hazards)
    : source(std::move(from)),
      functions_without_return(ptx::functions_without_return(source)),
      l1_mode(l1_mode),
      architecture(architecture),
      banks(architecture.banks),
      checks_hazards(checks_hazards) {
    common_directory = common_directory_of(source);
    for (std::uint32_t i = 0; i < source.functions.size(); ++i) {
        const ptx::Function& function = source.functions[i];
        if (function.instructions.empty() && !function.is_kernel) continue;  // a declaration
        function_numbers_[function.name] = i;
        if (!function.is_kernel) continue;
        auto kernel = std::make_unique<Kernel>();
        kernel->module = this;
        kernel->number = i;
        kernel->attributes = attributes_of(function, architecture);
        kernels[function.name] = std::move(kernel);
    }
    place_variables();
    for (auto& [name, kernel] : kernels) {
        kernel->attributes.static_shared_bytes = static_shared_bytes_of(*this, kernel->number);
        for (const auto& [variable, symbol] : variables) {
            if (symbol.is_constant) kernel->attributes.constant_bytes += symbol.bytes;
        }
    }
}

Module::~Module() {
    for (void* const allocation : allocations_) release_device_memory(allocation);
}

void Module::place_variables() {
    for (const ptx::Variable& variable : source.variables) {
        const bool is_constant = variable.space == ptx::Space::constant;
        if (variable.space != ptx::Space::global && !is_constant) continue;
        if (variable.is_extern) continue;
        const auto access = variable.is_managed ? HostAccess::allowed : HostAccess::none;
        void* const address = allocate_device_memory(variable.bytes, access);
        allocations_.push_back(address);
        std::memset(storage_of(address), 0, variable.bytes);
        const auto initial = std::as_bytes(std::span(variable.initial));
        std::ranges::copy(initial.first(std::min<std::size_t>(initial.size(), variable.bytes)),
                          storage_of(address));
        mark_initialised(reinterpret_cast<Address>(address), variable.bytes);
        variables[variable.name] = {address, variable.bytes, is_constant};
    }
    for (const ptx::Variable& variable : source.variables) {
        if (!variable.relocations.empty()) fill_in_addresses(variable);
    }
}

void Module::fill_in_addresses(const ptx::Variable& variable) {
    const auto place = variables.find(variable.name);
    if (place == variables.end()) return;
    for (const ptx::Relocation& relocation : variable.relocations) {
        std::uint64_t value = static_cast<std::uint64_t>(relocation.offset);
        if (const auto target = variables.find(relocation.symbol); target != variables.end()) {
            value += reinterpret_cast<std::uint64_t>(target->second.address);
        } else if (const auto number = function_number(relocation.symbol)) {
            value += function_address(*number);
        }
        value >>= 8 * relocation.shift;
        std::memcpy(storage_of(place->second.address) + relocation.at, &value, relocation.bytes);
    }
}

std::optional<std::uint32_t> Module::function_number(const std::string& name) const {
    const auto found = function_numbers_.find(name);
    if (found == function_numbers_.end()) return std::nullopt;
    return found->second;
}

std::uint64_t Module::function_address(std::uint32_t number) {
    return function_window + 16 * std::uint64_t{number};
}

std::uint64_t Module::parameter_buffer() {
    static void* const buffer = allocate_fresh_device_memory(parameter_buffer_bytes);
    return reinterpret_cast<std::uint64_t>(buffer);
}

bool Module::is_constant(Address address) const {
    if (address - parameter_buffer() < parameter_buffer_bytes) return true;
    return std::ranges::any_of(variables, [&](const auto& variable) {
        const auto begin = reinterpret_cast<Address>(variable.second.address);
        return variable.second.is_constant && address - begin < variable.second.bytes;
    });
}

bool is_constant(const Module& module, Address address) { return module.is_constant(address); }

const Kernel* find_kernel(const Module& module, const std::string& name) {
    const auto found = module.kernels.find(name);
    return found == module.kernels.end() ? nullptr : found->second.get();
}

Dimensions required_cluster(const Kernel& kernel) {
    const auto& size = kernel.module->source.functions[kernel.number].required_cluster;
    return {size[0], size[1], size[2]};
}
const KernelAttributes& attributes(const Kernel& kernel) { return kernel.attributes; }

bool reads_clock(const Kernel& kernel) {
    return kernel.module->image(const_cast<Kernel&>(kernel)).traits.reads_clock;
}

bool allocates_memory(const Kernel& kernel) {
    return kernel.module->image(const_cast<Kernel&>(kernel)).traits.allocates_memory;
}

std::optional<Symbol> find_symbol(const Module& module, const std::string& name) {
    const auto found = module.variables.find(name);
    if (found == module.variables.end()) return std::nullopt;
    return found->second;
}

const ptx::Module& source_of(const Module& module) { return module.source; }

bool is_of_library(const Module& module, const ptx::SourceLocation& location) {
    const auto& files = module.source.files;
    return location.file < files.size() && ptx::is_library_header(files[location.file]);
}

ptx::SourceLocation place_in_program(const Module& module, const ptx::SourceLocation& location) {
    ptx::SourceLocation place = location;
    while (is_of_library(module, place)) {
        if (place.inlined_at < 0) return location;
        place = module.source.inlined_at[place.inlined_at].first;
    }
    return place;
}

std::string text(const Module& module, const ptx::SourceLocation& location) {
    if (location.line == 0) return "unknown line";
    std::string file =
        location.file < module.source.files.size() ? module.source.files[location.file] : "";
    const std::string& common = module.common_directory;
    if (!common.empty() && file.starts_with(common)) file.erase(0, common.size());
    return file + ":" + std::to_string(location.line);
}

}  // namespace emulator::simt

// A loaded PTX module: its variables have addresses, its kernels are decoded when they are first launched.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emulator/models/memory/load_policy.hpp"
#include "emulator/simt/state/launch_record.hpp"
#include "emulator/simt/state/program.hpp"

namespace emulator::simt {

class Kernel {
  public:
    Module* module = nullptr;
    std::uint32_t number = 0;  // of the function in the PTX module
    KernelAttributes attributes;
    std::unique_ptr<Image> image;  // null until the first launch
    // Whether results depend on the order of warps, as its first launch has shown.
    mutable std::optional<bool> depends_on_warps;
};

class Module {
  public:
    Module(ptx::Module source, L1Mode l1_mode, const Architecture& architecture,
           bool checks_hazards = false);
    ~Module();
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

    const Image& image(Kernel& kernel);
    // The number of a definition; of several with one name, the last one.
    std::optional<std::uint32_t> function_number(const std::string& name) const;
    static std::uint64_t function_address(std::uint32_t number);
    // Where the parameters of the running launch lie, for generic addresses of them.
    static std::uint64_t parameter_buffer();
    bool is_constant(Address address) const;

    ptx::Module source;
    std::unordered_set<std::string> functions_without_return;
    L1Mode l1_mode;
    const Architecture& architecture;
    BankLayout banks;  // in the mode of the launch that runs
    const bool checks_hazards;
    std::unordered_map<std::string, Symbol> variables;
    std::unordered_map<std::string, std::unique_ptr<Kernel>> kernels;
    std::string common_directory;  // of the module's own files, with a slash at its end

  private:
    void place_variables();
    void fill_in_addresses(const ptx::Variable& variable);

    std::unordered_map<std::string, std::uint32_t> function_numbers_;
    std::vector<void*> allocations_;
};

}  // namespace emulator::simt

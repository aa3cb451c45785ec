#include "emulator/program_image.hpp"

#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

// Provided by the linker: the bounds of the executable's image, and of section cuda_constant where
// a __constant__ variable made one.
extern "C" {
extern const char __executable_start[];
extern const char _end[];
extern const char __start_cuda_constant[] __attribute__((weak));
extern const char __stop_cuda_constant[] __attribute__((weak));
}

namespace emulator {
namespace {

// Names every dynamic shared array's place in the stub that the build generates.
constexpr const char* dynamic_shared_symbol = "emulator_dynamic_shared";

std::string demangled(const char* symbol) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
    return status == 0 ? text.get() : symbol;
}

class ProgramImage {
  public:
    ProgramImage() {
        static char* no_debug_search_path = nullptr;
        static const Dwfl_Callbacks callbacks = {dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo,
                                                 nullptr, &no_debug_search_path};
        dwfl_ = dwfl_begin(&callbacks);
        dwfl_linux_proc_report(dwfl_, getpid());
        dwfl_report_end(dwfl_, nullptr, nullptr);
        module_ = dwfl_addrmodule(dwfl_, reinterpret_cast<Dwarf_Addr>(__executable_start));
        read_shared_arrays();
    }

    std::string line(const void* return_address) {
        const std::lock_guard lock(mutex_);
        // The call lies before the address it returns to.
        const auto call = reinterpret_cast<Dwarf_Addr>(return_address) - 1;
        Dwfl_Line* const found = dwfl_getsrc(dwfl_, call);
        int number = 0;
        const char* file =
            found == nullptr ? nullptr
                             : dwfl_lineinfo(found, nullptr, &number, nullptr, nullptr, nullptr);
        if (file == nullptr) return "unknown line";
        // The folder is the chapter: every chapter has a kernels.cuh.
        const std::filesystem::path path(file);
        return (path.parent_path().filename() / path.filename()).string() + ":" +
               std::to_string(number);
    }

    std::string symbol(const void* code) {
        const std::lock_guard lock(mutex_);
        const char* name =
            module_ == nullptr
                ? nullptr
                : dwfl_module_addrname(module_, reinterpret_cast<Dwarf_Addr>(code));
        return name == nullptr ? "" : name;
    }

    std::optional<SharedArray> shared_array(std::size_t tls_offset) const {
        auto after = shared_arrays_.upper_bound(tls_offset);
        if (after == shared_arrays_.begin()) return std::nullopt;
        const Symbol& symbol = std::prev(after)->second;
        return SharedArray{demangled(symbol.name.c_str()), symbol.offset, symbol.bytes,
                           symbol.offset == dynamic_offset_};
    }

    std::size_t shared_bytes_of(const std::string& kernel_symbol) const {
        if (!kernel_symbol.starts_with("_Z")) return 0;
        // A local static of _Z1kPf is named _ZZ1kPfE and its own name.
        const std::string prefix = "_ZZ" + kernel_symbol.substr(2) + "E";
        std::size_t bytes = 0;
        for (const auto& [offset, symbol] : shared_arrays_) {
            if (symbol.name.starts_with(prefix)) bytes += symbol.bytes;
        }
        return bytes;
    }

  private:
    struct Symbol {
        std::string name;
        std::size_t offset = 0;
        std::size_t bytes = 0;
    };

    void read_shared_arrays() {
        const int symbols = module_ == nullptr ? 0 : dwfl_module_getsymtab(module_);
        for (int i = 1; i < symbols; ++i) {
            GElf_Sym symbol;
            GElf_Word section = 0;
            const char* name = dwfl_module_getsym(module_, i, &symbol, &section);
            if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_TLS) continue;
            if (std::strcmp(name, dynamic_shared_symbol) == 0) dynamic_offset_ = symbol.st_value;
            shared_arrays_[symbol.st_value] = {name, symbol.st_value, symbol.st_size};
        }
    }

    std::mutex mutex_;  // libdw keeps caches behind its queries
    Dwfl* dwfl_ = nullptr;
    Dwfl_Module* module_ = nullptr;
    std::map<std::size_t, Symbol> shared_arrays_;
    std::size_t dynamic_offset_ = SIZE_MAX;
};

ProgramImage& image() {
    static ProgramImage image;
    return image;
}

}  // namespace

std::string source_line(const void* return_address) { return image().line(return_address); }

std::string function_name(const void* code) {
    const std::string symbol = image().symbol(code);
    return symbol.empty() ? "unknown function" : demangled(symbol.c_str());
}

std::optional<SharedArray> shared_array_at_or_below(std::size_t tls_offset) {
    return image().shared_array(tls_offset);
}

std::size_t static_shared_bytes(const void* kernel) {
    return image().shared_bytes_of(image().symbol(kernel));
}

TlsBlock tls_block_of_this_thread() {
    TlsBlock block;
    // The first entry is the executable itself.
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* result) {
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const auto& header = info->dlpi_phdr[i];
                if (header.p_type != PT_TLS) continue;
                *static_cast<TlsBlock*>(result) = {
                    reinterpret_cast<std::uint64_t>(info->dlpi_tls_data), header.p_memsz};
            }
            return 1;
        },
        &block);
    return block;
}

ImageSection image_section(std::uint64_t address) {
    const auto at = [](const char* symbol) { return reinterpret_cast<std::uint64_t>(symbol); };
    if (__start_cuda_constant != nullptr && address >= at(__start_cuda_constant) &&
        address < at(__stop_cuda_constant)) {
        return ImageSection::constant;
    }
    if (address >= at(__executable_start) && address < at(_end)) {
        return ImageSection::device_variable;
    }
    return ImageSection::none;
}

}  // namespace emulator

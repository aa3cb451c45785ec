// One text file a module: a line that names the format, one for the release of ptxas, a line a kernel, of each kernel's machine code a line
// and then a line a memory instruction, of its flow a line and then two a basic block, a line that ends it.
#include "emulator/ptx/code/ptxas_cache.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <system_error>

namespace emulator::ptx {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_line = "ptxas, format 10", release_word = "release",
                           kernel_word = "kernel", code_word = "code", flow_word = "flow",
                           last_line = "end";

// FNV-1a in 128 bits.
class Hash {
  public:
    void add(std::string_view bytes) {
        for (const char byte : bytes) {
            value_ = (value_ ^ static_cast<unsigned char>(byte)) * prime;
        }
        value_ = (value_ ^ 0x100) * prime;  // ends this part
    }
    std::string text() const {
        char digits[40];
        std::snprintf(digits, sizeof digits, "%016llx%016llx",
                      static_cast<unsigned long long>(value_ >> 64),
                      static_cast<unsigned long long>(value_));
        return digits;
    }

  private:
    using Wide = unsigned __int128;
    static constexpr Wide prime = (Wide{1} << 88) | 0x13b;
    Wide value_ = (Wide{0x6c62272e07bb0142} << 64) | 0x62b821756295c58d;
};

fs::path cache_folder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache && cache[0] == '/') return fs::path(cache) / "emulated-gpu";
    const char* home = std::getenv("HOME");
    if (home && home[0] == '/') return fs::path(home) / ".cache" / "emulated-gpu";
    return {};
}

// Whether that many lines follow.
bool read_code(std::istream& in, std::vector<MachineAccess>& accesses) {
    std::size_t count = 0;
    in >> count;
    for (; count > 0 && in; --count) {
        MachineAccess access;
        unsigned kind = 0, bytes = 0;
        in >> access.line >> kind >> bytes >> access.is_guarded >> access.place >>
            access.is_generic;
        if (kind > static_cast<unsigned>(MachineAccessKind::jump) || bytes > 16) return false;
        access.kind = static_cast<MachineAccessKind>(kind);
        access.bytes = static_cast<std::uint8_t>(bytes);
        accesses.push_back(access);
    }
    return static_cast<bool>(in);
}

// Whether that many blocks follow.
bool read_flow(std::istream& in, std::vector<MachineBlock>& blocks) {
    std::size_t count = 0;
    in >> count;
    for (; count > 0 && in; --count) {
        MachineBlock& block = blocks.emplace_back();
        std::size_t instructions = 0;
        in >> block.next >> block.target >> block.opening >> block.is_entry >> block.may_leave >>
            block.is_conditional >> block.called >> instructions;
        for (; instructions > 0 && in; --instructions) {
            MachineInstruction each;
            in >> each.line >> each.operation >> each.is_guarded;
            block.instructions.push_back(each);
        }
    }
    const auto is_known = [&](std::uint32_t block) {
        return block == no_machine_block || block < blocks.size();
    };
    return in && std::ranges::all_of(blocks, [&](const MachineBlock& block) {
               return !block.instructions.empty() && is_known(block.next) &&
                      is_known(block.target) && is_known(block.opening);
           });
}

void write_flow(std::ostream& out, const std::vector<MachineBlock>& blocks) {
    for (const MachineBlock& block : blocks) {
        out << block.next << ' ' << block.target << ' ' << block.opening << ' ' << block.is_entry
            << ' ' << block.may_leave << ' ' << block.is_conditional << ' ' << block.called << ' '
            << block.instructions.size() << '\n';
        for (const MachineInstruction& each : block.instructions)
            out << each.line << ' ' << each.operation << ' ' << each.is_guarded << ' ';
        out << '\n';
    }
}

}  // namespace

PtxasCache::PtxasCache(const fs::path& ptxas, const std::vector<std::string>& options,
                       std::string_view text, CodeParts parts) {
    const fs::path folder = cache_folder();
    if (folder.empty()) return;
    std::error_code failure;
    Hash hash;
    hash.add(ptxas.native());
    hash.add(std::to_string(fs::file_size(ptxas, failure)));
    hash.add(std::to_string(fs::last_write_time(ptxas, failure).time_since_epoch().count()));
    for (const std::string& option : options) hash.add(option);
    hash.add(text);
    if (parts == CodeParts::with_flow) hash.add(flow_word);
    file_ = folder / (hash.text() + ".txt");
}

std::optional<Compilation> PtxasCache::read() const {
    if (file_.empty()) return std::nullopt;
    std::ifstream in(file_);
    std::string line;
    if (!std::getline(in, line) || line != first_line) return std::nullopt;
    Compilation result;
    for (std::string word; in >> word;) {
        if (word == last_line) return result;
        std::string name;
        if (word == kernel_word) {
            KernelResources kernel;
            in >> kernel.name >> kernel.registers >> kernel.shared_bytes >> kernel.stack_bytes >>
                kernel.spill_store_bytes >> kernel.spill_load_bytes;
            result.kernels.push_back(std::move(kernel));
        } else if (word == release_word) {
            in >> result.release;
        } else if (word == code_word && in >> name) {
            if (!read_code(in, result.code[name])) return std::nullopt;
        } else if (word == flow_word && in >> name) {
            if (!read_flow(in, result.flow[name])) return std::nullopt;
        }
        if (!in) return std::nullopt;
    }
    return std::nullopt;
}

void PtxasCache::write(const Compilation& compilation) const {
    if (file_.empty()) return;
    std::error_code failure;
    fs::create_directories(file_.parent_path(), failure);
    // Renamed when complete, so that no process reads half of it.
    const fs::path draft = file_.native() + "." + std::to_string(getpid());
    std::ofstream out(draft);
    out << first_line << '\n';
    if (!compilation.release.empty()) out << release_word << ' ' << compilation.release << '\n';
    for (const KernelResources& kernel : compilation.kernels) {
        out << kernel_word << ' ' << kernel.name << ' ' << kernel.registers << ' '
            << kernel.shared_bytes << ' ' << kernel.stack_bytes << ' ' << kernel.spill_store_bytes
            << ' ' << kernel.spill_load_bytes << '\n';
    }
    for (const auto& [name, accesses] : compilation.code) {
        out << code_word << ' ' << name << ' ' << accesses.size() << '\n';
        for (const MachineAccess& access : accesses) {
            out << access.line << ' ' << static_cast<unsigned>(access.kind) << ' '
                << unsigned{access.bytes} << ' ' << access.is_guarded << ' ' << access.place << ' '
                << access.is_generic << '\n';
        }
    }
    for (const auto& [name, blocks] : compilation.flow) {
        out << flow_word << ' ' << name << ' ' << blocks.size() << '\n';
        write_flow(out, blocks);
    }
    out << last_line << '\n';
    out.close();
    if (out) fs::rename(draft, file_, failure);
    if (!out || failure) fs::remove(draft, failure);
}

}  // namespace emulator::ptx

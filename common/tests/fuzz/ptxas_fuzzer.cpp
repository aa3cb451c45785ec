// What ptxas prints, and what is kept of it on disk from run to run: read, or taken for nothing.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "emulator/ptx/code/ptxas_cache.hpp"
#include "emulator/ptx/code/resource_usage.hpp"

using namespace emulator::ptx;
namespace fs = std::filesystem;

namespace {

struct Kept {
    PtxasCache cache;
    fs::path file;
};

// The file that the cache reads, in a folder in memory.
Kept& kept() {
    static Kept one = [] {
        const fs::path folder = "/dev/shm/lab-fuzz-" + std::to_string(getpid());
        setenv("XDG_CACHE_HOME", folder.c_str(), 1);
        PtxasCache cache("/bin/sh", {}, "");
        cache.write({});
        return Kept{cache, fs::directory_iterator(folder / "emulated-gpu")->path()};
    }();
    return one;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    (void)parse_ptxas_report(text);
    std::ofstream(kept().file, std::ios::binary) << text;
    if (const auto read = kept().cache.read()) {
        kept().cache.write(*read);
        if (kept().cache.read() != read) std::abort();
    }
    return 0;
}

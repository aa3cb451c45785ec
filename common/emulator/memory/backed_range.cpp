#include "emulator/memory/backed_range.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

namespace emulator {
namespace {

constexpr int flags = MAP_SHARED | MAP_NORESERVE;

}  // namespace

BackedRange::BackedRange(AddressRange range)
    : range_(range), file_(memfd_create("emulated-gpu", MFD_CLOEXEC)) {
    void* const at_gpu = reinterpret_cast<void*>(range.begin);
    if (file_ < 0 || ftruncate(file_, static_cast<off_t>(range.bytes)) != 0 ||
        mmap(at_gpu, range.bytes, PROT_NONE, flags | MAP_FIXED, file_, 0) != at_gpu) {
        throw std::runtime_error(
            "emulated GPU: cannot reserve its memory (is the size of files limited? "
            "try `ulimit -f unlimited`)");
    }
    void* const again = mmap(nullptr, range.bytes, PROT_READ | PROT_WRITE, flags, file_, 0);
    if (again == MAP_FAILED) {
        // Too few addresses for both (2^39): the host may access everything.
        if (mprotect(at_gpu, range.bytes, PROT_READ | PROT_WRITE) != 0)
            throw std::runtime_error("emulated GPU: cannot access its memory");
        storage_ = static_cast<std::byte*>(at_gpu);
    } else {
        storage_ = static_cast<std::byte*>(again);
    }
}

bool BackedRange::set_host_access(AddressRange pages, HostAccess access) const {
    void* const at_gpu = reinterpret_cast<void*>(pages.begin);
    if (storage_ == reinterpret_cast<std::byte*>(range_.begin)) return true;
    const int allowed = access == HostAccess::allowed ? PROT_READ | PROT_WRITE : PROT_NONE;
    return mprotect(at_gpu, pages.bytes, allowed) == 0;
}

void BackedRange::discard(AddressRange pages) const {
    fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              static_cast<off_t>(pages.begin - range_.begin), static_cast<off_t>(pages.bytes));
}

}  // namespace emulator

#include "emulator/memory/address_range.hpp"

#include <sys/mman.h>

#include <array>
#include <stdexcept>

namespace emulator {
namespace {

// Executables lie at two thirds of all addresses, libraries and stacks at the end.
constexpr Address in_39_bits = 0x10'0000'0000, in_42_bits = 0x100'0000'0000;
#ifdef __SANITIZE_THREAD__
constexpr Address in_47_bits = 0x0040'0000'0000;  // elsewhere lies what ThreadSanitizer notes
#elif defined(__SANITIZE_ADDRESS__)
constexpr Address in_47_bits = 0x2000'0000'0000;  // its allocator has 0x5000… or 0x6000…
#else
constexpr Address in_47_bits = 0x6000'0000'0000;
#endif
constexpr Address anywhere = 0;

}  // namespace

Address map_without_access(Address wanted, std::size_t bytes) {
    const int fixed = wanted == anywhere ? 0 : MAP_FIXED_NOREPLACE;
    void* const got = mmap(reinterpret_cast<void*>(wanted), bytes, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
    if (got == MAP_FAILED) return 0;
    const auto address = reinterpret_cast<Address>(got);
    if (wanted == anywhere || address == wanted) return address;
    // Kernels before Linux 4.17 take the address as a hint.
    munmap(got, bytes);
    return 0;
}

AddressRange reserve_addresses(std::size_t bytes, const MapRange& map) {
    for (const Address wanted : std::array{in_47_bits, in_42_bits, in_39_bits, anywhere}) {
        if (const Address begin = map(wanted, bytes)) return {begin, bytes};
    }
    throw std::runtime_error(
        "emulated GPU: cannot reserve the address range of its memory "
        "(is the address space limited? try `ulimit -v unlimited`)");
}

}  // namespace emulator

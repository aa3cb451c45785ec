// Memory behind a range of addresses, which the host may access at those addresses only where it is allowed to, as with a
// discrete GPU. The emulator has the same memory mapped a second time.
#pragma once

#include "emulator/memory/address_range.hpp"

namespace emulator {

// Whether code of the host may access memory at the GPU's address.
enum class HostAccess : bool { none, allowed };

class BackedRange {
  public:
    // Takes over reserved addresses. Throws std::runtime_error.
    explicit BackedRange(AddressRange range);

    const AddressRange& addresses() const { return range_; }
    std::byte* storage() const { return storage_; }

    // Whole pages alone. False: the system has no mappings left.
    [[nodiscard]] bool set_host_access(AddressRange pages, HostAccess access) const;
    // Gives whole pages back to the system: they are zeros afterwards.
    void discard(AddressRange pages) const;

  private:
    AddressRange range_;
    int file_;  // in memory
    std::byte* storage_ = nullptr;
};

}  // namespace emulator

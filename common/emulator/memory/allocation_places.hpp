// Where allocations lie in the address range of the emulated GPU's memory, and which pages that makes accessible.
#pragma once

#include <map>

#include "emulator/memory/free_ranges.hpp"

namespace emulator {

// The addresses do not depend on the system's page size: the same program gets the same ones on every machine.
//
// The first allocations have pages of their own. Those that the host may access take two of the mappings that Linux
// grants a process (65,530), so allocations beyond the first ones share slabs. A gap remains between any two, so an access past the end of one meets no other.
class AllocationPlaces {
  public:
    // The number of allocations that have pages of their own.
    static constexpr std::size_t max_own_of_host = 16384;
    // The heap of kernels, whose threads allocate a little each: what notes the sectors that a launch touches
    // takes memory for each 1 MiB of addresses.
    static constexpr std::size_t max_own_on_heap = 1024;
    // Wide enough that an index some thousand elements past the end still meets no neighbour.
    static constexpr std::size_t guard_bytes = 64 << 10;

    // `page_bytes`: at most guard_bytes.
    AllocationPlaces(AddressRange range, std::size_t page_bytes);

    struct Taken {
        Address begin = 0;
        AddressRange opened;  // whole pages that become accessible; may be empty
    };
    // Throws std::bad_alloc.
    Taken take(std::size_t bytes, std::size_t max_own);
    // Returns the whole pages that nothing uses any more; may be none.
    AddressRange give_back(AddressRange allocation);
    // Whether an allocation lies in a slab.
    bool shares_pages(Address begin) const;

  private:
    Taken take_own(std::size_t bytes);
    Taken take_shared(std::size_t bytes);
    AddressRange pages_of(AddressRange range) const;

    std::size_t page_bytes_;
    FreeRanges free_;  // of the whole range
    FreeRanges free_in_slabs_;
    std::map<Address, std::size_t> slabs_;
    std::size_t own_ = 0;
};

}  // namespace emulator

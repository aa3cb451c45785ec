// A set of 32-byte sectors of device memory, as bitmaps: what a launch has touched at least once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "emulator/models/warp_request.hpp"

namespace emulator {

class SectorSet {
  public:
    void insert(Address sector) {
        const Address number = sector / 32;
        if (number / sectors_in_page != last_number_ || last_page_ == nullptr) {
            last_number_ = number / sectors_in_page;
            auto& page = pages_[last_number_];
            if (!page) page = std::make_unique<Page>();
            last_page_ = page.get();
        }
        const Address bit = number % sectors_in_page;
        (*last_page_)[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
    void merge(const SectorSet& other);
    void clear();

    std::uint64_t sectors() const;
    // Aligned 64-byte granules with at least one of the sectors: what DRAM is read in.
    std::uint64_t granules() const;

  private:
    static constexpr std::size_t sectors_in_page = 32768;  // 1 MiB of device memory
    using Page = std::array<std::uint64_t, sectors_in_page / 64>;

    std::unordered_map<Address, std::unique_ptr<Page>> pages_;
    Address last_number_ = 0;
    Page* last_page_ = nullptr;
};

}  // namespace emulator
